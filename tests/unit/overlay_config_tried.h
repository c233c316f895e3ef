/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_config_tried: whether a configuration is accepted, or refused and why; long ones. */
#ifndef UNIT_OVERLAY_CONFIG_TRIED_H
#define UNIT_OVERLAY_CONFIG_TRIED_H

#include "../../src/lib/overlay/config.h"
#include "overlay_config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM ((size_t)3 << 20)

static struct np_fault fault;

/* Notices: "FILE:LINE: <ELEMENT> ...". */
struct told {
	unsigned count;
	char line[4][256]; /* the first ones */
};

/* Reads it as the configuration *@c, of the caller to free; adds notices to @told, or NULL. */
static inline int read_told(struct overlay_config *c, const char *text, struct told *told)
{
	static const char begin[] = "t: warning: ";
	char notices[4096] = "";
	FILE *out = fmemopen(notices, sizeof(notices), "w");
	const struct np_log log = {.program = "t", .stream = out};
	char *rest = notices, *line;
	int rc;

	assert_non_null(out);
	fault = (struct np_fault){};
	rc = overlay_config_parse(c, "o.xml", text, strlen(text), told ? &log : NULL, &fault);
	fclose(out);
	while (told && (line = strsep(&rest, "\n")) && *line) {
		assert_int_equal(strncmp(line, begin, strlen(begin)), 0);
		if (told->count < 4)
			snprintf(told->line[told->count], sizeof(told->line[0]), "%.255s",
				 line + strlen(begin));
		told->count++;
	}
	return rc;
}

static inline int read_text(struct overlay_config *c, const char *text)
{
	return read_told(c, text, NULL);
}

static inline int tried(const char *text)
{
	struct overlay_config c;
	const int rc = read_text(&c, text);

	overlay_config_free(&c);
	return rc;
}

static inline void accepted(const char *text)
{
	const int rc = tried(text);

	if (rc)
		fail_msg("%d, %s: %s of %.300s", rc, fault.object, fault.reason, text);
}

static inline void refused(const char *text, int error, const char *reason)
{
	const int rc = tried(text);

	if (rc != error || !strstr(fault.reason, reason))
		fail_msg("%d, %s: %s of %.300s", rc, fault.object, fault.reason, text);
}

/* A text that is made piece by piece. */
struct text {
	char *data;
	size_t length;
};

static inline void begin(struct text *t, const char *first)
{
	t->data = malloc(ROOM);
	assert_non_null(t->data);
	t->length = (size_t)snprintf(t->data, ROOM, "%s", first);
}

__attribute__((format(printf, 2, 3))) static inline void add(struct text *t, const char *format,
							     ...)
{
	va_list arguments;

	va_start(arguments, format);
	t->length += (size_t)vsnprintf(t->data + t->length, ROOM - t->length, format, arguments);
	va_end(arguments);
	assert_true(t->length < ROOM);
}

static inline void add_many(struct text *t, const char *piece, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(t, "%s", piece);
}

#endif

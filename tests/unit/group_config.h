/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* group_config: configurations of group-test as texts, and what became of them. */
#pragma once

#include "../../src/group-test/config/settings.h"
#include "support/unit.h"

/* One reading of -config and -props, and what was said meanwhile. */
struct trial {
	struct settings settings;
	struct np_fault fault;
	char *said;
	int rc;
	/* All lines of the text, as KEY=VALUE@LINE, with a blank before each. */
	char lines[1000];
};

/* Reads only @text, as c.txt, s.xml or -props, into the lines of the trial. */
static inline void read_text(struct trial *t, enum settings_source source, const char *text,
			     size_t bytes)
{
	const char *name = source == SETTINGS_CONFIG	? "c.txt"
			   : source == SETTINGS_STACK	? "-props"
			   : *text && strchr(text, '<') ? "s.xml"
							: "p.txt";
	struct config_file *made = &t->settings.lines;
	const size_t before = made->count;
	struct np_log log = {.program = "p"};
	size_t length, at = 0;

	free(t->said);
	log.stream = open_memstream(&t->said, &length);
	assert_non_null(log.stream);
	t->rc = settings_read(&t->settings, source, name, text, bytes, &log, &t->fault);
	fclose(log.stream);
	*t->lines = '\0';
	for (size_t i = before; i < made->count; i++)
		at += (size_t)snprintf(t->lines + at, sizeof(t->lines) - at, " %s=%s@%u",
				       made->entry[i].key, made->entry[i].value,
				       made->entry[i].line);
	assert_true(at < sizeof(t->lines));
}

static inline void end_trial(struct trial *t)
{
	settings_free(&t->settings);
	free(t->said);
	*t = (struct trial){};
}

/* One of a block, which ends with it. */
#define TRIAL __attribute__((cleanup(end_trial))) struct trial

/*
 * The text holds these lines, after what is read of it by "udp:" or "tcp:" if it is a stack of
 * that; and of a stack, this is not used.
 */
static inline void reads(enum settings_source source, const char *text, const char *lines,
			 const char *unused)
{
	TRIAL t = {};
	char said[300] = "", transport[8] = "";

	read_text(&t, source, text, strlen(text));
	assert_int_equal(t.rc, 0);
	if (t.settings.stack)
		snprintf(transport, sizeof(transport), "%s:", t.settings.stack);
	assert_int_equal(strncmp(lines, transport, strlen(transport)), 0);
	assert_string_equal(t.lines, lines + strlen(transport));
	if (unused)
		snprintf(said, sizeof(said), "p: %s: not used: %s\n",
			 source == SETTINGS_STACK ? "-props" : "s.xml", unused);
	assert_string_equal(t.said, said);
}

/* The text is refused for that reason, a part of the message, by an object such as "c.txt:3". */
static inline void faulty(enum settings_source source, const char *text, size_t bytes,
			  const char *object, const char *reason)
{
	TRIAL t = {};

	read_text(&t, source, text, bytes);
	assert_int_equal(t.rc, -EINVAL);
	assert_string_equal(t.fault.object, object);
	assert_non_null(strstr(t.fault.reason, reason));
}

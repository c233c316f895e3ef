/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config_take: reads the elements of a configuration by tables, with a row for each element: its
 * name, its form, its range and where its value is stored. Internal to overlay_config_parse.
 */
#ifndef OVERLAY_CONFIG_TAKE_H
#define OVERLAY_CONFIG_TAKE_H

#include "config.h"
#include "xml.h"

#include <stddef.h>

/* The most messages that may wait. */
#define OVERLAY_MESSAGES_MAX 1000000
/* The most lists of addresses. */
#define OVERLAY_LISTS_MAX 16

/* One reading of one file. */
struct overlay_taker {
	struct overlay_config *config;
	const char *file;
	const struct np_log *log; /* may be NULL */
	struct np_fault *fault;
	/* Lists that can be read only when all interfaces are known; NULL: not in the file. */
	const struct overlay_xml *list[OVERLAY_LISTS_MAX];
	unsigned list_count;
	const struct overlay_xml *buddy_list, *neighbours;
};

enum overlay_form {
	FORM_OTHER,   /* @take, that of a row without a form */
	FORM_COUNT,   /* unsigned, @min..@max */
	FORM_TIME,    /* np_time, in the file milliseconds, @min..@max of them */
	FORM_BOOLEAN, /* bool: yes, no, true or false, in either case */
	FORM_NAME,    /* char[OVERLAY_NAME] of printable ASCII */
	FORM_WORD,    /* only @word is allowed, in either case */
	FORM_UNUSED,  /* known; a notice says that it has no effect */
	FORM_REFUSED, /* known and not supported; @word: what to use */
};

struct overlay_rule {
	const char *name; /* NULL ends a table, which goes on with that of @inside */
	enum overlay_form form;
	size_t offset; /* in the target */
	uint32_t min, max;
	const char *word;
	/* The rows of its children, in the same target; with @word: of its only child. */
	const struct overlay_rule *inside;
	int (*take)(struct overlay_taker *t, const struct overlay_xml *element, void *target);
	bool many; /* may be repeated */
};

/* All return 0, or -errno with the fault set. */

/* Handles each child of @element by its row; one without a row causes a notice. */
int overlay_take_children(struct overlay_taker *t, const struct overlay_xml *element, void *target,
			  const struct overlay_rule *rules);
/*
 * The same where there must be exactly one child, one of @rules; @expected: "UDPInterface or ...".
 */
int overlay_take_choice(struct overlay_taker *t, const struct overlay_xml *element, void *target,
			const struct overlay_rule *rules, const char *expected);

/*
 * Copies the text of an element to @out, without leading and trailing blanks. -EINVAL: it contains
 * elements, or is longer than @room (@expected says what would be right).
 */
int overlay_take_text(struct overlay_taker *t, const struct overlay_xml *element, char *out,
		      size_t room, const char *expected);
/* Printable ASCII only. */
int overlay_take_name(struct overlay_taker *t, const struct overlay_xml *element,
		      char out[OVERLAY_NAME]);

/* Sets the fault of a wrong value in that element. */
__attribute__((format(printf, 4, 5))) int overlay_take_fault(struct overlay_taker *t,
							     const struct overlay_xml *element,
							     int error, const char *format, ...);
__attribute__((format(printf, 3, 4))) void overlay_take_notice(struct overlay_taker *t,
							       const struct overlay_xml *element,
							       const char *format, ...);

/*
 * Parse the text of a value: return 0, -EINVAL or -ERANGE. Whole decimal numbers, without a sign
 * but "-".
 */
int overlay_parse_endpoint(const char *text, struct np_address *endpoint); /* a.b.c.d:port */
/* @count integers of 32 bits, separated by commas, blanks allowed around them. */
int overlay_parse_integers(const char *text, int32_t *value, unsigned count);

/* The parts, in files of their own; @config: that of @t. */
int overlay_take_adapter(struct overlay_taker *t, const struct overlay_xml *element, void *config);
int overlay_take_node(struct overlay_taker *t, const struct overlay_xml *element, void *config);
/* Called after everything else. */
int overlay_take_contacts(struct overlay_taker *t);

#endif

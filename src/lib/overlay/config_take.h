/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config_take: reads the elements of a configuration by one table, with a row for each element: its
 * name, its form, its range and where its value is stored. Internal to overlay_config_parse.
 */
#ifndef OVERLAY_CONFIG_TAKE_H
#define OVERLAY_CONFIG_TAKE_H

#include "config.h"

#include <netperf/xml.h>
#include <stddef.h>

/* The most lists of addresses. */
#define OVERLAY_LISTS_MAX 16

/* A list of addresses. */
struct overlay_list {
	unsigned count, number; /* addresses of it; what it says of that */
	char name[OVERLAY_NAME];
};

struct overlay_rule;

/* One reading of one file. */
struct overlay_taker {
	struct overlay_config *config;
	const char *file;
	const struct np_log *log; /* may be NULL */
	struct np_fault *fault;
	const struct overlay_rule *rules;
	const struct overlay_rule *rule;    /* of the element that its @take is called for */
	unsigned lists;			    /* that were found */
	struct overlay_interface interface; /* the one that is being read */
	struct overlay_list list;	    /* the same */
	unsigned kept; /* contacts of the list that is kept, when another one is being read */
};

enum overlay_form {
	/*
	 * The rows after it are of the children of @name, wherever that is; may be repeated.
	 * overlay_rule_of goes by the parent's name alone: two kinds of element of one name cannot
	 * have different children.
	 */
	FORM_IN,
	FORM_ELEMENTS, /* children by their rows */
	FORM_CHOICE,   /* exactly one child, with a row; @word: "UDPInterface or ..." */
	FORM_OTHER,    /* @take */
	FORM_COUNT,    /* unsigned, @min..@max */
	FORM_TIME,     /* np_time, in the file milliseconds, @min..@max of them */
	FORM_BOOLEAN,  /* bool: yes, no, true or false, in either case */
	FORM_NAME,     /* char[OVERLAY_NAME] of printable ASCII */
	FORM_WORD,     /* only @word is allowed, in either case */
	FORM_TEXT,     /* any text, no elements, which is read later; @word: what it is */
	FORM_LATER,    /* read when all others are known */
	FORM_UNUSED,   /* known; a notice says that it has no effect */
	FORM_REFUSED,  /* known and not supported; @word: what to use */
};

struct overlay_rule {
	const char *name; /* NULL ends the table */
	enum overlay_form form;
	/* Where the value is stored: in the configuration, or the taker's interface or list. */
	enum { IN_CONFIG, IN_INTERFACE, IN_LIST } target;
	size_t offset;
	uint32_t min, max;
	const char *absent; /* what HyperCast takes for it in the hash when it is absent, or NULL */
	const char *word;
	/* Takes it, or after FORM_ELEMENTS and FORM_CHOICE checks what its children are together.
	 */
	int (*take)(struct overlay_taker *t, const struct np_xml *element);
	enum { ALL, DT_ONLY, SPT_ONLY } only; /* the protocols of which it is an element */
	bool many;			      /* may be repeated */
};

/* All return 0, or -errno with the fault set. */

/* Handles each child of @element by its row; one without a row causes a notice. */
int overlay_take_children(struct overlay_taker *t, const struct np_xml *element);

/* The row of the child @name of elements named @parent; NULL: there is none. */
const struct overlay_rule *overlay_rule_of(const struct overlay_taker *t, const char *parent,
					   const char *name);

/*
 * Copies the text of an element to @out, without leading and trailing blanks. -EINVAL: it contains
 * elements, or is longer than @room (@expected says what would be right).
 */
int overlay_take_text(struct overlay_taker *t, const struct np_xml *element, char *out, size_t room,
		      const char *expected);
/* Printable ASCII only. */
int overlay_take_name(struct overlay_taker *t, const struct np_xml *element,
		      char out[OVERLAY_NAME]);

/* Sets the fault of a wrong value in that element. */
__attribute__((format(printf, 4, 5))) int overlay_take_fault(struct overlay_taker *t,
							     const struct np_xml *element,
							     int error, const char *format, ...);
__attribute__((format(printf, 3, 4))) void overlay_take_notice(struct overlay_taker *t,
							       const struct np_xml *element,
							       const char *format, ...);

/* Parses "a.b.c.d:port" and nothing else; both may be 0. Returns 0, or -errno without a fault. */
int overlay_take_endpoint(struct np_address *endpoint, const char *text);

/* config_late.c: what refers to other elements, called when these are read. */
#define OVERLAY_ADDRESS_FORM "interface ID|a.b.c.d:port or realm % a.b.c.d:port"
/* The buddies or neighbours, and every list of addresses. */
int overlay_take_contacts(struct overlay_taker *t, const struct np_xml *root);
/* Takes one address of a list. */
int overlay_take_list_address(struct overlay_taker *t, const struct np_xml *element);
/* The hash of what HashAttributes names. */
int overlay_take_hash(struct overlay_taker *t, const struct np_xml *root);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config_take: reads the elements of a configuration by one table, with a row for each element: its
 * name, its form, its range and where its value is stored. Internal to overlay_config_parse.
 */
#pragma once

#include "config.h"

#include <errno.h>
#include <netperf/xml.h>
#include <stddef.h>

/* The most lists of addresses. */
#define OVERLAY_LISTS_MAX 16

/* A list of addresses. */
struct overlay_list {
	unsigned count, number; /* addresses of it; what it says of that */
	char name[OVERLAY_NAME];
};

/* One reading of one file. */
struct overlay_taker {
	struct overlay_config *config;
	const char *file;
	const struct np_log *log; /* may be NULL */
	struct np_fault *fault;
	const struct overlay_rule *rules;
	const struct overlay_rule *rule;    /* of the element that its @take is called for */
	struct overlay_interface interface; /* the one that is being read */
	struct overlay_list list;	    /* the same */
	/* of an element with a @take, FORM_NAME or FORM_VALUE; any value that is checked only */
	_Alignas(np_time) char text[OVERLAY_NAME];
	int32_t value[4]; /* of FORM_INTEGERS */
	size_t hashed;	  /* bytes of what HashAttributes names */
	unsigned kept;	  /* contacts of the list that is kept, when another one is being read */
};

enum overlay_form {
	/*
	 * The rows after it are of the children of @name, wherever that is; may be repeated.
	 * rule_of goes by the parent's name alone: two kinds of element of one name cannot
	 * have different children.
	 */
	FORM_IN,
	FORM_ELEMENTS, /* children by their rows */
	FORM_CHOICE,   /* exactly one child, with a row; @word: "UDPInterface or ..." */
	FORM_OTHER,    /* @take; NULL: read when all others are known */
	FORM_COUNT,    /* unsigned, @min..@max */
	FORM_TIME,     /* np_time, in the file milliseconds, @min..@max of them */
	FORM_BOOLEAN,  /* bool: yes, no, true or false, in either case */
	FORM_INTEGERS, /* @min numbers of 32 bits, to the taker; @word: which */
	FORM_NAME,     /* char[OVERLAY_NAME] of printable ASCII */
	FORM_VALUE,    /* char[OVERLAY_NAME] of anything; @word: what it is */
	FORM_WORD,     /* only @word is allowed, in either case */
	FORM_TEXT,     /* any text, no elements, which is read later; @word: what it is */
};

struct overlay_rule {
	const char *name; /* NULL ends the table */
	enum overlay_form form;
	/* Where the value is stored: in the configuration, or the taker's interface, list or text.
	 */
	enum { IN_CONFIG, IN_INTERFACE, IN_LIST, IN_TEXT } target;
	size_t offset;
	uint32_t min, max;
	const char *absent; /* what HyperCast takes for it in the hash when it is absent, or NULL */
	const char *word;
	/* Takes it, or checks what was stored, or its children together. */
	int (*take)(struct overlay_taker *t, const struct np_xml *element);
	enum { ALL, DT, SPT } only; /* the protocols of which it is an element */
	bool many;		    /* may be repeated */
};

/* All return 0, or -errno with the fault set. */

/* Handles each child of @element by its row; one without a row causes a notice. */
int taker_children(struct overlay_taker *t, const struct np_xml *element);

/* "FILE:LINE" of an element, until the end of the block. */
#define taker_place(t, element) np_xml_place((t)->file, (element)->line, (char[NP_XML_PLACE]){})

/* Sets the fault of a wrong value in that element. */
#define taker_fault(t, element, error, format, ...)                                                \
	np_fault_set((t)->fault, error, taker_place(t, element), "<%.64s>: " format,               \
		     (element)->name, ##__VA_ARGS__)
#define taker_wrong(t, element, ...) taker_fault(t, element, -EINVAL, __VA_ARGS__)

/* What refers to other elements, called when these are read. */
#define OVERLAY_ADDRESS_FORM "interface ID|a.b.c.d:port or realm % a.b.c.d:port"
/* The buddies or neighbours, and every list of addresses. */
int taker_contacts(struct overlay_taker *t, const struct np_xml *root);
/* Takes one address of a list. */
int taker_list_address(struct overlay_taker *t, const struct np_xml *element);
/* The hash of what HashAttributes names. */
int taker_hash(struct overlay_taker *t, const struct np_xml *root);

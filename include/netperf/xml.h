/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * xml: a small XML document as a tree of elements, limited in size, depth and number; a document
 * type is refused, and with it every entity but the five of XML itself. Pure.
 */
#pragma once

#include <netperf/log.h>

#define NP_XML_BYTES_MAX    (1U << 20)
#define NP_XML_DEPTH_MAX    16
#define NP_XML_ELEMENTS_MAX 20000

struct np_xml {
	char *name;		 /* UTF-8 */
	char *text;		 /* all text directly in it, without comments; may be "" */
	const char **attributes; /* names and values in turn, NULL at the end */
	unsigned line;		 /* of its start, from 1 */
	bool mixed;		 /* it also contains text, blanks, comments or instructions */
	struct np_xml *parent, *child, *next; /* in the order of the file */
	size_t text_bytes;
};

/* What is read, for errors. */
struct np_xml_kind {
	const char *root;	/* the name of the outermost element; NULL: the caller looks */
	const char *wrong_root; /* the reason for refusing another one */
	const char *doctype;	/* for refusing a document type */
};

/* Room for any np_xml_place. */
#define NP_XML_PLACE 200

/* Formats "FILE:LINE"; of a long name only its end. Returns @out. */
char *np_xml_place(const char *file, unsigned line, char out[NP_XML_PLACE]);

/*
 * Returns 0, -EINVAL (not well-formed, a document type, or another root), -E2BIG (a limit was
 * exceeded) with @fault, which names @file and the line, or -ENOMEM. On failure *@root is NULL.
 */
int np_xml_parse(struct np_xml **root, const struct np_xml_kind *kind, const char *file,
		 const char *text, size_t bytes, struct np_fault *fault);
void np_xml_free(struct np_xml *root);

/* The first child of that name; NULL: none. */
const struct np_xml *np_xml_child(const struct np_xml *element, const char *name);

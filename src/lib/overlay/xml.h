/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * xml: a small XML document as a tree of elements, limited in size, depth and number; a document
 * type is refused, and with it every entity but the five of XML itself. Of attributes only their
 * presence is recorded. Pure, one thread at a time.
 */
#ifndef OVERLAY_XML_H
#define OVERLAY_XML_H

#include <netperf/log.h>
#include <stdbool.h>
#include <stddef.h>

#define OVERLAY_XML_BYTES_MAX	 (1U << 20)
#define OVERLAY_XML_DEPTH_MAX	 16
#define OVERLAY_XML_ELEMENTS_MAX 20000

struct overlay_xml {
	char *name;	/* UTF-8 */
	char *text;	/* all text directly in it, without comments; may be "" */
	unsigned line;	/* of its start, from 1 */
	bool mixed;	/* it also contains text, blanks, comments or instructions */
	bool attribute; /* it has an attribute that is neither xmlns nor of a namespace */
	struct overlay_xml *parent, *child, *next; /* in the order of the file */
	struct overlay_xml *last;		   /* child */
	size_t text_bytes, text_room;
};

/* Room for any overlay_xml_place. */
#define OVERLAY_XML_PLACE 200

/* Formats "FILE:LINE"; of a long name only its end. */
char *overlay_xml_place(const char *file, unsigned line, char out[OVERLAY_XML_PLACE]);

/*
 * Returns 0, -EINVAL (not well-formed, or a document type), -E2BIG (a limit was exceeded), -ENOPKG
 * (built without expat) with @fault, which names @file and the line, or -ENOMEM. On failure *@root
 * is NULL.
 */
int overlay_xml_parse(struct overlay_xml **root, const char *file, const char *text, size_t bytes,
		      struct np_fault *fault);
void overlay_xml_free(struct overlay_xml *root); /* NULL is allowed */

/* The first child of that name; NULL: none. */
const struct overlay_xml *overlay_xml_child(const struct overlay_xml *element, const char *name);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* xml_tree: what is done with a tree of elements, whether or not there is expat to make one. */
#include "xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a colon, ten digits and the zero. */
#define LINE_ROOM 12

char *overlay_xml_place(const char *file, unsigned line, char out[OVERLAY_XML_PLACE])
{
	const size_t length = strlen(file), room = OVERLAY_XML_PLACE - LINE_ROOM;

	snprintf(out, OVERLAY_XML_PLACE, "%s:%u", file + (length > room ? length - room : 0), line);
	return out;
}

/* The depth is bounded by overlay_xml_parse. */
void overlay_xml_free(struct overlay_xml *root)
{
	while (root) {
		struct overlay_xml *next = root->next;

		overlay_xml_free(root->child);
		free(root->name);
		free(root->text);
		free(root);
		root = next;
	}
}

const struct overlay_xml *overlay_xml_child(const struct overlay_xml *element, const char *name)
{
	const struct overlay_xml *child = element->child;

	while (child && strcmp(child->name, name))
		child = child->next;
	return child;
}

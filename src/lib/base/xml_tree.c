// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* xml_tree: what is done with a tree of elements, whether or not there is expat to make one. */
#include <netperf/xml.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for a colon, ten digits and the zero. */
#define LINE_ROOM 12

char *np_xml_place(const char *file, unsigned line, char out[NP_XML_PLACE])
{
	const size_t length = strlen(file), room = NP_XML_PLACE - LINE_ROOM;

	snprintf(out, NP_XML_PLACE, "%s:%u", file + (length > room ? length - room : 0), line);
	return out;
}

/* The depth is bounded by np_xml_parse. */
void np_xml_free(struct np_xml *root)
{
	while (root) {
		struct np_xml *next = root->next;

		np_xml_free(root->child);
		free(root->attributes);
		free(root->name);
		free(root->text);
		free(root);
		root = next;
	}
}

const struct np_xml *np_xml_child(const struct np_xml *element, const char *name)
{
	const struct np_xml *child = element->child;

	while (child && strcmp(child->name, name))
		child = child->next;
	return child;
}

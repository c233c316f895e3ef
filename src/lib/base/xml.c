// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* xml: makes a bounded tree of elements of an XML document, by expat; walks and frees it. */
#include <netperf/xml.h>

#include <errno.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

/* Room for a colon, ten digits and the zero. */
#define LINE_ROOM 12

struct walk {
	XML_Parser parser;
	const struct np_xml_kind *kind;
	const char *file;
	struct np_fault *fault;
	struct np_xml *root, *at; /* @at: the innermost open element */
	struct np_xml **next;	  /* where the one that begins next belongs */
	unsigned depth, elements;
	int rc;
};

static void give_up(struct walk *w, int error, const char *reason)
{
	char place[NP_XML_PLACE];

	if (w->rc)
		return;
	np_xml_place(w->file, (unsigned)XML_GetCurrentLineNumber(w->parser), place);
	w->rc = np_fault_set(w->fault, error, place, "%s", reason);
	XML_StopParser(w->parser, XML_FALSE);
}

static void begin_element(void *context, const char *name, const char **attributes)
{
	struct walk *w = context;
	size_t count = 0, bytes = 0;
	struct np_xml *made;
	char *at;

	if (w->rc)
		return;
	if (!w->at && w->kind->root && strcmp(name, w->kind->root))
		return give_up(w, -EINVAL, w->kind->wrong_root);
	if (++w->depth > NP_XML_DEPTH_MAX)
		return give_up(w, -E2BIG, "elements nested too deeply; expected at most 16 levels");
	if (++w->elements > NP_XML_ELEMENTS_MAX)
		return give_up(w, -E2BIG, "too many elements; expected at most 20000");
	made = calloc(1, sizeof(*made));
	if (!made)
		return give_up(w, -ENOMEM, strerror(ENOMEM));
	made->parent = w->at;
	*w->next = made;
	w->next = &made->child;
	w->at = made;
	made->line = (unsigned)XML_GetCurrentLineNumber(w->parser);
	for (; attributes[count]; count++)
		bytes += strlen(attributes[count]) + 1;
	/* The texts follow the pointers. */
	made->attributes = calloc(1, (count + 1) * sizeof(*attributes) + bytes);
	at = made->attributes ? (char *)(made->attributes + count + 1) : NULL;
	for (size_t i = 0; at && i < count; i++) {
		made->attributes[i] = at;
		at = stpcpy(at, attributes[i]) + 1;
	}
	made->name = strdup(name);
	made->text = calloc(1, 1);
	if (!made->attributes || !made->name || !made->text)
		give_up(w, -ENOMEM, strerror(ENOMEM));
}

static void end_element(void *context, const char *name)
{
	struct walk *w = context;

	(void)name;
	if (w->rc)
		return;
	w->depth--;
	w->next = &w->at->next;
	w->at = w->at->parent;
}

static void take_text(void *context, const char *text, int length)
{
	struct walk *w = context;
	struct np_xml *at = w->at;
	const size_t bytes = (size_t)length;
	char *larger;

	if (w->rc || !at)
		return;
	at->mixed = true;
	larger = realloc(at->text, at->text_bytes + bytes + 1);
	if (!larger)
		return give_up(w, -ENOMEM, strerror(ENOMEM));
	at->text = larger;
	memcpy(at->text + at->text_bytes, text, bytes);
	at->text_bytes += bytes;
	at->text[at->text_bytes] = '\0';
}

/* Comments and instructions, and what stands around a CDATA section. */
static void take_other(void *context, const char *text, int length)
{
	struct walk *w = context;

	(void)text;
	(void)length;
	if (w->at)
		w->at->mixed = true;
}

static void begin_doctype(void *context, const char *name, const char *system, const char *public,
			  int internal)
{
	struct walk *w = context;

	(void)name;
	(void)system;
	(void)public;
	(void)internal;
	give_up(w, -EINVAL, w->kind->doctype);
}

int np_xml_parse(struct np_xml **root, const struct np_xml_kind *kind, const char *file,
		 const char *text, size_t bytes, struct np_fault *fault)
{
	struct walk w = {.kind = kind, .file = file, .fault = fault};

	w.next = &w.root;
	*root = NULL;
	if (bytes > NP_XML_BYTES_MAX)
		return np_fault_set(fault, -E2BIG, file, "too long; expected at most 1 MiB");
	w.parser = XML_ParserCreate(NULL);
	if (!w.parser)
		return np_fault_errno(fault, -ENOMEM, file);
	XML_SetUserData(w.parser, &w);
	XML_SetElementHandler(w.parser, begin_element, end_element);
	XML_SetCharacterDataHandler(w.parser, take_text);
	XML_SetDefaultHandlerExpand(w.parser, take_other);
	XML_SetStartDoctypeDeclHandler(w.parser, begin_doctype);
	if (XML_Parse(w.parser, text, (int)bytes, 1) == XML_STATUS_ERROR)
		give_up(&w, -EINVAL, XML_ErrorString(XML_GetErrorCode(w.parser)));
	XML_ParserFree(w.parser);
	if (w.rc)
		np_xml_free(w.root);
	else
		*root = w.root;
	return w.rc;
}

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

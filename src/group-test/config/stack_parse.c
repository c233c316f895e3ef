// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stack_parse: reads a JGroups XML stack, an element for each protocol. */
#include "stack.h"

#include <errno.h>
#include <expat.h>
#include <string.h>

struct walk {
	struct stack_taker taker;
	XML_Parser parser;
	unsigned depth;
};

static unsigned line_of(const struct walk *w)
{
	return (unsigned)XML_GetCurrentLineNumber(w->parser);
}

static void give_up(struct walk *w, const char *reason)
{
	w->taker.line = line_of(w);
	stack_take_fault(&w->taker, "%s", reason);
	XML_StopParser(w->parser, XML_FALSE);
}

static void begin_element(void *context, const char *name, const char **attributes)
{
	struct walk *w = context;

	if (w->taker.rc)
		return;
	if (w->depth++ == 0) {
		if (strcmp(name, "config"))
			give_up(w,
				"is not a JGroups stack; expected <config> with a protocol in each "
				"element");
		return;
	}
	if (w->depth != 2)
		return;
	w->taker.line = line_of(w);
	if (stack_take(&w->taker, name, attributes))
		XML_StopParser(w->parser, XML_FALSE);
}

static void end_element(void *context, const char *name)
{
	struct walk *w = context;

	(void)name;
	w->depth--;
}

static void begin_doctype(void *context, const char *name, const char *system, const char *public,
			  int internal)
{
	(void)name;
	(void)system;
	(void)public;
	(void)internal;
	give_up(context, "has a document type; expected a stack without one");
}

static void parse(struct walk *w, const char *text, size_t bytes)
{
	XML_SetUserData(w->parser, w);
	XML_SetElementHandler(w->parser, begin_element, end_element);
	XML_SetStartDoctypeDeclHandler(w->parser, begin_doctype);
	if (XML_Parse(w->parser, text, (int)bytes, 1) == XML_STATUS_ERROR && !w->taker.rc)
		give_up(w, XML_ErrorString(XML_GetErrorCode(w->parser)));
}

int stack_parse(struct stack *stack, const char *name, const char *text, size_t bytes,
		struct np_fault *fault)
{
	struct walk w = {};
	int rc = stack_take_begin(&w.taker, stack, name, fault);

	if (!rc && bytes > CONFIG_FILE_BYTES_MAX)
		w.taker.rc = np_fault_errno(fault, -EFBIG, name);
	if (!rc)
		w.parser = XML_ParserCreate(NULL);
	if (!rc && !w.parser)
		w.taker.rc = np_fault_errno(fault, -ENOMEM, name);
	else if (!w.taker.rc)
		parse(&w, text, bytes);
	if (w.parser)
		XML_ParserFree(w.parser);
	return stack_take_end(&w.taker);
}

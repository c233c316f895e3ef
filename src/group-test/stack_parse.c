// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stack_parse: walks a JGroups XML stack and keeps what means something to our transports. */
#include "stack.h"

#include "stack_value.h"

#include <errno.h>
#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one protocol a later row wins over an earlier one. */
static const struct row {
	const char *protocol, *attribute, *key;
	enum stack_meaning meaning;
} rows[] = {
	{"UDP", "bind_addr", "bind_addr", STACK_AS_IT_IS},
	{"UDP", "mcast_addr", "mcast_addr", STACK_AS_IT_IS},
	{"UDP", "mcast_port", "mcast_port", STACK_AS_IT_IS},
	{"UDP", "ip_ttl", "ttl", STACK_AS_IT_IS},
	{"UDP", "ucast_send_buf_size", "send_buf_size", STACK_BYTES},
	{"UDP", "mcast_send_buf_size", "send_buf_size", STACK_BYTES},
	{"UDP", "ucast_recv_buf_size", "recv_buf_size", STACK_BYTES},
	{"UDP", "mcast_recv_buf_size", "recv_buf_size", STACK_BYTES},
	{"TCP", "bind_addr", "bind_addr", STACK_AS_IT_IS},
	{"TCP", "start_port", "start_port", STACK_AS_IT_IS},
	{"TCP", "bind_port", "start_port", STACK_AS_IT_IS},
	{"TCP", "send_buf_size", "send_buf_size", STACK_BYTES},
	{"TCP", "recv_buf_size", "recv_buf_size", STACK_BYTES},
	{"TCPPING", "initial_hosts", "cluster", STACK_HOSTS},
};

struct walk {
	struct stack *stack;
	XML_Parser parser;
	FILE *unused;
	unsigned depth;
	struct fault *fault;
	int rc;
};

static unsigned line_of(const struct walk *w)
{
	return (unsigned)XML_GetCurrentLineNumber(w->parser);
}

static void give_up(struct walk *w, const char *reason)
{
	char place[sizeof(w->fault->object)];

	config_file_place(&w->stack->settings, line_of(w), place, sizeof(place));
	w->rc = fault_set(w->fault, -EINVAL, place, "%s", reason);
	XML_StopParser(w->parser, XML_FALSE);
}

/* Keeps the attribute under our own key; false: it says nothing to us. */
static bool keep(struct walk *w, const struct row *row, const char *value)
{
	size_t room = strlen(value) + 32;
	char *copy = strdup(value), *out = malloc(room);
	bool kept = false;
	int rc = copy && out ? 0 : -ENOMEM;

	if (!rc && stack_value(row->meaning, copy, out, room)) {
		rc = config_file_append(&w->stack->settings, row->key, strlen(row->key), out,
					strlen(out), line_of(w));
		kept = true;
	}
	free(copy);
	free(out);
	if (rc) {
		w->rc = fault_errno(w->fault, rc, w->stack->settings.name);
		XML_StopParser(w->parser, XML_FALSE);
	}
	return kept;
}

static void leave(struct walk *w, const char *protocol, const char *attribute)
{
	fprintf(w->unused, "%s%s%s%s", ftell(w->unused) ? " " : "", protocol, attribute ? "." : "",
		attribute ? attribute : "");
}

static const struct row *find(const char *protocol, const char *attribute)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].protocol, protocol) &&
		    (!attribute || !strcmp(rows[i].attribute, attribute)))
			return &rows[i];
	}
	return NULL;
}

static const char *value_of(const char **attributes, const char *name)
{
	for (; *attributes; attributes += 2) {
		if (!strcmp(attributes[0], name))
			return attributes[1];
	}
	return NULL;
}

static void take_protocol(struct walk *w, const char *name, const char **attributes)
{
	if (!find(name, NULL)) {
		leave(w, name, NULL);
		return;
	}
	if (!strcmp(name, "UDP"))
		w->stack->transport = "udp";
	else if (!strcmp(name, "TCP"))
		w->stack->transport = "tcp";
	for (size_t i = 0; !w->rc && i < sizeof(rows) / sizeof(*rows); i++) {
		const char *value = strcmp(rows[i].protocol, name)
					    ? NULL
					    : value_of(attributes, rows[i].attribute);

		if (value && !keep(w, &rows[i], value))
			leave(w, name, rows[i].attribute);
	}
	for (; *attributes; attributes += 2) {
		if (!find(name, attributes[0]))
			leave(w, name, attributes[0]);
	}
}

static void begin_element(void *context, const char *name, const char **attributes)
{
	struct walk *w = context;

	if (w->rc)
		return;
	if (w->depth++ == 0) {
		if (strcmp(name, "config"))
			give_up(w, "no JGroups stack; expected <config> with a protocol in each "
				   "element");
		return;
	}
	if (w->depth == 2)
		take_protocol(w, name, attributes);
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
	give_up(context, "a document type; expected a stack without one");
}

static void parse(struct walk *w, const char *text, size_t bytes)
{
	XML_SetUserData(w->parser, w);
	XML_SetElementHandler(w->parser, begin_element, end_element);
	XML_SetStartDoctypeDeclHandler(w->parser, begin_doctype);
	if (XML_Parse(w->parser, text, (int)bytes, 1) == XML_STATUS_ERROR && !w->rc)
		give_up(w, XML_ErrorString(XML_GetErrorCode(w->parser)));
}

int stack_parse(struct stack *stack, const char *name, const char *text, size_t bytes,
		struct fault *fault)
{
	struct walk w = {.stack = stack, .fault = fault};
	size_t length;

	*stack = (struct stack){};
	if (bytes > CONFIG_FILE_BYTES_MAX)
		return fault_errno(fault, -EFBIG, name);
	w.rc = config_file_create(&stack->settings, name);
	w.parser = XML_ParserCreate(NULL);
	w.unused = open_memstream(&stack->unused, &length);
	if (!w.rc && (!w.parser || !w.unused))
		w.rc = -ENOMEM;
	if (w.rc)
		fault_errno(fault, w.rc, name);
	else
		parse(&w, text, bytes);
	if (w.unused && fclose(w.unused) && !w.rc)
		w.rc = fault_errno(fault, -ENOMEM, name);
	if (w.parser)
		XML_ParserFree(w.parser);
	return w.rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stack_protocols: the table of what the protocols of a stack mean here; lists all others. */
#include "stack_protocols.h"

#include "stack_value.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PACKAGE "org.jgroups.protocols."

/* Of equal keys the later row applies. */
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
	{"TCPPING", "port_range", NULL, STACK_AS_IT_IS}, /* see hosts */
};

/* The transports of JGroups: which of ours replaces each, and whose rows apply. */
static const struct bottom {
	const char *protocol, *rows, *transport;
	const char *why; /* why there is no replacement */
} bottoms[] = {
	{"UDP", "UDP", "udp", NULL},
	{"TCP", "TCP", "tcp", NULL},
	{"TCP_NIO", "TCP", "tcp", NULL},
	{"TCP1_4", "TCP", "tcp", NULL},
	{"TUNNEL", NULL, NULL, "goes through a GossipRouter"},
	{"LOOPBACK", NULL, NULL, "sends nothing out of its process"},
	{"SHARED_LOOPBACK", NULL, NULL, "sends nothing out of its process"},
	{"JMS", NULL, NULL, "goes through a JMS broker: transport=mqtt takes its place"},
};

int stack_take_fault(struct stack_taker *t, const char *format, ...)
{
	char place[sizeof(t->fault->object)], reason[sizeof(t->fault->reason)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	config_file_place(&t->stack->settings, t->line, place, sizeof(place));
	t->rc = np_fault_set(t->fault, -EINVAL, place, "%s", reason);
	return t->rc;
}

bool stack_take_knows(const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(bottoms) / sizeof(*bottoms); i++) {
		if (!strncmp(bottoms[i].protocol, name, bytes) && !bottoms[i].protocol[bytes])
			return true;
	}
	return false;
}

static void leave(struct stack_taker *t, const char *protocol, const char *attribute)
{
	fprintf(t->unused, "%s%s%s%s", ftell(t->unused) ? " " : "", protocol, attribute ? "." : "",
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

/* Converts the value to the form of our key. False: it has no meaning here. */
static bool translate(const struct row *row, const char **attributes, char **value)
{
	size_t room = strlen(*value) + 32;
	char *out = malloc(room);
	bool kept = out && stack_value(row->meaning, *value, out, room);

	free(*value);
	*value = out;
	/* TCPPING's number of ports applies to its hosts. */
	if (kept && row->meaning == STACK_HOSTS) {
		*value = stack_hosts(out, value_of(attributes, "port_range"));
		free(out);
	}
	return kept;
}

/* Stores the attribute under our own key; false: it has no meaning here. */
static bool keep(struct stack_taker *t, const struct row *row, const char **attributes)
{
	char *value = strdup(value_of(attributes, row->attribute));
	bool kept = value && row->key && translate(row, attributes, &value);

	if (kept && value)
		t->rc = config_file_append(&t->stack->settings, row->key, strlen(row->key), value,
					   strlen(value), t->line);
	if (!value)
		t->rc = -ENOMEM;
	free(value);
	if (t->rc)
		np_fault_errno(t->fault, t->rc, t->stack->settings.name);
	return kept || (!row->key && stack_port_range(value_of(attributes, row->attribute)) >= 0);
}

/* The rows of a protocol, under its own name or another's; NULL: none. Remembers transports. */
static const char *rows_of(struct stack_taker *t, const char *name)
{
	for (size_t i = 0; i < sizeof(bottoms) / sizeof(*bottoms); i++) {
		const struct bottom *b = &bottoms[i];

		if (strcmp(b->protocol, name))
			continue;
		if (b->why)
			stack_take_fault(t,
					 "the transport %s %s; expected a stack with UDP, TCP "
					 "or TCP_NIO",
					 name, b->why);
		t->stack->transport = b->transport;
		return b->rows;
	}
	return find(name, NULL) ? name : NULL;
}

int stack_take(struct stack_taker *t, const char *name, const char **attributes)
{
	const char *mine;

	if (!strncmp(name, PACKAGE, strlen(PACKAGE)))
		name += strlen(PACKAGE);
	mine = rows_of(t, name);
	if (t->rc)
		return t->rc;
	if (!mine) {
		leave(t, name, NULL);
		return 0;
	}
	for (size_t i = 0; !t->rc && i < sizeof(rows) / sizeof(*rows); i++) {
		if (!strcmp(rows[i].protocol, mine) && value_of(attributes, rows[i].attribute) &&
		    !keep(t, &rows[i], attributes))
			leave(t, name, rows[i].attribute);
	}
	for (; *attributes; attributes += 2) {
		if (!find(mine, attributes[0]))
			leave(t, name, attributes[0]);
	}
	return t->rc;
}

int stack_take_begin(struct stack_taker *t, struct stack *stack, const char *name,
		     struct np_fault *fault)
{
	*stack = (struct stack){};
	*t = (struct stack_taker){.stack = stack, .fault = fault, .line = 1};
	t->rc = config_file_create(&stack->settings, name);
	t->unused = open_memstream(&stack->unused, &t->unused_bytes);
	if (!t->rc && !t->unused)
		t->rc = -ENOMEM;
	return t->rc ? np_fault_errno(fault, t->rc, name) : 0;
}

int stack_take_end(struct stack_taker *t)
{
	if (t->unused && fclose(t->unused) && !t->rc)
		t->rc = np_fault_errno(t->fault, -ENOMEM, t->stack->settings.name);
	return t->rc;
}

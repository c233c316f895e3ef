// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * settings: finds and reads the files; the table of the keys that they may have; applies defaults,
 * file and properties in this order, and checks what spans keys.
 */
#include "settings.h"

#include "../member/member.h"
#include "transports.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <netperf/units.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum settings_kind {
	KEY_TEXT,  /* const char * */
	KEY_COUNT, /* uint64_t, a whole number */
	KEY_SIZE,  /* uint64_t, bytes, with k, M, G or T */
	KEY_FLAG,  /* bool, true or false */
	KEY_NOTE,  /* no effect; the note says why */
};

struct settings_key {
	const char *name;
	enum settings_kind kind;
	uint64_t min, max; /* of counts and sizes, both included */
	uint64_t initial;  /* of counts and sizes */
	size_t offset;	   /* in struct settings */
	const char *note;
};

#define AT(member) offsetof(struct settings, member)

#define COUNT(key, low, high, standard, member)                                                    \
	{                                                                                          \
		.name = (key), .kind = KEY_COUNT, .min = (low), .max = (high),                     \
		.initial = (standard), .offset = AT(member)                                        \
	}

/* The longest payload of any transport; udp allows less, see its plan. */
#define PAYLOAD_MAX (UINT64_C(16) << 20)

static const struct settings_key keys[] = {
	{"transport", KEY_TEXT, .offset = AT(transport.transport)},
	COUNT("num_msgs", 1, INT32_MAX, 0, group.num_msgs),
	{"msg_size", KEY_SIZE, .max = PAYLOAD_MAX, .offset = AT(group.msg_size)},
	COUNT("num_members", 1, MEMBERS_MAX, 0, group.num_members),
	COUNT("num_senders", 1, MEMBERS_MAX, 0, group.num_senders),
	COUNT("log_interval", 0, INT32_MAX, 0, log_interval),
	COUNT("processing_delay", 0, 60000, 0, processing_delay_ms),
	{"dump_transport_stats", KEY_FLAG, .offset = AT(dump_transport_stats)},
	{"props", KEY_TEXT, .offset = AT(props)},
	{"name", KEY_TEXT, .offset = AT(name)},
	{"bind_addr", KEY_TEXT, .offset = AT(transport.bind_addr)},
	{"bind_interface", KEY_TEXT, .offset = AT(transport.bind_interface)},
	{"mcast_addr", KEY_TEXT, .offset = AT(transport.mcast_addr)},
	COUNT("mcast_port", 1, UINT16_MAX, 7500, transport.mcast_port),
	COUNT("ttl", 0, 255, 1, transport.ttl),
	{"cluster", KEY_TEXT, .offset = AT(transport.cluster)},
	COUNT("start_port", 0, UINT16_MAX, 7800, transport.start_port),
	COUNT("srv_port", 0, UINT16_MAX, 7800, transport.start_port),
	{"broker", KEY_TEXT, .offset = AT(transport.broker)},
	{"topic", KEY_TEXT, .offset = AT(transport.topic)},
	{"user", KEY_TEXT, .offset = AT(transport.user)},
	{"password_file", KEY_TEXT, .offset = AT(transport.password_file)},
	{"overlay_file", KEY_TEXT, .offset = AT(transport.overlay_file)},
	{"overlay_group", KEY_TEXT, .offset = AT(transport.overlay_group)},
	{"recv_buf_size", KEY_SIZE, .min = 1, .max = INT_MAX / 2,
	 .offset = AT(transport.receive_bytes)},
	{"send_buf_size", KEY_SIZE, .min = 1, .max = INT_MAX / 2,
	 .offset = AT(transport.send_bytes)},
	{"sender", KEY_NOTE, .note = "the option -sender or -receiver says it"},
	{"config", KEY_NOTE, .note = "the option -config says it"},
	{"jmx", KEY_NOTE, .note = "there is no JMX here"},
	{"num_buddies", KEY_NOTE, .note = "as in the original"},
	{"gnuplot_output", KEY_NOTE, .note = "see --csv"},
};

#define KEYS (sizeof(keys) / sizeof(*keys))

/* Returns NULL for an unknown name. */
static const struct settings_key *key_find(const char *name)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

static int set_flag(const char *value, bool *flag)
{
	*flag = !strcasecmp(value, "true");
	return *flag || !strcasecmp(value, "false") ? 0 : -EINVAL;
}

/* Stores the value in @settings; returns 0, -EINVAL or -ERANGE. */
static int key_set(const struct settings_key *key, const char *value, struct settings *settings)
{
	void *at = (char *)settings + key->offset;

	switch (key->kind) {
	case KEY_TEXT: *(const char **)at = value; return 0;
	case KEY_COUNT: return np_units_parse_count(value, key->min, key->max, at);
	case KEY_SIZE: return np_units_parse_size(value, key->min, key->max, at);
	case KEY_FLAG: return set_flag(value, at);
	case KEY_NOTE: break;
	}
	return 0;
}

/* Describes valid values: "a whole number, 1 to 256". Returns @out. */
static char *key_expected(const struct settings_key *key, char *out, size_t room)
{
	if (key->kind == KEY_COUNT)
		snprintf(out, room, "a whole number, %" PRIu64 " to %" PRIu64, key->min, key->max);
	else if (key->kind == KEY_SIZE)
		snprintf(out, room, "bytes, with k, M, G or T, %" PRIu64 " to %" PRIu64, key->min,
			 key->max);
	else
		snprintf(out, room, "%s", key->kind == KEY_FLAG ? "true or false" : "text");
	return out;
}

/* What overrides the file; empty without -props. */
static const struct config_file *overriding(const struct settings *settings)
{
	return settings->stack.unused ? &settings->stack.settings : &settings->properties;
}

/* The line, and its file, from which @key has its value; NULL: the default. */
static const struct config_line *origin(const struct settings *settings, const char *key,
					const struct config_file **in)
{
	const struct config_line *line;

	*in = overriding(settings);
	line = config_file_find(*in, key);
	if (line)
		return line;
	*in = &settings->file;
	return config_file_find(*in, key);
}

bool settings_given(const struct settings *settings, const char *key)
{
	const struct config_file *in;

	return origin(settings, key, &in) != NULL;
}

int settings_wrong(const struct settings *settings, struct np_fault *fault, const char *key,
		   const char *format, ...)
{
	const struct config_file *in;
	const struct config_line *line = origin(settings, key, &in);
	char place[sizeof(fault->object)], reason[sizeof(fault->reason)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (!line)
		return np_fault_set(fault, -EINVAL, in->name, "%s: %s", key, reason);
	config_file_place(in, line->line, place, sizeof(place));
	return np_fault_set(fault, -EINVAL, place, "%s '%.80s': %s", key, line->value, reason);
}

bool settings_is_jgroups(const struct settings *settings)
{
	return settings->transport.lineage && !strncmp(settings->transport.lineage, "JGroups", 7);
}

static void unknown(const struct config_file *config, const struct config_line *line,
		    const struct np_log *log)
{
	char place[sizeof(((struct np_fault *)0)->object)];
	size_t length = strlen(line->key);

	config_file_place(config, line->line, place, sizeof(place));
	np_log_warning(log, place, "unknown key '%.80s', ignored%s", line->key,
		       length && (unsigned char)line->key[length - 1] <= ' '
			       ? "; there must be no blank before the ="
			       : "");
}

static int apply_line(struct settings *s, const struct config_file *config,
		      const struct config_line *line, const struct np_log *log,
		      struct np_fault *fault)
{
	const struct settings_key *key = key_find(line->key);
	char place[sizeof(fault->object)], expected[100];
	int rc;

	config_file_place(config, line->line, place, sizeof(place));
	if (!key) {
		unknown(config, line, log);
		return 0;
	}
	if (key->kind == KEY_NOTE)
		np_log_info(log, "%s: %s has no effect: %s", place, key->name, key->note);
	rc = key_set(key, line->value, s);
	if (!rc)
		return 0;
	return np_fault_set(fault, -EINVAL, place, "%s '%.80s': %s; expected %s", key->name,
			    line->value, rc == -ERANGE ? "out of range" : "not valid",
			    key_expected(key, expected, sizeof(expected)));
}

static int apply_config(struct settings *s, const struct config_file *config,
			const struct np_log *log, struct np_fault *fault)
{
	const struct config_line *port = config_file_find(config, "srv_port");
	int rc = 0;

	for (size_t i = 0; !rc && i < config->count; i++)
		rc = apply_line(s, config, &config->entry[i], log, fault);
	/* srv_port overrides start_port, whichever comes first. */
	return port && !rc ? apply_line(s, config, port, log, fault) : rc;
}

static int require(const struct settings *s, const char *name, struct np_fault *fault)
{
	const struct settings_key *key = key_find(name);
	const struct config_file *in;
	char expected[100];

	if (!key || origin(s, name, &in))
		return 0;
	return np_fault_set(fault, -EINVAL, s->file.name,
			    "%s is missing; expected a line %s=..., %s", name, name,
			    key_expected(key, expected, sizeof(expected)));
}

static int require_all(const struct settings *s, struct np_fault *fault)
{
	int rc = 0;

	if (!s->transport.transport)
		return np_fault_set(
			fault, -EINVAL, s->file.name,
			"transport is missing; expected a line transport=udp, tcp, mqtt or "
			"overlay");
	if (!s->duration)
		rc = require(s, "num_msgs", fault);
	if (!rc)
		rc = require(s, "msg_size", fault);
	if (!rc && !s->mesh)
		rc = require(s, "num_members", fault);
	if (!rc && !s->mesh)
		rc = require(s, "num_senders", fault);
	return rc;
}

/* Replaces Java's class by the transport that takes its place. */
static int check_transport(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	struct transport_settings *t = &s->transport;
	const struct transports_row *row = transports_find(t->transport, &t->lineage);

	if (!row)
		return settings_wrong(
			s, fault, "transport",
			"no such transport; expected udp, tcp, mqtt, overlay, null, or a class of "
			"perf.Test");
	if (!t->lineage)
		return 0;
	t->transport = row->name;
	if (!strcmp(t->lineage, "JGroupsTransport") && s->stack.transport)
		t->transport = s->stack.transport;
	if (settings_is_jgroups(s) || !row->java)
		np_log_info(log, "%s means %s here", t->lineage, t->transport);
	return 0;
}

/* Applies JGroups' defaults for what its stack leaves out. */
static void take_defaults_of_stack(struct settings *s)
{
	const char *stack = s->stack.transport, *class;
	const struct transports_row *row = stack ? transports_find(stack, &class) : NULL;
	const struct config_file *in;

	if (!settings_is_jgroups(s) || !row || !row->stack_defaults)
		return;
	for (const struct transports_default *d = row->stack_defaults; d->key; d++) {
		if (!origin(s, d->key, &in))
			(void)key_set(key_find(d->key), d->value, s);
	}
}

/*
 * JGroupsTransport never reads bind_addr: the localhost in perf.Test's own configuration had no
 * effect.
 */
static void leave_bind_addr(struct settings *s, const struct np_log *log)
{
	const struct config_file *in;
	const struct config_line *line = origin(s, "bind_addr", &in);
	char place[sizeof(((struct np_fault *)0)->object)];

	if (!line || in != &s->file || !settings_is_jgroups(s) || !s->stack.transport)
		return;
	s->transport.bind_addr = NULL;
	np_log_info(log,
		    "%s: bind_addr has no effect: with %s only that of the stack or the option "
		    "-bind_addr",
		    config_file_place(in, line->line, place, sizeof(place)), s->transport.lineage);
}

/* What a group of ranks cannot have. */
static int check_mesh(const struct settings *s, struct np_fault *fault)
{
	if (strcmp(s->transport.transport, "udp") && strcmp(s->transport.transport, "tcp") &&
	    strcmp(s->transport.transport, "overlay"))
		return settings_wrong(s, fault, "transport",
				      "does not go with --mesh; expected udp, tcp or overlay");
	if (s->transport.cluster)
		return settings_wrong(s, fault, "cluster",
				      "does not go with --mesh, whose members are the ranks; "
				      "remove the line");
	return 0;
}

static int check(struct settings *s, const struct np_log *log, struct np_fault *fault)
{
	const struct config_file *in;
	int rc = require_all(s, fault);

	if (!rc)
		rc = check_transport(s, log, fault);
	if (rc)
		return rc;
	leave_bind_addr(s, log);
	take_defaults_of_stack(s);
	if (s->mesh)
		rc = check_mesh(s, fault);
	else if (s->group.num_senders > s->group.num_members)
		rc = settings_wrong(s, fault, "num_senders",
				    "more than num_members; expected 1 to %" PRIu64,
				    s->group.num_members);
	if (rc)
		return rc;
	if (!origin(s, "log_interval", &in)) {
		s->log_interval = s->group.num_msgs / 10;
		s->log_interval += s->group.num_msgs && !s->log_interval;
		/* With --duration alone the number of messages is unknown, and so is its tenth. */
		s->log_doubling = !s->group.num_msgs;
	}
	if (s->name)
		np_log_info(log, "name has no effect: members are known by their addresses");
	return 0;
}

int settings_apply(struct settings *settings, const struct np_log *log, struct np_fault *fault)
{
	int rc;

	settings->transport.mcast_addr = "239.3.4.5";
	settings->transport.overlay_file = "RunServerSocket.xml";
	settings->transport.overlay_group = "group-test";
	for (size_t i = 0; i < KEYS; i++) {
		if (keys[i].kind == KEY_COUNT || keys[i].kind == KEY_SIZE)
			*(uint64_t *)((char *)settings + keys[i].offset) = keys[i].initial;
	}
	rc = apply_config(settings, &settings->file, log, fault);
	if (!rc)
		rc = apply_config(settings, overriding(settings), log, fault);
	return rc ? rc : check(settings, log, fault);
}

/* Reads @path: -config into @lines, or what overrides it, which may be a stack for @stack. */
static int read_file(const char *path, struct config_file *lines, struct stack *stack,
		     struct np_fault *fault)
{
	char *text;
	size_t bytes;
	int rc = config_file_load(path, &text, &bytes, fault);

	if (!rc && !stack_is_xml(text, bytes))
		rc = config_file_parse(lines, path, text, bytes, fault);
	else if (!rc && stack)
		rc = stack_parse(stack, path, text, bytes, fault);
	else if (!rc)
		rc = np_fault_set(fault, -EINVAL, path,
				  "is a JGroups stack; expected lines KEY=VALUE, and the stack by "
				  "-props");
	free(text);
	return rc;
}

static int wrong_props(const struct settings *s, const struct config_line *props,
		       const char *reason, struct np_fault *fault)
{
	char place[sizeof(fault->object)];

	config_file_place(&s->file, props->line, place, sizeof(place));
	return np_fault_set(fault, -EINVAL, place, "props '%.80s': %s", props->value, reason);
}

/* Reads the file's own key props, which only Java's classes that take a stack use. */
static int read_own_props(struct settings *s, const struct config_line *props, char *room,
			  const char **name, const struct np_log *log, struct np_fault *fault)
{
	const char *value = props->value;

	if (stack_is_plain(value) && access(value, F_OK))
		return wrong_props(s, props,
				   "a value ends at its next =; expected a file, or a stack by the "
				   "option -props",
				   fault);
	value += strncmp(value, "file:", 5) ? 0 : 5;
	/* "c:\\udp.xml", as in the configuration that comes with perf.Test. */
	if (strchr(value, '\\') && access(value, F_OK))
		return wrong_props(s, props,
				   "is a Windows path; expected a stack by the option -props",
				   fault);
	*name = config_file_example(value, room, log);
	return read_file(*name, &s->properties, &s->stack, fault);
}

/* Reads the properties that override the file; *@name: the name of their file, or NULL. */
static int read_props(struct settings *s, const struct options *o, char *room, const char **name,
		      const struct np_log *log, struct np_fault *fault)
{
	const struct config_line *transport = config_file_find(&s->file, "transport");
	const struct config_line *own = config_file_find(&s->file, "props");
	char place[sizeof(fault->object)];

	*name = o->stack ? "-props" : o->inputs[1];
	if (own && *name)
		np_log_info(log, "%s: props '%.80s' is not read: -props is given",
			    config_file_place(&s->file, own->line, place, sizeof(place)),
			    own->value);
	if (o->stack)
		return stack_parse_plain(&s->stack, *name, o->stack, fault);
	if (*name)
		return read_file(*name, &s->properties, &s->stack, fault);
	if (own && transport && strstr(transport->value, "JGroups"))
		return read_own_props(s, own, room, name, log, fault);
	return 0;
}

int settings_load(struct settings *s, const struct options *options, const struct np_log *log,
		  struct np_fault *fault)
{
	char example[PATH_MAX];
	const char *props;
	int rc;

	*s = (struct settings){.duration = options->group.duration > 0, .mesh = options->mesh.mesh};
	rc = read_file(options->inputs[0], &s->file, NULL, fault);
	if (!rc)
		rc = read_props(s, options, example, &props, log, fault);
	if (rc)
		return rc;
	if (s->stack.unused && *s->stack.unused)
		np_log_info(log, "%s: not used: %s", props, s->stack.unused);
	return settings_apply(s, log, fault);
}

void settings_free(struct settings *s)
{
	config_file_free(&s->file);
	config_file_free(&s->properties);
	stack_free(&s->stack);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* settings: applies defaults, file and properties in this order, and checks what spans keys. */
#include "settings.h"

#include "settings_key.h"
#include "transports.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The line, and its file, from which @key has its value; NULL: the default. */
static const struct config_line *origin(const struct settings *settings, const char *key,
					const struct config_file **in)
{
	const struct config_line *line = NULL;

	*in = settings->sources.properties;
	if (*in)
		line = config_file_find(*in, key);
	if (line)
		return line;
	*in = settings->sources.file;
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
	const struct settings_key *key = settings_key_find(line->key);
	char place[sizeof(fault->object)], expected[100];
	int rc;

	config_file_place(config, line->line, place, sizeof(place));
	if (!key) {
		unknown(config, line, log);
		return 0;
	}
	if (key->kind == KEY_NOTE)
		np_log_info(log, "%s: %s has no effect: %s", place, key->name, key->note);
	rc = settings_key_set(key, line->value, s);
	if (!rc)
		return 0;
	return np_fault_set(fault, -EINVAL, place, "%s '%.80s': %s; expected %s", key->name,
			    line->value, rc == -ERANGE ? "out of range" : "not valid",
			    settings_key_expected(key, expected, sizeof(expected)));
}

static int apply_config(struct settings *s, const struct config_file *config,
			const struct np_log *log, struct np_fault *fault)
{
	const struct config_line *port = config ? config_file_find(config, "srv_port") : NULL;
	int rc = 0;

	for (size_t i = 0; config && !rc && i < config->count; i++)
		rc = apply_line(s, config, &config->entry[i], log, fault);
	/* srv_port overrides start_port, whichever comes first. */
	return port && !rc ? apply_line(s, config, port, log, fault) : rc;
}

static int require(const struct settings *s, const char *name, struct np_fault *fault)
{
	const struct settings_key *key = settings_key_find(name);
	const struct config_file *in;
	char expected[100];

	if (origin(s, name, &in))
		return 0;
	return np_fault_set(fault, -EINVAL, s->sources.file->name,
			    "%s is missing; expected a line %s=..., %s", name, name,
			    settings_key_expected(key, expected, sizeof(expected)));
}

static int require_all(const struct settings *s, struct np_fault *fault)
{
	int rc = 0;

	if (!s->transport.transport)
		return np_fault_set(
			fault, -EINVAL, s->sources.file->name,
			"transport is missing; expected a line transport=udp, tcp, mqtt or "
			"overlay");
	if (!s->sources.duration)
		rc = require(s, "num_msgs", fault);
	if (!rc)
		rc = require(s, "msg_size", fault);
	if (!rc && !s->sources.mesh)
		rc = require(s, "num_members", fault);
	if (!rc && !s->sources.mesh)
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
	if (!strcmp(t->lineage, "JGroupsTransport") && s->sources.properties_transport)
		t->transport = s->sources.properties_transport;
	if (settings_is_jgroups(s) || !row->java)
		np_log_info(log, "%s means %s here", t->lineage, t->transport);
	return 0;
}

/* Applies JGroups' defaults for what its stack leaves out. */
static void take_defaults_of_stack(struct settings *s)
{
	const char *stack = s->sources.properties_transport, *class;
	const struct transports_row *row = stack ? transports_find(stack, &class) : NULL;
	const struct config_file *in;

	if (!settings_is_jgroups(s) || !row || !row->stack_defaults)
		return;
	for (const struct transports_default *d = row->stack_defaults; d->key; d++) {
		if (!origin(s, d->key, &in))
			(void)settings_key_set(settings_key_find(d->key), d->value, s);
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

	if (!line || in != s->sources.file || !settings_is_jgroups(s) ||
	    !s->sources.properties_transport)
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
	if (s->sources.mesh)
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

int settings_apply(struct settings *settings, const struct settings_sources *sources,
		   const struct np_log *log, struct np_fault *fault)
{
	int rc;

	*settings = (struct settings){
		.sources = *sources,
		.transport =
			{
				.mcast_addr = "239.3.4.5",
				.overlay_file = "RunServerSocket.xml",
				.overlay_group = "group-test",
			},
	};
	for (size_t i = 0; i < settings_key_count; i++) {
		const struct settings_key *key = &settings_keys[i];

		if (key->kind == KEY_COUNT || key->kind == KEY_SIZE)
			*(uint64_t *)((char *)settings + key->offset) = key->initial;
	}
	rc = apply_config(settings, sources->file, log, fault);
	if (!rc)
		rc = apply_config(settings, sources->properties, log, fault);
	return rc ? rc : check(settings, log, fault);
}

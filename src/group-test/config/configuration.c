// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* configuration: finds and reads the files, then lets settings interpret them. */
#include "configuration.h"

#include "example.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int read_config(struct configuration *c, const char *path, struct np_fault *fault)
{
	char *text;
	size_t bytes;
	int rc = config_file_load(path, &text, &bytes, fault);

	if (!rc && stack_is_xml(text, bytes))
		rc = np_fault_set(fault, -EINVAL, path,
				  "is a JGroups stack; expected lines KEY=VALUE, and the stack by "
				  "-props");
	else if (!rc)
		rc = config_file_parse(&c->file, path, text, bytes, fault);
	free(text);
	return rc;
}

static int read_properties(struct configuration *c, const char *path, struct np_fault *fault)
{
	char *text;
	size_t bytes;
	int rc = config_file_load(path, &text, &bytes, fault);

	if (!rc && stack_is_xml(text, bytes))
		rc = stack_parse(&c->stack, path, text, bytes, fault);
	else if (!rc)
		rc = config_file_parse(&c->properties, path, text, bytes, fault);
	free(text);
	return rc;
}

/* "c:\\udp.xml", as in the configuration that comes with perf.Test. */
static bool is_of_windows(const char *name)
{
	return strchr(name, '\\') != NULL;
}

static int wrong_props(const struct configuration *c, const struct config_line *props,
		       const char *reason, struct np_fault *fault)
{
	char place[sizeof(fault->object)];

	config_file_place(&c->file, props->line, place, sizeof(place));
	return np_fault_set(fault, -EINVAL, place, "props '%.80s': %s", props->value, reason);
}

/* Reads the file's own key props, which only Java's classes that take a stack use. */
static int read_own_props(struct configuration *c, const struct config_line *props, char *room,
			  const char **name, const struct np_log *log, struct np_fault *fault)
{
	const char *value = props->value;

	if (stack_is_plain(value) && access(value, F_OK))
		return wrong_props(c, props,
				   "a value ends at its next =; expected a file, or a stack by the "
				   "option -props",
				   fault);
	value += strncmp(value, "file:", 5) ? 0 : 5;
	if (is_of_windows(value) && access(value, F_OK))
		return wrong_props(c, props,
				   "is a Windows path; expected a stack by the option -props",
				   fault);
	*name = example_find(value, room, log);
	return read_properties(c, *name, fault);
}

/* Reads the properties that override the file; *@name: the name of their file, or NULL. */
static int read_props(struct configuration *c, const struct options *o, char *room,
		      const char **name, const struct np_log *log, struct np_fault *fault)
{
	const struct config_line *transport = config_file_find(&c->file, "transport");
	const struct config_line *own = config_file_find(&c->file, "props");
	char place[sizeof(fault->object)];

	*name = o->stack ? "-props" : o->inputs[1];
	if (own && *name)
		np_log_info(log, "%s: props '%.80s' is not read: -props is given",
			    config_file_place(&c->file, own->line, place, sizeof(place)),
			    own->value);
	if (o->stack)
		return stack_parse_plain(&c->stack, *name, o->stack, fault);
	if (*name)
		return read_properties(c, *name, fault);
	if (own && transport && strstr(transport->value, "JGroups"))
		return read_own_props(c, own, room, name, log, fault);
	return 0;
}

int configuration_load(struct configuration *c, const struct options *options,
		       const struct np_log *log, struct np_fault *fault)
{
	struct settings_sources sources = {.file = &c->file,
					   .duration = options->group.duration > 0,
					   .mesh = options->mesh.mesh};
	char example[PATH_MAX];
	const char *props;
	int rc;

	*c = (struct configuration){};
	rc = read_config(c, options->inputs[0], fault);
	if (!rc)
		rc = read_props(c, options, example, &props, log, fault);
	if (rc)
		return rc;
	if (props)
		sources.properties = c->stack.unused ? &c->stack.settings : &c->properties;
	sources.properties_transport = c->stack.transport;
	if (c->stack.unused && *c->stack.unused)
		np_log_info(log, "%s: not used: %s", props, c->stack.unused);
	return settings_apply(&c->settings, &sources, log, fault);
}

void configuration_free(struct configuration *c)
{
	config_file_free(&c->file);
	config_file_free(&c->properties);
	stack_free(&c->stack);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* configuration: finds and reads the files, then lets settings make sense of them. */
#include "configuration.h"

#include "example.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_config(struct configuration *c, const char *path, struct fault *fault)
{
	char *text;
	size_t bytes;
	int rc = config_file_load(path, &text, &bytes, fault);

	if (!rc && stack_is_xml(text, bytes))
		rc = fault_set(fault, -EINVAL, path,
			       "is a JGroups stack; expected lines KEY=VALUE, and the stack by "
			       "-props");
	else if (!rc)
		rc = config_file_parse(&c->file, path, text, bytes, fault);
	free(text);
	return rc;
}

static int read_properties(struct configuration *c, const char *path, struct fault *fault)
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

/* Java's classes that read a stack do so from the file's own key, too; others have no use for it.
 */
static const char *own_props(const struct configuration *c, char example[PATH_MAX],
			     const struct np_log *log)
{
	const struct config_line *transport = config_file_find(&c->file, "transport");
	const struct config_line *props = config_file_find(&c->file, "props");

	const char *name;

	if (!props || !transport || !strstr(transport->value, "JGroups"))
		return NULL;
	name = props->value;
	return example_find(strncmp(name, "file:", 5) ? name : name + 5, example, log);
}

int configuration_load(struct configuration *c, const struct options *options,
		       const struct np_log *log, struct fault *fault)
{
	struct settings_sources sources = {.file = &c->file,
					   .duration = options->group.duration > 0};
	char example[PATH_MAX];
	const char *props;
	int rc;

	*c = (struct configuration){};
	rc = read_config(c, options->inputs[0], fault);
	if (rc)
		return rc;
	props = options->inputs[1] ? options->inputs[1] : own_props(c, example, log);
	if (props)
		rc = read_properties(c, props, fault);
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

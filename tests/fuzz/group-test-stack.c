// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as a JGroups stack, XML or a string; what is kept fits the configuration's grammar. */
#include "../../src/group-test/config/settings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at(int rc, struct settings *read, struct np_fault fault)
{
	const struct config_file *made = &read->lines;

	must(!rc || (fault.object[0] && fault.reason[0]));
	for (size_t i = 0; i < made->count; i++) {
		must(*made->entry[i].key && *made->entry[i].value);
		must(made->entry[i].line);
	}
	settings_free(read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const struct np_log log = {.quiet = true};
	struct settings read = {};
	struct np_fault fault = {};
	const char *transport;
	int rc;

	(void)stack_is_xml((const char *)data, size);
	if (size) {
		rc = stack_read(&read.lines, &transport, "fuzz", (const char *)data, size, &log,
				&fault);
		look_at(rc, &read, fault);
	}
	if (!text)
		return 0;
	(void)stack_is_plain(text);
	rc = stack_read(&read.lines, &transport, "fuzz", text, 0, &log, &fault);
	look_at(rc, &read, fault);
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as a JGroups stack, XML or a string; what is kept fits the configuration's grammar. */
#include "../../src/group-test/config/config_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at(int rc, struct config_file *made, struct np_fault fault)
{
	must(!rc || (fault.object[0] && fault.reason[0]));
	for (size_t i = 0; i < made->count; i++) {
		must(*made->entry[i].key && *made->entry[i].value);
		must(made->entry[i].line);
	}
	config_file_free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const struct np_log log = {.quiet = true};
	struct config_file made = {};
	struct np_fault fault = {};
	const char *transport;
	int rc;

	(void)stack_is_xml((const char *)data, size);
	if (size) {
		rc = stack_read(&made, &transport, "fuzz", (const char *)data, size, &log, &fault);
		look_at(rc, &made, fault);
	}
	if (!text)
		return 0;
	(void)stack_is_plain(text);
	rc = stack_read(&made, &transport, "fuzz", text, 0, &log, &fault);
	look_at(rc, &made, fault);
	free(text);
	return 0;
}

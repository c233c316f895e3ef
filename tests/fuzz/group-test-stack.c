// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as a JGroups stack, XML or a string; what is kept fits the configuration's grammar. */
#include "../../src/group-test/config/stack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at(int rc, struct stack stack, struct np_fault fault)
{
	must(!rc || (fault.object[0] && fault.reason[0]));
	must(rc || stack.unused);
	for (size_t i = 0; i < stack.settings.count; i++) {
		must(*stack.settings.entry[i].key && *stack.settings.entry[i].value);
		must(stack.settings.entry[i].line);
	}
	stack_free(&stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct np_fault fault = {};
	struct stack stack;
	int rc;

	(void)stack_is_xml((const char *)data, size);
	rc = stack_parse(&stack, "fuzz", (const char *)data, size, &fault);
	look_at(rc, stack, fault);
	if (!text)
		return 0;
	(void)stack_is_plain(text);
	rc = stack_parse_plain(&stack, "fuzz", text, &fault);
	look_at(rc, stack, fault);
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any configuration with any properties over it (after an empty line): what comes out is in range.
 */
#include "../../src/group-test/config/settings.h"
#include "../../src/group-test/member/member.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct settings *s)
{
	const char *transport = s->transport.variant;

	must(s->member.messages && s->member.messages <= INT32_MAX);
	must(s->member.payload <= 16 << 20);
	must(s->member.members && s->member.members <= MEMBERS_MAX);
	must(s->member.senders && s->member.senders <= s->member.members);
	must(s->mcast_port && s->mcast_port <= UINT16_MAX);
	must(s->ttl <= 255 && s->mcast_addr && transport);
	must(!strcmp(transport, "udp") || !strcmp(transport, "tcp") || !strcmp(transport, "mqtt") ||
	     !strcmp(transport, "overlay") || !strcmp(transport, "null"));
}

static void apply(struct settings *settings)
{
	struct np_log log = {.program = "fuzz", .stream = fopen("/dev/null", "w")};
	struct np_fault fault = {};

	must(log.stream);
	if (settings_apply(settings, &log, &fault))
		must(fault.object[0] && fault.reason[0]);
	else
		check(settings);
	fclose(log.stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *gap = memmem(data, size, "\n\n", 2);
	size_t first = gap ? (size_t)(gap - text) : size;
	struct settings settings = {};
	struct np_fault fault;
	int rc = settings_read(&settings, SETTINGS_CONFIG, "file", text, first, NULL, &fault);

	/* Stacks have a target of their own. */
	if (!rc && !stack_is_xml(text + first, size - first))
		rc = settings_read(&settings, SETTINGS_PROPS, "properties", text + first,
				   size - first, NULL, &fault);
	if (!rc)
		apply(&settings);
	settings_free(&settings);
	return 0;
}

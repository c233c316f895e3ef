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
	const struct transport_settings *t = &s->transport;

	must(s->group.num_msgs && s->group.num_msgs <= INT32_MAX);
	must(s->group.msg_size <= 16 << 20);
	must(s->group.num_members && s->group.num_members <= MEMBERS_MAX);
	must(s->group.num_senders && s->group.num_senders <= s->group.num_members);
	must(t->mcast_port && t->mcast_port <= UINT16_MAX && t->start_port <= UINT16_MAX);
	must(t->ttl <= 255 && t->mcast_addr && t->transport);
	must(!strcmp(t->transport, "udp") || !strcmp(t->transport, "tcp") ||
	     !strcmp(t->transport, "mqtt") || !strcmp(t->transport, "overlay") ||
	     !strcmp(t->transport, "null"));
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
	struct settings settings = {.config = "file"};
	struct np_fault fault;
	int rc = config_file_parse(&settings.lines, "file", text, first, &fault);

	rc |= config_file_parse(&settings.lines, "properties", text + first, size - first, &fault);
	if (!rc)
		apply(&settings);
	settings_free(&settings);
	return 0;
}

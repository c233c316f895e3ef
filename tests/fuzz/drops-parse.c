// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops-parse: fuzz target; any packet, at any place in its buffer, where headers are looked for.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t *input, *input_end;

static inline int drops_fetch(void *to, uint32_t bytes, const uint8_t *from)
{
	if (from < input || bytes > (size_t)(input_end - from))
		abort();
	memcpy(to, from, bytes);
	return 0;
}
#include "src/lib/drops/drops_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_all(const struct drops_buffer *buffer, uint32_t at)
{
	const struct drops_rule rule = {.protocol = DROPS_UDP};
	struct drops_packet packet = {0};
	uint32_t payload = 0;

	if (drops_parse_ip(buffer, at, &packet) == DROPS_PARSED && packet.fragment != DROPS_LATER &&
	    (packet.protocol != DROPS_UDP && packet.protocol != DROPS_TCP))
		abort();
	(void)drops_parse_aoe(buffer, at, &packet);
	if (drops_parse_ethernet(buffer, at, &payload) && payload > buffer->bytes)
		abort();
	if (buffer->bytes >= 8 && !drops_payload_fits(&rule, buffer->head))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct drops_buffer buffer = {.head = data, .bytes = (uint32_t)size};

	input = data;
	input_end = data + size;
	for (uint32_t at = 0; at <= size && at < 64; at++)
		try_all(&buffer, at);
	try_all(&buffer, UINT32_MAX - 3);
	return 0;
}

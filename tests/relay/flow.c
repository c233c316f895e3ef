// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow: an open-addressed table that is never more than half full. */
#include "flow.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static unsigned hash(const struct datagram_ends *ends)
{
	const uint8_t *at = (const uint8_t *)ends;
	uint32_t value = 2166136261U;

	for (size_t i = 0; i < sizeof(*ends); i++)
		value = (value ^ at[i]) * 16777619U;
	return value;
}

static struct flow *add(struct flows *flows, unsigned *bucket, const struct datagram_ends *ends,
			unsigned *next_number)
{
	struct flow *flow;

	if (flows->count == FLOWS_MAX)
		return NULL;
	flow = calloc(1, sizeof(*flow));
	if (!flow)
		return NULL;
	flow->ends = *ends;
	flow->number = (*next_number)++;
	flows->flow[flows->count++] = flow;
	*bucket = flows->count;
	return flow;
}

struct flow *flows_find(struct flows *flows, const struct datagram_ends *ends,
			unsigned *next_number)
{
	unsigned at = hash(ends) % (FLOWS_MAX * 2);

	while (flows->bucket[at]) {
		struct flow *flow = flows->flow[flows->bucket[at] - 1];

		if (!memcmp(&flow->ends, ends, sizeof(*ends)))
			return flow;
		at = (at + 1) % (FLOWS_MAX * 2);
	}
	return add(flows, &flows->bucket[at], ends, next_number);
}

void flows_free(struct flows *flows)
{
	for (unsigned i = 0; i < flows->count; i++)
		free(flows->flow[i]);
	flows->count = 0;
}

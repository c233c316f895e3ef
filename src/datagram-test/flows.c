// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flows: the table of a listener's flows by their source. */
#include "flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS	   (2 * FLOWS_MAX) /* a power of two */
#define AGE_UNIT   (10 * NP_MILLISECOND)
#define FIRST_SENT 1
#define DEPARTED   4096 /* how many runs are remembered after their flow was removed */

struct flows {
	struct flow *bucket[BUCKETS];  /* newest first */
	struct flow *printed[BUCKETS]; /* the same, by the address that reports show */
	struct flow *found;	       /* the result of the last search */
	struct flow *first;
	struct flow *last;
	struct flow
		*hand; /* where the next search for a flow to displace starts; NULL: at the first */
	size_t count;
	uint64_t refused;
	uint64_t key;
	np_time opened;
	uint64_t departed[DEPARTED]; /* a hash table in which a later run may replace an earlier
					one. 0: none */
};

int flows_create(struct flows **flows, uint64_t key, np_time opened)
{
	struct flows *made = calloc(1, sizeof(*made));

	*flows = made;
	if (!made)
		return -ENOMEM;
	made->key = key;
	made->opened = opened;
	return 0;
}

static void free_flow(struct flow *flow)
{
	np_flow_free(flow->account);
	np_histogram_free(flow->rtt);
	free(flow);
}

void flows_free(struct flows *flows)
{
	struct flow *flow, *next;

	if (!flows)
		return;
	for (flow = flows->first; flow; flow = next) {
		next = flow->next;
		free_flow(flow);
	}
	free(flows);
}

static struct flow **bucket_of(struct flows *flows, const struct np_address *source)
{
	return &flows->bucket[np_address_hash(source, flows->key) % BUCKETS];
}

static size_t printed_bucket(const struct flows *flows, const struct np_address *printed)
{
	return np_address_hash(printed, flows->key) % BUCKETS;
}

/* The next flow of this source in the chain, from @flow on. */
static struct flow *of_source(struct flow *flow, const struct np_address *source)
{
	while (flow && !np_address_equal(&flow->source, source))
		flow = flow->chain;
	return flow;
}

static bool is_of_run(const struct flow *flow, uint32_t run)
{
	return flow->ours && flow->run == run;
}

/* Without a run, only a foreign flow is certain to be the newest of its source. */
static bool found_again(const struct flow *flow, const struct np_address *source, uint32_t run)
{
	return flow && (run ? is_of_run(flow, run) : !flow->ours) &&
	       flow->source.length == source->length &&
	       !memcmp(&flow->source.storage, &source->storage, source->length);
}

struct flow *flows_find(struct flows *flows, const struct np_address *source, uint32_t run)
{
	struct flow *flow = flows->found;

	if (found_again(flow, source, run))
		return flow;
	flow = of_source(*bucket_of(flows, source), source);
	while (flow && (run ? !is_of_run(flow, run) : flow->past))
		flow = of_source(flow->chain, source);
	if (flow)
		flows->found = flow;
	return flow;
}

/* Starts a flow without delays, which need memory. @late: the run started before this listener. */
static void begin(struct flow *flow, bool late)
{
	const struct np_flow_plan plan = {.first = FIRST_SENT, .late = late};

	(void)np_flow_start(flow->account, &plan);
}

static void make_ours(const struct flows *flows, struct flow *flow,
		      const struct wire_trailer *trailer, np_time now)
{
	flow->ours = true;
	flow->run = trailer->run;
	/* Otherwise the run started after this listener did, and its first packet was for us. */
	flow->late_start =
		trailer->age == WIRE_AGE_MORE || now - trailer->age * AGE_UNIT < flows->opened;
	begin(flow, flow->late_start);
}

/* Packets without a trailer were ours but damaged, or forged. */
static struct flow *convert(const struct flows *flows, struct flow *flow,
			    const struct wire_trailer *trailer, np_time now)
{
	const uint64_t damaged = flow->packets;

	make_ours(flows, flow, trailer, now);
	np_flow_damaged(flow->account, damaged);
	flow->begun = flow->heard = now;
	flow->packets = 0;
	return flow;
}

static struct flow *make(struct flows *flows, const struct np_address *source,
			 const struct wire_packet *head, np_time now)
{
	struct flow *flow = flows->count < FLOWS_MAX ? calloc(1, sizeof(*flow)) : NULL;

	if (!flow || np_flow_create(&flow->account, NP_SEQUENCE_WINDOW)) {
		free(flow);
		flows->refused++;
		return NULL;
	}
	flow->source = *source;
	flow->printed = *source;
	if (head->return_port <= UINT16_MAX)
		np_address_set_port(&flow->printed, (uint16_t)head->return_port);
	flow->begun = flow->heard = now;
	begin(flow, true);
	return flow;
}

static void link_in(struct flows *flows, struct flow *flow)
{
	struct flow **bucket = bucket_of(flows, &flow->source);

	flow->chain = *bucket;
	*bucket = flow;
	bucket = &flows->printed[printed_bucket(flows, &flow->printed)];
	flow->printed_chain = *bucket;
	*bucket = flow;
	flow->prev = flows->last;
	*(flows->last ? &flows->last->next : &flows->first) = flow;
	flows->last = flow;
	flows->count++;
}

/* The nonzero value by which a run of @source is remembered. */
static uint64_t sign_of(const struct flows *flows, const struct np_address *source, uint32_t run)
{
	return (np_address_hash(source, flows->key) ^ (uint64_t)run << 32 ^ run) | 1;
}

bool flows_departed(const struct flows *flows, const struct np_address *source, uint32_t run)
{
	uint64_t sign = sign_of(flows, source, run);

	return flows->departed[sign / 2 % DEPARTED] == sign;
}

bool flows_full(const struct flows *flows)
{
	return flows->count >= FLOWS_MAX;
}

struct flow *flows_victim(struct flows *flows)
{
	for (size_t i = 0; i < 2 * flows->count; i++) {
		struct flow *flow = flows->hand ? flows->hand : flows->first;

		flows->hand = flow->next;
		if (flow->proven && !flow->reported)
			continue;
		if (!flow->touched)
			return flow;
		flow->touched = false;
	}
	return NULL;
}

void flows_remove(struct flows *flows, struct flow *flow)
{
	struct flow **chain = bucket_of(flows, &flow->source);
	uint64_t sign;

	while (*chain != flow)
		chain = &(*chain)->chain;
	*chain = flow->chain;
	chain = &flows->printed[printed_bucket(flows, &flow->printed)];
	while (*chain != flow)
		chain = &(*chain)->printed_chain;
	*chain = flow->printed_chain;
	*(flow->prev ? &flow->prev->next : &flows->first) = flow->next;
	*(flow->next ? &flow->next->prev : &flows->last) = flow->prev;
	if (flows->hand == flow)
		flows->hand = flow->next;
	if (flows->found == flow)
		flows->found = NULL;
	flows->count--;
	if (flow->ours && flow->ended) {
		sign = sign_of(flows, &flow->source, flow->run);
		flows->departed[sign / 2 % DEPARTED] = sign;
	}
	free_flow(flow);
}

struct flow *flows_add(struct flows *flows, const struct np_address *source,
		       const struct wire_packet *head, const struct wire_trailer *trailer,
		       np_time now)
{
	struct flow *before = of_source(*bucket_of(flows, source), source), *flow;

	if (before && !before->ours && trailer)
		return convert(flows, before, trailer, now);
	flow = make(flows, source, head, now);
	if (!flow)
		return NULL;
	if (trailer)
		make_ours(flows, flow, trailer, now);
	for (; before; before = of_source(before->chain, source))
		before->ended = true;
	link_in(flows, flow);
	flows->found = flow;
	return flow;
}

struct flow *flows_first(const struct flows *flows)
{
	return flows->first;
}

struct flow *flows_printed(const struct flows *flows, const struct np_address *printed,
			   const struct flow *after)
{
	struct flow *flow =
		after ? after->printed_chain : flows->printed[printed_bucket(flows, printed)];

	while (flow && !np_address_equal(&flow->printed, printed))
		flow = flow->printed_chain;
	return flow;
}

size_t flows_count(const struct flows *flows)
{
	size_t count = 0;

	for (const struct flow *flow = flows->first; flow; flow = flow->next)
		count += !flow->past;
	return count;
}

uint64_t flows_refused(const struct flows *flows)
{
	return flows->refused;
}

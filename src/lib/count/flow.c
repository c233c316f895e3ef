// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow: counts what arrives of one sender. */
#include "flow.h"

#include <errno.h>
#include <stdlib.h>

#define BEYOND (UINT64_C(1) << 63) /* no number is this high */

int np_flow_create(struct np_flow **flow, uint64_t window)
{
	struct np_flow *f = calloc(1, sizeof(*f));
	int rc;

	*flow = NULL;
	if (!f)
		return -ENOMEM;
	rc = np_sequence_create(&f->sequence, window);
	if (rc) {
		free(f);
		return rc;
	}
	*flow = f;
	return 0;
}

void np_flow_free(struct np_flow *flow)
{
	if (!flow)
		return;
	np_sequence_free(flow->sequence);
	np_delay_free(flow->delay);
	free(flow);
}

/* The number after @count numbers from @first on. */
static uint64_t behind(uint64_t first, uint64_t count)
{
	return first < BEYOND && count < BEYOND - first ? first + count : BEYOND;
}

int np_flow_start(struct np_flow *flow, const struct np_flow_plan *plan)
{
	const uint64_t most = plan->announced ? plan->announced : plan->reach;
	const struct np_flow kept = *flow;

	*flow = (struct np_flow){
		.sequence = kept.sequence,
		.delay = kept.delay,
		.clock = kept.clock,
		.plan = *plan,
		.limit = most ? behind(plan->first, most) : BEYOND,
	};
	np_sequence_clear(flow->sequence);
	if (!plan->late)
		np_sequence_expect(flow->sequence, plan->first);
	if (flow->delay)
		np_delay_clear(flow->delay);
	if (!plan->raw_delays) {
		np_flow_set_clock(flow, &kept.clock);
		return 0;
	}
	return flow->delay ? 0 : np_delay_create(&flow->delay);
}

void np_flow_set_clock(struct np_flow *flow, const struct np_offset *clock)
{
	flow->clock = *clock;
	/* Without memory there are no delays until the next time. */
	if (clock->known && !flow->delay)
		(void)np_delay_create(&flow->delay);
	if (flow->delay)
		np_delay_expect(flow->delay, 0, 0);
}

static void arrive(struct np_flow *f, np_time at)
{
	if (!f->first)
		f->first = at;
	if (at > f->last)
		f->last = at;
}

static void count_bytes(struct np_flow *f, uint64_t bytes, np_time at)
{
	f->life.bytes += bytes;
	if (at == f->first)
		f->head_bytes += bytes;
}

static void widen(struct np_flow_spread *spread, np_time least, np_time most)
{
	if (!spread->known || least < spread->least)
		spread->least = least;
	if (!spread->known || most > spread->most)
		spread->most = most;
	spread->known = true;
}

/*
 * Corrects by what is known of the sender's clock; the clocks' error must not make a delay
 * negative.
 */
static void count_corrected(struct np_flow *f, uint64_t count, np_time sent, np_time at)
{
	const np_time bound = f->clock.bound ? np_offset_bound(&f->clock, at) : 0;
	const np_time delay = at - np_offset_correct(&f->clock, sent);

	if (bound > f->delay_bound)
		f->delay_bound = bound;
	np_delay_add(f->delay, delay > 0 ? delay : 0, count);
}

/* Counts @count first arrivals. */
static void count_first(struct np_flow *f, uint64_t count, uint64_t bytes, np_time sent, np_time at)
{
	const np_time raw = np_delay_between(sent, at);

	f->life.received += count;
	count_bytes(f, count * bytes, at);
	widen(&f->spread, raw, raw);
	if (!f->delay)
		return;
	if (f->plan.raw_delays)
		np_delay_add(f->delay, raw, count);
	else if (f->clock.known)
		count_corrected(f, count, sent, at);
}

/* In an unannounced flow, trusting one such number would mean the loss of all before it. */
static void reach_beyond(struct np_flow *f, uint64_t number)
{
	const uint64_t limit = behind(number, f->plan.reach);

	if (f->plan.reach && !f->plan.announced && !f->ended && limit > f->limit)
		f->limit = limit;
}

static uint64_t add_one(struct np_flow *f, uint64_t number, uint64_t bytes, np_time sent,
			np_time at)
{
	enum np_sequence_class class;

	if (number >= f->limit) {
		f->life.stray++;
		return 0;
	}
	class = np_sequence_add(f->sequence, number, at);
	if (class == NP_SEQUENCE_OUTSIDE)
		return 0;
	arrive(f, at);
	if (class > NP_SEQUENCE_REORDERED)
		return 0;
	if (number < np_sequence_now_begin(f->sequence))
		f->behind_bytes += bytes;
	reach_beyond(f, number);
	count_first(f, 1, bytes, sent, at);
	return 1;
}

uint64_t np_flow_add(struct np_flow *flow, uint64_t first, uint64_t count, uint64_t bytes,
		     np_time sent, np_time at)
{
	uint64_t came = 0;

	if (count > 1 && first < flow->limit && count <= flow->limit - first &&
	    np_sequence_add_next(flow->sequence, first, count, at)) {
		arrive(flow, at);
		reach_beyond(flow, first + count - 1);
		count_first(flow, count, bytes, sent, at);
		return count;
	}
	for (uint64_t i = 0; i < count; i++)
		came += add_one(flow, first + i, bytes, sent, at);
	return came;
}

void np_flow_add_unnumbered(struct np_flow *flow, uint64_t count, uint64_t bytes, np_time at)
{
	arrive(flow, at);
	flow->life.received += count;
	flow->life.unnumbered += count;
	count_bytes(flow, bytes, at);
}

void np_flow_open(struct np_flow *flow, uint64_t bytes, np_time at)
{
	if (!flow->first)
		flow->first = at;
	if (at == flow->first)
		flow->head_bytes += bytes;
}

void np_flow_damaged(struct np_flow *flow, uint64_t count)
{
	flow->life.damaged += count;
}

void np_flow_stray(struct np_flow *flow, uint64_t count)
{
	flow->life.stray += count;
}

bool np_flow_end(struct np_flow *flow, uint64_t end, uint64_t unsent)
{
	const uint64_t first = flow->plan.first;

	if (end > flow->limit)
		return false;
	flow->contradicted |= flow->life.received && np_sequence_highest(flow->sequence) >= end;
	flow->ended = true;
	flow->end = end;
	flow->unsent = unsent;
	flow->limit = end;
	if (end > first)
		np_sequence_end(flow->sequence, end - 1);
	return true;
}

bool np_flow_complete(const struct np_flow *flow)
{
	const uint64_t first = flow->plan.first;
	const uint64_t end = flow->end > first ? flow->end - first : 0;
	const uint64_t all = flow->ended ? end : flow->plan.announced;

	return (flow->ended || all) && flow->life.received + flow->unsent >= all;
}

uint64_t np_flow_received(const struct np_flow *flow)
{
	return flow->life.received;
}

uint64_t np_flow_lowest(const struct np_flow *flow)
{
	return np_sequence_lowest(flow->sequence);
}

uint64_t np_flow_highest(const struct np_flow *flow)
{
	return np_sequence_highest(flow->sequence);
}

uint64_t np_flow_unwrap(const struct np_flow *flow, uint32_t number32)
{
	return np_sequence_unwrap(flow->sequence, number32);
}

struct np_delay *np_flow_delay(const struct np_flow *flow)
{
	return flow->delay;
}

np_time np_flow_delay_bound(const struct np_flow *flow)
{
	return flow->delay_bound;
}

void np_flow_spread(const struct np_flow *flow, struct np_flow_spread *spread)
{
	if (flow->spread.known)
		widen(spread, flow->spread.least, flow->spread.most);
}

np_time np_flow_grace(const struct np_flow_spread *spread)
{
	const np_time width = np_delay_between(spread->least, spread->most);

	/* Forged times may have any value. */
	if (width > NP_FLOW_GRACE_MOST / 2)
		return NP_FLOW_GRACE_MOST;
	return 2 * width > NP_FLOW_GRACE_LEAST ? 2 * width : NP_FLOW_GRACE_LEAST;
}

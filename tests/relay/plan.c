// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* plan: decides what happens to the k-th datagram of a flow. */
#include "plan.h"

/* The finalizer of splitmix64: every bit of the input moves half of the output. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* From 0 to below 1; depends on its position only, so that timing cannot change it. */
static double draw(uint64_t seed, unsigned fault, unsigned flow, uint64_t position)
{
	uint64_t x = mix(seed + UINT64_C(0x9e3779b97f4a7c15) * (fault + 1));

	x = mix(x + UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)flow + 1));
	x = mix(x + UINT64_C(0x9e3779b97f4a7c15) * position);
	return (double)(x >> 11) * 0x1p-53;
}

static bool concerns(const struct fault *fault, const struct plan_facts *facts)
{
	if (fault->port && fault->port != facts->source_port &&
	    fault->port != facts->destination_port)
		return false;
	return facts->payload_bytes >= fault->least && facts->payload_bytes <= fault->most;
}

static bool in_ranges(const struct fault *fault, uint64_t position)
{
	for (unsigned i = 0; i < fault->range_count; i++)
		if (position >= fault->range[i].first && position <= fault->range[i].last)
			return true;
	return false;
}

static bool behind(const struct fault *fault, struct plan_state *state, np_time now)
{
	/* With 0 the time starts with the first one. */
	if (state->seen == (fault->number ? fault->number : 1))
		state->since = now;
	return state->seen > fault->number &&
	       (fault->lasting == NP_TIME_NEVER || now - state->since < fault->lasting);
}

static bool strikes(const struct plan *plan, unsigned index, struct plan_state *state,
		    const struct plan_facts *facts)
{
	const struct fault *fault = &plan->fault[index];

	if (!concerns(fault, facts))
		return false;
	state->seen++;
	switch (fault->choice) {
	case CHOICE_ALL: return true;
	case CHOICE_EVERY: return state->seen % fault->number == 0;
	case CHOICE_FIRST: return state->seen <= fault->number;
	case CHOICE_AFTER: return behind(fault, state, facts->now);
	case CHOICE_AT: return in_ranges(fault, state->seen);
	case CHOICE_CHANCE:
		return draw(plan->seed, index, facts->flow, state->seen) < fault->chance;
	}
	return false;
}

static void add(struct verdict *verdict, const struct fault *fault)
{
	switch (fault->kind) {
	case FAULT_DROP: verdict->drop = true; break;
	case FAULT_DUPLICATE:
		verdict->copies = fault->copies;
		verdict->copies_by = fault->by;
		break;
	case FAULT_REORDER: verdict->hold_by = fault->by; break;
	case FAULT_DELAY: verdict->delay += fault->time; break;
	case FAULT_DAMAGE:
		verdict->damage = true;
		verdict->damage_byte = fault->byte;
		verdict->checksum_bad = fault->checksum_bad;
		break;
	}
}

struct verdict plan_judge(const struct plan *plan, struct plan_state *states,
			  const struct plan_facts *facts)
{
	struct verdict verdict = {0};

	/* All faults are asked, so that a position never depends on another fault. */
	for (unsigned i = 0; i < plan->count; i++)
		if (strikes(plan, i, &states[i], facts))
			add(&verdict, &plan->fault[i]);
	if (verdict.drop)
		verdict = (struct verdict){.drop = true};
	return verdict;
}

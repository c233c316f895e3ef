// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tally: counts one sender's messages, with a flow of the library. */
#include "state.h"

#include <errno.h>
#include <stdlib.h>

/* Without a known end, a number further ahead than this does not belong to the flow. */
#define REACH (UINT64_C(1) << 28)

int tally_create(struct tally **tally, const struct tally_plan *plan)
{
	struct tally *t = calloc(1, sizeof(*t));
	int rc;

	*tally = NULL;
	if (!t)
		return -ENOMEM;
	t->plan = *plan;
	rc = np_flow_create(&t->flow, plan->numbered ? NP_SEQUENCE_WINDOW : 0);
	if (rc) {
		free(t);
		return rc;
	}
	tally_clear(t);
	*tally = t;
	return 0;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	np_flow_free(tally->flow);
	free(tally);
}

void tally_clear(struct tally *tally)
{
	const struct np_flow_plan plan = {
		.first = 1,
		.announced = tally->plan.expected,
		.reach = REACH,
	};

	tally->ended = false;
	tally->sent = 0;
	/* Without raw delays the start cannot fail. */
	(void)np_flow_start(tally->flow, &plan);
}

void tally_count(struct tally *tally, uint64_t number, np_time sent, np_time at, uint64_t payload)
{
	if (tally->plan.numbered)
		(void)np_flow_add(tally->flow, number, 1, payload, sent, at);
	else
		np_flow_add_unnumbered(tally->flow, 1, payload, at);
}

void tally_end(struct tally *tally, uint64_t sent)
{
	if (tally->ended)
		return;
	if (tally->plan.numbered && (sent == UINT64_MAX || !np_flow_end(tally->flow, sent + 1, 0)))
		return;
	tally->ended = true;
	tally->sent = sent;
}

bool tally_complete(const struct tally *tally)
{
	if (tally->plan.numbered)
		return tally->ended && np_flow_received(tally->flow) >= tally->sent;
	return tally->plan.expected && np_flow_received(tally->flow) >= tally->plan.expected;
}

/* What the sender reported, else what it announced, else what is known of it. */
static uint64_t sent_of(const struct tally *t, const struct np_flow_counts *counts)
{
	if (t->ended)
		return t->sent;
	return t->plan.expected || !t->plan.numbered ? t->plan.expected : counts->sent;
}

static void fill_delay(const struct tally *t, struct result_row *row)
{
	const struct np_delay *delay = np_flow_delay(t->flow);

	if (!delay)
		return;
	np_delay_figures(delay, &row->delay);
	row->delay_bound = np_flow_delay_bound(t->flow);
}

void tally_row(const struct tally *tally, struct result_row *row)
{
	struct np_flow_counts *counts = &row->counts;

	*row = (struct result_row){.sender = row->sender, .ended = tally->ended};
	np_flow_life(tally->flow, counts);
	row->exact = tally->plan.numbered && tally->ended && np_flow_counts_exact(counts);
	counts->sent = sent_of(tally, counts);
	if (!tally->plan.numbered && tally->ended && counts->sent > counts->received)
		counts->lost = counts->sent - counts->received;
	fill_delay(tally, row);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tally: counts what arrives of one stream, with a flow of the library. */
#include "tally.h"

#include <errno.h>
#include <stdlib.h>

struct tally {
	struct np_flow *flow;	 /* its delays are those since the last cut */
	struct np_delay *before; /* the delays before that */
};

int tally_create(struct tally **tally)
{
	struct tally *t = calloc(1, sizeof(*t));

	*tally = NULL;
	if (!t)
		return -ENOMEM;
	/* The first start allocates the delays. */
	if (np_flow_create(&t->flow, NP_SEQUENCE_WINDOW) || np_delay_create(&t->before) ||
	    np_flow_start(t->flow, &(struct np_flow_plan){.raw_delays = true})) {
		tally_free(t);
		return -ENOMEM;
	}
	*tally = t;
	return 0;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	np_flow_free(tally->flow);
	np_delay_free(tally->before);
	free(tally);
}

void tally_begin(struct tally *tally, uint64_t messages, const struct message_clock *clock)
{
	const struct np_flow_plan plan = {.announced = messages, .raw_delays = true};

	(void)np_flow_start(tally->flow, &plan);
	np_delay_clear(tally->before);
	if (clock)
		delay_expect(np_flow_delay(tally->flow), clock);
}

void tally_begin_late(struct tally *tally)
{
	(void)np_flow_start(tally->flow, &(struct np_flow_plan){.late = true, .raw_delays = true});
	np_delay_clear(tally->before);
}

void tally_opens(struct tally *tally, uint64_t bytes, np_time at)
{
	np_flow_open(tally->flow, bytes, at);
}

void tally_add(struct tally *tally, uint64_t number, uint64_t count, uint32_t bytes, np_time sent,
	       np_time at)
{
	(void)np_flow_add(tally->flow, number, count, bytes, sent, at);
}

void tally_raw(struct tally *tally, uint64_t messages, uint64_t bytes, np_time at)
{
	np_flow_add_unnumbered(tally->flow, messages, bytes, at);
}

void tally_damaged(struct tally *tally)
{
	np_flow_damaged(tally->flow, 1);
}

void tally_end(struct tally *tally, uint64_t messages, uint64_t unsent)
{
	(void)np_flow_end(tally->flow, messages, unsent);
}

bool tally_complete(const struct tally *tally)
{
	return np_flow_complete(tally->flow);
}

void tally_life(const struct tally *tally, struct np_flow_counts *figures)
{
	np_flow_final(tally->flow, figures);
}

void tally_so_far(const struct tally *tally, struct np_flow_counts *figures)
{
	np_flow_life(tally->flow, figures);
}

void tally_spread(const struct tally *tally, struct np_flow_spread *spread)
{
	np_flow_spread(tally->flow, spread);
}

void tally_delays(const struct tally *tally, struct np_delay *sum)
{
	np_delay_merge(sum, tally->before);
	np_delay_merge(sum, np_flow_delay(tally->flow));
}

void tally_cut_delays(struct tally *tally, const struct message_clock *clock, struct np_delay *sum)
{
	struct np_delay *since = np_flow_delay(tally->flow);

	np_delay_merge(sum, since);
	np_delay_merge(tally->before, since);
	np_delay_clear(since);
	delay_expect(since, clock);
}

void tally_report(const struct np_flow_counts *figures, const struct np_delay *delay,
		  struct message_report *report)
{
	*report = (struct message_report){
		.exact = np_flow_counts_exact(figures),
		.received = figures->received,
		.lost = figures->lost,
		.duplicates = figures->duplicates,
		.reordered = figures->reordered,
		.late = figures->late,
		.missed_before = figures->missed_before,
		.damaged = figures->damaged + figures->stray,
		.bytes = figures->bytes,
		.head_bytes = figures->head_bytes,
		.first = figures->first,
		.last = figures->last,
	};
	np_delay_figures(delay, &report->delays);
}

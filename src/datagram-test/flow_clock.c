// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * flow_clock: estimates the offset of a partner's clock, by which its packets' delays are
 * corrected.
 */
#include "flow.h"

void flow_clock_ask(struct flow *flow, np_time t1)
{
	struct flow_clock *clock = &flow->clock;

	clock->open[clock->asks++ % FLOW_QUESTIONS] = t1;
}

/* Each request is answered once. */
static bool was_asked(struct flow_clock *clock, np_time t1)
{
	for (unsigned i = 0; t1 && i < FLOW_QUESTIONS; i++) {
		if (clock->open[i] != t1)
			continue;
		clock->open[i] = 0;
		return true;
	}
	return false;
}

void flow_clock_reply(struct flow *flow, const struct wire_control *reply, np_time t4)
{
	struct np_offset *offset = &flow->clock.offset;

	if (reply->run != flow->run || !was_asked(&flow->clock, reply->t1))
		return;
	flow->proven = true;
	flow->clock.replies++;
	flow->clock.answered = t4;
	np_offset_add(offset, reply->t1, reply->t2, reply->t3, t4);
	np_flow_set_clock(flow->account, offset);
}

bool flow_delay(const struct flow *flow, struct np_histogram_figures *delay)
{
	const struct np_delay *kept = np_flow_delay(flow->account);

	*delay = (struct np_histogram_figures){.count = 0};
	if (kept)
		np_delay_figures(kept, delay);
	return delay->count;
}

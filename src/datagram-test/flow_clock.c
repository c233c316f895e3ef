// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow_clock: a partner's clock against ours, and the delay one way that follows from it. */
#include "flow.h"

void flow_clock_ask(struct flow *flow, np_time t1)
{
	struct flow_clock *clock = &flow->clock;

	clock->open[clock->asks++ % FLOW_QUESTIONS] = t1;
}

/* Each question has one answer. */
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
	/* Without memory there are no delays until the next reply. */
	if (offset->known && !flow->delay)
		(void)np_histogram_create(&flow->delay);
}

void flow_clock_delay(struct flow *flow, int64_t send_time, np_time now)
{
	const struct np_offset *offset = &flow->clock.offset;
	np_time bound = np_offset_bound(offset, now);

	if (bound > flow->delay_bound)
		flow->delay_bound = bound;
	np_histogram_add(flow->delay, now - np_offset_correct(offset, send_time));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow_clock: a partner's clock against ours, and the delay one way that follows from it. */
#include "flow.h"

void flow_clock_reply(struct flow *flow, const struct wire_control *reply, np_time t4)
{
	struct np_offset *offset = &flow->clock.offset;

	if (reply->run != flow->run)
		return;
	flow->clock.replies++;
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

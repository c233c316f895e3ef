// SPDX-License-Identifier: GPL-2.0-or-later
/* flow_clock: a partner's clock against ours, and the delay one way that follows from it. */
#include "flow.h"

#define DRIFT	       10000 /* one part in so many: 100 ppm, the worst of two crystals */
#define EXCHANGE_LIMIT (10 * NP_SECOND)

/* Times of a partner may be anything: no sum of them may overflow. */
static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

np_time flow_clock_bound(const struct flow_clock *clock, np_time now)
{
	return clock->bound + (now > clock->at ? (now - clock->at) / DRIFT : 0);
}

void flow_clock_reply(struct flow *flow, const struct wire_control *reply, np_time t4)
{
	struct flow_clock *clock = &flow->clock;
	np_time away = minus(t4, reply->t1), there = minus(reply->t3, reply->t2);
	np_time bound = (away - there + 1) / 2;

	if (reply->run != flow->run || reply->t1 <= 0 || away < 0 || away > EXCHANGE_LIMIT ||
	    there < 0 || there > away)
		return;
	if (clock->known && bound > flow_clock_bound(clock, t4))
		return;
	if (!flow->delay && np_histogram_create(&flow->delay))
		return;
	/* Half way there and half way back: t2 - t1 and t3 - t4 differ by the round trip. */
	clock->offset = plus(minus(reply->t2, reply->t1), -(away - there) / 2);
	clock->bound = bound;
	clock->at = t4;
	clock->known = true;
}

void flow_clock_delay(struct flow *flow, int64_t send_time, np_time now)
{
	np_time bound = flow_clock_bound(&flow->clock, now);

	if (bound > flow->delay_bound)
		flow->delay_bound = bound;
	np_histogram_add(flow->delay, plus(minus(now, send_time), flow->clock.offset));
}

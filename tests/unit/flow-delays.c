// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Delays of a flow by either clock, and how long they make its end wait. */
#include "support/counted_flow.h"
#include "support/unit.h"

FLOW_TEST(delays_as_the_clocks_have_them)
{
	const struct np_flow_plan raw = {.first = 1, .raw_delays = true};
	struct np_flow *flow = *state;
	struct np_histogram_figures f;

	assert_null(np_flow_delay(flow));
	start(flow, &raw);
	(void)np_flow_add(flow, 1, 3, BYTES, BEGIN + NP_SECOND, BEGIN);
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN + NP_SECOND, BEGIN + 4 * MS);
	/* Neither again nor stray. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	(void)np_flow_add(flow, UINT64_MAX, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 4);
	assert_int_equal(f.min, -NP_SECOND);
	assert_int_equal(f.mean, -NP_SECOND + MS);
	assert_int_equal(f.max, -NP_SECOND + 4 * MS);
	assert_int_equal(np_flow_delay_bound(flow), 0);
	start(flow, &raw);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 0);
}

FLOW_TEST(delays_by_the_senders_clock)
{
	struct np_offset ahead = {.offset = 5 * NP_SECOND, .bound = 50, .at = BEGIN};
	struct np_flow *flow = *state;
	struct np_histogram_figures f;

	np_flow_set_clock(flow, &ahead);
	assert_null(np_flow_delay(flow));
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN);
	ahead.known = true;
	np_flow_set_clock(flow, &ahead);
	(void)np_flow_add(flow, 2, 2, BYTES, BEGIN + 5 * NP_SECOND, BEGIN + 200);
	/* 100 us of drift a second; and one that the clocks' error would make negative. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN + 6 * NP_SECOND, BEGIN + NP_SECOND + 300);
	(void)np_flow_add(flow, 5, 1, BYTES, BEGIN + 6 * NP_SECOND, BEGIN);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_true(f.count == 4 && f.min == 0 && f.max == 300 && f.mean == 175 && f.p50 == 200);
	assert_int_equal(np_flow_delay_bound(flow), 50 + 100 * NP_MICROSECOND);
	/* The next run knows it from its start; once it is not known, none are counted. */
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_int_equal(np_flow_delay_bound(flow), 0);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN + 5 * NP_SECOND, BEGIN + 7);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_true(f.count == 1 && f.p50 == 7 && f.max == 7);
	ahead.known = false;
	np_flow_set_clock(flow, &ahead);
	arrive_all(flow, 2, 2);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 1);
}

/* The same clock has no error, however old what is known of it. */
FLOW_TEST(delays_by_our_clock)
{
	struct np_flow *flow = *state;

	np_flow_set_clock(flow, &(struct np_offset){.known = true});
	arrive_all(flow, 1, 5);
	assert_int_equal(np_flow_delay_bound(flow), 0);
}

/* What is waited for behind an end follows the delays seen, forged ones within bounds. */
FLOW_TEST(grace_follows_delays)
{
	struct np_flow *flow = *state;
	struct np_flow_spread spread = {0};

	np_flow_spread(flow, &spread);
	assert_false(spread.known);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 300 * MS);
	np_flow_spread(flow, &spread);
	assert_true(spread.known && spread.least == 300 * MS && spread.most == 300 * MS);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 2, 1, BYTES, BEGIN, BEGIN + 200 * MS);
	(void)np_flow_add(flow, 3, 1, BYTES, BEGIN, BEGIN + 250 * MS);
	np_flow_spread(flow, &spread);
	assert_true(spread.least == 200 * MS && spread.most == 300 * MS);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	spread.most = spread.least + 150 * MS;
	assert_int_equal(np_flow_grace(&spread), 300 * MS);
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 900 * MS);
	/* Those that come again were under way for somebody else's reasons. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 9000 * MS);
	np_flow_spread(flow, &spread);
	assert_int_equal(np_flow_grace(&spread), 1400 * MS);
	start(flow, &(struct np_flow_plan){.first = 1});
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 250 * MS);
	np_flow_spread(flow, &spread);
	assert_int_equal(np_flow_grace(&spread), 1400 * MS);
	spread.most = spread.least + 5 * NP_SECOND;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND);
	spread.most = spread.least + 5 * NP_SECOND - 1;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND - 2);
	spread.most = INT64_MAX;
	spread.least = INT64_MIN;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND);
}

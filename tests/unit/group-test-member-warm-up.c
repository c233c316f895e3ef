// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A time of warm-up: the same load, in a run before the first one, of which nothing is counted. */
#include "support/group_network.h"
#include "support/unit.h"

static bool warms(const struct network *n)
{
	return !strstr(n->host[0].log, "ready");
}

/* Until host 0 has sent something, or is ready for the measured run. */
static void run_until_sending(struct network *n)
{
	while (!n->host[0].sent_messages && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	assert_true(n->host[0].sent_messages > 0 && warms(n));
}

static unsigned warm_ups;

static bool is_warm_up(const uint8_t *data)
{
	return is_type(data, MESSAGE_WARMUP);
}

static bool lose_a_third(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from != to && is_warm_up(data) && ++warm_ups % 3 == 0;
}

/* What is lost, late or twice then is not there for the result, and none of it is told as a run. */
TEST(nothing_of_it_is_counted)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.warm_up = 300 * NP_MILLISECOND;
	for (unsigned credit = 0; credit < 2; credit++) {
		plan.credit = credit;
		n = network_of(&plan, false);
		n->drop = lose_a_third;
		n->late = n->twice = 0.2;
		run_until_sending(n);
		network_pass(n, 250 * NP_MILLISECOND);
		assert_true(warms(n));
		n->late = n->twice = 0;
		network_finish(n, 10 * NP_SECOND);
		assert_true(n->dropped > 100);
		network_counts(n, 1000);
		for (unsigned i = 0; i < 4; i++) {
			const struct host *h = &n->host[i];

			assert_int_equal(host_times_told(h, "warming - 0 "), 1);
			assert_int_equal(host_times_told(h, "ready "), 1);
			assert_int_equal(host_times_told(h, "sending - 1000 "), i < 2);
			assert_int_equal(host_times_told(h, "sent-all "), i < 2);
			assert_int_equal(host_times_told(h, "local "), i >= 2);
			assert_int_equal(host_times_told(h, "reported "), 1);
			assert_int_equal(h->results, 1);
			assert_int_equal(member_result(h->member)->run, 0);
			for (unsigned s = 0; s < 2; s++) {
				const struct np_flow_counts *c = &host_row(h, i, s)->counts;

				assert_int_equal(c->stray + c->duplicates + c->late, 0);
			}
		}
	}
}

/* The rate is that of the run, which then has its whole duration. */
TEST(it_is_as_long_and_as_fast_as_asked)
{
	struct network *n = NETWORK(plan.messages = 0, plan.duration = 2 * NP_SECOND,
				    plan.warm_up = NP_SECOND, plan.rate = 100);
	uint64_t sent;

	run_until_sending(n);
	while (warms(n))
		network_step(n);
	sent = n->host[0].sent_messages;
	assert_in_range(sent, 99, 102);
	network_finish(n, 6 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		assert_in_range(host_row(&n->host[i], i, 0)->counts.sent, 199, 202);
		assert_int_equal(host_row(&n->host[i], i, 0)->counts.sent,
				 n->host[0].sent_messages - sent);
	}
	assert_in_range(member_result(n->host[0].member)->sent_elapsed, 1980 * NP_MILLISECOND,
			2000 * NP_MILLISECOND);
}

/* Who is wound up then, as who is stopped, has measured nothing; the others go on. */
TEST(wound_up_in_it)
{
	struct network *n = NETWORK_LONG(plan.warm_up = NP_SECOND);
	struct host *h = &n->host[0];

	run_until_sending(n);
	network_pass(n, NP_SECOND / 2);
	member_wind_up(h->member, n->now);
	network_finish(n, 15 * NP_SECOND);
	assert_int_equal(h->results, 0);
	assert_true(member_result(h->member)->interrupted);
	assert_int_equal(member_result(h->member)->sent, 0);
	host_failed(h, "", "interrupted before the measured run began");
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_int_equal(n->host[i].results, 1);
		assert_int_equal(host_row(&n->host[i], i, 1)->counts.received, 2000);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A time of warm-up: the same load, in a run before the first one, of which nothing is counted.
 *
 * What a member says of its phase, and that it goes on to the next one at once.
 */
#include "support/group_network.h"
#include "support/unit.h"

#include <string.h>

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

static unsigned said(const struct host *h, const char *event)
{
	unsigned count = 0;

	for (const char *at = h->log; (at = strstr(at, event)); at++)
		count += at == h->log || at[-1] == '\n';
	return count;
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

			assert_int_equal(said(h, "warming - 0 "), 1);
			assert_int_equal(said(h, "ready "), 1);
			assert_int_equal(said(h, "sending - 1000 "), i < 2);
			assert_int_equal(said(h, "sent-all "), i < 2);
			assert_int_equal(said(h, "local "), i >= 2);
			assert_int_equal(said(h, "reported "), 1);
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

/* Each lane pauses in it, too, and its share of the messages is still to be sent. */
TEST(lanes_keep_their_pace)
{
	struct network *n = NETWORK(plan.messages = 20, plan.lanes = 2,
				    plan.pause = 50 * NP_MILLISECOND, plan.warm_up = NP_SECOND);

	run_until_sending(n);
	while (warms(n))
		network_step(n);
	assert_in_range(n->host[0].sent_messages, 38, 42);
	network_finish(n, 4 * NP_SECOND);
	network_counts(n, 20);
}

/* Before the first of several runs, which are numbered without it. */
TEST(several_runs_have_one)
{
	struct network *n = NETWORK(plan.runs = 3, plan.warm_up = 100 * NP_MILLISECOND);
	uint64_t sent;

	run_until_sending(n);
	while (warms(n))
		network_step(n);
	sent = n->host[0].sent_messages;
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 1000);
	assert_int_equal(n->host[0].sent_messages, sent + 3000);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(n->host[i].results, 3);
		assert_int_equal(member_result(n->host[i].member)->run, 2);
	}
}

/* One that comes in the measured run does not belong there, but nor does it disturb. */
TEST(a_late_one_is_no_stray)
{
	struct message_head head;
	struct network *n = NETWORK_LONG(plan.warm_up = 100 * NP_MILLISECOND);
	uint8_t wire[MESSAGE_HEADER_BYTES + 20] = {};

	run_until_sending(n);
	while (warms(n))
		network_step(n);
	network_pass(n, NP_SECOND);
	head = network_head(n, 0);
	head.number = 77;
	for (unsigned data = 0; data < 2; data++) {
		head.type = data ? MESSAGE_DATA : MESSAGE_WARMUP;
		head.run = 0;
		message_head_encode(wire, &head);
		host_forge(&n->host[2], 0, wire, sizeof(wire));
	}
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 2000);
	assert_int_equal(host_row(&n->host[2], 2, 0)->counts.stray, 1);
	assert_int_equal(member_malformed(n->host[2].member), 0);
}

/* Who is stopped then, or wound up, has measured nothing and has no result; the others go on. */
TEST(stopped_in_it)
{
	struct member_plan plan = group_plan_long();

	plan.warm_up = NP_SECOND;
	for (unsigned wind_up = 0; wind_up < 2; wind_up++) {
		struct network *n = network_of(&plan, false);
		struct host *h = &n->host[0];
		const struct result *r;

		run_until_sending(n);
		network_pass(n, NP_SECOND / 2);
		if (wind_up)
			member_wind_up(h->member, n->now);
		else
			member_stop(h->member, n->now);
		network_finish(n, 15 * NP_SECOND);
		r = member_result(h->member);
		assert_int_equal(h->results, 0);
		assert_true(r->interrupted);
		assert_int_equal(r->sent, 0);
		host_failed(h, "", "interrupted before the measured run began");
		for (unsigned i = 1; i < 4; i++) {
			host_status(&n->host[i], 1);
			assert_int_equal(n->host[i].results, 1);
			assert_int_equal(host_row(&n->host[i], i, 1)->counts.received, 2000);
		}
	}
}

/* Nobody is left to send in the measured run: that has a result without any message. */
TEST(the_only_sender_dies_in_it)
{
	struct network *n = NETWORK(streams = true, plan.senders = 1, plan.warm_up = NP_SECOND);

	run_until_sending(n);
	network_kill(n, 0);
	network_finish(n, 20 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_int_equal(n->host[i].results, 1);
		assert_int_equal(host_row(&n->host[i], i, 0)->counts.received, 0);
	}
}

TEST(stopped_after_it)
{
	struct network *n = NETWORK(plan.warm_up = 100 * NP_MILLISECOND);
	struct host *h;
	uint64_t sent;

	h = &n->host[0];
	LOSE(n, .type = MESSAGE_STATE, .from = HOST(3), .second = true);
	run_until_sending(n);
	network_pass(n, NP_SECOND);
	assert_true(warms(n));
	sent = h->sent_messages;
	member_stop(h->member, n->now);
	n->losses = 0;
	network_finish(n, 15 * NP_SECOND);
	assert_int_equal(h->sent_messages, sent);
	assert_int_equal(h->results, 0);
	assert_true(member_result(h->member)->interrupted);
	assert_int_equal(member_result(h->member)->sent, 0);
	host_failed(h, "", "interrupted before the measured run began");
	assert_int_equal(host_row(&n->host[1], 1, 1)->counts.received, 1000);
}

/* The latest STATE of host 3 in each phase; and of those in the run, how often it moved less than
 * before. */
static struct message_state last_state[PHASE_LEAVING + 1];
static unsigned stood_still;

static unsigned silenced; /* the host whose RESULTS are lost */

static bool note_states_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	const size_t bytes = message_encode((uint8_t[100]){0}, &(struct message_head){0},
					    MESSAGE_STATE, &(struct message_state){0});
	struct message_state state;

	(void)n;
	if (data[0] != MESSAGE_MAGIC || from == to)
		return false;
	if (from == silenced && is_type(data, MESSAGE_RESULTS))
		return true;
	if (from != 3 || to != 0 || data[1] != 0x40 + MESSAGE_STATE)
		return false;
	assert_int_equal(message_decode(data, bytes, MESSAGE_STATE, &state), 0);
	if (state.phase == PHASE_RUNNING && last_state[PHASE_RUNNING].moves)
		stood_still += state.moves <= last_state[PHASE_RUNNING].moves;
	last_state[state.phase] = state;
	return false;
}

/*
 * Host 3 hears all others before itself, in whatever order, and takes @delay for each message. What
 * it says is noted.
 */
static struct network *noted(const struct member_plan *plan, np_time delay)
{
	struct network *n = network_of(plan, false);

	n->host[3].plan.processing_delay = delay;
	memset(last_state, 0, sizeof(last_state));
	stood_still = 0;
	silenced = NETWORK_MAX;
	n->drop = note_states_of_3;
	n->host[3].deaf = true;
	network_run(n, NP_SECOND / 4);
	n->host[3].deaf = false;
	return n;
}

/* In the run for nobody; behind it, for the one whose results have not come. */
TEST(it_says_for_how_many_it_waits)
{
	const struct member_plan plan = group_plan_long();

	for (unsigned i = 0; i < 3; i++) {
		struct network *n = noted(&plan, 0);

		silenced = i;
		network_run(n, 6 * NP_SECOND);
		assert_int_equal(last_state[PHASE_RUNNING].members, 4);
		assert_int_equal(last_state[PHASE_RUNNING].unready, 0);
		assert_int_equal(last_state[PHASE_COUNTED].unready, 1);
	}
}

/* One message in each half second, as often as it says so. */
TEST(who_processes_slowly_says_that_it_moves)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	plan.messages = 20;
	n = noted(&plan, NP_SECOND / 2);
	network_run(n, 10 * NP_SECOND);
	assert_true(last_state[PHASE_RUNNING].moves > 10);
	assert_int_equal(stood_still, 0);
}

/* So does one that is told of nothing but parts of long messages. */
TEST(parts_of_long_messages_are_moves)
{
	struct member_plan plan = group_plan_long();
	const struct transport_event part = {TRANSPORT_MOVED, .peer = host_identity(0)};
	struct network *n;
	uint64_t before;

	n = noted(&plan, 0);
	network_run(n, 2 * NP_SECOND);
	before = last_state[PHASE_RUNNING].moves;
	for (unsigned i = 0; i < 100000; i++)
		member_transport_event(n->host[3].member, &part, n->now);
	network_run(n, 3 * NP_SECOND);
	assert_in_range(last_state[PHASE_RUNNING].moves - before, 100000, 110000);
}

/* No phase of a run waits for a look that comes now and then: four phases, a step or two each. */
TEST(each_phase_follows_at_once)
{
	struct network *n =
		NETWORK(plan.members = plan.senders = 1, plan.messages = 1, plan.runs = 50);
	np_time formed;

	while (!n->host[0].results && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	formed = n->now;
	while (n->host[0].results < 50 && n->now < formed + 5 * NP_SECOND)
		network_step(n);
	assert_in_range(n->now - formed, 0, 49 * 8 * STEP);
}

/* When host 0 sent its first DATA of the second run to host 1, and host 1 said that it runs. */
static np_time data_sent, runs_at;

static bool lose_states_of_0_note_times(struct network *n, unsigned from, unsigned to,
					const uint8_t *data)
{
	if (data[0] != MESSAGE_MAGIC || data[3] != 1)
		return false;
	if (from == 0 && to == 1 && is_type(data, MESSAGE_DATA) && !data_sent)
		data_sent = n->now;
	if (from == 1 && to == 0 && is_type(data, MESSAGE_STATE) && !runs_at &&
	    data[MESSAGE_HEADER_BYTES] == PHASE_RUNNING)
		runs_at = n->now;
	return from == 0 && to != 0 && is_type(data, MESSAGE_STATE);
}

/* Nothing but DATA says that the sender is ready: the others run as soon as it comes. */
TEST(the_first_data_says_it_at_once)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	plan.runs = 2;
	data_sent = runs_at = 0;
	n = network_of(&plan, false);
	n->drop = lose_states_of_0_note_times;
	while (!runs_at && n->now < EPOCH + 30 * NP_SECOND)
		network_step(n);
	assert_true(data_sent > 0);
	assert_int_equal(runs_at - data_sent, STEP);
}

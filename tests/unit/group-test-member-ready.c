// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * From the group on until all are ready: members that die meanwhile, words that are lost. A time of
 * warm-up: the same load, in a run before the first one, of which nothing is counted.
 */
#include "support/group_network.h"
#include "support/unit.h"

/* All but one are there; one is killed at @killed and started anew, under a new port, at @again. */
static void killed_while_forming(enum member_protocol protocol, np_time killed, np_time last,
				 np_time again, bool chosen)
{
	struct member_plan plan = group_plan(protocol);
	struct network *n;

	plan.limits.join = 30 * NP_SECOND;
	n = network_of(&plan, false);
	n->host[3].starts = EPOCH + last;
	if (chosen)
		LOSE(n, .type = MESSAGE_STATE, .from = HOST(2));
	plan.sender = false;
	network_add(n, &plan, again);
	network_run(n, killed);
	network_kill(n, 2);
	network_finish(n, 40 * NP_SECOND);
	for (unsigned i = 0; i < 5; i++) {
		if (i == 2)
			continue;
		host_status(&n->host[i], 0);
		host_must(&n->host[i], member_result(n->host[i].member)->members, "formed");
		assert_null(host_member(&n->host[i], 4)->why[0] ? "why" : NULL);
	}
}

TEST(one_is_killed_and_comes_anew)
{
	/* Before the last member came, who finds one dead; the new one comes at once or late. */
	killed_while_forming(PROTOCOL_NATIVE, NP_SECOND, 2 * NP_SECOND, NP_SECOND + NP_MILLISECOND,
			     false);
	killed_while_forming(PROTOCOL_NATIVE, NP_SECOND, 2 * NP_SECOND, 3 * NP_SECOND, false);
	killed_while_forming(PROTOCOL_NATIVE, NP_SECOND, NP_SECOND + NP_MILLISECOND, 5 * NP_SECOND,
			     false);
	/* In Java's protocol whoever has joined counts, until it has been silent for long. */
	killed_while_forming(PROTOCOL_JGROUPS3, NP_SECOND, 9 * NP_SECOND, 8 * NP_SECOND, false);
	/* When all are there, until they are chosen. */
	for (np_time t = 1010 * NP_MILLISECOND; t < 1290 * NP_MILLISECOND; t += 20 * NP_MILLISECOND)
		killed_while_forming(PROTOCOL_NATIVE, t, NP_SECOND, 4 * NP_SECOND, false);
	/* When all have been chosen, and one has not said that it is ready: they take another. */
	killed_while_forming(PROTOCOL_NATIVE, 2 * NP_SECOND, NP_SECOND, 3 * NP_SECOND, true);
	killed_while_forming(PROTOCOL_NATIVE, 2 * NP_SECOND, NP_SECOND, 8 * NP_SECOND, true);
}

/* One that was chosen died before all were ready: there is no group, and others are looked for. */
TEST(a_group_falls_apart)
{
	struct network *n = NETWORK();
	const struct result *r;

	LOSE(n, .type = MESSAGE_STATE, .from = HOST(2));
	network_run(n, NP_SECOND);
	r = member_result(n->host[0].member);
	assert_true(r->members);
	network_kill(n, 2);
	while (n->now < EPOCH + 10 * NP_SECOND && r->members)
		network_step(n);
	host_told(&n->host[0], "given-up 10.0.0.3:7800 0 silent before all were ready");
	assert_false(r->members);
	assert_int_equal(r->members + r->senders, 0);
	n->losses = 0;
	LOSE(n, .type = MESSAGE_HELLO, .from = HOST(0), .to = HOST(1), .noted = true);
	network_pass(n, NP_SECOND);
	assert_in_range(n->lose[0].met, 3, 6);
	assert_int_equal(member_look(n->host[0].member)->members, 0);
}

TEST(not_ready_for_a_later_run)
{
	uint8_t data[MESSAGE_HEADER_BYTES];
	struct message_head head;
	struct network *n = NETWORK(plan.runs = 2);

	LOSE(n, .type = MESSAGE_STATE, .from = HOST(3), .second = true);
	while (!network_ended(n) && n->now < EPOCH + 30 * NP_SECOND) {
		network_pass(n, 100 * NP_MILLISECOND);
		if (message_head_decode(n->host[0].slots, sizeof(data), &head) != MESSAGE_NATIVE)
			continue;
		head.type = MESSAGE_GRANT;
		message_head_encode(data, &head);
		for (unsigned i = 0; i < 3; i++)
			host_forge(&n->host[i], 3, data, sizeof(data));
	}
	network_status(n, 3, 1);
	for (unsigned i = 0; i < 3; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it was not ready within 10 s");
		assert_int_equal(n->host[i].results, 2);
		host_row_complete(&n->host[i], 2, 1000);
		assert_true(host_member(&n->host[i], 0)->outcome == FATE_STAYED);
	}
}

/* The first words of readiness from host 0 are lost, for half of the others for long. */
static bool lose_start(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return is_type(data, MESSAGE_STATE) && from == 0 && (to == 1 || to == 2) &&
	       n->dropped < (to == 1 ? 6 : 3);
}

TEST(lost_start)
{
	struct network *n = NETWORK();

	n->drop = lose_start;
	network_finish(n, 6 * NP_SECOND);
	assert_true(n->dropped >= 3);
	network_status(n, 4, 0);
	for (unsigned i = 0; i < 4; i++)
		host_row_complete(&n->host[i], i, 1000);
}

/* Of host 3 nothing is ever heard but its HELLO, and that it is there. */
static bool lose_all_but_hello(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 3 && to != 3 && data[1] != 0x40 + MESSAGE_HELLO &&
	       data[1] != 0x40 + MESSAGE_PROOF;
}

/* As one that has no group yet: what it says keeps it from being silent. */
static void go_on_saying_hello(struct network *n)
{
	for (unsigned t = 0; t < 30; t++) {
		network_pass(n, NP_SECOND / 2);
		for (unsigned i = 0; i < 3; i++) {
			if (!n->host[i].ended)
				say_hello(&n->host[i], 3, n->host[3].plan.instance, &hello_of_ours);
		}
	}
}

/* Nobody starts. @first: host 3 is the first that host 0 has heard, before itself. */
static void no_start(bool first)
{
	struct network *n = NETWORK();

	n->drop = lose_all_but_hello;
	if (first) {
		n->host[0].deaf = true;
		n->host[1].starts = n->host[2].starts = EPOCH + NP_SECOND / 2;
		network_run(n, NP_SECOND / 4);
		n->host[0].deaf = false;
	}
	go_on_saying_hello(n);
	network_finish(n, 17 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(n->host[i].sent_messages, 0);
	for (unsigned i = 0; i < 3; i++)
		host_failed(&n->host[i], "group", "10.0.0.4:7800");
	/* It alone is named by the first that gives up. */
	assert_string_equal(member_outcome(n->host[0].member)->fault.reason,
			    "not all members were ready within 10 s: 10.0.0.4:7800");
	host_status(&n->host[3], 1);
}

TEST(start_that_never_comes)
{
	no_start(false);
	no_start(true);
}

static bool warms(const struct network *n)
{
	return !strstr(n->host[0].log, "ready");
}

static bool lose_a_third(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	static unsigned warm_ups;

	(void)n;
	return from != to && is_type(data, MESSAGE_WARMUP) && ++warm_ups % 3 == 0;
}

/* What is lost, late or twice then is not there for the result, and none of it is told as a run. */
TEST(nothing_of_it_is_counted)
{
	for (unsigned credit = 0; credit < 2; credit++) {
		struct network *n =
			NETWORK(plan.warm_up = 300 * NP_MILLISECOND, plan.credit = credit);

		n->drop = lose_a_third;
		n->late = n->twice = 0.2;
		network_until_sending(n);
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

	network_until_sending(n);
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

	network_until_sending(n);
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

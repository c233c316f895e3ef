// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Members that are slow, not dead: one that takes its time for each message (processing_delay), and
 * one whose path is slow, so that parts of a long message are all that is heard of it.
 */
#include "../../src/group-test/member/state.h"

#include "support/group_network.h"

#include <stdlib.h>

static uint64_t processed;

/* Each is the next one. */
static void process(struct member *m, struct peer *peer, const struct backlog_message *message)
{
	(void)m;
	(void)peer;
	assert_true(message->number == processed++);
}

/* What waits is processed in order, round the ring's end, too; one more is not taken. */
static void a_full_backlog_takes_no_more(void **state)
{
	const struct member_protocol_table protocol = {.process = process};
	struct backlog_message message = {0};
	struct member *m = calloc(1, sizeof(*m));

	(void)state;
	assert_non_null(m);
	m->protocol = &protocol;
	m->plan.processing_delay = 1;
	m->backlog.message = calloc(BACKLOG_MESSAGES, sizeof(*m->backlog.message));
	assert_non_null(m->backlog.message);
	processed = 0;
	for (; message.number < 10; message.number++) {
		assert_true(member_delay(m, m->peer, message));
		m->now++;
		member_process(m);
	}
	assert_int_equal(processed, 10);
	for (; message.number < 10 + BACKLOG_MESSAGES; message.number++)
		assert_true(member_delay(m, m->peer, message));
	assert_int_equal(m->malformed, 0);
	assert_int_equal(member_room(m), 0);
	assert_true(member_delay(m, m->peer, message));
	assert_int_equal(m->malformed, 1);
	for (unsigned i = 0; i < BACKLOG_MESSAGES + 1; i++) {
		m->now++;
		member_process(m);
	}
	assert_int_equal(processed, 10 + BACKLOG_MESSAGES);
	assert_int_equal(m->backlog.count, 0);
	assert_int_equal(m->peer->flow.waiting, 0);
	free(m->backlog.message);
	free(m);
}

static struct network *slow_network(enum member_protocol protocol, bool connected,
				    uint64_t messages, np_time delay)
{
	struct member_plan plan = group_plan(protocol);
	struct network *n;

	plan.messages = messages;
	if (connected)
		plan.credit = false;
	n = network_of(&plan, connected);
	n->host[3].plan.processing_delay = delay;
	return n;
}

/* All is counted, and over the time that the slow member really took. */
static void slow_but_complete(struct network *n, uint64_t messages, np_time delay)
{
	network_finish(n, 3 * (np_time)messages * delay + 10 * NP_SECOND);
	network_status(n, 4, 0);
	for (unsigned sender = 0; sender < 2; sender++) {
		const struct result_row *slow = host_row(&n->host[3], 3, sender);
		const struct result_row *fast = host_row(&n->host[0], 2, sender);

		host_must(&n->host[3], slow->counts.received == messages, "all, slowly");
		host_must(&n->host[0], fast->counts.received == messages, "all");
		host_must(&n->host[3],
			  slow->counts.last - slow->counts.first >= (np_time)(messages - 1) * delay,
			  "its own time");
	}
	network_free(n);
}

static void each_message_takes_its_time(void **state)
{
	(void)state;
	slow_but_complete(slow_network(PROTOCOL_NATIVE, false, 400, 20 * NP_MILLISECOND), 400,
			  20 * NP_MILLISECOND);
	slow_but_complete(slow_network(PROTOCOL_NATIVE, true, 400, 20 * NP_MILLISECOND), 400,
			  20 * NP_MILLISECOND);
}

/* Longer for one message than any limit. */
static void minutes_for_a_few(void **state)
{
	(void)state;
	slow_but_complete(slow_network(PROTOCOL_NATIVE, false, 3, 12 * NP_SECOND), 3,
			  12 * NP_SECOND);
	slow_but_complete(slow_network(PROTOCOL_NATIVE, true, 3, 12 * NP_SECOND), 3,
			  12 * NP_SECOND);
}

/* A window of two messages: the senders are held up all the time, and give nobody up. */
static void a_small_window(void **state)
{
	struct network *n = slow_network(PROTOCOL_NATIVE, false, 5, 6 * NP_SECOND);

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		n->host[i].plan.window_bytes = 2 * 48;
		n->host[i].plan.processing_delay = 6 * NP_SECOND;
	}
	slow_but_complete(n, 5, 6 * NP_SECOND);
}

static void a_slow_sender(void **state)
{
	struct network *n = slow_network(PROTOCOL_NATIVE, false, 200, 0);

	(void)state;
	n->host[0].plan.processing_delay = 20 * NP_MILLISECOND;
	network_finish(n, 30 * NP_SECOND);
	network_counts(n, 200);
	network_free(n);
}

static void among_java_members(void **state)
{
	struct network *n = slow_network(PROTOCOL_JGROUPS3, true, 100, 20 * NP_MILLISECOND);

	(void)state;
	network_finish(n, 30 * NP_SECOND);
	network_status(n, 4, 0);
	assert_int_equal(host_member(&n->host[0], 3)->total.counts.received, 200);
	network_free(n);
}

static void moved(struct network *n, unsigned at, unsigned whose)
{
	const struct transport_event event = {TRANSPORT_MOVED, .peer = host_identity(whose)};

	member_transport_event(n->host[at].member, &event, n->now);
}

/* For eight seconds nothing whole gets from host 0 to host 3. */
static void a_long_message_is_no_silence(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.credit = false; /* as over tcp */
	n = network_of(&plan, true);
	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	for (np_time t = 2 * NP_SECOND; t < 10 * NP_SECOND; t += 100 * NP_MILLISECOND) {
		for (unsigned i = 0; i < 3; i++)
			moved(n, i, 3);
		network_run(n, t);
	}
	n->host[3].stopped = false;
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 2000);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_backlog_takes_no_more),
		cmocka_unit_test(each_message_takes_its_time),
		cmocka_unit_test(minutes_for_a_few),
		cmocka_unit_test(a_small_window),
		cmocka_unit_test(a_slow_sender),
		cmocka_unit_test(among_java_members),
		cmocka_unit_test(a_long_message_is_no_silence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

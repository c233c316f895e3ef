// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member among those of perf.Test: its whole life, and others that it meets.
 *
 * A member among those of perf.Test, over connections: while they live nothing is lost, so it
 * waits longer; but each wait has its end there, too.
 */
#include "support/group_java.h"
#include "support/unit.h"

/* Trap 2: also after READY, also to a stranger. */
TEST(every_question_is_answered)
{
	struct host *h = SOLE(true, 2, 1);
	unsigned before;

	form(h, false);
	before = java_heard.count[JGROUPS_DISCOVERY_RSP];
	for (unsigned i = 1; i <= 5; i++) {
		says(h, i % 2 ? JAVA : JAVA + 1, JGROUPS_DISCOVERY_REQ, false, 0);
		pass(h, STEP);
		assert_int_equal(java_heard.count[JGROUPS_DISCOVERY_RSP], before + i);
	}
	/* Once. */
	pass(h, NP_SECOND / 2);
	assert_int_equal(java_heard.count[JGROUPS_DISCOVERY_RSP], before + 5);
	assert_true(java_heard.last[JGROUPS_DISCOVERY_RSP].sender);
	assert_int_equal(java_heard.last[JGROUPS_DISCOVERY_RSP].num_msgs, 10);
}

/* The consensus, and trap 7: three of each, and a second after the table. */
TEST(the_end_among_java_members)
{
	struct host *h = SOLE(true, 2, 1);
	np_time table;

	form(h, false);
	pass(h, STEP);
	assert_int_equal(java_heard.data, 10);
	sends(h, 0, 10, 21);
	pass(h, 2500 * NP_MILLISECOND);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 3);
	host_told(h, "sent-all - 2");
	assert_null(strstr(h->log, "local"));
	assert_int_equal(h->results, 0);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	table = h->network->now;
	pass(h, 700 * NP_MILLISECOND);
	assert_int_equal(h->results, 1);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS], 3);
	assert_int_equal(java_heard.last[JGROUPS_FINAL_RESULTS].count, 2);
	assert_int_equal(java_heard.last[JGROUPS_FINAL_RESULTS].row[1].info.bytes, 200);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS_OK], 0);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	while (!member_outcome(h->member)->finished)
		pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS_OK], 3);
	assert_in_range(h->network->now - table, NP_SECOND, 2 * NP_SECOND);
	assert_int_equal(h->results, 1);
	host_status(h, 0);
}

/* It closes its connection when it has what it wants: no loss. */
TEST(java_hangs_up_at_the_end)
{
	struct host *h = RECEIVER(10);

	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	member_tick(h->member, h->network->now);
	HOST_EVENT(h, JAVA, TRANSPORT_ENDED);
	assert_true(member_deadline(h->member) <= h->network->now);
	assert_null(strstr(h->log, "unlike"));
	pass(h, 2 * NP_SECOND);
	assert_true(member_outcome(h->member)->finished);
	host_status(h, 0);
}

TEST(others_are_named_and_ignored)
{
	struct host *h = SOLE(false, 2, 1);
	const uint8_t native[28] = {MESSAGE_MAGIC, 0x41, [15] = 1};
	struct jgroups_message results = {.type = JGROUPS_RESULTS, .has_result = true};
	const char *met;
	uint8_t wire[200];

	form(h, true);
	host_forge(h, JAVA + 1, native, sizeof(native));
	host_forge(h, JAVA + 1, native, sizeof(native));
	host_told(h, "met 10.0.0.32:7800 0 group-test's own protocol");
	met = strstr(h->log, "met 10.0.0.32");
	assert_null(strstr(met + 1, "met 10.0.0.32"));
	assert_int_equal(member_outcome(h->member)->malformed, 2);
	/* Cut short. */
	host_forge(h, JAVA, wire, jgroups_encode(wire, &results) - 1);
	assert_int_equal(member_outcome(h->member)->malformed, 3);
	sends(h, JAVA, 10, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	pass(h, 3 * NP_SECOND);
	host_status(h, 0);
	assert_true(member_outcome(h->member)->finished);
}

TEST(a_user_interrupts)
{
	struct host *h = RECEIVER(5);

	member_stop(h->member, h->network->now);
	assert_true(member_outcome(h->member)->finished);
	host_status(h, 0);
	assert_int_equal(h->results, 1);
	assert_int_equal(host_row(h, 0, JAVA)->counts.received, 5);
	/* Others may end by what it says. */
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 1);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 5);
	assert_true(member_result(h->member)->interrupted);
	h = SOLE(false, 2, 1);
	pass(h, STEP);
	member_stop(h->member, h->network->now);
	pass(h, STEP);
	assert_true(member_outcome(h->member)->finished);
	host_failed(h, "group", "interrupted");
}

/* Over connections nothing is lost, and who lives answers: more will come. */
TEST(a_pause_over_a_connection)
{
	struct host *h = RECEIVER(5, .connected = true);

	pass_answered(h, JAVA, 300 * NP_SECOND);
	gives_nobody_up(h);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	sends(h, JAVA, 5, 21);
	pass(h, 2 * STEP);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
}

/* It reads what was sent to it, message by message, and says nothing but that by its window. */
TEST(a_slow_member_over_a_connection)
{
	struct host *h = RECEIVER(10, .connected = true);

	for (unsigned i = 0; i < 10; i++) {
		pass(h, 25 * NP_SECOND);
		gives_nobody_up(h);
		HOST_EVENT(h, JAVA, TRANSPORT_MOVED);
	}
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	pass(h, 3 * NP_SECOND);
	assert_true(member_outcome(h->member)->finished);
	host_status(h, 0);
}

/* One that lives, but waits for what never comes, is named after a while. */
TEST(no_results_over_a_connection)
{
	struct host *h = RECEIVER(10, .connected = true);

	pass_answered(h, JAVA, 59 * NP_SECOND);
	gives_nobody_up(h);
	pass_answered(h, JAVA, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 it is alive, but sent no results for 60 s");
}

/* Another's table without a member says that it was given up there: this one does not wait longer.
 */
TEST(a_table_without_a_member)
{
	struct host *h = RECEIVER(10, .connected = true);

	says_table(h, JAVA, 0);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
}

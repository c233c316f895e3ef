// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member among those of perf.Test: the whole life, and who else is met.
 *
 * A member among those of perf.Test, over connections: while they live nothing is lost, so it
 * waits longer; but each wait has its end there, too.
 */
#include "support/group_java.h"
#include "support/unit.h"

#include <string.h>

/* However many there is room for at once, so many are sent before the first message that counts. */
TEST(a_long_warm_up)
{
	struct host *h = SOLE(true, 2, 1, .warmup = 3 * BATCH + 1);

	form(h, false);
	pass(h, 10 * STEP);
	assert_int_equal(java_heard.count[JGROUPS_WARMUP], 3 * BATCH + 1);
	assert_int_equal(java_heard.data, 10);
}

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
	while (!member_finished(h->member))
		pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS_OK], 3);
	assert_in_range(h->network->now - table, NP_SECOND, 2 * NP_SECOND);
	assert_int_equal(h->results, 1);
	host_status(h, 0);
}

/* It closes its connection when it has what it wants: no loss. */
TEST(java_hangs_up_at_the_end)
{
	const struct transport_event ended = {.kind = TRANSPORT_ENDED, .peer = host_identity(JAVA)};
	struct host *h = RECEIVER(10);

	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	member_tick(h->member, h->network->now);
	member_transport_event(h->member, &ended, h->network->now);
	assert_true(member_deadline(h->member) <= h->network->now);
	assert_null(strstr(h->log, "unlike"));
	pass(h, 2 * NP_SECOND);
	assert_true(member_finished(h->member));
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
	assert_int_equal(member_malformed(h->member), 2);
	/* Cut short. */
	host_forge(h, JAVA, wire, jgroups_encode(wire, &results) - 1);
	assert_int_equal(member_malformed(h->member), 3);
	sends(h, JAVA, 10, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	pass(h, 3 * NP_SECOND);
	host_status(h, 0);
	assert_true(member_finished(h->member));
}

/* Bytes that begin like no message, and none at all. */
TEST(what_is_of_no_protocol_costs_a_count)
{
	static const uint8_t junk[] = {0x77, 1, 2, 3};
	struct host *h = SOLE(false, 2, 1);

	host_forge(h, JAVA, junk, sizeof(junk));
	assert_int_equal(member_malformed(h->member), 1);
	host_forge(h, JAVA, junk, 0);
	assert_int_equal(member_malformed(h->member), 2);
}

/* The last answer that a group waits for, and DATA, in one delivery: the DATA counts. */
TEST(an_answer_and_data_come_together)
{
	static const struct jgroups_message answer = {
		.type = JGROUPS_DISCOVERY_RSP, .sender = true, .num_msgs = 10};
	static const uint8_t data[21] = {JGROUPS_DATA_LEAD};
	const struct identity java = host_identity(JAVA);
	struct host *h = SOLE(false, 2, 1);
	uint8_t wire[200];
	const size_t bytes = jgroups_encode(wire, &answer);
	struct transport_message both[] = {
		{wire, bytes, bytes, EPOCH},
		{data, sizeof(data), sizeof(data), EPOCH},
	};

	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	member_deliver(h->member, &(struct transport_delivery){&java, both, 2, 0});
	says(h, 0, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	sends(h, JAVA, 9, 21);
	pass(h, 3 * STEP);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	assert_int_equal(member_malformed(h->member), 0);
}

/* One that is not known: only its warm-up is nobody's business. */
TEST(words_of_strangers_cost_a_count)
{
	struct host *h = SOLE(false, 2, 1);
	uint8_t wire[200];

	form(h, true);
	host_forge(h, JAVA + 1, wire, jgroups_warmup_encode(wire, 20));
	assert_int_equal(member_malformed(h->member), 0);
	says(h, JAVA + 1, JGROUPS_RESULTS, false, 10);
	says(h, JAVA + 1, JGROUPS_FINAL_RESULTS_OK, false, 0);
	assert_int_equal(member_malformed(h->member), 2);
}

/* When all have reported, nobody is lost, and nothing is reported twice. */
TEST(cut_off_with_a_table)
{
	struct host *h = RECEIVER(10);

	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	assert_int_equal(h->results, 1);
	member_cut_off(h->member, "no way", h->network->now);
	host_status(h, 0);
	assert_int_equal(h->results, 1);
}

TEST(a_user_interrupts)
{
	struct host *h = RECEIVER(5);

	member_stop(h->member, h->network->now);
	assert_true(member_finished(h->member));
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
	assert_true(member_finished(h->member));
	host_failed(h, "group", "interrupted");
}

/* While they join there is no result, only a reason. */
TEST(cut_off_without_a_group)
{
	struct host *h = SOLE(false, 2, 1);

	pass(h, STEP);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	member_cut_off(h->member, "no way", h->network->now);
	host_failed(h, "group", "no way; 1 of 2 members were present");
	assert_int_equal(h->results, 0);
	assert_null(strstr(h->log, "given-up"));
}

/* Whether its user or its transport ends it: it sends no more. */
TEST(nothing_is_sent_behind_the_end)
{
	for (unsigned stopped = 0; stopped < 2; stopped++) {
		struct host *h = SOLE(true, 2, 1);

		h->full = true;
		form(h, false);
		pass(h, NP_SECOND);
		if (stopped)
			member_stop(h->member, h->network->now);
		else
			member_cut_off(h->member, "no way", h->network->now);
		assert_int_equal(h->results, 1);
		h->full = false;
		pass(h, NP_SECOND);
		assert_int_equal(java_heard.data, 0);
	}
}

/* When all have reported there is nothing to tell any more; a second time it does not wait. */
TEST(a_user_interrupts_the_end)
{
	struct host *h = RECEIVER(10);
	unsigned told;

	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	assert_int_equal(h->results, 1);
	told = java_heard.count[JGROUPS_RESULTS];
	member_stop(h->member, h->network->now);
	assert_true(member_finished(h->member));
	assert_int_equal(h->results, 1);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], told);
	host_status(h, 0);
	h = SOLE(false, 2, 1);
	pass(h, STEP);
	member_stop(h->member, h->network->now);
	assert_false(member_finished(h->member));
	member_stop(h->member, h->network->now);
	assert_true(member_finished(h->member));
	host_failed(h, "group", "interrupted");
}

/* What its transport has to say of others is told, and is no sign of life of a member. */
TEST(what_the_transport_meets)
{
	const struct transport_event foreign = {
		.kind = TRANSPORT_FOREIGN, .peer = host_identity(JAVA + 1), .text = "smoke"};
	struct transport_event event = {.kind = TRANSPORT_CONNECTED, .peer = host_identity(JAVA)};
	struct host *h = RECEIVER(5, .connected = true);

	pass(h, 20 * NP_SECOND);
	member_transport_event(h->member, &event, h->network->now);
	assert_null(strstr(h->log, "met "));
	member_transport_event(h->member, &foreign, h->network->now);
	host_told(h, "met 10.0.0.32:7800 0 smoke");
	event = (struct transport_event){.kind = TRANSPORT_MOVED, .peer = host_identity(JAVA + 1)};
	member_transport_event(h->member, &event, h->network->now);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
}

/* A receiver of all messages of JAVA; JAVA + 1 only receives, too. */
static struct host *receiver_among_three(const struct java_options *options)
{
	struct host *h = sole_with(false, 3, 1, options);

	form_three(h, 1);
	sends(h, JAVA, 10, 21);
	return h;
}

/* Over connections for a sign of life, and for the others' last messages: to the step. */
TEST(each_wait_has_its_end_over_a_connection)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(5, &options);
	np_time from = h->network->now;

	assert_int_equal(looks_until(h, has_given_up) - from, 30 * NP_SECOND);
	h = receiver_with(10, &options);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	from = looks_until(h, has_a_table);
	assert_int_equal(looks_until(h, has_ended) - from, NP_SECOND);
	host_status(h, 0);
}

/* Over connections one is given up at a time: the other gets ten seconds more. */
TEST(two_are_silent_over_a_connection)
{
	struct host *h = receiver_among_three(&(struct java_options){.connected = true});

	pass(h, 35 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0");
	assert_null(strstr(h->log, "given-up 10.0.0.32:7800 0"));
	pass(h, 6 * NP_SECOND);
	host_told(h, "given-up 10.0.0.32:7800 0");
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

/* One that gives no sign of life has an end there, too. */
TEST(silence_over_a_connection)
{
	struct host *h = RECEIVER(5, .connected = true);

	pass(h, 29 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 5 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
	/* It has not heard itself, either. */
	assert_null(strstr(h->log, "given-up 10.0.0.1:7800"));
	assert_true(member_finished(h->member));
	host_status(h, 1);
}

/* Also of the one that joined first. */
TEST(silence_of_the_first_over_a_connection)
{
	struct host *h = SOLE(false, 2, 1, .connected = true);

	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	form(h, true);
	sends(h, JAVA, 5, 21);
	pass(h, 31 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
}

/* It reads what was sent to it, message by message, and says nothing but that by its window. */
TEST(a_slow_member_over_a_connection)
{
	const struct transport_event moved = {.kind = TRANSPORT_MOVED, .peer = host_identity(JAVA)};
	struct host *h = RECEIVER(10, .connected = true);

	for (unsigned i = 0; i < 10; i++) {
		pass(h, 25 * NP_SECOND);
		gives_nobody_up(h);
		member_transport_event(h->member, &moved, h->network->now);
	}
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	pass(h, 3 * NP_SECOND);
	assert_true(member_finished(h->member));
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

/* Over a connection it comes on top of the time for a sign of life. */
TEST(a_delay_over_a_connection)
{
	struct host *h = RECEIVER(5, .connected = true, .delay = NP_SECOND);

	pass(h, 44 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 40 s");
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

/* Host @from says FINAL_RESULTS of as many rows as there are members: only JAVA's is of one. */
static void says_whole_table(struct host *h, unsigned from)
{
	static struct jgroups_message m;
	uint8_t wire[400];

	m = (struct jgroups_message){.type = JGROUPS_FINAL_RESULTS, .count = 3};
	for (unsigned i = 0; i < 3; i++) {
		m.row[i] = (struct jgroups_row){host_identity(JAVA + 2 * i),
						{1, 2, 10, 10, true, 200}};
	}
	host_forge(h, from, wire, jgroups_encode(wire, &m));
}

/* One with a row for each says nothing of the kind, and takes nothing back. */
TEST(a_table_with_a_row_for_each)
{
	struct host *h = receiver_among_three(&(struct java_options){.connected = true});

	says_whole_table(h, JAVA);
	pass(h, 28 * NP_SECOND);
	gives_nobody_up(h);
	h = receiver_among_three(&(struct java_options){.connected = true});
	says_table(h, JAVA, 0);
	says_whole_table(h, JAVA);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.32:7800 0 silent for 5 s");
}

/* One that was refused, and hung on, ends nothing. */
TEST(a_silent_stranger)
{
	struct host *h = RECEIVER(5, .connected = true);

	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_told(h, "refused 10.0.0.32:7800");
	pass_answered(h, JAVA, 50 * NP_SECOND);
	gives_nobody_up(h);
	assert_false(has_counted(h));
}

/* The sender that lives gets ten seconds more for what it has yet to send. */
TEST(one_is_silent_and_another_lives)
{
	struct host *h = SOLE(false, 3, 2, .connected = true);

	form_three(h, 2);
	sends(h, JAVA, 5, 21);
	sends(h, JAVA + 1, 5, 21);
	pass_answered(h, JAVA + 1, 31 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
	pass_answered(h, JAVA + 1, 8 * NP_SECOND);
	assert_false(has_counted(h));
	sends(h, JAVA + 1, 5, 21);
	pass(h, 2 * STEP);
	assert_true(has_counted(h));
	assert_int_equal(host_row(h, 0, JAVA + 1)->counts.received, 10);
	assert_null(strstr(h->log, "given-up 10.0.0.32:7800"));
}

/* For results it waits four times as long as the run took, if that is longer than a minute. */
TEST(a_long_run_over_a_connection)
{
	struct host *h = RECEIVER(5, .connected = true);

	pass_answered(h, JAVA, 25 * NP_SECOND);
	sends(h, JAVA, 5, 21);
	pass_answered(h, JAVA, 99 * NP_SECOND);
	gives_nobody_up(h);
	pass_answered(h, JAVA, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 it is alive, but sent no results for 100 s");
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A member among those of perf.Test: the whole life, and who else is met. */
#include "support/group_java.h"

#include <string.h>

/* However many there is room for at once, so many are sent before the first message that counts. */
static void a_long_warm_up(void **state)
{
	const struct java_options options = {.warmup = 3 * BATCH + 1};
	struct host *h = sole_with(true, 2, 1, &options);

	(void)state;
	form(h, false);
	pass(h, 10 * STEP);
	assert_int_equal(java_heard.count[JGROUPS_WARMUP], 3 * BATCH + 1);
	assert_int_equal(java_heard.data, 10);
	sole_free(h);
}

/* Trap 2: also after READY, also to a stranger. */
static void every_question_is_answered(void **state)
{
	struct host *h = sole(true, 2, 1);
	unsigned before;

	(void)state;
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
	sole_free(h);
}

/* The consensus, and trap 7: three of each, and a second after the table. */
static void the_end_among_java_members(void **state)
{
	struct host *h = sole(true, 2, 1);
	np_time table;

	(void)state;
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
	sole_free(h);
}

/* It closes its connection when it has what it wants: no loss. */
static void java_hangs_up_at_the_end(void **state)
{
	const struct transport_event ended = {.kind = TRANSPORT_ENDED, .peer = host_identity(JAVA)};
	struct host *h = receiver_of(10);

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	member_tick(h->member, h->network->now);
	member_transport_event(h->member, &ended, h->network->now);
	assert_true(member_deadline(h->member) <= h->network->now);
	assert_null(strstr(h->log, "unlike"));
	pass(h, 2 * NP_SECOND);
	assert_true(member_finished(h->member));
	host_status(h, 0);
	sole_free(h);
}

static void others_are_named_and_ignored(void **state)
{
	struct host *h = sole(false, 2, 1);
	const uint8_t native[28] = {MESSAGE_MAGIC, 0x41, [15] = 1};
	struct jgroups_message results = {.type = JGROUPS_RESULTS, .has_result = true};
	const char *met;
	uint8_t wire[200];

	(void)state;
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
	sole_free(h);
}

/* Bytes that begin like no message, and none at all. */
static void what_is_of_no_protocol_costs_a_count(void **state)
{
	static const uint8_t junk[] = {0x77, 1, 2, 3};
	struct host *h = sole(false, 2, 1);

	(void)state;
	host_forge(h, JAVA, junk, sizeof(junk));
	assert_int_equal(member_malformed(h->member), 1);
	host_forge(h, JAVA, junk, 0);
	assert_int_equal(member_malformed(h->member), 2);
	sole_free(h);
}

/* The last answer that a group waits for, and DATA, in one delivery: the DATA counts. */
static void an_answer_and_data_come_together(void **state)
{
	static const struct jgroups_message answer = {
		.type = JGROUPS_DISCOVERY_RSP, .sender = true, .num_msgs = 10};
	static const uint8_t data[21] = {JGROUPS_DATA_LEAD};
	const struct identity java = host_identity(JAVA);
	struct host *h = sole(false, 2, 1);
	uint8_t wire[200];
	const size_t bytes = jgroups_encode(wire, &answer);
	struct transport_message both[] = {
		{wire, bytes, bytes, EPOCH},
		{data, sizeof(data), sizeof(data), EPOCH},
	};

	(void)state;
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	member_deliver(h->member, &(struct transport_delivery){&java, both, 2, 0});
	says(h, 0, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	sends(h, JAVA, 9, 21);
	pass(h, 3 * STEP);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	assert_int_equal(member_malformed(h->member), 0);
	sole_free(h);
}

/* One that is not known: only its warm-up is nobody's business. */
static void words_of_strangers_cost_a_count(void **state)
{
	struct host *h = sole(false, 2, 1);
	uint8_t wire[200];

	(void)state;
	form(h, true);
	host_forge(h, JAVA + 1, wire, jgroups_warmup_encode(wire, 20));
	assert_int_equal(member_malformed(h->member), 0);
	says(h, JAVA + 1, JGROUPS_RESULTS, false, 10);
	says(h, JAVA + 1, JGROUPS_FINAL_RESULTS_OK, false, 0);
	assert_int_equal(member_malformed(h->member), 2);
	sole_free(h);
}

/* When all have reported, nobody is lost, and nothing is reported twice. */
static void cut_off_with_a_table(void **state)
{
	struct host *h = receiver_of(10);

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	assert_int_equal(h->results, 1);
	member_cut_off(h->member, "no way", h->network->now);
	host_status(h, 0);
	assert_int_equal(h->results, 1);
	sole_free(h);
}

static void a_user_interrupts(void **state)
{
	struct host *h = receiver_of(5);

	(void)state;
	member_stop(h->member, h->network->now);
	assert_true(member_finished(h->member));
	host_status(h, 0);
	assert_int_equal(h->results, 1);
	assert_int_equal(host_row(h, 0, JAVA)->counts.received, 5);
	/* Others may end by what it says. */
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 1);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 5);
	assert_true(member_result(h->member)->interrupted);
	sole_free(h);
	h = sole(false, 2, 1);
	pass(h, STEP);
	member_stop(h->member, h->network->now);
	pass(h, STEP);
	assert_true(member_finished(h->member));
	host_failed(h, "group", "interrupted");
	sole_free(h);
}

/* While they join there is no result, only a reason. */
static void cut_off_without_a_group(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	pass(h, STEP);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	member_cut_off(h->member, "no way", h->network->now);
	host_failed(h, "group", "no way; 1 of 2 members were present");
	assert_int_equal(h->results, 0);
	assert_null(strstr(h->log, "given-up"));
	sole_free(h);
}

/* Whether its user or its transport ends it: it sends no more. */
static void nothing_is_sent_behind_the_end(void **state)
{
	(void)state;
	for (unsigned stopped = 0; stopped < 2; stopped++) {
		struct host *h = sole(true, 2, 1);

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
		sole_free(h);
	}
}

/* When all have reported there is nothing to tell any more; a second time it does not wait. */
static void a_user_interrupts_the_end(void **state)
{
	struct host *h = receiver_of(10);
	unsigned told;

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 100 * NP_MILLISECOND);
	assert_int_equal(h->results, 1);
	told = java_heard.count[JGROUPS_RESULTS];
	member_stop(h->member, h->network->now);
	assert_true(member_finished(h->member));
	assert_int_equal(h->results, 1);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], told);
	host_status(h, 0);
	sole_free(h);
	h = sole(false, 2, 1);
	pass(h, STEP);
	member_stop(h->member, h->network->now);
	assert_false(member_finished(h->member));
	member_stop(h->member, h->network->now);
	assert_true(member_finished(h->member));
	host_failed(h, "group", "interrupted");
	sole_free(h);
}

/* What its transport has to say of others is told, and is no sign of life of a member. */
static void what_the_transport_meets(void **state)
{
	const struct transport_event foreign = {
		.kind = TRANSPORT_FOREIGN, .peer = host_identity(JAVA + 1), .text = "smoke"};
	struct transport_event event = {.kind = TRANSPORT_CONNECTED, .peer = host_identity(JAVA)};
	struct host *h = receiver_with(5, &(struct java_options){.connected = true});

	(void)state;
	pass(h, 20 * NP_SECOND);
	member_transport_event(h->member, &event, h->network->now);
	assert_null(strstr(h->log, "met "));
	member_transport_event(h->member, &foreign, h->network->now);
	host_told(h, "met 10.0.0.32:7800 0 smoke");
	event = (struct transport_event){.kind = TRANSPORT_MOVED, .peer = host_identity(JAVA + 1)};
	member_transport_event(h->member, &event, h->network->now);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
	sole_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_warm_up),
		cmocka_unit_test(every_question_is_answered),
		cmocka_unit_test(the_end_among_java_members),
		cmocka_unit_test(java_hangs_up_at_the_end),
		cmocka_unit_test(others_are_named_and_ignored),
		cmocka_unit_test(what_is_of_no_protocol_costs_a_count),
		cmocka_unit_test(an_answer_and_data_come_together),
		cmocka_unit_test(words_of_strangers_cost_a_count),
		cmocka_unit_test(cut_off_with_a_table),
		cmocka_unit_test(cut_off_without_a_group),
		cmocka_unit_test(nothing_is_sent_behind_the_end),
		cmocka_unit_test(a_user_interrupts),
		cmocka_unit_test(a_user_interrupts_the_end),
		cmocka_unit_test(what_the_transport_meets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

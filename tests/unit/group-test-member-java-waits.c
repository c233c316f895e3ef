// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member among those of perf.Test ends where Java would wait for ever, and gives nobody up too
 * early.
 */
#include "support/group_java.h"

#include <string.h>

/*
 * Java waits for ever for a lost message. When others have all of it, this one soon says what it
 * has, so that all can end.
 */
static void a_lost_message_ends_the_wait_of_all(void **state)
{
	struct host *h = receiver_with(9, &(struct java_options){.log_interval = 10});

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 900 * NP_MILLISECOND);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	pass(h, 300 * NP_MILLISECOND);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 9);
	assert_int_equal(host_row(h, 0, JAVA)->counts.lost, 1);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS], 1);
	/* It is late. */
	sends(h, JAVA, 1, 21);
	assert_null(strstr(h->log, "progress - 10 "));
	sole_free(h);
}

/*
 * For others to join sixty seconds, for a START ten after all have joined, for a lost message ten,
 * or one after another has all, for results ten after its own: to the step.
 */
static void each_wait_has_its_end(void **state)
{
	struct host *h = receiver_of(9);
	np_time from;

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	from = h->network->now;
	assert_int_equal(looks_until(h, has_counted) - from, NP_SECOND);
	sole_free(h);
	h = receiver_of(9);
	from = h->network->now;
	assert_int_equal(looks_until(h, has_counted) - from, 10 * NP_SECOND);
	sole_free(h);
	h = receiver_of(10);
	from = looks_until(h, has_counted);
	assert_int_equal(looks_until(h, has_given_up) - from, 10 * NP_SECOND);
	sole_free(h);
	h = sole(false, 2, 1);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	assert_int_equal(looks_until(h, has_failed) - EPOCH, 10 * NP_SECOND);
	sole_free(h);
	h = sole(false, 2, 1);
	assert_int_equal(looks_until(h, has_failed) - EPOCH, 60 * NP_SECOND);
	sole_free(h);
}

static bool has_asked(const struct host *h)
{
	(void)h;
	return java_heard.count[JGROUPS_DISCOVERY_REQ] > 1;
}

/* Who lives is asked when nothing has moved for two seconds: to the step. */
static void when_it_asks(void **state)
{
	struct host *h = receiver_of(1);
	np_time from;

	(void)state;
	pass(h, 1500 * NP_MILLISECOND);
	sends(h, JAVA, 1, 21);
	from = h->network->now;
	assert_int_equal(java_heard.count[JGROUPS_DISCOVERY_REQ], 1);
	assert_int_equal(looks_until(h, has_asked) - from, 2 * NP_SECOND);
	sole_free(h);
}

/* One that was heard just five seconds before its time for results is over was silent. */
static void who_was_silent_is_told_from_who_lives(void **state)
{
	(void)state;
	for (unsigned later = 0; later < 2; later++) {
		struct host *h = receiver_of(10);
		np_time counted = looks_until(h, has_counted);

		pass(h, counted + 5 * NP_SECOND + later * STEP - h->network->now);
		says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
		assert_int_equal(looks_until(h, has_given_up) - counted, 10 * NP_SECOND);
		host_told(h,
			  later ? "it is alive, but sent no results for 10 s" : "silent for 5 s");
		sole_free(h);
	}
}

/* Results that come leave the others as much time again. */
static void results_of_one_give_time_to_another(void **state)
{
	struct host *h = sole(false, 3, 1);

	(void)state;
	form_three(h, 1);
	sends(h, JAVA, 10, 21);
	pass(h, 9 * NP_SECOND);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 9 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.32:7800 0");
	sole_free(h);
}

/* Whoever has all: also who was the first to join. */
static void the_first_that_has_all_ends_the_wait(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	form(h, true);
	sends(h, JAVA, 9, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 1100 * NP_MILLISECOND);
	host_told(h, "local - ");
	assert_int_equal(host_row(h, 0, JAVA)->counts.lost, 1);
	sole_free(h);
}

/* One that still sends, and one that still processes what has come, have not counted: later. */
static void others_have_all_before_this_one_is_done(void **state)
{
	const struct java_options slow = {.delay = 2 * NP_SECOND};
	struct host *h = sole(true, 2, 1);

	(void)state;
	h->full = true;
	form(h, false);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 15 * NP_SECOND);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	h->full = false;
	pass(h, STEP);
	assert_int_equal(java_heard.data, 10);
	sends(h, 0, 10, 21);
	pass(h, 2 * STEP);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	sole_free(h);
	h = receiver_with(10, &slow);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 21 * NP_SECOND);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	sole_free(h);
}

/*
 * One that does not report is given up, and the Java members that wait are let go: those that wait
 * for it, and itself, which may wait for a message of another that died.
 */
static void java_members_are_let_go(void **state)
{
	struct host *h = receiver_of(10);

	(void)state;
	pass(h, 13 * NP_SECOND);
	assert_true(member_finished(h->member));
	host_status(h, 1);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS], 3);
	assert_int_equal(java_heard.last[JGROUPS_FINAL_RESULTS].count, 1);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS_OK], 3);
	assert_int_equal(java_heard.dropped, 0);
	sole_free(h);
}

/* Java members that wait say nothing; the dead are told from those by a question. */
static void the_living_are_told_from_the_dead(void **state)
{
	struct host *h = sole(false, 3, 2);
	unsigned asked, before;

	(void)state;
	pass(h, STEP);
	for (unsigned i = 0; i < 3; i++)
		says(h, i ? JAVA + i : 0, JGROUPS_DISCOVERY_RSP, i, 0);
	for (unsigned i = 0; i < 3; i++)
		says(h, i ? JAVA + i : 0, JGROUPS_START, false, 0);
	pass(h, STEP);
	asked = before = java_heard.count[JGROUPS_DISCOVERY_REQ];
	sends(h, JAVA + 1, 9, 21);
	sends(h, JAVA + 2, 9, 21);
	for (unsigned i = 0; i < 24 * NP_SECOND / STEP && !member_finished(h->member); i++) {
		pass(h, STEP);
		if (java_heard.count[JGROUPS_DISCOVERY_REQ] > asked)
			says(h, JAVA + 2, JGROUPS_DISCOVERY_RSP, true, 0);
		asked = java_heard.count[JGROUPS_DISCOVERY_REQ];
	}
	assert_true(member_finished(h->member));
	assert_in_range(asked - before, 5, 10);
	host_told(h, "given-up 10.0.0.32:7800 0 silent for 10 s");
	host_told(h, "given-up 10.0.0.33:7800 0 it is alive, but sent no results for 10 s");
	sole_free(h);
}

/* Without connections a sender's own pace is the measure, and before it has one, a minute. */
static void a_pause_of_a_slow_sender(void **state)
{
	struct host *h = receiver_of(1);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		pass_answered(h, JAVA, 25 * NP_SECOND);
		gives_nobody_up(h);
		sends(h, JAVA, 1, 21);
	}
	pass_answered(h, JAVA, 99 * NP_SECOND);
	gives_nobody_up(h);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	pass_answered(h, JAVA, 2 * NP_SECOND);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 4);
	sole_free(h);
}

/* Also of the one that joined first. */
static void a_pause_of_the_first_sender(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	form(h, true);
	sends(h, JAVA, 1, 21);
	pass_answered(h, JAVA, 50 * NP_SECOND);
	gives_nobody_up(h);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	sole_free(h);
}

/* Of two, the slower one is the measure, whichever was the first. */
static void a_pause_of_one_of_two(void **state)
{
	(void)state;
	for (unsigned slower = 0; slower < 2; slower++) {
		struct host *h = sole(false, 3, 2);

		form_three(h, 2);
		sends(h, JAVA + slower, 1, 21);
		sends(h, JAVA + 1 - slower, 2, 21);
		pass_answered(h, JAVA + slower, 30 * NP_SECOND);
		gives_nobody_up(h);
		assert_false(has_counted(h));
		sole_free(h);
	}
}

/* Without connections a receiver that says nothing may wait for the message that is lost here. */
static void a_silent_sender_beside_a_receiver(void **state)
{
	struct host *h = sole(false, 3, 1);

	(void)state;
	form_three(h, 1);
	sends(h, JAVA, 9, 21);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 10 s");
	assert_null(strstr(h->log, "given-up 10.0.0.32:7800"));
	sole_free(h);
}

/* One that waits for its messages does not get them: it is let go at once, whoever else lives. */
static void who_waits_for_a_lost_one_is_let_go_at_once(void **state)
{
	const struct transport_event lost = {.kind = TRANSPORT_LOST,
					     .peer = host_identity(JAVA + 1)};
	struct host *h = sole(false, 3, 1);

	(void)state;
	form_three(h, 1);
	sends(h, JAVA, 10, 21);
	member_transport_event(h->member, &lost, h->network->now);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 3 * STEP);
	assert_int_equal(h->results, 1);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS_OK], 1);
	sole_free(h);
}

/* By its longest pause, not by the latest. */
static void a_sender_that_was_slower_before(void **state)
{
	struct host *h = receiver_of(1);

	(void)state;
	pass_answered(h, JAVA, 25 * NP_SECOND);
	sends(h, JAVA, 1, 21);
	pass_answered(h, JAVA, NP_SECOND);
	sends(h, JAVA, 1, 21);
	pass_answered(h, JAVA, 99 * NP_SECOND);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	pass_answered(h, JAVA, 2 * NP_SECOND);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 3);
	sole_free(h);
}

static bool has_let_go(const struct host *h)
{
	(void)h;
	return java_heard.count[JGROUPS_FINAL_RESULTS_OK] > 0;
}

/* A member that does not send its table is waited for five seconds, to the step; also the first. */
static void a_table_that_does_not_come(void **state)
{
	(void)state;
	for (unsigned first = 0; first < 2; first++) {
		struct host *h = sole(false, 2, 1);
		np_time table;

		if (first)
			says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
		form(h, true);
		sends(h, JAVA, 10, 21);
		says(h, JAVA, JGROUPS_RESULTS, false, 10);
		table = looks_until(h, has_a_table);
		assert_int_equal(looks_until(h, has_let_go) - table, 5 * NP_SECOND);
		sole_free(h);
	}
}

/* The configuration says how long all messages take a member, which says nothing meanwhile. */
static void a_delay_that_is_configured(void **state)
{
	const struct java_options options = {.delay = NP_SECOND};
	struct host *h = receiver_with(10, &options);

	(void)state;
	pass(h, 12 * NP_SECOND);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	pass(h, 17 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 3 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
	sole_free(h);
}

/* Before it counts it waits so much longer for what may still come, too. */
static void a_delay_before_it_counts(void **state)
{
	const struct java_options options = {.delay = NP_SECOND};
	struct host *h = receiver_with(5, &options);

	(void)state;
	/* Four seconds for five messages, then ten and the delay of ten. */
	pass(h, 23 * NP_SECOND);
	gives_nobody_up(h);
	assert_null(strstr(h->log, "local - "));
	pass(h, 2 * NP_SECOND);
	host_told(h, "local - ");
	sole_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lost_message_ends_the_wait_of_all),
		cmocka_unit_test(each_wait_has_its_end),
		cmocka_unit_test(when_it_asks),
		cmocka_unit_test(who_was_silent_is_told_from_who_lives),
		cmocka_unit_test(results_of_one_give_time_to_another),
		cmocka_unit_test(the_first_that_has_all_ends_the_wait),
		cmocka_unit_test(others_have_all_before_this_one_is_done),
		cmocka_unit_test(java_members_are_let_go),
		cmocka_unit_test(the_living_are_told_from_the_dead),
		cmocka_unit_test(a_pause_of_a_slow_sender),
		cmocka_unit_test(a_pause_of_the_first_sender),
		cmocka_unit_test(a_pause_of_one_of_two),
		cmocka_unit_test(a_silent_sender_beside_a_receiver),
		cmocka_unit_test(who_waits_for_a_lost_one_is_let_go_at_once),
		cmocka_unit_test(a_sender_that_was_slower_before),
		cmocka_unit_test(a_table_that_does_not_come),
		cmocka_unit_test(a_delay_that_is_configured),
		cmocka_unit_test(a_delay_before_it_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

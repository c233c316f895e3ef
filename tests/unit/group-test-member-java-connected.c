// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member among those of perf.Test, over connections: while they live nothing is lost, so it waits
 * longer; but each wait has its end there, too.
 */
#include "support/group_java.h"

#include <string.h>

/* A receiver of all messages of JAVA; JAVA + 1 only receives, too. */
static struct host *receiver_among_three(const struct java_options *options)
{
	struct host *h = sole_with(false, 3, 1, options);

	form_three(h, 1);
	sends(h, JAVA, 10, 21);
	return h;
}

/* Over connections for a sign of life, and for the others' last messages: to the step. */
static void each_wait_has_its_end_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(5, &options);
	np_time from = h->network->now;

	(void)state;
	assert_int_equal(looks_until(h, has_given_up) - from, 30 * NP_SECOND);
	sole_free(h);
	h = receiver_with(10, &options);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	from = looks_until(h, has_a_table);
	assert_int_equal(looks_until(h, has_ended) - from, NP_SECOND);
	host_status(h, 0);
	sole_free(h);
}

/* Over connections one is given up at a time: the other gets ten seconds more. */
static void two_are_silent_over_a_connection(void **state)
{
	struct host *h = receiver_among_three(&(struct java_options){.connected = true});

	(void)state;
	pass(h, 35 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0");
	assert_null(strstr(h->log, "given-up 10.0.0.32:7800 0"));
	pass(h, 6 * NP_SECOND);
	host_told(h, "given-up 10.0.0.32:7800 0");
	sole_free(h);
}

/* Over connections nothing is lost, and who lives answers: more will come. */
static void a_pause_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(5, &options);

	(void)state;
	pass_answered(h, JAVA, 300 * NP_SECOND);
	gives_nobody_up(h);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], 0);
	sends(h, JAVA, 5, 21);
	pass(h, 2 * STEP);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	sole_free(h);
}

/* One that gives no sign of life has an end there, too. */
static void silence_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(5, &options);

	(void)state;
	pass(h, 29 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 5 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
	/* It has not heard itself, either. */
	assert_null(strstr(h->log, "given-up 10.0.0.1:7800"));
	assert_true(member_finished(h->member));
	host_status(h, 1);
	sole_free(h);
}

/* Also of the one that joined first. */
static void silence_of_the_first_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = sole_with(false, 2, 1, &options);

	(void)state;
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	form(h, true);
	sends(h, JAVA, 5, 21);
	pass(h, 31 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
	sole_free(h);
}

/* It reads what was sent to it, message by message, and says nothing but that by its window. */
static void a_slow_member_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	const struct transport_event moved = {.kind = TRANSPORT_MOVED, .peer = host_identity(JAVA)};
	struct host *h = receiver_with(10, &options);

	(void)state;
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
	sole_free(h);
}

/* One that lives, but waits for what never comes, is named after a while. */
static void no_results_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(10, &options);

	(void)state;
	pass_answered(h, JAVA, 59 * NP_SECOND);
	gives_nobody_up(h);
	pass_answered(h, JAVA, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 it is alive, but sent no results for 60 s");
	sole_free(h);
}

/* Over a connection it comes on top of the time for a sign of life. */
static void a_delay_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true, .delay = NP_SECOND};
	struct host *h = receiver_with(5, &options);

	(void)state;
	pass(h, 44 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 40 s");
	sole_free(h);
}

/* Another's table without a member says that it was given up there: this one does not wait longer.
 */
static void a_table_without_a_member(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(10, &options);

	(void)state;
	says_table(h, JAVA, 0);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
	sole_free(h);
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
static void a_table_with_a_row_for_each(void **state)
{
	struct host *h = receiver_among_three(&(struct java_options){.connected = true});

	(void)state;
	says_whole_table(h, JAVA);
	pass(h, 28 * NP_SECOND);
	gives_nobody_up(h);
	sole_free(h);
	h = receiver_among_three(&(struct java_options){.connected = true});
	says_table(h, JAVA, 0);
	says_whole_table(h, JAVA);
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.32:7800 0 silent for 5 s");
	sole_free(h);
}

/* One that was refused, and hung on, ends nothing. */
static void a_silent_stranger(void **state)
{
	struct host *h = receiver_with(5, &(struct java_options){.connected = true});

	(void)state;
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_told(h, "refused 10.0.0.32:7800");
	pass_answered(h, JAVA, 50 * NP_SECOND);
	gives_nobody_up(h);
	assert_false(has_counted(h));
	sole_free(h);
}

/* The sender that lives gets ten seconds more for what it has yet to send. */
static void one_is_silent_and_another_lives(void **state)
{
	struct host *h = sole_with(false, 3, 2, &(struct java_options){.connected = true});

	(void)state;
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
	sole_free(h);
}

/* For results it waits four times as long as the run took, if that is longer than a minute. */
static void a_long_run_over_a_connection(void **state)
{
	const struct java_options options = {.connected = true};
	struct host *h = receiver_with(5, &options);

	(void)state;
	pass_answered(h, JAVA, 25 * NP_SECOND);
	sends(h, JAVA, 5, 21);
	pass_answered(h, JAVA, 99 * NP_SECOND);
	gives_nobody_up(h);
	pass_answered(h, JAVA, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 it is alive, but sent no results for 100 s");
	sole_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wait_has_its_end_over_a_connection),
		cmocka_unit_test(two_are_silent_over_a_connection),
		cmocka_unit_test(a_pause_over_a_connection),
		cmocka_unit_test(silence_over_a_connection),
		cmocka_unit_test(silence_of_the_first_over_a_connection),
		cmocka_unit_test(a_slow_member_over_a_connection),
		cmocka_unit_test(no_results_over_a_connection),
		cmocka_unit_test(a_delay_over_a_connection),
		cmocka_unit_test(a_table_without_a_member),
		cmocka_unit_test(a_table_with_a_row_for_each),
		cmocka_unit_test(a_silent_stranger),
		cmocka_unit_test(one_is_silent_and_another_lives),
		cmocka_unit_test(a_long_run_over_a_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

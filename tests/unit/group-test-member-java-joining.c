// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a member joins those of perf.Test (the traps of joining: specification, section 10), and whom
 * it keeps out, forgets and misses.
 */
#include "support/group_java.h"

#include <string.h>

/* Host @from says that it is there, and will send so many messages. */
static void answers(struct host *h, unsigned from, int64_t num_msgs)
{
	const struct jgroups_message answer = {
		.type = JGROUPS_DISCOVERY_RSP, .sender = true, .num_msgs = num_msgs};
	uint8_t wire[200];

	host_forge(h, from, wire, jgroups_encode(wire, &answer));
}

/* Trap 3: both at once, both again after two seconds; a START that comes first counts. */
static void discovery_goes_on(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	host_told(h, "waiting - 2");
	pass(h, 6 * NP_SECOND - STEP);
	assert_int_equal(java_heard.count[JGROUPS_DISCOVERY_REQ], 3);
	assert_int_equal(java_heard.count[JGROUPS_DISCOVERY_RSP], 3);
	assert_int_equal(java_heard.count[JGROUPS_START], 0);
	/* It will send nothing. */
	assert_false(java_heard.last[JGROUPS_DISCOVERY_RSP].sender);
	assert_int_equal(java_heard.last[JGROUPS_DISCOVERY_RSP].num_msgs, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_START], 1);
	says(h, 0, JGROUPS_START, false, 0);
	pass(h, STEP);
	host_told(h, "ready - 2");
	/* One that was lost is made good, which Java does not do. */
	pass(h, 2 * NP_SECOND);
	assert_int_equal(java_heard.count[JGROUPS_START], 2);
	sole_free(h);
}

static void one_too_many_is_answered_and_named(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	form(h, true);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_told(h, "refused 10.0.0.32:7800 0 the group already has num_members members");
	assert_null(strstr(h->log, "joined 10.0.0.32"));
	sends(h, JAVA, 10, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 3 * STEP);
	assert_int_equal(h->results, 1);
	assert_int_equal(member_result(h->member)->members, 3);
	sole_free(h);
}

/* More would be a flood. */
static void sixteen_too_many_are_named(void **state)
{
	struct host *h = sole(false, 2, 1);
	unsigned named = 0;

	(void)state;
	form(h, true);
	for (unsigned i = 1; i <= 20; i++)
		says(h, JAVA + i, JGROUPS_DISCOVERY_RSP, false, 0);
	for (const char *at = h->log; (at = strstr(at, "refused 10.0.0.")); at++)
		named++;
	assert_int_equal(named, 16);
	sole_free(h);
}

/* Who has not joined, or is refused, is not among those that are present. */
static void who_is_missing_is_told(void **state)
{
	struct host *h = sole(false, 4, 2);
	struct np_fault fault;

	(void)state;
	for (unsigned i = 0; i < 59; i++) {
		says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
		says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
		answers(h, JAVA + 1, 7);
		says(h, JAVA + 2, JGROUPS_START, false, 0);
		pass(h, NP_SECOND);
	}
	pass(h, 2 * NP_SECOND);
	assert_int_equal(member_status(h->member, &fault), 2);
	assert_string_equal(fault.object, "group");
	assert_string_equal(fault.reason, "did not form in 60 s: 2 of 4 members present, 2 missing "
					  "(one is refused: its num_msgs is 7, ours "
					  "is 10); present: 10.0.0.1:7800, 10.0.0.31:7800");
	sole_free(h);
}

/* Who was refused and then fell silent is forgotten, and no reason any more. */
static void who_was_refused_is_forgotten(void **state)
{
	struct host *h = sole(false, 4, 2);
	struct np_fault fault;

	(void)state;
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	answers(h, JAVA + 1, 7);
	host_told(h, "refused 10.0.0.32:7800");
	assert_null(strstr(h->log, "joined 10.0.0.32"));
	pass(h, 61 * NP_SECOND);
	assert_int_equal(member_status(h->member, &fault), 2);
	assert_string_equal(
		fault.reason,
		"did not form in 60 s: 1 of 4 members present, 3 missing; present: 10.0.0.1:7800");
	sole_free(h);
}

/* The senders are named, and nobody else. */
static void another_number_of_senders_is_told(void **state)
{
	struct host *h = sole(false, 3, 1);
	struct np_fault fault;

	(void)state;
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, true, 0);
	assert_int_equal(member_status(h->member, &fault), 2);
	assert_string_equal(fault.object, "num_senders");
	assert_string_equal(fault.reason, "1, but 2 of the 3 members send: 10.0.0.31:7800, "
					  "10.0.0.32:7800");
	pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_START], 0);
	sole_free(h);
}

/* Neither one that only a START has shown, nor one that is refused. */
static void only_who_has_joined_forms_the_group(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	says(h, JAVA + 1, JGROUPS_START, false, 0);
	answers(h, JAVA + 2, 7);
	form(h, true);
	sole_free(h);
}

static void a_group_without_this_member_is_an_error(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_failed(h, "group", "the group is complete without this member");
	pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_START], 0);
	sole_free(h);
}

/* What was malformed before there was a group is none of the run's. */
static void the_run_begins_with_the_group(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	host_forge(h, JAVA, "?", 1);
	assert_int_equal(member_malformed(h->member), 1);
	form(h, true);
	host_forge(h, JAVA, "?", 1);
	sends(h, JAVA, 10, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 3 * STEP);
	assert_int_equal(h->results, 1);
	assert_int_equal(host_member(h, 0)->host.malformed, 1);
	sole_free(h);
}

static bool five_seconds_are_over(const struct host *h)
{
	return h->network->now > EPOCH + 5 * NP_SECOND;
}

/* It joins again, to the step. */
static void who_was_silent_while_all_join_is_forgotten(void **state)
{
	struct host *h = sole(false, 3, 1);
	const char *joined;

	(void)state;
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	joined = strstr(h->log, "joined 10.0.0.31");
	assert_non_null(joined);
	assert_int_equal(looks_until(h, five_seconds_are_over) - EPOCH, 5 * NP_SECOND);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	assert_non_null(strstr(joined + 1, "joined 10.0.0.31"));
	sole_free(h);
}

/* Also the one that was heard first; one that had joined and fell silent is missing. */
static void who_was_heard_first_is_told(void **state)
{
	struct host *h = sole(false, 4, 2);
	struct np_fault fault;

	(void)state;
	answers(h, JAVA + 1, 7);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	host_told(h, "joined 10.0.0.31:7800 2");
	for (unsigned i = 0; i < 61; i++) {
		pass(h, NP_SECOND);
		answers(h, JAVA + 1, 7);
	}
	assert_int_equal(member_status(h->member, &fault), 2);
	assert_string_equal(
		fault.reason,
		"did not form in 60 s: 1 of 4 members present, 3 missing (one is refused: its "
		"num_msgs is 7, ours is 10); present: 10.0.0.1:7800");
	sole_free(h);
}

/* Two that were refused are gone: those that came behind them are still counted once. */
static void who_moves_up_counts_once(void **state)
{
	struct host *h = sole(false, 3, 1);

	(void)state;
	answers(h, JAVA + 3, 7);
	answers(h, JAVA + 4, 8);
	for (unsigned i = 0; i < 7; i++) {
		says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
		says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
		pass(h, NP_SECOND);
	}
	assert_int_equal(java_heard.count[JGROUPS_START], 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_told(h, "joined 10.0.0.32:7800 3");
	assert_int_equal(member_status(h->member, &(struct np_fault){}), 0);
	pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_START], 1);
	sole_free(h);
}

/* Its START is waited for, also when it was heard first. */
static void the_start_of_the_first(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, 0, JGROUPS_START, false, 0);
	pass(h, NP_SECOND);
	assert_null(strstr(h->log, "ready"));
	says(h, JAVA, JGROUPS_START, false, 0);
	pass(h, STEP);
	host_told(h, "ready - 2");
	sole_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(discovery_goes_on),
		cmocka_unit_test(one_too_many_is_answered_and_named),
		cmocka_unit_test(sixteen_too_many_are_named),
		cmocka_unit_test(who_is_missing_is_told),
		cmocka_unit_test(who_was_refused_is_forgotten),
		cmocka_unit_test(another_number_of_senders_is_told),
		cmocka_unit_test(only_who_has_joined_forms_the_group),
		cmocka_unit_test(a_group_without_this_member_is_an_error),
		cmocka_unit_test(the_run_begins_with_the_group),
		cmocka_unit_test(who_was_silent_while_all_join_is_forgotten),
		cmocka_unit_test(who_was_heard_first_is_told),
		cmocka_unit_test(who_moves_up_counts_once),
		cmocka_unit_test(the_start_of_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

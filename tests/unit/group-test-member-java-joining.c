// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a member joins those of perf.Test (the traps of joining: specification, section 10), and
 * whom it keeps out, forgets and misses.
 *
 * A member among those of perf.Test ends where Java would wait for ever, and gives nobody up too
 * early.
 */
#include "support/group_java.h"
#include "support/unit.h"

/* Host @from says that it is there, and will send so many messages. */
static void answers(struct host *h, unsigned from, int64_t num_msgs)
{
	const struct jgroups_message answer = {
		.type = JGROUPS_DISCOVERY_RSP, .sender = true, .num_msgs = num_msgs};
	uint8_t wire[200];

	host_forge(h, from, wire, jgroups_encode(wire, &answer));
}

/* Trap 3: both at once, both again after two seconds; a START that comes first counts. */
TEST(discovery_goes_on)
{
	struct host *h = SOLE(false, 2, 1);

	pass(h, 6 * NP_SECOND - STEP);
	host_told(h, "waiting - 2");
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
}

TEST(one_too_many_is_answered_and_named)
{
	struct host *h = SOLE(false, 2, 1);

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
}

/* Who has not joined, or is refused, is not among those that are present. */
TEST(who_is_missing_is_told)
{
	struct host *h = SOLE(false, 4, 2);
	const struct np_fault *fault = &member_outcome(h->member)->fault;

	for (unsigned i = 0; i < 59; i++) {
		says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
		says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
		answers(h, JAVA + 1, 7);
		says(h, JAVA + 2, JGROUPS_START, false, 0);
		pass(h, NP_SECOND);
	}
	pass(h, 2 * NP_SECOND);
	assert_int_equal(member_status(h->member), 2);
	assert_string_equal(fault->object, "group");
	assert_string_equal(fault->reason,
			    "did not form in 60 s: 2 of 4 members present, 2 missing "
			    "(one is refused: its num_msgs is 7, ours "
			    "is 10); present: 10.0.0.1:7800, 10.0.0.31:7800");
}

/* The senders are named, and nobody else. */
TEST(another_number_of_senders_is_told)
{
	struct host *h = SOLE(false, 3, 1);
	const struct np_fault *fault = &member_outcome(h->member)->fault;

	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, true, 0);
	assert_int_equal(member_status(h->member), 2);
	assert_string_equal(fault->object, "num_senders");
	assert_string_equal(fault->reason, "1, but 2 of the 3 members send: 10.0.0.31:7800, "
					   "10.0.0.32:7800");
	pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_START], 0);
}

TEST(a_group_without_this_member_is_an_error)
{
	struct host *h = SOLE(false, 2, 1);

	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_failed(h, "group", "the group is complete without this member");
	pass(h, STEP);
	assert_int_equal(java_heard.count[JGROUPS_START], 0);
}

/*
 * Java waits for ever for a lost message. When others have all of it, this one soon says what it
 * has, so that all can end.
 */
TEST(a_lost_message_ends_the_wait_of_all)
{
	struct host *h = RECEIVER(9, .log_interval = 10);

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
}

static bool has_counted(const struct host *h)
{
	return strstr(h->log, "local - ") != NULL;
}

static bool has_given_up(const struct host *h)
{
	return strstr(h->log, "given-up 10.0.0.31:7800 0 ") != NULL;
}

static bool has_a_table(const struct host *h)
{
	return h->results > 0;
}

static bool has_let_go(const struct host *h)
{
	(void)h;
	return java_heard.count[JGROUPS_FINAL_RESULTS_OK] > 0;
}

static bool has_ended(const struct host *h)
{
	return member_outcome(h->member)->finished;
}

static bool has_failed(const struct host *h)
{
	return member_status(h->member) == 2;
}

/* A stranger's question in each step makes it look at once; returns when it has done @what. */
static np_time looks_until(struct host *h, bool (*what)(const struct host *h))
{
	while (!what(h) && h->network->now < EPOCH + 100 * NP_SECOND) {
		says(h, JAVA + 1, JGROUPS_DISCOVERY_REQ, false, 0);
		pass(h, STEP);
	}
	return h->network->now - STEP;
}

/* For what a member waits, and from when on until what comes of it: to the step. */
struct wait {
	const char *what;
	bool connected, alone, first;	    /* the other one joins never, or before this one */
	int got;			    /* of the other one's 10 messages; -1: no START */
	bool results, table;		    /* the other one tells its own */
	bool (*from)(const struct host *h); /* NULL: at once */
	bool (*until)(const struct host *h);
	np_time seconds;
};

static const struct wait waits[] = {
	{"others", .alone = true, .got = -1, .until = has_failed, .seconds = 60},
	{"a START of all", .got = -1, .until = has_failed, .seconds = 10},
	{"a message", .got = 9, .until = has_counted, .seconds = 10},
	{"one that another has", .got = 9, .results = true, .until = has_counted, .seconds = 1},
	{"results", .got = 10, .from = has_counted, .until = has_given_up, .seconds = 10},
	{"a table", .got = 10, .results = true, .from = has_a_table, .until = has_let_go,
	 .seconds = 5},
	{"the first one's table", .first = true, .got = 10, .results = true, .from = has_a_table,
	 .until = has_let_go, .seconds = 5},
	/* Over connections nothing is lost. */
	{"a sign of life", .connected = true, .got = 5, .until = has_given_up, .seconds = 30},
	{"last messages", .connected = true, .got = 10, .results = true, .table = true,
	 .from = has_a_table, .until = has_ended, .seconds = 1},
};

static struct host *waiting(const struct wait *w)
{
	struct host *h = SOLE(false, 2, 1, .connected = w->connected);

	if (w->first)
		says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	if (w->got >= 0) {
		form(h, true);
		sends(h, JAVA, (unsigned)w->got, 21);
	} else if (!w->alone) {
		says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
		says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	}
	if (w->results)
		says(h, JAVA, JGROUPS_RESULTS, false, 10);
	if (w->table)
		says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	return h;
}

TEST(each_wait_has_its_end)
{
	for (const struct wait *w = waits; w < waits + sizeof(waits) / sizeof(*waits); w++) {
		struct host *h = waiting(w);
		const np_time from = w->from ? looks_until(h, w->from) : h->network->now;

		print_message("%s\n", w->what);
		assert_int_equal(looks_until(h, w->until) - from, w->seconds * NP_SECOND);
		/* It has not heard itself, either. */
		assert_null(strstr(h->log, "given-up 10.0.0.1:7800"));
	}
}

/*
 * One that does not report is given up, and the Java members that wait are let go: those that wait
 * for it, and itself, which may wait for a message of another that died.
 */
TEST(java_members_are_let_go)
{
	struct host *h = RECEIVER(10);

	pass(h, 13 * NP_SECOND);
	assert_true(member_outcome(h->member)->finished);
	host_status(h, 1);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS], 3);
	assert_int_equal(java_heard.last[JGROUPS_FINAL_RESULTS].count, 1);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS_OK], 3);
	assert_int_equal(java_heard.dropped, 0);
}

/* Java members that wait say nothing; the dead are told from those by a question. */
TEST(the_living_are_told_from_the_dead)
{
	struct host *h = SOLE(false, 3, 2);
	unsigned asked, before;

	pass(h, STEP);
	for (unsigned i = 0; i < 3; i++)
		says(h, i ? JAVA + i : 0, JGROUPS_DISCOVERY_RSP, i, 0);
	for (unsigned i = 0; i < 3; i++)
		says(h, i ? JAVA + i : 0, JGROUPS_START, false, 0);
	pass(h, STEP);
	asked = before = java_heard.count[JGROUPS_DISCOVERY_REQ];
	sends(h, JAVA + 1, 9, 21);
	sends(h, JAVA + 2, 9, 21);
	for (unsigned i = 0; i < 24 * NP_SECOND / STEP && !member_outcome(h->member)->finished;
	     i++) {
		pass(h, STEP);
		if (java_heard.count[JGROUPS_DISCOVERY_REQ] > asked)
			says(h, JAVA + 2, JGROUPS_DISCOVERY_RSP, true, 0);
		asked = java_heard.count[JGROUPS_DISCOVERY_REQ];
	}
	assert_true(member_outcome(h->member)->finished);
	assert_in_range(asked - before, 5, 10);
	host_told(h, "given-up 10.0.0.32:7800 0 silent for 10 s");
	host_told(h, "given-up 10.0.0.33:7800 0 it is alive, but sent no results for 10 s");
}

/* Without connections a sender's own pace is the measure, and before it has one, a minute. */
TEST(a_pause_of_a_slow_sender)
{
	struct host *h = RECEIVER(1);

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
}

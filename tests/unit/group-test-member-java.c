// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A member among those of perf.Test: the whole life, the traps (specification, section 10), and
 * that it ends where Java would wait for ever.
 */
#include "support/group_network.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define JAVA 30 /* a host that is none of ours: the test speaks for it */

/* What was sent last of each type, and how often, by a group of one with others forged. */
struct heard {
	unsigned count[JGROUPS_WARMUP + 1];
	unsigned data;
	unsigned dropped;
	struct jgroups_message last[JGROUPS_WARMUP + 1];
};

static struct heard heard;

static int hear(void *context, const void *message, size_t bytes)
{
	static struct jgroups_message m;

	(void)context;
	assert_int_equal(jgroups_decode(message, bytes, bytes, &m), 0);
	heard.count[m.type]++;
	heard.last[m.type] = m;
	return 0;
}

static unsigned give_room(void *context, unsigned wanted, struct transport_slots *slots)
{
	static uint8_t data[BATCH * SLOT];

	(void)context;
	*slots = (struct transport_slots){data, SLOT, wanted < BATCH ? wanted : BATCH};
	return slots->count;
}

static int take_all(void *context, unsigned count)
{
	(void)context;
	heard.data += count;
	return (int)count;
}

static void note_drop(void *context, const struct identity *who)
{
	(void)context;
	(void)who;
	heard.dropped++;
}

/* What the next sole member's transport and configuration are. */
static struct {
	bool connected;
	np_time delay;
} next;

/* One real member; all others are the test's. Begins at EPOCH. */
static struct host *sole(bool sender, unsigned members, unsigned senders)
{
	struct network *n = calloc(1, sizeof(*n));
	struct member_plan plan = group_plan(PROTOCOL_JGROUPS3);
	const struct member_port port = {
		.send = hear, .reserve = give_room, .commit = take_all, .drop = note_drop};
	struct member_listener listener;
	struct np_fault fault;
	struct host *h;

	assert_non_null(n);
	memset(&heard, 0, sizeof(heard));
	n->now = EPOCH;
	plan.sender = sender;
	plan.members = members;
	plan.senders = senders;
	plan.messages = 10;
	plan.connected = next.connected;
	plan.processing_delay = next.delay;
	memset(&next, 0, sizeof(next));
	h = network_add(n, &plan, 0);
	listener = (struct member_listener){h, host_tell};
	assert_int_equal(member_create(&h->member, &h->plan, &port, &listener, n->now, &fault), 0);
	h->there = true;
	return h;
}

static void sole_free(struct host *h)
{
	member_free(h->member);
	free(h->network);
}

static void pass(struct host *h, np_time time)
{
	const np_time until = h->network->now + time;

	for (; h->network->now < until; h->network->now += STEP) {
		member_tick(h->member, h->network->now);
		member_pump(h->member, 0, BATCH, h->network->now);
	}
}

/* Host @from says @type; @sender and a RESULTS of @received messages of 20 bytes where they fit. */
static void says(struct host *h, unsigned from, enum jgroups_type type, bool sender,
		 int64_t received)
{
	static struct jgroups_message m;
	uint8_t wire[200];

	m = (struct jgroups_message){
		.type = type,
		.sender = sender,
		.num_msgs = sender ? 10 : 0,
		.has_result = type == JGROUPS_RESULTS,
		.result = {1700000000000, 1700000000100, 10, received, true, received * 20},
	};
	host_forge(h, from, wire, jgroups_encode(wire, &m));
}

static void sends(struct host *h, unsigned from, unsigned count, size_t length)
{
	uint8_t data[SLOT] = {JGROUPS_DATA_LEAD};

	while (count--)
		host_forge(h, from, data, length);
}

/* Everything up to the READY of a group of this member and a JAVA one. */
static void form(struct host *h, bool java_sends)
{
	pass(h, STEP);
	says(h, 0, JGROUPS_DISCOVERY_RSP, h->plan.sender, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, java_sends, 0);
	pass(h, STEP);
	says(h, 0, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	pass(h, STEP);
	host_told(h, "ready - 2");
}

/* A receiver that has formed a group with a JAVA sender and got @count of its 10 messages. */
static struct host *receiver_of(unsigned count)
{
	struct host *h = sole(false, 2, 1);

	form(h, true);
	sends(h, JAVA, count, 21);
	return h;
}

/* Trap 2: also after READY, also to a stranger. */
static void every_question_is_answered(void **state)
{
	struct host *h = sole(true, 2, 1);
	unsigned before;

	(void)state;
	form(h, false);
	before = heard.count[JGROUPS_DISCOVERY_RSP];
	for (unsigned i = 1; i <= 5; i++) {
		says(h, i % 2 ? JAVA : JAVA + 1, JGROUPS_DISCOVERY_REQ, false, 0);
		pass(h, STEP);
		assert_int_equal(heard.count[JGROUPS_DISCOVERY_RSP], before + i);
	}
	assert_true(heard.last[JGROUPS_DISCOVERY_RSP].sender);
	assert_int_equal(heard.last[JGROUPS_DISCOVERY_RSP].num_msgs, 10);
	sole_free(h);
}

/* Trap 3: both at once, both again after two seconds; a START that comes first counts. */
static void discovery_goes_on(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	pass(h, 6 * NP_SECOND - STEP);
	assert_int_equal(heard.count[JGROUPS_DISCOVERY_REQ], 3);
	assert_int_equal(heard.count[JGROUPS_DISCOVERY_RSP], 3);
	assert_int_equal(heard.count[JGROUPS_START], 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	pass(h, STEP);
	assert_int_equal(heard.count[JGROUPS_START], 1);
	says(h, 0, JGROUPS_START, false, 0);
	pass(h, STEP);
	host_told(h, "ready - 2");
	/* One that was lost is made good, which Java does not do. */
	pass(h, 2 * NP_SECOND);
	assert_int_equal(heard.count[JGROUPS_START], 2);
	sole_free(h);
}

/* Trap 6. */
static void results_of_before_are_ignored(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	pass(h, STEP);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	says(h, JAVA, JGROUPS_RESULTS, false, 7);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	pass(h, 3 * NP_SECOND);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS], 0);
	form(h, true);
	sends(h, JAVA, 10, 21);
	pass(h, NP_SECOND / 2);
	/* Those of the other count only from here on. */
	assert_int_equal(heard.count[JGROUPS_RESULTS], 1);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS], 0);
	sole_free(h);
}

/* Data may come before one's own READY; all lengths count; what comes behind the last does not. */
static void all_data_counts(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	pass(h, STEP);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	sends(h, JAVA, 3, 21);
	sends(h, JAVA, 3, 1);
	says(h, 0, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	pass(h, STEP);
	sends(h, JAVA, 4, 21);
	sends(h, JAVA, 7, 21);
	pass(h, 3 * STEP);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.received, 10);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.expected, 10);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.bytes, 7 * 20);
	assert_true(heard.last[JGROUPS_RESULTS].result.done);
	assert_int_equal(host_row(h, 0, JAVA)->counts.received, 10);
	sole_free(h);
}

/* A size that is not the configuration's is named, once: longer ones cost the connection. */
static void another_size_is_named(void **state)
{
	const struct transport_event too_long = {
		.kind = TRANSPORT_ENDED, .peer = host_identity(JAVA), .error = -EMSGSIZE};
	const struct transport_event cut = {.kind = TRANSPORT_OVERSIZE,
					    .peer = host_identity(JAVA)};
	struct host *h = receiver_of(2);

	(void)state;
	assert_null(strstr(h->log, "unlike"));
	sends(h, JAVA, 3, 31);
	host_told(h,
		  "unlike 10.0.0.31:7800 0 msg_size is 20 here, and it sends messages of 30 bytes");
	member_transport_event(h->member, &cut, h->network->now);
	assert_null(strstr(h->log, "longer"));
	sole_free(h);
	h = receiver_of(2);
	member_transport_event(h->member, &cut, h->network->now);
	host_told(h, "unlike 10.0.0.31:7800 0 msg_size is 20 here, and it sends longer messages");
	sole_free(h);
	h = receiver_of(2);
	member_transport_event(h->member, &too_long, h->network->now);
	host_told(h, "unlike 10.0.0.31:7800 0 msg_size is 20 here, and it sends longer messages");
	host_told(h, "given-up 10.0.0.31:7800 0 connection lost: Message too long");
	sole_free(h);
}

/* From a stranger it does not. */
static void data_of_strangers_costs_a_count(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	form(h, true);
	sends(h, JAVA + 1, 20, 21);
	sends(h, JAVA, 9, 21);
	pass(h, STEP);
	assert_int_equal(heard.count[JGROUPS_RESULTS], 0);
	assert_int_equal(member_malformed(h->member), 20);
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
	assert_int_equal(heard.data, 10);
	sends(h, 0, 10, 21);
	pass(h, 2500 * NP_MILLISECOND);
	assert_int_equal(heard.count[JGROUPS_RESULTS], 3);
	assert_int_equal(h->results, 0);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	table = h->network->now;
	pass(h, 700 * NP_MILLISECOND);
	assert_int_equal(h->results, 1);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS], 3);
	assert_int_equal(heard.last[JGROUPS_FINAL_RESULTS].count, 2);
	assert_int_equal(heard.last[JGROUPS_FINAL_RESULTS].row[1].info.bytes, 200);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS_OK], 0);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	while (!member_finished(h->member))
		pass(h, STEP);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS_OK], 3);
	assert_in_range(h->network->now - table, NP_SECOND, 2 * NP_SECOND);
	assert_int_equal(h->results, 1);
	host_status(h, 0);
	sole_free(h);
}

/* Trap 9: what a Java member says of itself is passed on as it is, and shown. */
static void java_figures_are_shown_as_they_are(void **state)
{
	struct host *h = receiver_of(10);
	const struct result_member *java;

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10 * 65534 / 20);
	pass(h, STEP);
	java = host_member(h, JAVA);
	assert_int_equal(java->total.counts.bytes, 10 * 65534 / 20 * 20);
	assert_int_equal(java->total.counts.last - java->total.counts.first, 100 * NP_MILLISECOND);
	assert_int_equal(host_member(h, 0)->total.counts.bytes, 200);
	sole_free(h);
}

/* Trap 10, and worse. */
static void impossible_times_are_none(void **state)
{
	static struct jgroups_message m;
	struct host *h = receiver_of(10);
	uint8_t wire[200];

	(void)state;
	m = (struct jgroups_message){.type = JGROUPS_RESULTS, .has_result = true};
	m.result = (struct jgroups_info){1795252108861, 0, 10, 10, true, 200};
	host_forge(h, JAVA, wire, jgroups_encode(wire, &m));
	assert_int_equal(member_result(h->member)->member[1].total.counts.last, 1);
	m.result = (struct jgroups_info){0, INT64_MAX / 1024, 10, 10, true, 200};
	host_forge(h, JAVA, wire, jgroups_encode(wire, &m));
	assert_true(member_result(h->member)->member[1].total.counts.last > 0);
	sole_free(h);
}

/* Java divides by the time: none at all would make its table infinite. */
static void own_times_are_never_none(void **state)
{
	const struct jgroups_info *told = &heard.last[JGROUPS_RESULTS].result;
	struct host *h = receiver_of(10);

	(void)state;
	pass(h, 3 * STEP);
	assert_int_equal(told->stop_ms - told->start_ms, 1);
	sole_free(h);
	h = receiver_of(1);
	pass(h, 123 * NP_MILLISECOND);
	sends(h, JAVA, 9, 21);
	pass(h, 3 * STEP);
	assert_in_range(told->stop_ms - told->start_ms, 122, 124);
	sole_free(h);
}

/* RESULTS that were lost are in another's FINAL_RESULTS. */
static void final_results_stand_in(void **state)
{
	static struct jgroups_message m;
	struct host *h = receiver_of(10);
	uint8_t wire[200];

	(void)state;
	pass(h, STEP);
	m = (struct jgroups_message){.type = JGROUPS_FINAL_RESULTS, .count = 1};
	m.row[0] = (struct jgroups_row){host_identity(JAVA), {1, 2, 10, 10, true, 200}};
	host_forge(h, JAVA, wire, jgroups_encode(wire, &m));
	pass(h, STEP);
	assert_int_equal(h->results, 1);
	assert_int_equal(host_member(h, JAVA)->total.counts.received, 10);
	sole_free(h);
}

/*
 * Java waits for ever for a lost message. When others have all of it, this one soon says what it
 * has, so that all can end.
 */
static void a_lost_message_ends_the_wait_of_all(void **state)
{
	struct host *h = receiver_of(9);

	(void)state;
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 900 * NP_MILLISECOND);
	assert_int_equal(heard.count[JGROUPS_RESULTS], 0);
	pass(h, 300 * NP_MILLISECOND);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.received, 9);
	assert_int_equal(host_row(h, 0, JAVA)->counts.lost, 1);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS], 1);
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
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS], 3);
	assert_int_equal(heard.count[JGROUPS_FINAL_RESULTS_OK], 3);
	assert_int_equal(heard.dropped, 0);
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
	asked = before = heard.count[JGROUPS_DISCOVERY_REQ];
	sends(h, JAVA + 1, 9, 21);
	sends(h, JAVA + 2, 9, 21);
	for (unsigned i = 0; i < 24 * NP_SECOND / STEP && !member_finished(h->member); i++) {
		pass(h, STEP);
		if (heard.count[JGROUPS_DISCOVERY_REQ] > asked)
			says(h, JAVA + 2, JGROUPS_DISCOVERY_RSP, true, 0);
		asked = heard.count[JGROUPS_DISCOVERY_REQ];
	}
	assert_true(member_finished(h->member));
	assert_in_range(asked - before, 5, 10);
	host_told(h, "given-up 10.0.0.32:7800 0 silent for 10 s");
	host_told(h, "given-up 10.0.0.33:7800 0 alive, but no results for 10 s");
	sole_free(h);
}

/* So much time, in which JAVA answers each question. */
static void pass_answered(struct host *h, np_time time)
{
	unsigned asked = heard.count[JGROUPS_DISCOVERY_REQ];

	for (np_time passed = 0; passed < time && !member_finished(h->member); passed += STEP) {
		pass(h, STEP);
		if (heard.count[JGROUPS_DISCOVERY_REQ] > asked)
			says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
		asked = heard.count[JGROUPS_DISCOVERY_REQ];
	}
}

static void gives_nobody_up(const struct host *h)
{
	assert_null(strstr(h->log, "given-up"));
	assert_false(member_finished(h->member));
}

/* Over connections nothing is lost, and who lives answers: more will come. */
static void a_pause_over_a_connection(void **state)
{
	struct host *h;

	(void)state;
	next.connected = true;
	h = receiver_of(5);
	pass_answered(h, 300 * NP_SECOND);
	gives_nobody_up(h);
	assert_int_equal(heard.count[JGROUPS_RESULTS], 0);
	sends(h, JAVA, 5, 21);
	pass(h, 2 * STEP);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.received, 10);
	sole_free(h);
}

/* One that gives no sign of life has an end there, too. */
static void silence_over_a_connection(void **state)
{
	struct host *h;

	(void)state;
	next.connected = true;
	h = receiver_of(5);
	pass(h, 29 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 5 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 30 s");
	assert_true(member_finished(h->member));
	host_status(h, 1);
	sole_free(h);
}

/* Without connections a sender's own pace is the measure, and before it has one, a minute. */
static void a_pause_of_a_slow_sender(void **state)
{
	struct host *h = receiver_of(1);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		pass_answered(h, 25 * NP_SECOND);
		gives_nobody_up(h);
		sends(h, JAVA, 1, 21);
	}
	pass_answered(h, 99 * NP_SECOND);
	gives_nobody_up(h);
	assert_int_equal(heard.count[JGROUPS_RESULTS], 0);
	pass_answered(h, 2 * NP_SECOND);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.received, 4);
	sole_free(h);
}

/* It reads what was sent to it, message by message, and says nothing but that by its window. */
static void a_slow_member_over_a_connection(void **state)
{
	const struct transport_event moved = {.kind = TRANSPORT_MOVED, .peer = host_identity(JAVA)};
	struct host *h;

	(void)state;
	next.connected = true;
	h = receiver_of(10);
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
	struct host *h;

	(void)state;
	next.connected = true;
	h = receiver_of(10);
	pass_answered(h, 59 * NP_SECOND);
	gives_nobody_up(h);
	pass_answered(h, 2 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 alive, but no results for 60 s");
	sole_free(h);
}

/* The configuration says how long all messages take a member, which says nothing meanwhile. */
static void a_delay_that_is_configured(void **state)
{
	struct host *h;

	(void)state;
	next.delay = NP_SECOND;
	h = receiver_of(10);
	pass(h, 12 * NP_SECOND);
	assert_int_equal(heard.last[JGROUPS_RESULTS].result.received, 10);
	pass(h, 17 * NP_SECOND);
	gives_nobody_up(h);
	pass(h, 3 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
	sole_free(h);
}

/* Another's table without a member says that it was given up there: this one does not wait longer.
 */
static void a_table_without_a_member(void **state)
{
	static struct jgroups_message m;
	struct host *h;
	uint8_t wire[200];

	(void)state;
	next.connected = true;
	h = receiver_of(10);
	m = (struct jgroups_message){.type = JGROUPS_FINAL_RESULTS, .count = 1};
	m.row[0] = (struct jgroups_row){host_identity(0), {1, 2, 10, 10, true, 200}};
	host_forge(h, JAVA, wire, jgroups_encode(wire, &m));
	pass(h, 11 * NP_SECOND);
	host_told(h, "given-up 10.0.0.31:7800 0 silent for 5 s");
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
	member_transport_event(h->member, &ended, h->network->now);
	pass(h, 2 * NP_SECOND);
	assert_true(member_finished(h->member));
	host_status(h, 0);
	sole_free(h);
}

static void others_are_named_and_ignored(void **state)
{
	struct host *h = sole(false, 2, 1);
	const uint8_t native[28] = {MESSAGE_MAGIC, 0x41, [15] = 1};

	(void)state;
	form(h, true);
	host_forge(h, JAVA + 1, native, sizeof(native));
	host_forge(h, JAVA + 1, native, sizeof(native));
	host_told(h, "met 10.0.0.32:7800 0 group-test's own protocol");
	assert_int_equal(member_malformed(h->member), 2);
	sends(h, JAVA, 10, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	pass(h, 3 * NP_SECOND);
	host_status(h, 0);
	assert_true(member_finished(h->member));
	sole_free(h);
}

static void one_too_many_is_answered_and_named(void **state)
{
	struct host *h = sole(false, 2, 1);

	(void)state;
	form(h, true);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	host_told(h, "refused 10.0.0.32:7800 0 one member too many");
	sends(h, JAVA, 10, 21);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 3 * STEP);
	assert_int_equal(h->results, 1);
	assert_int_equal(member_result(h->member)->members, 3);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_question_is_answered),
		cmocka_unit_test(discovery_goes_on),
		cmocka_unit_test(results_of_before_are_ignored),
		cmocka_unit_test(all_data_counts),
		cmocka_unit_test(another_size_is_named),
		cmocka_unit_test(data_of_strangers_costs_a_count),
		cmocka_unit_test(the_end_among_java_members),
		cmocka_unit_test(java_figures_are_shown_as_they_are),
		cmocka_unit_test(impossible_times_are_none),
		cmocka_unit_test(own_times_are_never_none),
		cmocka_unit_test(final_results_stand_in),
		cmocka_unit_test(a_lost_message_ends_the_wait_of_all),
		cmocka_unit_test(java_members_are_let_go),
		cmocka_unit_test(the_living_are_told_from_the_dead),
		cmocka_unit_test(a_pause_over_a_connection),
		cmocka_unit_test(silence_over_a_connection),
		cmocka_unit_test(a_pause_of_a_slow_sender),
		cmocka_unit_test(a_slow_member_over_a_connection),
		cmocka_unit_test(no_results_over_a_connection),
		cmocka_unit_test(a_delay_that_is_configured),
		cmocka_unit_test(a_table_without_a_member),
		cmocka_unit_test(java_hangs_up_at_the_end),
		cmocka_unit_test(others_are_named_and_ignored),
		cmocka_unit_test(one_too_many_is_answered_and_named),
		cmocka_unit_test(a_user_interrupts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

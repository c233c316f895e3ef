// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Members that are slow, not dead: one that takes its time for each message (processing_delay),
 * and one whose path is slow, so that parts of a long message are all that is heard of it.
 *
 * The table of all members that were heard, by itself: who gets a place in it and who loses one,
 * and how some of its members are listed.
 */
#include "../../src/group-test/member/state.h"

#include "group_who.h"
#include "support/group_network.h"
#include "support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t processed;

/* Each is the next one. */
static void process(struct member *m, struct peer *peer, const struct backlog_message *message)
{
	(void)m;
	(void)peer;
	assert_true(message->number == processed++);
}

/* What waits is processed in order, round the ring's end, too; one more is not taken. */
TEST(a_full_backlog_takes_no_more)
{
	const struct member_protocol_table protocol = {.process = process};
	struct backlog_message message = {0};
	struct member *m = calloc(1, sizeof(*m));

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
}

TEST(each_message_takes_its_time)
{
	slow_but_complete(slow_network(PROTOCOL_NATIVE, false, 400, 20 * NP_MILLISECOND), 400,
			  20 * NP_MILLISECOND);
	slow_but_complete(slow_network(PROTOCOL_NATIVE, true, 400, 20 * NP_MILLISECOND), 400,
			  20 * NP_MILLISECOND);
}

/* Longer for one message than any limit. */
TEST(minutes_for_a_few)
{
	slow_but_complete(slow_network(PROTOCOL_NATIVE, false, 3, 12 * NP_SECOND), 3,
			  12 * NP_SECOND);
	slow_but_complete(slow_network(PROTOCOL_NATIVE, true, 3, 12 * NP_SECOND), 3,
			  12 * NP_SECOND);
}

/* A window of two messages: the senders are held up all the time, and give nobody up. */
TEST(a_small_window)
{
	struct network *n = slow_network(PROTOCOL_NATIVE, false, 5, 6 * NP_SECOND);

	for (unsigned i = 0; i < 4; i++) {
		n->host[i].plan.window_bytes = 2 * 48;
		n->host[i].plan.processing_delay = 6 * NP_SECOND;
	}
	slow_but_complete(n, 5, 6 * NP_SECOND);
}

TEST(a_slow_sender)
{
	struct network *n = slow_network(PROTOCOL_NATIVE, false, 200, 0);

	n->host[0].plan.processing_delay = 20 * NP_MILLISECOND;
	network_finish(n, 30 * NP_SECOND);
	network_counts(n, 200);
}

TEST(among_java_members)
{
	struct network *n = slow_network(PROTOCOL_JGROUPS3, true, 100, 20 * NP_MILLISECOND);

	network_finish(n, 30 * NP_SECOND);
	network_status(n, 4, 0);
	assert_int_equal(host_member(&n->host[0], 3)->total.counts.received, 200);
}

static void moved(struct network *n, unsigned at, unsigned whose)
{
	const struct transport_event event = {TRANSPORT_MOVED, .peer = host_identity(whose)};

	member_transport_event(n->host[at].member, &event, n->now);
}

/* For eight seconds nothing whole gets from host 0 to host 3. */
TEST(a_long_message_is_no_silence)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

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
}

static struct identity numbered(unsigned number)
{
	char text[40];

	snprintf(text, sizeof(text), "10.0.%u.%u:7800", number / 100, number % 100);
	return who(text);
}

static struct peer *add(struct member *m, unsigned number)
{
	const struct identity identity = numbered(number);

	return member_add(m, &identity);
}

static struct peer *find(struct member *m, unsigned number)
{
	const struct identity identity = numbered(number);

	return member_find(m, &identity);
}

/* Members 0 to @count - 1, of which the first is this one; each was heard later than those before.
 */
static struct member *table_of(unsigned count)
{
	struct member *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->plan.self = numbered(0);
	for (unsigned i = 0; i < count; i++) {
		m->now = (i + 1) * NP_SECOND;
		assert_non_null(add(m, i));
	}
	return m;
}

/* A full table whose others have all announced themselves, and are in no group yet. */
static struct member *full_table(void)
{
	struct member *m = table_of(MEMBERS_MAX);

	for (unsigned i = 1; i < MEMBERS_MAX; i++)
		m->peer[i].known = true;
	return m;
}

static bool is_any(const struct peer *peer)
{
	(void)peer;
	return true;
}

static bool is_known(const struct peer *peer)
{
	return peer->known;
}

TEST(each_is_found_at_its_place)
{
	struct member *m = table_of(5);

	for (unsigned i = 0; i < 5; i++) {
		const struct identity identity = numbered(i);

		assert_ptr_equal(find(m, i), &m->peer[i]);
		assert_ptr_equal(find(m, i), &m->peer[i]);
		assert_true(identity_equal(member_who(m, &m->peer[i]), &identity));
		assert_int_equal(m->peer[i].self, !i);
		assert_true(m->peer[i].heard == (i + 1) * NP_SECOND);
	}
	assert_null(find(m, 5));
	assert_ptr_equal(member_self(m), &m->peer[0]);
	free(m);
}

/* Those after it move up; it is not found any more, even right after it was. */
TEST(who_is_removed_leaves_no_gap)
{
	struct member *m = table_of(5);

	member_remove(m, find(m, 0));
	assert_int_equal(m->peers, 4);
	assert_null(find(m, 0));
	assert_null(member_self(m));
	for (unsigned i = 0; i < 4; i++) {
		assert_ptr_equal(find(m, i + 1), &m->peer[i]);
		assert_true(m->peer[i].heard == (i + 2) * NP_SECOND);
	}
	member_remove(m, find(m, 4));
	assert_null(find(m, 4));
	assert_ptr_equal(find(m, 3), &m->peer[2]);
	free(m);
}

/* A stranger that has not announced itself loses its place to a newcomer, which is counted. */
TEST(a_stranger_gives_way)
{
	struct member *m = full_table();

	m->peer[9].known = false;
	m->peer[5].role = PEER_REFUSED;
	m->now += NP_SECOND;
	assert_ptr_equal(add(m, 300), &m->peer[9]);
	assert_int_equal(m->peers, MEMBERS_MAX);
	assert_int_equal(m->malformed, 1);
	assert_null(find(m, 9));
	assert_ptr_equal(find(m, 300), &m->peer[9]);
	assert_false(m->peer[9].known);
	assert_true(m->peer[9].heard == m->now);
	free(m);
}

/* Then one that was refused does, which is no stranger; those that may still become members stay.
 */
TEST(then_a_refused_one_gives_way)
{
	struct member *m = full_table();

	m->peer[5].role = m->peer[7].role = PEER_REFUSED;
	assert_ptr_equal(add(m, 300), &m->peer[5]);
	assert_int_equal(m->peer[5].role, PEER_HEARD);
	assert_int_equal(m->malformed, 0);
	m->peer[5].known = true;
	assert_ptr_equal(add(m, 301), &m->peer[7]);
	m->peer[7].known = true;
	assert_null(add(m, 302));
	assert_null(find(m, 302));
	assert_non_null(find(m, 1));
	free(m);
}

/* Of several, the one that was not heard for longest. */
TEST(who_was_heard_least_recently_gives_way)
{
	for (unsigned refused = 0; refused < 2; refused++) {
		struct member *m = full_table();

		for (unsigned i = 20; i < 24; i++) {
			m->peer[i].role = refused ? PEER_REFUSED : PEER_HEARD;
			m->peer[i].known = refused;
		}
		m->peer[20].heard = m->peer[23].heard = 30 * NP_SECOND;
		m->peer[22].heard = 2 * NP_SECOND;
		assert_ptr_equal(add(m, 300), &m->peer[22]);
		free(m);
	}
}

/* This member and those of its group keep their places, whatever is known of them. */
TEST(the_group_keeps_its_places)
{
	struct member *m = full_table();

	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		m->peer[i].known = false;
	for (unsigned i = 1; i < MEMBERS_MAX; i++)
		m->peer[i].role = PEER_MEMBER;
	assert_null(add(m, 300));
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		assert_ptr_equal(find(m, i), &m->peer[i]);
	free(m);
}

/* The last place was another's before: that one left, and gave way to nobody. */
TEST(a_free_place_costs_no_count)
{
	struct member *m = full_table();

	m->peer[MEMBERS_MAX - 1].known = false;
	member_remove(m, &m->peer[MEMBERS_MAX - 1]);
	assert_ptr_equal(add(m, 300), &m->peer[MEMBERS_MAX - 1]);
	assert_int_equal(m->malformed, 0);
	free(m);
}

TEST(the_living_are_those_that_are_not_given_up)
{
	struct member *m = table_of(5);

	assert_int_equal(member_count(m, peer_counts), 0);
	for (unsigned i = 0; i < 4; i++)
		m->peer[i].role = PEER_MEMBER;
	m->peer[4].role = PEER_REFUSED;
	assert_int_equal(member_count(m, peer_counts), 4);
	m->peer[0].gone = true;
	assert_int_equal(member_count(m, peer_counts), 3);
	free(m);
}

TEST(a_list_names_those_that_are_chosen)
{
	struct member *m = table_of(5);
	char out[100];

	member_list(m, is_known, out, sizeof(out));
	assert_string_equal(out, "");
	for (unsigned i = 0; i < 5; i += 2)
		m->peer[i].known = true;
	member_list(m, is_known, out, sizeof(out));
	assert_string_equal(out, "10.0.0.0:7800, 10.0.0.2:7800, 10.0.0.4:7800");
	free(m);
}

/* A name of 13 characters, and 24 for how many are left out. */
TEST(a_list_says_how_many_it_leaves_out)
{
	struct member *m = table_of(5);
	char out[100];

	member_list(m, is_any, out, 13 + 24);
	assert_string_equal(out, "10.0.0.0:7800 and 4 more");
	member_list(m, is_any, out, 13 + 24 - 1);
	assert_string_equal(out, " and 5 more");
	member_list(m, is_any, out, 13 + 15 + 24 - 2);
	assert_string_equal(out, "10.0.0.0:7800, 10.0.0.1:7800 and 3 more");
	free(m);
}

/* Who was removed last may still be in memory. */
TEST(a_list_does_not_name_the_removed)
{
	struct member *m = table_of(3);
	char out[100];

	member_remove(m, &m->peer[2]);
	member_list(m, is_any, out, sizeof(out));
	assert_string_equal(out, "10.0.0.0:7800, 10.0.0.1:7800");
	free(m);
}

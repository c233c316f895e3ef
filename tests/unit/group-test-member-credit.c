// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Credit: when receivers grant and senders ask, how long a receiver may hold a sender up, and that
 * a sender goes on only when each receiver has let it. Members that are slow, not dead: one that
 * takes its time for each message, and one whose path is slow.
 */
#include "support/group_network.h"
#include "support/unit.h"

/* What a test saw on its network. */
static struct {
	unsigned probes;       /* from host 0 to host 1 */
	uint64_t probed;       /* the number in the latest */
	unsigned wrong_grants; /* to one that does not send */
	uint64_t granted;      /* by host 1 to host 0: the number in the latest */
} seen;

/* Drops nothing. */
static bool watch(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	struct message_head head;

	seen.wrong_grants += is_type(data, MESSAGE_GRANT) && to >= n->host[0].plan.senders;
	if (from == 1 && !to && is_type(data, MESSAGE_GRANT)) {
		message_head_decode(data, MESSAGE_HEADER_BYTES, &head);
		seen.granted = head.number;
	}
	if (from || to != 1 || !is_type(data, MESSAGE_PROBE))
		return false;
	message_head_decode(data, MESSAGE_HEADER_BYTES, &head);
	seen.probes++;
	seen.probed = head.number;
	return false;
}

static struct network *watched(struct network *n)
{
	memset(&seen, 0, sizeof(seen));
	n->drop = watch;
	return n;
}

/* A GRANT for host 0 up to @number, as if host 3 had written it. */
static void grant_by_3(struct network *n, uint64_t number)
{
	uint8_t data[MESSAGE_HEADER_BYTES];
	struct message_head head;

	message_head_decode(n->host[0].slots, MESSAGE_HEADER_BYTES, &head);
	assert_int_equal(head.type, MESSAGE_DATA);
	head.type = MESSAGE_GRANT;
	head.number = number;
	message_head_encode(data, &head);
	host_forge(&n->host[0], 3, data, sizeof(data));
}

/* Whether a window is wide or one message, its GRANTs come in time where nothing is lost. */
TEST(nobody_asks_for_grants_that_come)
{
	static const size_t windows[] = {1, 200 * 48 * 2, 2000 * 48 * 2};

	for (unsigned i = 0; i < 3; i++) {
		struct network *n =
			watched(NETWORK(plan.messages = 300, plan.window_bytes = windows[i]));

		network_succeeds(n, 5 * NP_SECOND, 300);
		assert_int_equal(seen.probes, 0);
		assert_int_equal(seen.wrong_grants, 0);
	}
}

/* Asked for soon, then ever less often, by the last number that was sent; told of once. */
TEST(a_held_up_sender_asks)
{
	struct network *n = watched(NETWORK_LONG());

	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 1; i <= 2; i++) {
		const np_time begun = n->now - EPOCH;

		seen.probes = 0;
		n->host[3].stopped = true;
		network_run(n, begun + 3 * NP_SECOND);
		assert_in_range(seen.probes, 10, 15);
		assert_int_equal(seen.probed, n->host[0].sent_messages);
		assert_int_equal(host_times_told(&n->host[0], "held-up 10.0.0.4:7800"), i);
		n->host[3].stopped = false;
		network_run(n, begun + 3 * NP_SECOND + 10 * NP_MILLISECOND);
		/* The way is open again, and nothing is asked for. */
		seen.probes = 0;
		network_run(n, begun + 7 * NP_SECOND / 2);
		assert_int_equal(seen.probes, 0);
	}
	network_succeeds(n, 20 * NP_SECOND, 2000);
}

/* Who lets a sender send more than anybody could have got is not believed. */
TEST(a_grant_of_what_was_not_sent)
{
	struct network *n = NETWORK_LONG();
	struct host *h = &n->host[0];
	uint64_t sent, malformed;

	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	network_run(n, 3 * NP_SECOND);
	sent = h->sent_messages;
	malformed = member_outcome(h->member)->malformed;
	grant_by_3(n, sent + 1 + (1 << 19) + 1);
	network_run(n, 3 * NP_SECOND + 50 * NP_MILLISECOND);
	assert_int_equal(h->sent_messages, sent);
	assert_int_equal(member_outcome(h->member)->malformed, malformed + 1);
	grant_by_3(n, sent + 1 + (1 << 19));
	network_run(n, 3 * NP_SECOND + 100 * NP_MILLISECOND);
	assert_true(h->sent_messages > sent);
	assert_int_equal(member_outcome(h->member)->malformed, malformed + 1);
}

/* Granting the same again is no going on: it is told of once, and given up. */
TEST(the_same_grant_again_and_again)
{
	struct network *n = NETWORK_LONG();
	struct host *h = &n->host[0];

	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	network_run(n, 3 * NP_SECOND);
	for (unsigned i = 0; i < 60; i++) {
		grant_by_3(n, h->sent_messages);
		network_run(n, 3 * NP_SECOND + i * 100 * NP_MILLISECOND);
	}
	assert_int_equal(host_times_told(h, "held-up 10.0.0.4:7800"), 1);
	host_told(h, "given-up 10.0.0.4:7800 0 it accepted no message for 5 s");
}

static struct network *slow_network(enum member_protocol protocol, bool connected,
				    uint64_t messages, np_time delay)
{
	struct network *n = NETWORK_BY(group_plan(protocol), streams = connected,
				       plan.messages = messages, plan.credit &= !connected);

	n->host[3].plan.processing_delay = delay;
	return n;
}

/* Longer for one message than any limit; all is counted, and over the time that it really took. */
TEST(minutes_for_a_few)
{
	for (unsigned connected = 0; connected < 2; connected++) {
		struct network *n = slow_network(PROTOCOL_NATIVE, connected, 3, 12 * NP_SECOND);

		network_ends(n, 120 * NP_SECOND, 4, 0);
		for (unsigned sender = 0; sender < 2; sender++) {
			const struct np_flow_counts *slow =
				&host_row(&n->host[3], 3, sender)->counts;

			host_must(&n->host[3], slow->received == 3, "all, slowly");
			host_must(&n->host[3], slow->last - slow->first >= 24 * NP_SECOND,
				  "its own time");
			host_row_complete(&n->host[0], 2, 3);
		}
	}
}

TEST(a_slow_sender)
{
	struct network *n = slow_network(PROTOCOL_NATIVE, false, 200, 0);

	n->host[0].plan.processing_delay = 20 * NP_MILLISECOND;
	network_succeeds(n, 30 * NP_SECOND, 200);
}

TEST(among_java_members)
{
	struct network *n = slow_network(PROTOCOL_JGROUPS3, true, 100, 20 * NP_MILLISECOND);

	network_ends(n, 30 * NP_SECOND, 4, 0);
	assert_int_equal(host_member(&n->host[0], 3)->total.counts.received, 200);
}

/* For eight seconds nothing whole gets from host 0 to host 3. */
TEST(a_long_message_is_no_silence)
{
	struct network *n = NETWORK_LONG(plan.credit = false, streams = true); /* as over tcp */

	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	for (np_time t = 2 * NP_SECOND; t < 10 * NP_SECOND; t += 100 * NP_MILLISECOND) {
		for (unsigned i = 0; i < 3; i++)
			HOST_EVENT(&n->host[i], 3, TRANSPORT_MOVED);
		network_run(n, t);
	}
	n->host[3].stopped = false;
	network_succeeds(n, 20 * NP_SECOND, 2000);
}

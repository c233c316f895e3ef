// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Credit: when receivers grant and senders ask, how long a receiver may hold a sender up, and that
 * a sender goes on only when each receiver has let it.
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

static struct network *watched_network(const struct member_plan *plan)
{
	struct network *n = network_of(plan, false);

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
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	plan.messages = 300;
	for (unsigned i = 0; i < 3; i++) {
		struct network *n;

		plan.window_bytes = windows[i];
		n = watched_network(&plan);
		network_finish(n, 5 * NP_SECOND);
		network_counts(n, 300);
		assert_int_equal(seen.probes, 0);
		assert_int_equal(seen.wrong_grants, 0);
	}
}

/* Asked for soon, then ever less often, by the last number that was sent; told of once. */
TEST(a_held_up_sender_asks)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = watched_network(&plan);

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
	network_finish(n, 20 * NP_SECOND);
	network_counts(n, 2000);
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

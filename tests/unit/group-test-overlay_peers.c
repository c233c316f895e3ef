// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * group-test-overlay_peers: heads of messages in an overlay; where members are, also after they
 * moved, also when others speak in their names, also among too many strangers.
 */
#include "../../src/group-test/transport/overlay_peers.h"
#include "group_who.h"
#include "support/unit.h"

static struct np_overlay_logical place(uint8_t x)
{
	return (struct np_overlay_logical){.bytes = {0, 0, 0, x, 0, 0, 0, 1}, .size = 8};
}

TEST(heads_say_group_and_sender)
{
	const struct identity first = who("10.9.0.1:9001"), second = who("10.9.0.2:65535");
	uint8_t own[OVERLAY_HEAD_BYTES], head[OVERLAY_HEAD_BYTES + 1] = {};
	struct identity got;

	overlay_head_encode(own, "group-test", &first);
	overlay_head_encode(head, "group-test", &second);
	assert_memory_equal(head + 8, "\x0a\x09\x00\x02\xff\xff", 6);
	assert_true(overlay_head_decode(own, head, sizeof(head), &got));
	assert_true(identity_equal(&got, &second));
	assert_true(overlay_head_decode(own, head, OVERLAY_HEAD_BYTES, &got));
	assert_false(overlay_head_decode(own, head, OVERLAY_HEAD_BYTES - 1, &got));
	assert_false(overlay_head_decode(own, head, 0, &got));
	overlay_head_encode(head, "group-tesu", &second);
	assert_false(overlay_head_decode(own, head, sizeof(head), &got));
	overlay_head_encode(head, "", &second);
	assert_false(overlay_head_decode(own, head, sizeof(head), &got));
}

static void is_at(struct overlay_peer *peers, const struct identity *identity, uint8_t x)
{
	const struct overlay_peer *found = overlay_peer_of(peers, identity);
	const struct np_overlay_logical wanted = place(x);

	assert_true(overlay_peer_is(found, identity));
	assert_true(np_overlay_equal(&found->logical, &wanted));
}

TEST(members_are_found_where_they_were_heard)
{
	static struct overlay_peer peers[OVERLAY_PEERS];
	struct identity a = who("10.9.0.1:1"), b = who("10.9.0.1:2");
	const struct np_overlay_logical one = place(1), two = place(2);

	assert_false(overlay_peer_is(overlay_peer_of(peers, &a), &a));
	overlay_peers_note(peers, &a, &one, 5);
	overlay_peers_note(peers, &b, &two, 5);
	is_at(peers, &a, 1);
	is_at(peers, &b, 2);
}

/* A node that the overlay moves is found again; one that only claims to be it is not believed. */
TEST(a_member_that_moved_is_found_when_its_old_place_is_silent)
{
	static struct overlay_peer peers[OVERLAY_PEERS];
	struct identity a = who("10.9.0.1:1");
	const struct np_overlay_logical one = place(1), two = place(2);
	np_time now = NP_SECOND;

	for (unsigned i = 0; i < 100; i++, now += NP_SECOND) {
		overlay_peers_note(peers, &a, &one, now);
		overlay_peers_note(peers, &a, &two, now);
		is_at(peers, &a, 1);
	}
	now -= NP_SECOND;
	overlay_peers_note(peers, &a, &two, now + OVERLAY_PEER_SILENT - 1);
	is_at(peers, &a, 1);
	overlay_peers_note(peers, &a, &two, now + OVERLAY_PEER_SILENT);
	is_at(peers, &a, 2);
}

TEST(strangers_do_not_push_out_who_speaks)
{
	static struct overlay_peer peers[OVERLAY_PEERS];
	struct identity a = who("10.9.0.1:1"), stranger = who("10.8.0.0:1");
	const struct np_overlay_logical one = place(1), two = place(2);

	for (unsigned i = 0; i < 100000; i++) {
		stranger.ip[13] = (uint8_t)(i >> 16);
		stranger.ip[14] = (uint8_t)(i >> 8);
		stranger.ip[15] = (uint8_t)i;
		if (i % 100 == 0)
			overlay_peers_note(peers, &a, &one, i);
		overlay_peers_note(peers, &stranger, &two, i);
		is_at(peers, &stranger, 2);
		is_at(peers, &a, 1);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-mesh_client: a client's result survives the wire, and one that cannot be true does
 * not. */

#include "src/aoe-exercise/session.h"
#include "support/unit.h"

static const struct client good = {
	.began = 1,
	.ending = ENDING_INTERRUPTED,
	.tally = {.sent = 100,
		  .received = 80,
		  .late = 5,
		  .lost = 12,
		  .outstanding = 3,
		  .duplicates = 2,
		  .errors = 1,
		  .retransmitted = 4,
		  .bytes = 81920,
		  .lost_path = 9,
		  .lost_receiver_host = 2,
		  .lost_unattributed = 1},
	.elapsed = 1000000000,
	.rated = 1,
	.rtt = {80, 1, 2, 2, 3, 4, 5, 6},
};

static int through_the_wire(const struct client *client, struct client *out, size_t bytes)
{
	uint8_t piece[CLIENT_BYTES];

	client_pack(client, piece);
	return client_unpack(out, piece, bytes);
}

TEST(what_is_told_is_what_was_measured)
{
	struct client out;
	uint8_t piece[CLIENT_BYTES];

	assert_int_equal(through_the_wire(&good, &out, CLIENT_BYTES), 0);
	assert_memory_equal(&out, &good, sizeof(good));
	client_pack(&good, piece);
	assert_int_equal(piece[7], 1);
	assert_int_equal(piece[23], 100);
}

TEST(what_cannot_be_true_is_refused)
{
	struct client bad[10], out;

	for (size_t i = 0; i < 10; i++)
		bad[i] = good;
	bad[0].began = 2;
	bad[1].ending = ENDING_CHANGED + 1;
	bad[2].tally.sent++;
	bad[3].tally.errors = 81;
	bad[4].tally.retransmitted = 101;
	bad[5].tally.lost_receiver_host = 12;
	bad[6].rtt.count = 81;
	bad[7].elapsed = 0;
	bad[8].tally.bytes = (UINT64_C(1) << 50) + 1;
	bad[9].rtt.max = -1;
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(through_the_wire(&bad[i], &out, CLIENT_BYTES), -EBADMSG);
	assert_int_equal(through_the_wire(&good, &out, CLIENT_BYTES - 8), -EBADMSG);
	assert_int_equal(through_the_wire(&good, &out, 0), -EBADMSG);
}

TEST(a_pair_has_what_arrived_and_what_did_not)
{
	const struct np_mesh_pair pair = client_pair(&good, 7);

	assert_int_equal(pair.from, 7);
	assert_int_equal(pair.to, NP_MESH_OUTSIDE);
	assert_int_equal(pair.sent, 97);
	assert_int_equal(pair.received, 85);
	assert_int_equal(pair.lost, pair.sent - pair.received);
	assert_int_equal(pair.elapsed, 1000000000);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of datagram: sockets for one peer only, and receive timeouts. */
#include "datagram_pair.h"
#include "support/unit.h"

static struct np_datagram *open_for(const char *variant, const struct np_address *peer)
{
	struct np_address local = loopback(AF_INET);
	const struct np_datagram_options options = {
		.variant = variant,
		.local = &local,
		.packet_bytes = 1468,
		.batch = 128,
		.tos = -1,
		.ttl = -1,
		.peer = peer,
	};
	struct np_datagram *datagram;

	assert_int_equal(np_datagram_open(&datagram, &options), 0);
	assert_true(np_address_same_host(local_of(datagram), &local));
	return datagram;
}

TEST(the_only_peer_gets_and_says_all)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct np_datagram *to = open_one("auto", 1468), *other = open_one("auto", 1468);
		struct np_datagram *from = open_for(datagram_variants[i], local_of(to));
		struct np_address peer = *local_of(to);

		send_numbered(other, local_of(from), 100, 0, 1);
		send_numbered(to, local_of(from), 100, 0, 1);
		assert_int_equal(take_numbered(from, ROOM, 100, 0, to), 1);
		send_numbered(from, &peer, 1468, 0, 60);
		assert_int_equal(take_numbered(to, ROOM, 1468, 0, from), 60);
		assert_int_equal(np_datagram_send_one(from, local_of(other), "x", 1), 0);
		assert_int_equal(np_datagram_wait(other, -1, np_clock_now() + BRIEF), 1);
		np_datagram_free(to);
		send_numbered(from, &peer, 100, 60, 60);
		assert_int_equal(stats_of(from).sent, 120);
		assert_in_range(stats_of(from).icmp_errors, 1, 60);
		assert_int_equal(stats_of(from).send_errors, 0);
		np_datagram_free(from);
		np_datagram_free(other);
	}
}

TEST(a_peer_out_of_reach_fails_the_sends)
{
	struct np_address peers[] = {loopback(AF_INET), address_of("255.255.255.255:0")};
	const int errors[] = {-EINVAL, -EACCES};

	np_address_set_port(&peers[0], 0);
	np_address_set_port(&peers[1], 9);
	for (unsigned i = 0; i < 2 * VARIANTS; i++) {
		struct np_datagram *from = open_for(datagram_variants[i / 2], &peers[i % 2]);

		assert_int_equal(np_datagram_send(from, &peers[i % 2], 0, 10, 100, true),
				 errors[i % 2]);
		assert_int_equal(stats_of(from).send_errors, 1);
		np_datagram_free(from);
	}
}

static np_time time_of_empty_receive(struct np_datagram *datagram)
{
	np_time begin = np_clock_now();
	struct np_packet packet;

	assert_int_equal(np_datagram_receive(datagram, &packet, 1), 0);
	return np_clock_now() - begin;
}

TEST(with_a_timeout_a_receive_sleeps_for_one_packet)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct np_datagram *from = open_one("auto", 1468);
		struct np_datagram *to = open_one(datagram_variants[i], 1468);
		struct np_packet packets[ROOM];

		assert_int_equal(np_datagram_set_receive_timeout(to, -1), -EINVAL);
		assert_int_equal(np_datagram_set_receive_timeout(to, BRIEF), 0);
		assert_true(time_of_empty_receive(to) >= BRIEF - NP_MILLISECOND);
		assert_int_equal(np_datagram_set_receive_timeout(to, 3600 * NP_SECOND), 0);
		send_numbered(from, local_of(to), 100, 0, 3);
		for (uint32_t number = 0; number < 3; number++) {
			assert_int_equal(np_datagram_receive(to, packets, ROOM), 1);
			check_packet(&packets[0], 100, number, from);
		}
		assert_int_equal(np_datagram_set_receive_timeout(to, 0), 0);
		assert_true(time_of_empty_receive(to) < 30 * NP_SECOND);
		np_datagram_free(from);
		np_datagram_free(to);
	}
}

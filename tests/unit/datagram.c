// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of datagram: every variant to every other over loopback, right to the packet. */
#include "support/unit.h"

#include "datagram_pair.h"

/*
 * The kernel begins to stamp a while after the first socket of a host asks for it, and until then
 * says when a packet was fetched.
 */
static int have_the_kernel_stamp(void **state)
{
	*state = open_one("gso", 100);
	return np_clock_sleep_until(np_clock_now() + 5 * BRIEF);
}

static int let_the_kernel_be(void **state)
{
	np_datagram_free(*state);
	return 0;
}

ALL_TESTS_WITH(have_the_kernel_stamp, let_the_kernel_be)

static void check_counts(struct np_datagram *from, struct np_datagram *to, unsigned count)
{
	struct np_datagram_stats out = stats_of(from), in = stats_of(to);

	assert_int_equal(out.sent, count);
	assert_int_equal(out.send_refused + out.send_errors + out.icmp_errors, 0);
	assert_int_equal(out.last_error, 0);
	assert_int_equal(in.received, count);
	assert_int_equal(in.dropped, 0);
}

/* From each variant, with slots of @out bytes, to each, with slots of @in bytes. */
static void with_pairs(size_t out, size_t in,
		       void (*use)(struct np_datagram *from, struct np_datagram *to))
{
	for (unsigned i = 0; i < VARIANTS * VARIANTS; i++) {
		DATAGRAM *from = open_one(datagram_variants[i / VARIANTS], out);
		DATAGRAM *to = open_one(datagram_variants[i % VARIANTS], in);

		use(from, to);
	}
}

static struct np_packet take_one(struct np_datagram *to)
{
	struct np_packet packet;

	assert_int_equal(np_datagram_wait(to, -1, np_clock_now() + LATE), 1);
	assert_int_equal(np_datagram_receive(to, &packet, 1), 1);
	return packet;
}

/* Slots @spare bytes wider than the packets. */
static void exchange(const struct np_address *local, const char *sender, const char *receiver,
		     size_t bytes, size_t spare, unsigned room)
{
	const unsigned each = bytes > 2000 ? 13 : 131;
	DATAGRAM *from, *to;

	assert_int_equal(open_at(&from, sender, bytes + spare, local, 1 << 20), 0);
	assert_int_equal(open_at(&to, receiver, bytes + spare, local, 1 << 20), 0);
	for (unsigned i = 0; i < 3; i++) {
		send_numbered(from, local_of(to), bytes, i * each, each);
		take_numbered(to, room, bytes, i * each, each, from);
	}
	check_counts(from, to, 3 * each);
}

/* Small, ordinary and large ones, in slots that are wider or not; little room loses nothing. */
TEST(packets_arrive)
{
	static const struct {
		size_t bytes, spare;
		unsigned room;
	} rows[] = {{28, 0, ROOM},   {4, 24, 50},	  {1468, 0, ROOM}, {1444, 24, 100},
		    {9000, 0, ROOM}, {30000, 2000, ROOM}, {1468, 0, 7},	   {100, 0, 1}};
	const struct np_address local = loopback(AF_INET);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned k = 0; k < VARIANTS * VARIANTS; k++)
			exchange(&local, datagram_variants[k / VARIANTS],
				 datagram_variants[k % VARIANTS], rows[i].bytes, rows[i].spare,
				 rows[i].room);
	for (unsigned i = 1; i < VARIANTS; i++)
		exchange(&local, datagram_variants[i], "auto", NP_DATAGRAM_BYTES_MAX, 0, ROOM);
}

TEST(packets_arrive_by_ipv6)
{
	const struct np_address local = loopback(AF_INET6);
	struct np_datagram *probe;

	if (open_at(&probe, "plain", 1452, &local, 0) == -EADDRNOTAVAIL)
		skip();
	np_datagram_free(probe);
	for (unsigned i = 0; i < VARIANTS * VARIANTS; i++)
		exchange(&local, datagram_variants[i / VARIANTS], datagram_variants[i % VARIANTS],
			 1452, 0, ROOM);
}

/* One socket at the wildcard for both families: its IPv4 partners are asked and answered, too. */
TEST(an_ipv6_socket_has_ipv4_partners)
{
	struct np_address any = loopback(AF_INET6), server_at;

	memset(&((struct sockaddr_in6 *)(void *)&any.storage)->sin6_addr, 0, sizeof(in6addr_any));
	for (unsigned i = 0; i < VARIANTS * VARIANTS; i++) {
		DATAGRAM *client = open_one(datagram_variants[i / VARIANTS], 1452);
		DATAGRAM *server;
		struct np_address partner;
		struct np_packet packet;

		if (open_at(&server, datagram_variants[i % VARIANTS], 1452, &any, 1 << 20))
			skip();
		server_at = loopback(AF_INET);
		np_address_set_port(&server_at, np_address_port(local_of(server)));
		send_numbered(client, &server_at, 1452, 0, 150);
		packet = take_one(server);
		check_packet(&packet, 1452, 0, client);
		partner = *packet.source;
		take_numbered(server, ROOM, 1452, 1, 149, client);

		send_numbered(server, &partner, 1452, 0, 150);
		assert_true(np_address_equal(take_one(client).source, &server_at));
		check_counts(server, server, 150);
	}
}

static void send_long(struct np_datagram *from, struct np_datagram *to)
{
	uint8_t wanted[1468];

	send_numbered(from, local_of(to), 1468, 0, 60);
	send_numbered(from, local_of(to), 99, 60, 1);
	for (uint32_t number = 0; number < 61; number++) {
		const struct np_packet packet = take_one(to);

		fill(wanted, 1468, number);
		assert_int_equal(packet.length, 99);
		assert_int_equal(packet.cut, number < 60);
		assert_memory_equal(packet.data, wanted, 99);
	}
}

TEST(long_packets_are_cut_and_say_so)
{
	with_pairs(1468, 99, send_long);
}

static void send_empty(struct np_datagram *from, struct np_datagram *to)
{
	assert_int_equal(np_datagram_send(from, local_of(to), 0, 3, 0, true), 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(take_one(to).length, 0);
}

TEST(empty_datagrams_are_packets)
{
	with_pairs(100, 100, send_empty);
}

static void send_slots(struct np_datagram *from, struct np_datagram *to)
{
	for (unsigned k = 0; k < 128; k++)
		fill(np_datagram_slot(from, k), 200, k);
	assert_int_equal(np_datagram_send(from, local_of(to), 100, 28, 200, false), 28);
	take_numbered(to, ROOM, 200, 100, 28, from);
	assert_int_equal(np_datagram_send(from, local_of(to), 0, 0, 200, false), 0);
	assert_int_equal(np_datagram_send(from, local_of(to), 100, 29, 200, false), -EINVAL);
	assert_int_equal(np_datagram_send(from, local_of(to), 129, 0, 200, false), -EINVAL);
	assert_int_equal(np_datagram_send(from, local_of(to), 0, 1, 201, false), -EINVAL);
	check_counts(from, to, 28);
}

TEST(sending_goes_on_from_any_slot)
{
	with_pairs(200, 200, send_slots);
}

static void send_hello(struct np_datagram *from, struct np_datagram *to)
{
	struct np_packet packet;

	assert_int_equal(np_datagram_send_one(from, local_of(to), "hello", 5), 0);
	packet = take_one(to);
	assert_int_equal(packet.length, 5);
	assert_memory_equal(packet.data, "hello", 5);
	assert_int_equal(stats_of(from).sent, 0);
}

TEST(one_datagram_goes_uncounted)
{
	with_pairs(1468, 1468, send_hello);
}

/* The point of it: fewer system calls than packets, by far. */
TEST(batches_save_system_calls)
{
	DATAGRAM *to = open_one("auto", 1468);

	for (unsigned i = 0; i < VARIANTS; i++) {
		DATAGRAM *from = open_one(datagram_variants[i], 1468);
		uint64_t calls;

		send_numbered(from, local_of(to), 1468, 0, 101);
		calls = stats_of(from).send_calls;
		assert_int_equal(stats_of(from).receive_calls, 0);
		if (!strcmp(datagram_variants[i], "plain"))
			assert_int_equal(calls, 101);
		else
			assert_in_range(calls, 1, 3);
		assert_int_equal(np_datagram_info(from)->gso, !strcmp(datagram_variants[i], "gso"));
		take_numbered(to, ROOM, 1468, 0, 101, from);
	}
	assert_in_range(stats_of(to).receive_calls, VARIANTS, VARIANTS * 101);
	assert_int_equal(stats_of(to).send_calls, 0);
}

/* Large buffers come one a call, single packets many a call; in order all the same. */
TEST(calls_follow_the_buffers)
{
	DATAGRAM *from = open_one("gso", 1468), *to = open_one("gso", 1468);
	uint32_t number = 0;
	uint64_t calls;

	for (unsigned i = 0; i < 4; i++, number += 88) {
		calls = stats_of(to).receive_calls;
		send_numbered(from, local_of(to), 1468, number, 88);
		take_numbered(to, ROOM, 1468, number, 88, from);
		if (i > 0)
			assert_int_equal(stats_of(to).receive_calls - calls, 2);
	}
	calls = stats_of(to).receive_calls;
	for (unsigned i = 0; i < 50; i++)
		send_numbered(from, local_of(to), 100, number + i, 1);
	take_numbered(to, ROOM, 100, number, 50, from);
	assert_in_range(stats_of(to).receive_calls - calls, 4, 5);
}

/* Kernel stamps tell when a packet came, not when it was fetched. */
TEST(stamps_are_what_info_says)
{
	struct np_packet packet;

	for (unsigned i = 0; i < VARIANTS; i++) {
		DATAGRAM *from = open_one("plain", 100);
		DATAGRAM *to = open_one(datagram_variants[i], 100);
		bool kernel = !strcmp(np_datagram_info(to)->stamps, "kernel");
		np_time before = np_clock_now(), after;

		send_numbered(from, local_of(to), 100, 0, 1);
		after = np_clock_now();
		np_clock_sleep_until(after + BRIEF);
		assert_int_equal(np_datagram_receive(to, &packet, 1), 1);
		assert_true(packet.stamp > before - 2 * NP_MICROSECOND);
		if (kernel)
			assert_true(packet.stamp < after + 2 * NP_MICROSECOND);
		else
			assert_true(packet.stamp >= after + BRIEF);
	}
}

/* Small ones out of narrow slots, and long ones in. */
TEST(longer_packets_than_those_sent_are_received_whole)
{
	struct np_address local = loopback(AF_INET);
	struct np_datagram_options options = {
		.local = &local,
		.packet_bytes = 40,
		.longest_bytes = NP_DATAGRAM_BYTES_MAX,
		.batch = 16,
		.receive_bytes = 1 << 20,
		.ip.tos = -1,
		.ip.ttl = -1,
	};

	for (unsigned i = 0; i < VARIANTS; i++) {
		DATAGRAM *from = open_one("plain", 60000), *to;

		options.variant = datagram_variants[i];
		assert_int_equal(np_datagram_open(&to, &options), 0);
		send_numbered(from, local_of(to), 60000, 0, 2);
		take_numbered(to, ROOM, 60000, 0, 2, from);
		send_numbered(to, local_of(from), 40, 0, 16);
		take_numbered(from, ROOM, 40, 0, 16, to);
	}
}

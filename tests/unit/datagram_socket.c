// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Unit tests of datagram: opening and its errors, waiting, what is lost in this host, refusals,
 * sockets for one peer only, receive timeouts.
 */
#include "datagram_pair.h"
#include "support/unit.h"

static struct np_datagram_options options_at(const struct np_address *local)
{
	return (struct np_datagram_options){
		.local = local,
		.packet_bytes = 1468,
		.batch = 64,
		.ip.tos = -1,
		.ip.ttl = -1,
	};
}

TEST(opening_tells_what_is_wrong)
{
	DATAGRAM *holder = open_one("plain", 100);
	const struct np_address free_port = loopback(AF_INET), taken = *local_of(holder),
				elsewhere = address_of("192.0.2.1:0"); /* for documentation */
	struct np_address alien = free_port;
	const struct {
		int error;
		struct np_datagram_options options;
	} rows[] = {
#define ROW .ip.tos = -1, .local = &free_port
		{0, {ROW, .packet_bytes = 1, .batch = 1, .ip.ttl = -1}},
		{-EINVAL, {ROW, .packet_bytes = 1, .batch = 0, .ip.ttl = -1}},
		{-EINVAL,
		 {ROW, .packet_bytes = 1, .batch = NP_DATAGRAM_BATCH_MAX + 1, .ip.ttl = -1}},
		{-EINVAL, {ROW, .packet_bytes = 0, .batch = 1, .ip.ttl = -1}},
		{-EINVAL,
		 {ROW, .packet_bytes = NP_DATAGRAM_BYTES_MAX + 1, .batch = 1, .ip.ttl = -1}},
		{-EINVAL, {ROW, .packet_bytes = 1, .batch = 1, .ip.ttl = 256}},
		{-EINVAL, {ROW, .packet_bytes = 1, .batch = 1, .ip.ttl = -1, .group = &free_port}},
#undef ROW
#define ROW .ip.tos = -1, .ip.ttl = -1, .packet_bytes = 1, .batch = 1
		{-EAFNOSUPPORT, {ROW, .local = &alien}},
		{-EADDRINUSE, {ROW, .local = &taken}},
		{-EADDRNOTAVAIL, {ROW, .local = &elsewhere}},
		{-ENODEV, {ROW, .local = &free_port, .ip.device = "nix0"}},
		{-ENODEV, {ROW, .local = &free_port, .ip.device = "a-name-of-sixteen"}},
		{-EPROTONOSUPPORT, {ROW, .local = &free_port, .variant = "nix"}},
		{-EPROTONOSUPPORT, {ROW, .local = &free_port, .variant = ""}},
	};

	alien.any.sa_family = AF_UNIX;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		DATAGRAM *datagram = (void *)-1;
		const int error = np_datagram_open(&datagram, &rows[i].options);

		if (error != rows[i].error || (error && datagram))
			fail_msg("row %zu: %d, not %d", i, error, rows[i].error);
	}
}

TEST(variants_are_known_by_name)
{
	unsigned count = 0;

	for (const char *const *name = np_datagram_variants; *name; name++, count++)
		np_datagram_free(open_one(*name, 100));
	assert_int_equal(count, 5);
	assert_string_equal(np_datagram_variants[0], "auto");
}

TEST(auto_takes_what_fits_the_packets)
{
	static const struct {
		size_t bytes;
		const char *variant;
	} cases[] = {{28, "gso"}, {1468, "gso"}, {32753, "gso"}, {32754, "mmsg"}, {65507, "mmsg"}};
	struct np_address local = loopback(AF_INET);
	struct np_datagram *datagram;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		datagram = open_one(NULL, cases[i].bytes);
		assert_string_equal(np_datagram_info(datagram)->variant, cases[i].variant);
		np_datagram_free(datagram);
	}
	assert_int_equal(open_at(&datagram, "gso", 32754, &local, 0), -EPROTONOSUPPORT);
}

TEST(info_describes_the_socket)
{
	struct np_datagram *datagram = open_one("mmsg", 100);
	const struct np_datagram_info *info = np_datagram_info(datagram);
	struct np_address local = loopback(AF_INET);

	assert_string_equal(info->variant, "mmsg");
	assert_string_equal(info->drop_unit, "packet");
	assert_null(info->detail);
	assert_false(info->gso);
	assert_int_not_equal(np_address_port(&info->local), 0);
	assert_true(np_address_same_host(&info->local, &local));
	assert_true(info->receive_granted > 0);
	assert_true(info->send_granted > 0);
	assert_true(np_datagram_fd(datagram) >= 0);
	np_datagram_free(datagram);
	datagram = open_one("gso", 100);
	assert_string_equal(np_datagram_info(datagram)->drop_unit, "buffer");
	np_datagram_free(datagram);
}

static int read_option(const struct np_datagram *datagram, int level, int name)
{
	int value = -1;
	socklen_t length = sizeof(value);

	assert_int_equal(getsockopt(np_datagram_fd(datagram), level, name, &value, &length), 0);
	return value;
}

TEST(marks_and_device_reach_the_socket)
{
	struct np_address local = loopback(AF_INET);
	struct np_datagram_options options = options_at(&local);
	struct np_datagram *datagram;
	char device[16] = "";
	socklen_t length = sizeof(device);

	options.ip.tos = 0xB8;
	options.ip.ttl = 7;
	options.ip.device = "lo";
	options.receive_bytes = 50000;
	options.send_bytes = 60000;
	assert_int_equal(np_datagram_open(&datagram, &options), 0);
	assert_int_equal(read_option(datagram, SOL_IP, IP_TOS), 0xB8);
	assert_int_equal(read_option(datagram, SOL_IP, IP_TTL), 7);
	assert_int_equal(read_option(datagram, SOL_IP, IP_MULTICAST_TTL), 7);
	assert_int_equal(read_option(datagram, SOL_SOCKET, SO_RCVBUF), 100000);
	assert_int_equal(np_datagram_info(datagram)->receive_granted, 50000);
	assert_int_equal(np_datagram_info(datagram)->send_granted, 60000);
	assert_int_equal(
		getsockopt(np_datagram_fd(datagram), SOL_SOCKET, SO_BINDTODEVICE, device, &length),
		0);
	assert_string_equal(device, "lo");
	np_datagram_free(datagram);

	local = loopback(AF_INET6);
	if (np_datagram_open(&datagram, &options))
		skip();
	assert_int_equal(read_option(datagram, SOL_IPV6, IPV6_TCLASS), 0xB8);
	assert_int_equal(read_option(datagram, SOL_IPV6, IPV6_UNICAST_HOPS), 7);
	assert_int_equal(read_option(datagram, SOL_IPV6, IPV6_MULTICAST_HOPS), 7);
	np_datagram_free(datagram);
}

TEST(waiting_ends_for_each_reason)
{
	DATAGRAM *from = open_one("auto", 1468), *to = open_one("auto", 1468);
	struct np_packet packets[10];
	np_time begin = np_clock_now();
	int ends[2];

	assert_int_equal(np_datagram_wait(to, -1, begin + BRIEF), 0);
	assert_true(np_clock_now() >= begin + BRIEF);
	assert_int_equal(np_datagram_wait(to, -1, begin), 0);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(np_datagram_wait(to, ends[0], NP_TIME_NEVER), 0);
	send_numbered(from, local_of(to), 1468, 0, 30);
	assert_int_equal(np_datagram_wait(to, ends[0], NP_TIME_NEVER), 1);
	/* The rest of a buffer waits here, not in the socket. */
	assert_int_equal(np_datagram_receive(to, packets, 10), 10);
	assert_int_equal(np_datagram_wait(to, -1, NP_TIME_NEVER), 1);
	assert_int_equal(np_datagram_receive(to, packets, 0), 0);
	close(ends[0]);
	close(ends[1]);
}

/* Sends much more than a small buffer holds; packets that did not come, @received those that did.
 */
static uint64_t overflow(const char *sender, const char *receiver, struct np_datagram_stats *stats)
{
	struct np_address local = loopback(AF_INET);
	DATAGRAM *from = open_one(sender, 1000), *to;
	struct np_packet packets[ROOM];
	int got;

	assert_int_equal(open_at(&to, receiver, 1000, &local, 100000), 0);
	send_numbered(from, local_of(to), 1000, 0, 1000);
	do {
		got = np_datagram_receive(to, packets, ROOM);
		assert_true(got >= 0);
	} while (got > 0);
	*stats = stats_of(to);
	assert_int_equal(stats_of(from).sent, 1000);
	assert_in_range(stats->received, 10, 500);
	assert_int_equal(stats_of(to).dropped, stats->dropped);
	return 1000 - stats->received;
}

TEST(drops_are_counted_to_the_packet)
{
	static const char *const pairs[][2] = {{"gso", "mmsg"},
					       {"gso", "plain"},
					       {"mmsg", "mmsg"},
					       {"mmsg", "plain"},
					       {"plain", "mmsg"},
					       {"plain", "plain"},
					       /* What was not sent as a buffer comes as none. */
					       {"plain", "gso"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct np_datagram_stats stats;
		const uint64_t lost = overflow(pairs[i][0], pairs[i][1], &stats);

		assert_int_equal(stats.dropped, lost);
	}
}

TEST(dropped_buffers_bound_the_loss)
{
	struct np_datagram_stats stats;
	uint64_t lost = overflow("gso", "gso", &stats);

	assert_in_range(stats.dropped, 1, lost - 1);
	assert_true(lost <= stats.dropped * 65);
}

TEST(refusals_are_counted_and_do_no_harm)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct np_datagram *gone = open_one("plain", 100);
		DATAGRAM *to = open_one("plain", 100);
		DATAGRAM *from = open_one(datagram_variants[i], 100);
		struct np_address nobody = *local_of(gone);
		struct np_packet packet;
		np_time begin;

		np_datagram_free(gone);
		send_numbered(from, &nobody, 100, 0, 500);
		assert_int_equal(np_datagram_receive(from, &packet, 1), 0);
		send_numbered(from, &nobody, 100, 0, 1);
		begin = np_clock_now();
		assert_int_equal(np_datagram_wait(from, -1, begin + BRIEF), 0);
		assert_true(np_clock_now() >= begin + BRIEF);
		send_numbered(from, &nobody, 100, 0, 1);
		assert_int_equal(np_datagram_send_one(from, local_of(to), "x", 1), 0);
		send_numbered(from, local_of(to), 100, 0, 10);
		assert_int_equal(stats_of(from).sent, 512);
		assert_in_range(stats_of(from).icmp_errors, 1, 502);
		assert_int_equal(stats_of(from).send_errors, 0);
		assert_int_equal(stats_of(from).last_error, -ECONNREFUSED);
	}
}

TEST(null_swallows_all)
{
	DATAGRAM *null = open_one("null", 100);
	struct np_packet packet;

	assert_int_equal(np_datagram_send(null, local_of(null), 0, 128, 100, true), 128);
	assert_int_equal(np_datagram_send_one(null, local_of(null), "x", 1), 0);
	assert_int_equal(np_datagram_receive(null, &packet, 1), 0);
	assert_int_equal(np_datagram_wait(null, -1, np_clock_now() + NP_MILLISECOND), 0);
	assert_int_equal(stats_of(null).sent, 128);
	assert_int_equal(np_datagram_fd(null), -1);
	np_datagram_free(NULL);
}

static struct np_datagram *open_for(const char *variant, const struct np_address *peer)
{
	struct np_address local = loopback(AF_INET);
	struct np_datagram_options options = options_at(&local);
	struct np_datagram *datagram;

	options.variant = variant;
	options.batch = 128;
	options.peer = peer;
	assert_int_equal(np_datagram_open(&datagram, &options), 0);
	assert_true(np_address_same_host(local_of(datagram), &local));
	return datagram;
}

TEST(the_only_peer_gets_and_says_all)
{
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct np_datagram *to = open_one("auto", 1468);
		DATAGRAM *other = open_one("auto", 1468);
		DATAGRAM *from = open_for(datagram_variants[i], local_of(to));
		struct np_address peer = *local_of(to);

		send_numbered(other, local_of(from), 100, 0, 1);
		send_numbered(to, local_of(from), 100, 0, 1);
		take_numbered(from, ROOM, 100, 0, 1, to);
		send_numbered(from, &peer, 1468, 0, 60);
		take_numbered(to, ROOM, 1468, 0, 60, from);
		assert_int_equal(np_datagram_send_one(from, local_of(other), "x", 1), 0);
		assert_int_equal(np_datagram_wait(other, -1, np_clock_now() + BRIEF), 1);
		np_datagram_free(to);
		send_numbered(from, &peer, 100, 60, 60);
		assert_int_equal(stats_of(from).sent, 120);
		assert_in_range(stats_of(from).icmp_errors, 1, 60);
		assert_int_equal(stats_of(from).send_errors, 0);
	}
}

/* Port 0 is nobody's, and to all hosts none was allowed to send; also where it is the only peer. */
TEST(what_cannot_be_sent_is_an_error)
{
	static const struct {
		const char *to;
		int error;
	} rows[] = {{"127.0.0.1:0", -EINVAL}, {"255.255.255.255:9", -EACCES}};

	for (unsigned i = 0; i < 4 * VARIANTS; i++) {
		const struct np_address to = address_of(rows[i % 2].to);
		const char *variant = datagram_variants[i / 4];
		DATAGRAM *from = i & 2 ? open_for(variant, &to) : open_one(variant, 100);

		assert_int_equal(np_datagram_send(from, &to, 0, 10, 100, true), rows[i % 2].error);
		assert_int_equal(np_datagram_send_one(from, &to, "x", 1), rows[i % 2].error);
		assert_int_equal(stats_of(from).sent, 0);
		assert_int_equal(stats_of(from).send_errors, 1);
		assert_int_equal(stats_of(from).last_error, rows[i % 2].error);
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
		DATAGRAM *from = open_one("auto", 1468);
		DATAGRAM *to = open_one(datagram_variants[i], 1468);
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
	}
}

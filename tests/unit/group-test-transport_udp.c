// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-transport_udp: members of a multicast group on loopback, and what strangers send. */
#include "address_of.h"
#include "group_transports.h"
#include "support/unit.h"

/* A group of this process' own. */
static struct np_address own_group(void)
{
	char text[64];

	snprintf(text, sizeof(text), "239.77.%d.%d:%d", getpid() >> 8 & 0xff, getpid() & 0xff,
		 20000 + getpid() % 10000);
	return address_of(text);
}

static struct transport_plan udp_plan(unsigned count, size_t data_bytes, const char *batch)
{
	struct transport_plan plan = {
		.variant = "udp",
		.bind = address_of("127.0.0.1:0"),
		.udp = {.group = own_group(), .batch = batch},
	};

	parties_plan(&plan, count, data_bytes);
	return plan;
}

/* The window's promise, in the worst case: nobody reads, and each message is a buffer. */
TEST(a_window_of_messages_finds_room)
{
	static const char *const batches[] = {"plain", "mmsg", "auto"};
	static const size_t sizes[] = {8, 250, 1000, 4000, 20000, NP_DATAGRAM_BYTES_MAX};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (size_t k = 0; k < sizeof(batches) / sizeof(*batches); k++) {
			struct transport_plan plan = udp_plan(2, sizes[i], batches[k]);
			struct parties p = {};
			uint32_t sent = 0, window;

			plan.receive_bytes = 1 << 20;
			parties_open_all(&p, plan, 2);
			window = parties_window(&p);
			while (sent < window)
				sent += parties_data(&p, 0, sent, window - sent);
			PARTIES_AWAIT(&p, parties_least(&p, 0) >= window);
			assert_int_equal(parties_stats(&p, 1).dropped, 0);
			parties_close(&p);
		}
	}
}

TEST(what_finds_no_room_is_counted)
{
	struct transport_plan plan = udp_plan(2, 1000, "plain");
	PARTIES p = {};
	uint32_t sent = 0;

	plan.receive_bytes = 65536;
	parties_open_all(&p, plan, 2);
	while (sent < 2000)
		sent += parties_data(&p, 0, sent, 2000 - sent);
	for (unsigned i = 0; i < 100; i++)
		parties_turn(&p);
	assert_in_range(parties_stats(&p, 1).received_messages, 1, 1999);
	assert_int_equal(parties_stats(&p, 1).received_messages + parties_stats(&p, 1).dropped,
			 2000);
	assert_int_equal(p.party[1].strange, 0);
}

TEST(a_message_to_one_reaches_one)
{
	const struct identity nobody = {};
	PARTIES p = {};

	parties_open_all(&p, udp_plan(3, 1000, NULL), 3);
	assert_int_equal(transport_send(p.party[0].transport, &nobody, "x", 1), -ENOENT);
	parties_one_hears_one(&p);
}

/* A member that has gone answers with ICMP errors, which harm nobody. */
TEST(messages_to_the_dead_are_forgotten)
{
	PARTIES p = {};
	uint8_t hello[HELLO_BYTES] = "\xe7hello";
	struct identity dead;

	parties_open_all(&p, udp_plan(2, 1000, NULL), 2);
	dead = transport_info(p.party[1].transport)->self;
	transport_free(p.party[1].transport);
	p.count = 1;
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(transport_send(p.party[0].transport, &dead, hello, 16), 0);
		assert_int_equal(transport_turn(p.party[0].transport, 1, 0), 0);
	}
	parties_all_hear_all(&p);
	parties_stream(&p, 0, 100, 50);
	parties_counted(&p, 0, 10 + 1 + 100, 11 * HELLO_BYTES + 100 * 1000);
}

TEST(a_turn_takes_no_more_than_asked)
{
	struct parties p = {.most = 1};

	parties_open_all(&p, udp_plan(1, 100, NULL), 1);
	assert_int_equal(parties_data(&p, 0, 0, 50), 50);
	parties_turn(&p);
	assert_int_equal(p.party[0].next[0], 1);
	p.most = 7;
	parties_turn(&p);
	assert_int_equal(p.party[0].next[0], 8);
	p.party[0].most_at_once = 0;
	parties_stream(&p, 0, 50, 50);
	parties_close(&p);
}

/* Each costs a counter; those that may be messages are delivered under the stranger's own name. */
TEST(datagrams_of_strangers_cost_a_count)
{
	PARTIES p = {};
	static uint8_t junk[2000];
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct np_address from = address_of("127.0.0.1:0"), group = own_group();

	assert_int_equal(bind(fd, &from.any, from.length), 0);
	parties_open_all(&p, udp_plan(1, 1000, NULL), 1);
	for (size_t bytes = 0; bytes <= 2000; bytes += 250)
		sendto(fd, junk, bytes, 0, &group.any, group.length);
	PARTIES_AWAIT(&p, parties_stats(&p, 0).oversize && parties_stats(&p, 0).bad_lengths &&
				  p.party[0].strange);
	assert_int_equal(p.party[0].strange, 4);
	assert_int_equal(parties_stats(&p, 0).oversize, 4);
	assert_in_range(p.party[0].events[TRANSPORT_OVERSIZE], 1, 4);
	assert_int_equal(parties_stats(&p, 0).bad_lengths, 1);
	p.party[0].strange = 0;
	parties_all_hear_all(&p);
	close(fd);
}

/* Whatever this host has, and whatever it is called. */
TEST(without_an_address_it_has_one_of_this_host)
{
	const struct transport_listener listener = {};
	struct transport_plan plan = udp_plan(1, 100, NULL);
	struct np_fault fault = {};
	struct transport *t;
	int rc;

	plan.bind = (struct np_address){};
	rc = transport_open(&t, &plan, &listener, &fault);
	if (rc) {
		assert_int_equal(rc, -EADDRNOTAVAIL);
	} else {
		const struct np_address lives = identity_address(&transport_info(t)->self);

		assert_int_equal(lives.any.sa_family, AF_INET);
		assert_true(np_address_is_local(&lives));
	}
	transport_free(t);
	plan.ip.device = "nix0";
	parties_refused(&plan, -EADDRNOTAVAIL, "udp",
			"this host has no address for the group: bind to one");
}

TEST(faults_say_what_would_be_right)
{
	struct transport_plan plan = udp_plan(1, 40000, "gso");

	parties_refused(&plan, -EPROTONOSUPPORT, "gso",
			"is not possible with messages of 40000 bytes here");
	plan = udp_plan(1, 100, "pigeon");
	parties_refused(&plan, -EPROTONOSUPPORT, "pigeon",
			"is not possible with messages of 100 bytes here");
	plan.udp.batch = "null";
	parties_refused(&plan, -EPROTONOSUPPORT, "null",
			"sends nothing, but a member must receive its own messages");
	plan = udp_plan(1, 100, NULL);
	plan.udp.group = address_of("[ff05::1]:7500");
	parties_refused(&plan, -EAFNOSUPPORT, "[ff05::1]:7500",
			"not of the family of the address to bind to");
	plan = udp_plan(1, 100, NULL);
	plan.bind = address_of("192.0.2.1:0");
	parties_refused(&plan, -EADDRNOTAVAIL, "192.0.2.1:0", "Cannot assign requested address");
	plan = udp_plan(1, 100, NULL);
	plan.ip.device = "nix0";
	parties_refused(&plan, -ENODEV, "nix0", "No such device");
}

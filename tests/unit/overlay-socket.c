// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-socket: an overlay as programs see it: opened by a file, room, counts, what is refused.
 */
#include "../net/overlay-opened.h"
#include "support/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netperf/clock.h>
#include <stdlib.h>

#define LIMIT (60 * NP_SECOND)

static struct np_address loopback(uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", port), 0);
	return address;
}

/* A node without a protocol on 127.0.0.1, with @contact as a neighbour, unless that is NULL. */
static struct np_overlay *none(const char *substrate, const struct np_address *contact)
{
	const struct overlay_wanted wanted = {.protocol = "NONE",
					      .substrate = substrate,
					      .contact = contact,
					      .contacts = contact != NULL};
	struct np_overlay *o = overlay_opened(&wanted, NULL);

	assert_int_equal(np_overlay_send_all(o, "x", 1), -ENOTCONN);
	np_overlay_join(o, np_clock_now());
	return o;
}

static void turn(struct np_overlay *o)
{
	while (np_overlay_turn(o, 64, np_clock_now()) > 0)
		;
}

static struct np_overlay_substrate_counts counts(struct np_overlay *o)
{
	struct np_overlay_stats stats;

	assert_int_equal(np_overlay_stats(o, &stats), 0);
	return stats.substrate;
}

/* A listener that takes connections and reads nothing until it is told to. */
static int deaf(struct np_address *address)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;

	*address = loopback(0);
	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(bind(fd, &address->any, address->length), 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, &address->any, &address->length), 0);
	return fd;
}

/* Reads all that comes until @messages of @bytes, each behind a port, are there. */
static void read_messages(struct np_overlay *o, int fd, uint64_t messages, size_t bytes)
{
	const np_time end = np_clock_now() + LIMIT;
	uint64_t left = messages * (bytes + 2);
	static uint8_t data[65536];

	while (left) {
		const ssize_t got = recv(fd, data, sizeof(data), MSG_DONTWAIT);

		assert_true(np_clock_now() < end);
		assert_true(got > 0 || errno == EAGAIN);
		left -= got > 0 ? (uint64_t)got : 0;
		turn(o);
	}
	assert_int_equal(recv(fd, data, sizeof(data), MSG_DONTWAIT), -1);
	assert_int_equal(errno, EAGAIN);
}

TEST(a_sender_waits_for_room_and_loses_nothing)
{
	static const uint8_t payload[8000];
	const size_t overhead = 11 + 2 * 16 + 4 + 3; /* head, addresses, DATA, ROUTE */
	struct np_address address;
	const int listener = deaf(&address);
	struct np_overlay *o = none("tcp", &address);
	struct np_overlay_substrate_counts c;
	uint64_t sent = 0;
	int fd, rc, full = 0;

	/* Room comes and goes while the kernel takes some; then it stays away. */
	while (full < 50) {
		rc = np_overlay_send_all(o, payload, sizeof(payload));
		assert_true(!rc || rc == -EAGAIN);
		assert_true(!rc || !np_overlay_room(o, NULL));
		assert_true(!rc || counts(o).waiting.own >= 1);
		sent += !rc;
		full = rc ? full + 1 : 0;
		if (rc)
			np_overlay_wait(o, -1, np_clock_now() + 2 * NP_MILLISECOND);
		turn(o);
	}
	c = counts(o);
	assert_int_equal(c.sent.own + c.waiting.own, sent);
	assert_false(np_overlay_idle(o));
	fd = accept(listener, NULL, NULL);
	read_messages(o, fd, sent, sizeof(payload) + overhead);
	assert_true(np_overlay_room(o, NULL));
	c = counts(o);
	assert_int_equal(c.sent.own, sent);
	assert_int_equal(c.waiting.own + c.no_room.own + c.unreachable.own + c.refused.own, 0);
	assert_true(np_overlay_idle(o));
	close(fd);
	close(listener);
	np_overlay_free(o);
}

/* What came and found no room in the kernel: with what was received it is all that was sent. */
TEST(drops_of_the_kernel_are_counted)
{
	const struct np_overlay_options small = {.receive_bytes = 4096, .tos = -1, .ttl = -1};
	const struct overlay_wanted wanted = {.protocol = "NONE", .substrate = "udp"};
	static const uint8_t payload[1000];
	struct np_overlay_substrate_counts c;
	struct np_overlay *from, *to;
	struct np_fault fault = {};

	assert_int_equal(overlay_try(&to, &wanted, &small, NULL, &fault), 0);
	from = none("udp", &np_overlay_info(to)->local);
	np_overlay_join(to, np_clock_now());
	for (unsigned i = 0; i < 500; i++) {
		while (np_overlay_send_all(from, payload, sizeof(payload)) == -EAGAIN)
			turn(from);
	}
	while (!np_overlay_idle(from))
		turn(from);
	turn(to);
	c = counts(to);
	assert_true(c.received >= 1);
	assert_true(c.kernel_dropped >= 1);
	assert_string_equal(np_overlay_info(to)->drop_unit, "packet");
	assert_int_equal(c.received + c.kernel_dropped, 500);
	assert_int_equal(counts(from).sent.own, 500);
	np_overlay_free(from);
	np_overlay_free(to);
}

/* The answer that nobody is there is counted, and does not keep the descriptor readable. */
TEST(nobody_at_a_datagrams_end)
{
	struct np_overlay *gone = none("udp", NULL), *o;
	const struct np_address contact = np_overlay_info(gone)->local;
	const np_time end = np_clock_now() + LIMIT;
	struct pollfd fd = {.events = POLLIN};

	np_overlay_free(gone);
	o = none("udp", &contact);
	fd.fd = np_overlay_fd(o);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(np_overlay_send_all(o, "x", 1), 0);
	do
		turn(o);
	while (np_wait_ready(&fd, 1, 0) && np_clock_now() < end);
	assert_int_equal(np_wait_ready(&fd, 1, 0), 0);
	assert_int_equal(counts(o).sent.own, 3);
	assert_true(counts(o).icmp_errors >= 1);
	np_overlay_free(o);
}

/* What the file says, or leaves to be the default, holds. */
TEST(what_the_file_says_holds)
{
	static const struct {
		const char *protocol, *substrate, *node;
		np_time timeout;
	} cases[] = {
		{"DTBuddyList", "udp", "<TimeoutTime>7000</TimeoutTime>", 7 * NP_SECOND},
		{"DTBuddyList", "tcp", NULL, 10 * NP_SECOND},
		{"NONE", "tcp", NULL, 0},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct overlay_wanted wanted = {
			.protocol = cases[i].protocol,
			.substrate = cases[i].substrate,
			.top = "<OverlayID>Overlay_DT_Test</OverlayID>"
			       "<HashAttributes>/Public/OverlayID</HashAttributes>"
			       "<ReadTimeout>150</ReadTimeout>",
			.adapter = "<MessageBufferSize>77</MessageBufferSize>",
			.interface = "<MaximumPacketLength>5000</MaximumPacketLength>",
			.node = cases[i].node,
		};
		struct np_overlay *o = overlay_opened(&wanted, NULL);
		const struct np_overlay_info *info = np_overlay_info(o);
		const bool udp = !strcmp(cases[i].substrate, "udp");

		assert_string_equal(info->protocol, cases[i].protocol);
		assert_string_equal(info->substrate, cases[i].substrate);
		assert_true(np_address_port(&info->local) != 0);
		assert_int_equal(info->hash, 0x35eb719f);
		assert_int_equal(info->message_max, 5000);
		assert_in_range(info->payload_max_all, 4900, 4999);
		assert_in_range(info->payload_max_one, 4900, info->payload_max_all - 1);
		assert_int_equal(info->message_buffer, 77);
		assert_int_equal(info->timeout, cases[i].timeout);
		assert_int_equal(udp, info->drop_unit != NULL);
		assert_true(info->receive_granted > 0 && info->send_granted > 0);
		assert_non_null(info->stamps);
		np_overlay_free(o);
	}
}

static void refused(const struct overlay_wanted *wanted, int error, const char *line,
		    const char *reason)
{
	struct np_fault fault = {};
	struct np_overlay *o;

	assert_int_equal(overlay_try(&o, wanted, NULL, NULL, &fault), error);
	assert_null(o);
	assert_string_equal(strrchr(fault.object, ':'), line);
	if (!strstr(fault.reason, reason))
		fail_msg("%s, not %s", fault.reason, reason);
}

/* What only the opening sees is refused with its place, too. */
TEST(what_is_refused)
{
	struct overlay_wanted wanted = {.protocol = "NONE", .substrate = "udp"};
	struct np_overlay *first;
	struct np_fault fault;

	assert_int_equal(np_overlay_open_file(&first, "/nowhere/o.xml", NULL, NULL, &fault),
			 -ENOENT);
	assert_null(first);
	assert_string_equal(fault.object, "/nowhere/o.xml");
	assert_int_equal(np_address_parse(&wanted.local, "192.0.2.1:9001", 0), 0);
	refused(&wanted, -EADDRNOTAVAIL, ":3",
		"<Interface>: 192.0.2.1:9001: Cannot assign requested address");
	wanted.local = loopback(0);
	wanted.interface = "</UDPInterface></Type></Interface><Interface><ID>1</ID><Type>"
			   "<UDPInterface>";
	refused(&wanted, -EOPNOTSUPP, ":3", "<Interface>: a second active interface");
	/* It may be there, as long as it is switched off. */
	wanted.interface = "</UDPInterface></Type></Interface><Interface><ID>1</ID>"
			   "<Active>false</Active><Type><UDPInterface>";
	first = overlay_opened(&wanted, NULL);
	wanted = (struct overlay_wanted){.protocol = "NONE",
					 .substrate = "udp",
					 .local = np_overlay_info(first)->local,
					 .no_other_port = true};
	refused(&wanted, -EADDRINUSE, ":3", ": Address already in use");
	wanted.no_other_port = false;
	np_overlay_free(overlay_opened(&wanted, NULL));
	np_overlay_free(first);
	np_overlay_free(NULL);
}

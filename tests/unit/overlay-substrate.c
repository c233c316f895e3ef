// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-substrate: order and counts of what a node forwards over UDP, errors of earlier
 * datagrams, and how many calls take what is gathered for a node. */
#include "../../src/lib/overlay/queue.h"
#include "../../src/lib/overlay/substrate.h"
#include "support/unit.h"

#include <errno.h>
#include <netperf/clock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIMIT	 (60 * NP_SECOND)
#define REALM	 0x1234
#define MESSAGES 100
#define TARGETS	 6 /* more than the substrate gathers for at once */
#define FEW	 2 /* of them get all messages, the others only the second half */

/* The library's calls come here. */
static unsigned refusals;

int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit)
{
	if (refusals) {
		refusals--;
		errno = ECONNREFUSED;
		return -1;
	}
	return (int)syscall(SYS_recvmmsg, fd, messages, count, flags, limit);
}

static unsigned calls;

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	calls++;
	return syscall(SYS_sendmsg, fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	calls++;
	return (int)syscall(SYS_sendmmsg, fd, messages, count, flags);
}

ssize_t sendto(int fd, const void *data, size_t bytes, int flags, const struct sockaddr *to,
	       socklen_t length)
{
	calls++;
	return syscall(SYS_sendto, fd, data, bytes, flags, to, length);
}

static struct np_address loopback(void)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", 0), 0);
	return address;
}

static void open_substrate(struct overlay_substrate *s, enum overlay_kind kind)
{
	const struct overlay_substrate_plan plan = {
		.local = loopback(),
		.realm = REALM,
		.message_max = 8192,
		.message_buffer = 1000,
		.connect_timeout = LIMIT,
		.idle_max = LIMIT,
		.stall_max = LIMIT,
		.backlog = 5,
		.options = {.tos = -1, .ttl = -1},
	};

	assert_int_equal(overlay_substrate_open(s, kind, &plan), 0);
}

/* A socket of a test, where a message to *@at arrives. */
static int listening(int type, struct overlay_address *at)
{
	const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0), room = 1 << 20;
	struct np_address address = loopback();
	const struct sockaddr_in *ipv4 = (const void *)&address.storage;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	assert_int_equal(bind(fd, &address.any, address.length), 0);
	assert_int_equal(getsockname(fd, &address.any, &address.length), 0);
	*at = overlay_address_ipv4(ntohl(ipv4->sin_addr.s_addr), ntohs(ipv4->sin_port), REALM);
	return fd;
}

/* A node that forwards what it receives to targets, and says something of its own meanwhile. */
struct hub {
	struct overlay_substrate substrate;
	int fd[TARGETS];
	struct overlay_address target[TARGETS];
	unsigned taken;
};

static void forward(void *context, const struct overlay_address *from, const void *message,
		    size_t bytes, np_time at)
{
	struct hub *h = context;
	struct overlay_substrate *s = &h->substrate;
	const struct overlay_address nowhere = overlay_address_ipv4(UINT32_MAX, 9, REALM);
	const uint8_t own[] = {0xff, (uint8_t)h->taken};

	(void)from;
	(void)at;
	for (unsigned i = 0; i < (h->taken < MESSAGES / 2 ? FEW : TARGETS); i++)
		assert_int_equal(s->face->send(s, &h->target[i], message, bytes, OVERLAY_FORWARDED),
				 0);
	/* Refused by the kernel: a broadcast address. */
	if (h->taken % 10 == 3)
		(void)s->face->send(s, &nowhere, message, bytes, OVERLAY_FORWARDED);
	if (h->taken % 10 == 7)
		assert_int_equal(s->face->send(s, &h->target[0], own, sizeof(own), OVERLAY_OWN), 0);
	h->taken++;
}

/* Lengths in runs of one and of many. */
static size_t length_of(unsigned number)
{
	return number % 16 < 5 ? 100 : 3 + number % 2;
}

/* What was sent to @target: each message in its place, at the first one the node's own behind it.
 */
static void check_target(const struct hub *h, unsigned target)
{
	uint8_t data[8192];

	for (unsigned i = target < FEW ? 0 : MESSAGES / 2; i < MESSAGES; i++) {
		assert_int_equal(recv(h->fd[target], data, sizeof(data), MSG_DONTWAIT),
				 length_of(i));
		assert_int_equal(data[0], i);
		if (target || i % 10 != 7)
			continue;
		assert_int_equal(recv(h->fd[0], data, sizeof(data), MSG_DONTWAIT), 2);
		assert_int_equal(data[0], 0xff);
		assert_int_equal(data[1], i);
	}
	assert_int_equal(recv(h->fd[target], data, sizeof(data), MSG_DONTWAIT), -1);
}

TEST(what_is_forwarded_keeps_its_order_and_is_counted)
{
	struct hub h = {.substrate = {.context = &h, .take = forward}};
	struct overlay_substrate *s = &h.substrate;
	const struct np_overlay_substrate_counts *c = &s->counts;
	struct overlay_address from;
	uint8_t data[8192] = {0};
	size_t bytes = 0;
	const int fd = listening(SOCK_DGRAM, &from);

	open_substrate(s, OVERLAY_UDP);
	for (unsigned i = 0; i < TARGETS; i++)
		h.fd[i] = listening(SOCK_DGRAM, &h.target[i]);
	for (unsigned i = 0; i < MESSAGES; i++) {
		data[0] = (uint8_t)i;
		bytes += length_of(i) * (i < MESSAGES / 2 ? FEW : TARGETS);
		assert_int_equal(sendto(fd, data, length_of(i), 0, &s->local.any, s->local.length),
				 length_of(i));
	}
	while (s->face->turn(s, 64, np_clock_now()) > 0)
		;
	assert_int_equal(h.taken, MESSAGES);
	for (unsigned i = 0; i < TARGETS; i++) {
		check_target(&h, i);
		close(h.fd[i]);
	}
	assert_int_equal(c->sent.forwarded, MESSAGES / 2 * (FEW + TARGETS));
	assert_int_equal(c->sent.own, MESSAGES / 10);
	assert_int_equal(c->refused.forwarded, MESSAGES / 10);
	assert_int_equal(c->last_error, -EACCES);
	assert_int_equal(c->sent_bytes, bytes + 2 * (MESSAGES / 10));
	assert_true(s->face->idle(s));
	overlay_substrate_close(s);
	close(fd);
}

static void count(void *context, const struct overlay_address *from, const void *message,
		  size_t bytes, np_time at)
{
	(void)from;
	(void)message;
	(void)bytes;
	(void)at;
	++*(unsigned *)context;
}

/* The kernel reports each ICMP error by failing one receive; a stranger can cause many. */
TEST(errors_of_earlier_datagrams_end_no_node)
{
	unsigned taken = 0;
	struct overlay_substrate s = {.context = &taken, .take = count};
	struct overlay_address from;
	const int fd = listening(SOCK_DGRAM, &from);

	open_substrate(&s, OVERLAY_UDP);
	assert_int_equal(sendto(fd, "x", 1, 0, &s.local.any, s.local.length), 1);
	refusals = 40;
	for (unsigned turns = 0; refusals; turns++) {
		assert_true(s.face->turn(&s, 64, np_clock_now()) >= 0);
		assert_true(turns < 40);
	}
	while (s.face->turn(&s, 64, np_clock_now()) > 0)
		;
	assert_int_equal(taken, 1);
	assert_int_equal(s.counts.last_error, -ECONNREFUSED);
	assert_int_equal(s.face->count(&s), 0);
	assert_true(s.counts.icmp_errors >= 32);
	overlay_substrate_close(&s);
	close(fd);
}

static void turn_until_connected(struct overlay_substrate *s, uint64_t connects)
{
	const np_time end = np_clock_now() + LIMIT;

	while (s->counts.connects < connects) {
		struct pollfd fd = overlay_substrate_poll(s);

		assert_true(np_clock_now() < end);
		(void)np_wait_ready(&fd, 1, np_clock_now() + 100 * NP_MILLISECOND);
		(void)s->face->turn(s, 64, np_clock_now());
	}
}

#define ROUND 40 /* more than one call takes */
#define BYTES 100

struct stream {
	struct overlay_substrate substrate;
	struct overlay_address peer;
	int fd;
	uint32_t sent, received;
};

/* What comes is in order, and as long as it was sent. */
static void drain(struct stream *at)
{
	uint8_t data[OVERLAY_PORT_BYTES + BYTES];
	uint32_t number;

	for (; at->received < at->sent; at->received++) {
		assert_int_equal(recv(at->fd, data, sizeof(data), MSG_WAITALL), sizeof(data));
		memcpy(&number, data + OVERLAY_PORT_BYTES, sizeof(number));
		assert_int_equal(number, at->received);
	}
}

/* Returns the number of calls. */
static unsigned send_round(struct stream *at, unsigned count)
{
	struct overlay_substrate *s = &at->substrate;
	const unsigned before = calls;
	uint8_t message[BYTES] = {0};

	for (unsigned i = 0; i < count; i++, at->sent++) {
		memcpy(message, &at->sent, sizeof(at->sent));
		assert_int_equal(s->face->send(s, &at->peer, message, BYTES, OVERLAY_OWN), 0);
	}
	return calls - before;
}

static unsigned send_gathered(struct stream *at, unsigned count)
{
	struct overlay_substrate *s = &at->substrate;
	const unsigned before = calls;

	s->face->gather(s, true);
	send_round(at, count);
	s->face->gather(s, false);
	return calls - before;
}

/* Only on a connection that has carried a megabyte in a second; a busy machine may need several. */
TEST(what_is_gathered_for_a_connection_goes_by_few_calls)
{
	const np_time end = np_clock_now() + LIMIT;
	const struct timeval limit = {.tv_sec = 60};
	unsigned taken = 0;
	struct stream at = {.substrate = {.context = &taken, .take = count}};
	const int listener = listening(SOCK_STREAM, &at.peer);

	assert_int_equal(listen(listener, 5), 0);
	open_substrate(&at.substrate, OVERLAY_TCP);
	send_round(&at, 1);
	turn_until_connected(&at.substrate, 1);
	at.fd = accept(listener, NULL, NULL);
	setsockopt(at.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	assert_int_equal(send_gathered(&at, ROUND), ROUND);
	do {
		for (unsigned i = 0; i < 300; i++) {
			assert_int_equal(send_round(&at, ROUND), ROUND);
			drain(&at);
		}
		assert_true(np_clock_now() < end);
	} while (send_gathered(&at, ROUND) != 2);
	drain(&at);
	/* One alone is not kept waiting, by whatever call. */
	send_gathered(&at, 1);
	drain(&at);
	assert_int_equal(at.substrate.counts.sent.own, at.sent);
	assert_int_equal(at.substrate.counts.sent_bytes, (uint64_t)at.sent * BYTES);
	assert_true(at.substrate.face->room(&at.substrate, NULL));
	overlay_substrate_close(&at.substrate);
	close(at.fd);
	close(listener);
}

/* The first message tells whether the kernel takes such messages at all. */
TEST(what_is_gathered_for_datagrams_goes_by_few_calls)
{
	const struct timeval limit = {.tv_sec = 60};
	const struct overlay_address nowhere = overlay_address_ipv4(UINT32_MAX, 9, REALM);
	unsigned taken = 0;
	struct stream at = {.substrate = {.context = &taken, .take = count}};
	struct overlay_substrate *s = &at.substrate;
	uint8_t data[2 * BYTES];
	uint32_t number;

	at.fd = listening(SOCK_DGRAM, &at.peer);
	setsockopt(at.fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	open_substrate(s, OVERLAY_UDP);
	assert_int_equal(send_round(&at, ROUND), ROUND);
	assert_int_equal(send_gathered(&at, ROUND), 4);
	assert_int_equal(send_gathered(&at, 1), 1);
	s->face->gather(s, true);
	assert_int_equal(s->face->send(s, &nowhere, data, BYTES, OVERLAY_OWN), -EACCES);
	s->face->gather(s, false);
	for (; at.received < at.sent; at.received++) {
		assert_int_equal(recv(at.fd, data, sizeof(data), 0), BYTES);
		memcpy(&number, data, sizeof(number));
		assert_int_equal(number, at.received);
	}
	assert_int_equal(s->counts.sent.own, at.sent);
	assert_int_equal(s->counts.sent_bytes, (uint64_t)at.sent * BYTES);
	assert_int_equal(s->counts.refused.own, 1);
	overlay_substrate_close(s);
	close(at.fd);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-udp: datagrams of a node: what waits when the kernel refuses them, in which order, until
 * when, what is gathered for one call, what is forwarded, and what is received. The test lets
 * system calls fail. */
#include "overlay_ends.h"
#include "support/unit.h"

#include <sys/syscall.h>

#define BATCH 64
#define RETRY NP_MILLISECOND

/* The library's calls come here. */
static unsigned calls, refuse_after = UINT32_MAX;
static int refusal;
static long long asked; /* bytes of the receive buffer */
static int hops, by;	/* of messages to a group: their limit, the index of the interface */
static unsigned looks;	/* for shapers */
static unsigned errors; /* of earlier datagrams, which the next receives report */

static bool refused(void)
{
	calls++;
	if (!refusal || refuse_after--)
		return false;
	refuse_after = 0;
	errno = refusal;
	return true;
}

ssize_t sendto(int fd, const void *data, size_t bytes, int flags, const struct sockaddr *to,
	       socklen_t length)
{
	if (refused())
		return -1;
	return syscall(SYS_sendto, fd, data, bytes, flags, to, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (refused())
		return -1;
	return syscall(SYS_sendmsg, fd, message, flags);
}

int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	if (refused())
		return -1;
	return (int)syscall(SYS_sendmmsg, fd, messages, count, flags);
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit)
{
	if (errors) {
		errors--;
		errno = ECONNREFUSED;
		return -1;
	}
	return (int)syscall(SYS_recvmmsg, fd, messages, count, flags, limit);
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
	if (level == SOL_SOCKET && (name == SO_RCVBUF || name == SO_RCVBUFFORCE) &&
	    *(const int *)value > asked)
		asked = *(const int *)value;
	if (level == IPPROTO_IP && name == IP_MULTICAST_TTL)
		hops = *(const int *)value;
	if (level == IPPROTO_IP && name == IP_MULTICAST_IF && length == sizeof(struct ip_mreqn))
		by = ((const struct ip_mreqn *)value)->imr_ifindex;
	return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}

int socket(int domain, int type, int protocol)
{
	looks += domain == AF_NETLINK;
	return (int)syscall(SYS_socket, domain, type, protocol);
}

/* From now on every call but the first @after fails with @error; 0: none does. */
static void refuse(int error, unsigned after)
{
	refusal = error;
	refuse_after = after;
}

static struct overlay_substrate_plan plan_of(void)
{
	return (struct overlay_substrate_plan){
		.local = loopback(0),
		.realm = REALM,
		.message_max = 2000,
		.message_buffer = BATCH,
		.options = {.ip.tos = -1, .ip.ttl = -1},
	};
}

struct end {
	struct overlay_substrate substrate;
	struct overlay_address peer;
	int fd; /* of the peer */
	uint8_t sent, received;
	unsigned taken, bytes, forwards;     /* forwards: copies of what it takes */
	struct overlay_address from, second; /* second: gets such copies, too, if there is one */
};

static void take(void *context, const struct overlay_address *from, const void *message,
		 size_t bytes, np_time at)
{
	struct end *e = context;
	struct overlay_substrate *s = &e->substrate;

	(void)at;
	e->taken++;
	e->bytes = (unsigned)bytes;
	e->from = *from;
	for (unsigned i = 0; i < e->forwards; i++)
		(void)s->face->send(s, &e->peer, message, bytes, OVERLAY_FORWARDED);
	for (unsigned i = 0; i < e->forwards && e->second.length; i++)
		(void)s->face->send(s, &e->second, message, bytes, OVERLAY_FORWARDED);
}

static void open_plan(struct end *e, const struct overlay_substrate_plan *plan)
{
	*e = (struct end){.substrate = {.context = e, .take = take}};
	e->fd = bound(SOCK_DGRAM, &e->peer);
	assert_int_equal(overlay_substrate_open(&e->substrate, plan), 0);
	refuse(0, 0);
}

static void close_end(struct end *e)
{
	refuse(0, 0);
	overlay_substrate_close(&e->substrate);
	close(e->fd);
}

/* Begins a test of an open end *e and its substrate *s: UDP_TEST(what_it_shows) { ... } */
#define UDP_TEST(name)                                                                             \
	static void on_##name(struct end *e, struct overlay_substrate *s);                         \
	TEST(name)                                                                                 \
	{                                                                                          \
		const struct overlay_substrate_plan plan = plan_of();                              \
		struct end e;                                                                      \
                                                                                                   \
		open_plan(&e, &plan);                                                              \
		on_##name(&e, &e.substrate);                                                       \
		close_end(&e);                                                                     \
	}                                                                                          \
	static void on_##name(struct end *e, struct overlay_substrate *s)

/* The next message, with its number. */
static int say(struct end *e, enum overlay_class class)
{
	const int rc = e->substrate.face->send(&e->substrate, &e->peer, &e->sent, 1, class);

	if (!rc)
		e->sent++;
	return rc;
}

/* All that was taken on comes, in order. */
static void all_arrive(struct end *e)
{
	uint8_t number;

	for (; e->received < e->sent; e->received++) {
		assert_int_equal(recv(e->fd, &number, 1, 0), 1);
		assert_int_equal(number, e->received);
	}
	assert_int_equal(recv(e->fd, &number, 1, MSG_DONTWAIT), -1);
}

/* Data of the test's own socket, to the node. */
static void hear(struct end *e, size_t bytes)
{
	static const uint8_t data[65507];
	const struct np_address *to = &e->substrate.info.local;

	assert_int_equal(syscall(SYS_sendto, e->fd, data, bytes, 0, &to->any, to->length), bytes);
}

static struct np_overlay_copies waiting(struct end *e)
{
	assert_int_equal(e->substrate.face->count(&e->substrate), 0);
	return e->substrate.counts.waiting;
}

/* A full transmit queue is asked again after a while, not before. */
UDP_TEST(full_queue)
{
	np_time before, due;

	assert_true(s->face->deadline(s) == NP_TIME_NEVER);
	assert_true(s->face->room(s, &e->peer) && s->face->idle(s));
	refuse(ENOBUFS, 0);
	before = np_clock_now();
	assert_int_equal(say(e, OVERLAY_OWN), 0);
	due = s->face->deadline(s);
	assert_in_range(due, before + RETRY, np_clock_now() + RETRY);
	assert_false(s->face->room(s, &e->peer) || s->face->idle(s));
	assert_false(s->poll.events & POLLOUT);
	calls = 0;
	assert_int_equal(say(e, OVERLAY_PROTOCOL), 0); /* behind it */
	assert_int_equal(calls, 0);
	assert_int_equal(waiting(e).own, 1);
	assert_int_equal(waiting(e).protocol, 1);
	refuse(0, 0);
	s->face->turn(s, 64, due - 1);
	assert_int_equal(calls, 0);
	s->face->turn(s, 64, due);
	assert_int_equal(calls, 2);
	assert_true(s->face->deadline(s) == NP_TIME_NEVER);
	assert_true(s->face->room(s, &e->peer) && s->face->idle(s));
	assert_int_equal(waiting(e).own + waiting(e).protocol, 0);
	assert_int_equal(s->counts.sent.own, 1);
	assert_int_equal(s->counts.sent.protocol, 1);
	assert_int_equal(s->counts.sent_bytes, 2);
	assert_int_equal(s->counts.last_error, 0);
	all_arrive(e);
}

/* Of a full socket the kernel tells when it has room, by either descriptor. */
TEST(full_socket)
{
	const struct overlay_substrate_plan plan = plan_of();

	for (unsigned indirect = 0; indirect < 2; indirect++) {
		struct end e;
		struct overlay_substrate *s = &e.substrate;
		struct pollfd poll;

		open_plan(&e, &plan);
		if (indirect)
			assert_true(overlay_substrate_fd(s) >= 0);
		poll = s->poll;
		assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
		refuse(EAGAIN, 0);
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
		assert_int_equal(say(&e, OVERLAY_FORWARDED), 0);
		assert_true(s->face->deadline(s) == NP_TIME_NEVER);
		poll = s->poll;
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		s->face->turn(s, 64, np_clock_now());
		assert_int_equal(waiting(&e).own + waiting(&e).forwarded, 2);
		refuse(0, 0);
		s->face->turn(s, 64, np_clock_now());
		assert_true(s->face->idle(s));
		poll = s->poll;
		assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
		all_arrive(&e);
		close_end(&e);
	}
}

/* The queue is bounded, but for own messages; one that is refused there lets the next one go. */
UDP_TEST(queue)
{
	refuse(EAGAIN, 0);
	for (unsigned i = 0; i < BATCH; i++)
		assert_int_equal(say(e, OVERLAY_FORWARDED), 0);
	assert_int_equal(say(e, OVERLAY_FORWARDED), -EAGAIN);
	assert_int_equal(s->counts.no_room.forwarded, 1);
	assert_int_equal(say(e, OVERLAY_OWN), 0);
	refuse(ENETUNREACH, 0);
	s->face->turn(s, 64, np_clock_now());
	assert_int_equal(s->counts.refused.forwarded, BATCH);
	assert_int_equal(s->counts.refused.own, 1);
	assert_int_equal(s->counts.last_error, -ENETUNREACH);
	assert_true(s->face->idle(s));
	assert_int_equal(say(e, OVERLAY_OWN), -ENETUNREACH);
	assert_int_equal(s->counts.refused.own, 2);
	assert_int_equal(s->counts.sent.own + s->counts.sent.forwarded, 0);
}

/* Own messages of a gathering: the first by itself, the others at its end, by a few calls, in the
 * queue when the kernel takes none, and by one call each where they would not fit into that. */
TEST(gathering)
{
	struct overlay_substrate_plan plan = plan_of();
	struct end e;
	struct overlay_substrate *s = &e.substrate;

	for (unsigned small = 0; small < 2; small++) {
		plan.message_buffer = BATCH - small;
		open_plan(&e, &plan);
		calls = 0;
		s->face->gather(s, true);
		for (unsigned i = 1; i <= 10; i++) {
			assert_int_equal(say(&e, OVERLAY_OWN), 0);
			assert_int_equal(calls, small ? i : 1);
		}
		s->face->gather(s, false);
		assert_int_equal(calls, small ? 10 : 2);
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
		assert_int_equal(s->counts.sent.own, 11);
		all_arrive(&e);
		/* The kernel takes but the first. */
		refuse(EAGAIN, 1);
		s->face->gather(s, true);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(say(&e, OVERLAY_OWN), 0);
		s->face->gather(s, false);
		assert_int_equal(waiting(&e).own, 39);
		refuse(0, 0);
		s->face->turn(s, 64, np_clock_now());
		assert_int_equal(s->counts.sent.own, 51);
		assert_int_equal(s->counts.sent_bytes, 51);
		all_arrive(&e);
		/* An error ends none of them unseen. */
		refuse(ENETUNREACH, 1);
		s->face->gather(s, true);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(say(&e, OVERLAY_OWN), small && i ? -ENETUNREACH : 0);
		s->face->gather(s, false);
		assert_int_equal(s->counts.sent.own, 52);
		assert_int_equal(s->counts.refused.own, 39);
		assert_int_equal(s->counts.last_error, -ENETUNREACH);
		e.sent = e.received + 1;
		all_arrive(&e);
		close_end(&e);
	}
}

/* Once a message waits the others do, too, to whomever they go, without a call for each. */
UDP_TEST(gathered_behind)
{
	unsigned before;

	e->second = overlay_address_ipv4(0x7f000001, 9, REALM);
	e->forwards = 5;
	hear(e, 5);
	refuse(EAGAIN, 0);
	before = calls;
	s->face->turn(s, 64, np_clock_now());
	assert_int_equal(calls, before + 2);
	assert_int_equal(waiting(e).forwarded, 10);
}

/* Whether a shaper splits buffers is asked for what is forwarded, once in a second. */
UDP_TEST(shapers)
{
	const np_time first = np_clock_now();
	const np_time times[] = {first, first + NP_SECOND - 1, first + NP_SECOND,
				 first + 2 * NP_SECOND - 1, first + 2 * NP_SECOND};

	e->forwards = 5;
	looks = 0;
	for (unsigned i = 0; i < 5; i++) {
		hear(e, 5);
		s->face->turn(s, 64, times[i]);
		assert_int_equal(e->taken, i + 1);
		assert_int_equal(looks, 1 + i / 2);
	}
}

/* A message that is not gathered does not overtake those that are. */
UDP_TEST(order)
{
	s->face->gather(s, true);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(say(e, OVERLAY_OWN), 0);
	assert_int_equal(say(e, OVERLAY_PROTOCOL), 0);
	assert_int_equal(s->counts.sent.own, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(say(e, OVERLAY_OWN), 0);
	s->face->gather(s, false);
	all_arrive(e);
	/* Too long to be gathered, so that the kernel judges it. */
	s->face->gather(s, true);
	assert_int_equal(say(e, OVERLAY_OWN), 0);
	{
		static const uint8_t data[70000];

		assert_int_equal(s->face->send(s, &e->peer, data, sizeof(data), OVERLAY_OWN),
				 -EMSGSIZE);
		assert_int_equal(s->face->send(s, NULL, data, 1, OVERLAY_OWN), -EDESTADDRREQ);
	}
	s->face->gather(s, false);
	assert_int_equal(s->counts.refused.own, 2);
	all_arrive(e);
}

/* What is forwarded goes by few calls, unless a queue was full less than a second ago. */
UDP_TEST(forwarding)
{
	uint8_t data[16];
	np_time crowded;

	e->forwards = 10;
	hear(e, 5);
	calls = 0;
	s->face->turn(s, 64, np_clock_now());
	assert_int_equal(e->taken, 1);
	assert_in_range(calls, 1, 9); /* gathered */
	refuse(ENOBUFS, 0);
	assert_int_equal(s->face->send(s, &e->peer, "x", 1, OVERLAY_PROTOCOL), 0);
	refuse(0, 0);
	crowded = s->face->deadline(s) + NP_SECOND;
	s->face->turn(s, 64, s->face->deadline(s));
	for (unsigned i = 0; i < 2; i++) {
		hear(e, 5);
		calls = 0;
		s->face->turn(s, 64, crowded - 1 + i);
		assert_int_equal(e->taken, 2 + i);
		assert_int_equal(calls == 10, !i);
	}
	assert_int_equal(s->counts.sent.forwarded, 30);
	assert_int_equal(s->counts.sent.protocol, 1);
	for (unsigned i = 0; i < 31; i++)
		assert_int_equal(recv(e->fd, data, sizeof(data), 0), i == 10 ? 1 : 5);
}

#define MESSAGES 100
#define TARGETS	 6 /* more than the substrate gathers for at once */
#define FEW	 2 /* of them get all messages, the others only the second half */

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

/* Each target has each message in its place, the first one the node's own behind it. */
TEST(what_is_forwarded_keeps_its_order)
{
	const struct overlay_substrate_plan plan = plan_of();
	struct hub h = {.substrate = {.context = &h, .take = forward}};
	struct overlay_substrate *s = &h.substrate;
	uint8_t data[100] = {0};
	size_t bytes = 2 * (MESSAGES / 10);

	for (unsigned i = 0; i < TARGETS; i++)
		h.fd[i] = bound(SOCK_DGRAM, &h.target[i]);
	assert_int_equal(overlay_substrate_open(s, &plan), 0);
	for (unsigned i = 0; i < MESSAGES; i++) {
		data[0] = (uint8_t)i;
		bytes += length_of(i) * (i < MESSAGES / 2 ? FEW : TARGETS);
		sendto(h.fd[0], data, length_of(i), 0, &s->info.local.any, s->info.local.length);
	}
	while (s->face->turn(s, 64, np_clock_now()) > 0)
		;
	assert_int_equal(h.taken, MESSAGES);
	for (unsigned i = 0; i < TARGETS; i++) {
		for (unsigned k = i < FEW ? 0 : MESSAGES / 2; k < MESSAGES; k++) {
			assert_int_equal(recv(h.fd[i], data, sizeof(data), 0), length_of(k));
			assert_int_equal(data[0], k);
			if (i || k % 10 != 7)
				continue;
			assert_int_equal(recv(h.fd[0], data, sizeof(data), 0), 2);
			assert_int_equal(data[0], 0xff);
			assert_int_equal(data[1], k);
		}
		assert_int_equal(recv(h.fd[i], data, sizeof(data), MSG_DONTWAIT), -1);
		close(h.fd[i]);
	}
	assert_int_equal(s->counts.sent.forwarded, MESSAGES / 2 * (FEW + TARGETS));
	assert_int_equal(s->counts.sent.own, MESSAGES / 10);
	assert_int_equal(s->counts.refused.forwarded, MESSAGES / 10);
	assert_int_equal(s->counts.last_error, -EACCES);
	assert_int_equal(s->counts.sent_bytes, bytes);
	assert_true(s->face->idle(s));
	overlay_substrate_close(s);
}

/*
 * The kernel reports each ICMP error by failing one receive; a stranger can cause many. They end no
 * node, and leave the descriptor unreadable.
 */
UDP_TEST(errors_of_earlier_datagrams)
{
	unsigned turns = 0;
	struct pollfd poll;

	hear(e, 1);
	for (errors = 40; errors; turns++)
		assert_true(s->face->turn(s, 64, np_clock_now()) >= 0);
	assert_in_range(turns, 1, 39);
	while (s->face->turn(s, 64, np_clock_now()) > 0)
		;
	assert_int_equal(e->taken, 1);
	assert_int_equal(s->counts.last_error, -ECONNREFUSED);
	assert_int_equal(s->face->count(s), 0);
	/* Their queue has room and none of them: as if all were read, and counted. */
	assert_int_equal(s->counts.icmp_errors, 0);
	close(e->fd); /* the next one is the kernel's own */
	e->fd = -1;
	assert_int_equal(say(e, OVERLAY_OWN), 0);
	poll = s->poll;
	for (const np_time end = np_clock_now() + LIMIT; np_wait_ready(&poll, 1, 0);) {
		assert_true(np_clock_now() < end);
		(void)s->face->turn(s, 64, np_clock_now());
	}
	assert_int_equal(s->face->count(s), 0);
	assert_int_equal(s->counts.icmp_errors, 1);
	assert_int_equal(s->counts.sent.own, 1);
}

/* What finds its socket full is counted: with what was received it is all that was sent. */
static void overflow(struct overlay_substrate *s, int fd, const struct np_address *to)
{
	const uint64_t before = s->counts.received;
	static const uint8_t data[1000] = "\x0a\x01\x02\x03\x23\x28";

	for (unsigned i = 0; i < 500; i++)
		assert_int_equal(sendto(fd, data, sizeof(data), 0, &to->any, to->length), 1000);
	while (s->face->turn(s, 64, np_clock_now()) > 0)
		;
	assert_int_equal(s->face->count(s), 0);
	assert_true(s->counts.received > before && s->counts.kernel_dropped > 0);
	assert_int_equal(s->counts.received + s->counts.kernel_dropped, before + 500);
}

TEST(drops_of_the_kernel)
{
	struct overlay_substrate_plan plan = plan_of();
	struct end e;

	plan.options.receive_bytes = 4096;
	open_plan(&e, &plan);
	overflow(&e.substrate, e.fd, &e.substrate.info.local);
	assert_string_equal(e.substrate.info.drop_unit, "packet");
	close_end(&e);
}

/* What is longer than a message may be is dropped and counted; not more than asked in a turn. */
UDP_TEST(receiving)
{
	hear(e, 2000);
	hear(e, 2001);
	hear(e, 7);
	assert_int_equal(s->face->turn(s, 2, np_clock_now()), 1);
	assert_int_equal(e->taken, 1);
	assert_int_equal(e->bytes, 2000);
	assert_int_equal(s->counts.oversize, 1);
	assert_int_equal(s->face->turn(s, 2, np_clock_now()), 0);
	assert_int_equal(e->taken, 2);
	assert_int_equal(e->bytes, 7);
	assert_true(overlay_address_equal(&e->from, &e->peer));
	assert_int_equal(s->counts.received, 2);
	assert_int_equal(s->counts.received_bytes, 2007);
	assert_int_equal(s->counts.oversize, 1);
	for (unsigned i = 0; i < BATCH + 1; i++)
		hear(e, 1);
	assert_int_equal(s->face->turn(s, 1000, np_clock_now()), 1);
	assert_int_equal(e->taken, 2 + BATCH);
	assert_int_equal(s->face->turn(s, 1000, np_clock_now()), 0);
	assert_int_equal(e->taken, 3 + BATCH);
}

static long long asked_by(unsigned message_buffer, size_t bytes)
{
	struct overlay_substrate_plan plan = plan_of();
	struct end e;

	plan.message_buffer = message_buffer;
	plan.options.receive_bytes = bytes;
	asked = 0;
	open_plan(&e, &plan);
	close_end(&e);
	return asked;
}

/* The kernel is asked to hold the messages that may wait, of the longest kind, up to 4 MiB. */
TEST(receive_buffers)
{
	const size_t each = 2000 + 1024, most = (4 << 20) / each;

	assert_in_range(asked_by(BATCH, 100000), 100000, 200000);
	assert_int_equal(asked_by(100, 0), asked_by(BATCH, 100 * each));
	assert_int_equal(asked_by((unsigned)most, 0), asked_by(BATCH, most * each));
	assert_int_equal(asked_by((unsigned)most + 1, 0), asked_by(BATCH, 4 << 20));
	assert_int_equal(asked_by(1000000, 0), asked_by(BATCH, 4 << 20));
}

/* A group's messages have their sender's address before them, which counts for nothing else. */
TEST(group)
{
	struct end e = {.substrate = {.context = &e, .take = take}};
	struct overlay_substrate *s = &e.substrate;
	struct overlay_substrate_plan plan = plan_of();
	const struct sockaddr_in *self = (const void *)&s->info.local.storage;
	static uint8_t data[2001];
	struct overlay_address own;
	struct pollfd poll;
	struct in_addr lo = {.s_addr = htonl(INADDR_LOOPBACK)};
	int fd;

	assert_int_equal(np_address_parse(&plan.group, "239.255.77.66",
					  (uint16_t)(20000 + getpid() % 10000), AF_UNSPEC),
			 0);
	plan.kind = OVERLAY_PAIR;
	strcpy(plan.group_device, "lo");
	plan.group_max = 1500;
	plan.options.ip.ttl = 3;
	plan.options.receive_bytes = 4096;
	hops = by = 0;
	if (overlay_substrate_open(s, &plan)) {
		overlay_substrate_close(s);
		skip(); /* no multicast on the loopback interface here */
	}
	refuse(0, 0);
	assert_int_equal(hops, 3);
	assert_int_equal(by, if_nametoindex("lo"));
	own = overlay_address_ipv4(ntohl(self->sin_addr.s_addr), ntohs(self->sin_port), REALM);
	assert_int_equal(s->face->send(s, NULL, data, 1501, OVERLAY_PROTOCOL), -EMSGSIZE);
	assert_int_equal(s->counts.refused.protocol, 1);
	for (unsigned i = 1; i <= 2; i++) {
		assert_int_equal(s->face->send(s, NULL, data, i == 1 ? 1500 : 1, OVERLAY_PROTOCOL),
				 0);
		poll = s->poll;
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		s->face->turn(s, 64, np_clock_now());
		assert_int_equal(e.taken, i);
		assert_int_equal(e.bytes, i == 1 ? 1500 : 1);
		assert_true(overlay_address_equal(&e.from, &own));
	}
	assert_int_equal(s->counts.sent.protocol, 2);
	assert_int_equal(s->counts.received_bytes, 1501 + 12);
	/* Too short for an address and a message. */
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &lo, sizeof(lo)), 0);
	memcpy(data, "\x0a\x01\x02\x03\x23\x28", 6);
	for (size_t bytes = 5; bytes <= 7; bytes++) {
		assert_int_equal(sendto(fd, data, bytes, 0, &plan.group.any, plan.group.length),
				 bytes);
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		s->face->turn(s, 64, np_clock_now());
	}
	assert_int_equal(s->counts.unreadable, 2);
	assert_int_equal(s->counts.received, 5);
	assert_int_equal(e.taken, 3);
	assert_int_equal(e.bytes, 1);
	own = overlay_address_ipv4(0x0a010203, 9000, REALM);
	assert_true(overlay_address_equal(&e.from, &own));
	overflow(s, fd, &plan.group);
	close(fd);
	overlay_substrate_close(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_udp: a substrate of datagrams whose system calls a test can let fail, and its peer. */
#ifndef UNIT_OVERLAY_UDP_H
#define UNIT_OVERLAY_UDP_H

#include "../../src/lib/overlay/substrate.h"

#include <errno.h>
#include <netperf/wait.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT (60 * NP_SECOND)
#define REALM 0x1234
#define BATCH 64
#define RETRY NP_MILLISECOND

/* The library's calls come here. */
static unsigned calls, refuse_after = UINT32_MAX;
static int refusal;
static long long asked; /* bytes of the receive buffer */
static int hops, by;	/* of messages to a group: their limit, the index of the interface */
static unsigned looks;	/* for shapers */

static inline bool refused(void)
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
static inline void refuse(int error, unsigned after)
{
	refusal = error;
	refuse_after = after;
}

static inline struct np_address parsed(const char *text, uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, text, port), 0);
	return address;
}

static inline struct overlay_substrate_plan plan_of(void)
{
	return (struct overlay_substrate_plan){
		.local = parsed("127.0.0.1", 0),
		.realm = REALM,
		.message_max = 2000,
		.message_buffer = BATCH,
		.options = {.tos = -1, .ttl = -1},
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

static inline void take(void *context, const struct overlay_address *from, const void *message,
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

static inline void open_plan(struct end *e, const struct overlay_substrate_plan *plan)
{
	const struct timeval limit = {.tv_sec = 60};
	struct np_address at = parsed("127.0.0.1", 0);
	const struct sockaddr_in *ipv4 = (const void *)&at.storage;

	*e = (struct end){.substrate = {.context = e, .take = take}};
	e->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(e->fd, &at.any, at.length), 0);
	assert_int_equal(getsockname(e->fd, &at.any, &at.length), 0);
	assert_int_equal(setsockopt(e->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	e->peer = overlay_address_ipv4(ntohl(ipv4->sin_addr.s_addr), ntohs(ipv4->sin_port), REALM);
	assert_int_equal(overlay_substrate_open(&e->substrate, NP_OVERLAY_UDP, plan), 0);
	refuse(0, 0);
}

static inline void open_end(struct end *e)
{
	const struct overlay_substrate_plan plan = plan_of();

	open_plan(e, &plan);
}

static inline void close_end(struct end *e)
{
	refuse(0, 0);
	overlay_substrate_close(&e->substrate);
	close(e->fd);
}

/* The next message, with its number. */
static inline int say(struct end *e, enum overlay_class class)
{
	const int rc = e->substrate.face->send(&e->substrate, &e->peer, &e->sent, 1, class);

	if (!rc)
		e->sent++;
	return rc;
}

/* All that was taken on comes, in order. */
static inline void all_arrive(struct end *e)
{
	uint8_t number;

	for (; e->received < e->sent; e->received++) {
		assert_int_equal(recv(e->fd, &number, 1, 0), 1);
		assert_int_equal(number, e->received);
	}
	assert_int_equal(recv(e->fd, &number, 1, MSG_DONTWAIT), -1);
}

/* Data of the test's own socket, to the node. */
static inline void hear(struct end *e, size_t bytes)
{
	static const uint8_t data[65507];
	const struct np_address *to = &e->substrate.local;

	assert_int_equal(syscall(SYS_sendto, e->fd, data, bytes, 0, &to->any, to->length), bytes);
}

static inline struct np_overlay_copies waiting(struct end *e)
{
	assert_int_equal(e->substrate.face->count(&e->substrate), 0);
	return e->substrate.counts.waiting;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_tcp: a substrate of TCP connections, and peers of it by sockets of the test. */
#pragma once

#include "../../src/lib/overlay/tcp.h"
#include "overlay_ends.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CONNECT (1000 * NP_SECOND) /* never by the clock of a test */
#define IDLE	(2000 * NP_SECOND)
#define STALL	(3000 * NP_SECOND)

/* What the substrate handed over. */
static struct taken {
	unsigned count;
	uint8_t last; /* byte of the latest message */
	struct overlay_address from;
	np_time at;
} taken;

static inline void take(void *context, const struct overlay_address *from, const void *message,
			size_t bytes, np_time at)
{
	(void)context;
	taken.count++;
	taken.last = ((const uint8_t *)message)[bytes - 1];
	taken.from = *from;
	taken.at = at;
}

static inline struct overlay_substrate_plan plan_of(void)
{
	return (struct overlay_substrate_plan){
		.kind = OVERLAY_TCP,
		.local = loopback(0),
		.realm = REALM,
		.message_max = 8192,
		.message_buffer = 100,
		.connect_timeout = CONNECT,
		.idle_max = IDLE,
		.stall_max = STALL,
		.backlog = 300,
		.options = {.ip.tos = -1, .ip.ttl = -1},
	};
}

static inline void open_plan(struct overlay_substrate *s, const struct overlay_substrate_plan *plan)
{
	taken = (struct taken){0};
	*s = (struct overlay_substrate){.take = take};
	assert_int_equal(overlay_substrate_open(s, plan), 0);
}

static inline const struct tcp *inside(const struct overlay_substrate *s)
{
	return s->state;
}

/* A socket that listens with @backlog and has room for little. */
static inline int listening(struct overlay_address *at, int backlog)
{
	const int fd = bound(SOCK_STREAM, at), small = 4096;

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(listen(fd, backlog), 0);
	return fd;
}

/* Each test has somebody who listens. */
static struct overlay_address peer;
static int listener;

/* Begins a test of an open substrate *s: TCP_TEST(what_it_shows) { ... }. With support/unit.h. */
#define TCP_TEST_OF(longest, name)                                                                 \
	static void on_##name(struct overlay_substrate *s);                                        \
	TEST(name)                                                                                 \
	{                                                                                          \
		struct overlay_substrate_plan plan = plan_of();                                    \
		struct overlay_substrate s;                                                        \
                                                                                                   \
		plan.message_max = longest;                                                        \
		listener = listening(&peer, 5);                                                    \
		open_plan(&s, &plan);                                                              \
		on_##name(&s);                                                                     \
		close(listener);                                                                   \
		overlay_substrate_close(&s);                                                       \
	}                                                                                          \
	static void on_##name(struct overlay_substrate *s)
#define TCP_TEST(name) TCP_TEST_OF(8192, name)

static inline int connected(const struct overlay_substrate *s)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, &s->info.local.any, s->info.local.length), 0);
	return fd;
}

/* One turn at once. */
static inline int turn(struct overlay_substrate *s, unsigned most)
{
	return s->face->turn(s, most, np_clock_now());
}

/* Turns until @done, each when there is something to do. */
#define UNTIL(s, done)                                                                             \
	for (const np_time end = np_clock_now() + LIMIT; !(done);) {                               \
		struct pollfd poll = (s)->poll;                                                    \
                                                                                                   \
		assert_true(np_clock_now() < end);                                                 \
		(void)np_wait_ready(&poll, 1, np_clock_now() + 10 * NP_MILLISECOND);               \
		assert_true(turn(s, 64) >= 0);                                                     \
	}

/* The same, once the substrate has accepted it. */
static inline int accepted(struct overlay_substrate *s)
{
	const uint64_t before = s->counts.accepts;
	const int fd = connected(s);

	UNTIL(s, s->counts.accepts == before + 1);
	return fd;
}

static inline int say(struct overlay_substrate *s, const struct overlay_address *to,
		      const char *text)
{
	return s->face->send(s, to, text, strlen(text), OVERLAY_OWN);
}

static inline uint64_t connections(struct overlay_substrate *s)
{
	assert_int_equal(s->face->count(s), 0);
	return s->counts.connections;
}

/* Whether the node has hung up. */
static inline bool hung_up(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

/* A message of the spanning tree, a Goodbye, that ends with @last. */
static inline void speak(int fd, uint16_t port, uint8_t last)
{
	uint8_t message[] = {0, 0, 0x30, 0, 9, 1, 1, 2, 3, 4, 0, 0, 0, last};

	np_field_put16(message, port);
	assert_int_equal(send(fd, message, sizeof(message), MSG_NOSIGNAL), sizeof(message));
}

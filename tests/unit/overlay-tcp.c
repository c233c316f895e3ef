// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-tcp: the connections of a node: their limits in number and in time, who is closed first,
 * and by which of them a message goes. Time is made up where it is the substrate's to judge. */
#include "../../src/lib/overlay/tcp.h"

#include <errno.h>
#include <netperf/field.h>
#include <netperf/wait.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT	(60 * NP_SECOND)
#define REALM	0x1234
#define CONNECT (1000 * NP_SECOND) /* never by the clock of a test */
#define IDLE	(2000 * NP_SECOND)
#define STALL	(3000 * NP_SECOND)

struct taken {
	unsigned count;
	uint8_t last; /* byte of the latest message */
	struct overlay_address from;
	np_time at;
};

static void take(void *context, const struct overlay_address *from, const void *message,
		 size_t bytes, np_time at)
{
	struct taken *taken = context;

	taken->count++;
	taken->last = ((const uint8_t *)message)[bytes - 1];
	taken->from = *from;
	taken->at = at;
}

static struct np_address loopback(uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", port), 0);
	return address;
}

static struct overlay_substrate_plan plan_of(void)
{
	return (struct overlay_substrate_plan){
		.local = loopback(0),
		.realm = REALM,
		.message_max = 8192,
		.message_buffer = 100,
		.connect_timeout = CONNECT,
		.idle_max = IDLE,
		.stall_max = STALL,
		.backlog = 300,
		.options = {.tos = -1, .ttl = -1},
	};
}

static void open_tcp(struct overlay_substrate *s, struct taken *taken)
{
	const struct overlay_substrate_plan plan = plan_of();

	*taken = (struct taken){0};
	*s = (struct overlay_substrate){.context = taken, .take = take};
	assert_int_equal(overlay_substrate_open(s, NP_OVERLAY_TCP, &plan), 0);
}

static const struct tcp *inside(const struct overlay_substrate *s)
{
	return s->state;
}

/* A bound socket, and its address as the substrate has it; it listens with @backlog. */
static int listening(struct overlay_address *at, int backlog)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
	struct np_address address = loopback(0);
	const struct sockaddr_in *ipv4 = (const void *)&address.storage;

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(bind(fd, &address.any, address.length), 0);
	assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, &address.any, &address.length), 0);
	*at = overlay_address_ipv4(ntohl(ipv4->sin_addr.s_addr), ntohs(ipv4->sin_port), REALM);
	return fd;
}

static int connected(const struct overlay_substrate *s)
{
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, &s->local.any, s->local.length), 0);
	return fd;
}

/* One turn at once. */
static int turn(struct overlay_substrate *s, unsigned most)
{
	return s->face->turn(s, most, np_clock_now());
}

/* Turns until @done, each when there is something to do. */
#define UNTIL(s, done)                                                                             \
	for (const np_time end = np_clock_now() + LIMIT; !(done);) {                               \
		struct pollfd poll = overlay_substrate_poll(s);                                    \
                                                                                                   \
		assert_true(np_clock_now() < end);                                                 \
		(void)np_wait_ready(&poll, 1, np_clock_now() + 10 * NP_MILLISECOND);               \
		assert_true(turn(s, 64) >= 0);                                                     \
	}

static int say(struct overlay_substrate *s, const struct overlay_address *to, const char *text)
{
	return s->face->send(s, to, text, strlen(text), OVERLAY_OWN);
}

static uint64_t connections(struct overlay_substrate *s)
{
	assert_int_equal(s->face->count(s), 0);
	return s->counts.connections;
}

/* Whether the node has hung up. */
static bool hung_up(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
}

/* A message of the spanning tree, a Goodbye, that ends with @last. */
static void speak(int fd, uint16_t port, uint8_t last)
{
	uint8_t message[] = {0, 0, 0x30, 0, 9, 1, 1, 2, 3, 4, 0, 0, 0, last};

	np_field_put16(message, port);
	assert_int_equal(send(fd, message, sizeof(message), MSG_NOSIGNAL), sizeof(message));
}

/* An unused connection of this node is closed, then its peer is forgotten. */
static void unused_out(void **state)
{
	struct overlay_substrate s;
	struct overlay_address peer;
	struct taken taken;
	const int listener = listening(&peer, 5);
	const struct tcp_link *link;

	(void)state;
	open_tcp(&s, &taken);
	assert_true(s.face->deadline(&s) == NP_TIME_NEVER);
	assert_int_equal(say(&s, &peer, "x"), 0);
	link = inside(&s)->links;
	assert_int_equal(s.face->deadline(&s), link->began + CONNECT);
	UNTIL(&s, s.counts.sent.own);
	assert_int_equal(connections(&s), 1);
	assert_int_equal(s.counts.connects, 1);
	s.face->turn(&s, 1, link->used + IDLE - 1);
	assert_int_equal(connections(&s), 1);
	assert_int_equal(s.face->deadline(&s), link->used + IDLE);
	s.face->turn(&s, 1, link->used + IDLE);
	assert_int_equal(connections(&s), 0);
	assert_int_equal(s.counts.idle_closed, 1);
	assert_int_equal(inside(&s)->outs, 1);
	s.face->turn(&s, 1, link->used + IDLE);
	assert_int_equal(inside(&s)->outs, 0);
	assert_null(inside(&s)->links);
	assert_int_equal(s.counts.idle_closed, 1);
	assert_true(s.face->deadline(&s) == NP_TIME_NEVER);
	assert_int_equal(s.counts.connect_failures, 0);
	assert_int_equal(s.counts.last_error, 0);
	overlay_substrate_close(&s);
	close(listener);
}

/* One that does not come about is given up, with what waits for it. */
static void no_answer(void **state)
{
	struct overlay_substrate s;
	struct overlay_address peer;
	struct taken taken;
	const int listener = listening(&peer, 0);
	struct np_address at = {.length = sizeof(at.storage)};
	const struct tcp_link *link;
	int fill[4];

	(void)state;
	open_tcp(&s, &taken);
	/* The listener's backlog is full. */
	assert_int_equal(getsockname(listener, &at.any, &at.length), 0);
	for (unsigned i = 0; i < 4; i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		assert_int_equal(connect(fill[i], &at.any, at.length), -1);
	}
	assert_int_equal(say(&s, &peer, "x"), 0);
	assert_int_equal(say(&s, &peer, "y"), 0);
	link = inside(&s)->links;
	turn(&s, 64);
	assert_false(link->connected);
	assert_false(s.face->room(&s, &peer));
	assert_false(s.face->room(&s, NULL));
	assert_false(s.face->idle(&s));
	assert_int_equal(s.face->deadline(&s), link->began + CONNECT);
	s.face->turn(&s, 1, link->began + CONNECT - 1);
	assert_int_equal(s.counts.unreachable.own, 0);
	assert_int_equal(s.face->count(&s), 0);
	assert_int_equal(s.counts.waiting.own, 2);
	s.face->turn(&s, 1, link->began + CONNECT);
	assert_int_equal(s.counts.unreachable.own, 2);
	assert_int_equal(s.counts.last_error, -ETIMEDOUT);
	assert_int_equal(s.counts.connect_failures, 1);
	assert_int_equal(connections(&s), 0);
	assert_int_equal(s.counts.waiting.own, 0);
	assert_true(s.face->room(&s, NULL) && s.face->idle(&s));
	/* What comes then fills a queue that takes nothing from others, and no more than it holds.
	 */
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(say(&s, &peer, "z"), 0);
	assert_true(s.face->room(&s, NULL));
	assert_int_equal(say(&s, &peer, "z"), -EHOSTUNREACH);
	assert_int_equal(s.counts.unreachable.own, 3);
	overlay_substrate_close(&s);
	for (unsigned i = 0; i < 4; i++)
		close(fill[i]);
	close(listener);
}

/* A peer that takes nothing any more loses what waits, and only that. */
static void no_progress(void **state)
{
	static char text[8001];
	struct overlay_substrate s;
	struct overlay_address peer, other;
	struct taken taken;
	const int listener = listening(&peer, 5), second = listening(&other, 5);
	const struct tcp_link *link;
	uint64_t waiting;
	np_time moved;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	open_tcp(&s, &taken);
	assert_int_equal(say(&s, &other, "x"), 0);
	assert_int_equal(say(&s, &peer, text), 0);
	link = inside(&s)->links;
	UNTIL(&s, s.counts.sent.own == 2);
	while (s.face->room(&s, NULL)) {
		assert_int_equal(say(&s, &peer, text), 0);
		turn(&s, 64);
	}
	assert_true(s.face->room(&s, &other));
	assert_false(s.face->room(&s, &peer));
	assert_int_equal(connections(&s), 2);
	s.face->turn(&s, 64, link->moved + IDLE);
	assert_int_equal(s.counts.unreachable.own, 0);
	assert_int_equal(s.counts.idle_closed, 1); /* the other one */
	/* The kernel may still take some now and then. */
	do {
		moved = link->moved;
		s.face->turn(&s, 64, moved + STALL - 1);
		assert_int_equal(s.counts.unreachable.own, 0);
		assert_int_equal(s.face->count(&s), 0);
		waiting = s.counts.waiting.own;
		assert_true(waiting > 0);
		s.face->turn(&s, 64, moved + STALL);
	} while (link->moved != moved);
	assert_int_equal(s.counts.unreachable.own, waiting);
	assert_int_equal(s.counts.last_error, -ETIMEDOUT);
	assert_int_equal(s.counts.idle_closed, 1);
	assert_int_equal(connections(&s), 0);
	assert_true(s.face->room(&s, NULL));
	overlay_substrate_close(&s);
	close(listener);
	close(second);
}

/* Others' connections: the silent ones are closed soon, those of which a message came late. */
static void unused_in(void **state)
{
	struct overlay_substrate s;
	struct taken taken;
	int silent, proven;
	const struct tcp_link *link;

	(void)state;
	open_tcp(&s, &taken);
	silent = connected(&s);
	UNTIL(&s, s.counts.accepts == 1);
	proven = connected(&s);
	speak(proven, 9001, 7);
	UNTIL(&s, taken.count == 1);
	assert_int_equal(taken.last, 7);
	link = inside(&s)->links;
	assert_true(link->proven && !link->next->proven);
	assert_int_equal(taken.at, link->used);
	assert_int_equal(s.face->deadline(&s), link->next->began + IDLE);
	s.face->turn(&s, 64, link->next->began + IDLE - 1);
	assert_false(hung_up(silent));
	s.face->turn(&s, 64, link->next->began + IDLE);
	assert_true(hung_up(silent));
	assert_int_equal(s.counts.turned_away, 1);
	assert_int_equal(s.counts.idle_closed, 0);
	assert_int_equal(s.face->deadline(&s), link->used + 2 * IDLE);
	s.face->turn(&s, 64, link->used + 2 * IDLE - 1);
	assert_false(hung_up(proven));
	s.face->turn(&s, 64, link->used + 2 * IDLE);
	assert_true(hung_up(proven));
	assert_int_equal(s.counts.turned_away, 1);
	assert_int_equal(s.counts.idle_closed, 1);
	assert_int_equal(inside(&s)->ins, 0);
	assert_int_equal(s.counts.received, 1);
	assert_int_equal(s.counts.received_bytes, 12);
	overlay_substrate_close(&s);
	close(silent);
	close(proven);
}

/* Of too many the silent one that came first has to go, then the other silent ones. */
static void many_in(void **state)
{
	struct overlay_substrate s;
	struct taken taken;
	static int fd[TCP_IN_MAX + 2];

	(void)state;
	open_tcp(&s, &taken);
	for (unsigned i = 0; i < TCP_IN_MAX; i++) {
		fd[i] = connected(&s);
		UNTIL(&s, s.counts.accepts == i + 1);
		if (i == 10 || i == 20)
			continue;
		speak(fd[i], 9001, 7);
		UNTIL(&s, taken.count == i + 1 - (i > 10) - (i > 20));
	}
	assert_int_equal(s.counts.turned_away, 0);
	assert_int_equal(inside(&s)->ins, TCP_IN_MAX);
	for (unsigned i = 0; i < 2; i++) {
		fd[TCP_IN_MAX + i] = connected(&s);
		UNTIL(&s, s.counts.accepts == TCP_IN_MAX + 1 + i);
		assert_int_equal(inside(&s)->ins, TCP_IN_MAX);
		assert_int_equal(s.counts.turned_away, 1 + i);
		assert_true(hung_up(fd[10]));
		assert_int_equal(hung_up(fd[20]), i);
		speak(fd[TCP_IN_MAX + i], 9001, 7);
		UNTIL(&s, taken.count == TCP_IN_MAX - 1 + i);
	}
	assert_false(hung_up(fd[0]));
	assert_int_equal(connections(&s), TCP_IN_MAX);
	overlay_substrate_close(&s);
	for (unsigned i = 0; i < TCP_IN_MAX + 2; i++)
		close(fd[i]);
}

static struct overlay_address nobody(unsigned number)
{
	return overlay_address_ipv4(0x7f010000 + number, 1, REALM);
}

/* As many peers; one that cannot be reached, and was used before the others, makes room. */
static void many_out(void **state)
{
	struct overlay_substrate s;
	struct overlay_address peer;
	struct taken taken;
	const int listener = listening(&peer, 5);
	struct overlay_address to;

	(void)state;
	open_tcp(&s, &taken);
	assert_int_equal(say(&s, &peer, "x"), 0);
	UNTIL(&s, s.counts.sent.own == 1);
	for (unsigned i = 1; i < TCP_OUT_MAX; i++) {
		to = nobody(i);
		(void)say(&s, &to, "x");
		UNTIL(&s, s.counts.unreachable.own == i);
	}
	assert_int_equal(inside(&s)->outs, TCP_OUT_MAX);
	assert_int_equal(s.counts.connect_failures, TCP_OUT_MAX - 1);
	assert_int_equal(s.counts.last_error, -ECONNREFUSED);
	to = nobody(TCP_OUT_MAX);
	(void)say(&s, &to, "x");
	assert_int_equal(inside(&s)->outs, TCP_OUT_MAX);
	for (const struct tcp_link *at = inside(&s)->links; at; at = at->next)
		assert_int_not_equal(ntohl(at->peer.sin_addr.s_addr), 0x7f010001);
	UNTIL(&s, s.counts.unreachable.own == TCP_OUT_MAX);
	assert_int_equal(connections(&s), 1);
	overlay_substrate_close(&s);
	close(listener);
}

/* Who cannot be reached gets messages by the connection that it made itself. */
static void back(void **state)
{
	struct overlay_substrate s;
	struct overlay_address peer;
	struct taken taken;
	uint8_t data[3];
	uint16_t port;
	uint32_t ip;
	int fd;

	(void)state;
	open_tcp(&s, &taken);
	close(listening(&peer, 5));
	fd = connected(&s);
	assert_true(overlay_address_get_ipv4(&peer, &ip, &port));
	speak(fd, port, 7);
	UNTIL(&s, taken.count == 1);
	assert_true(overlay_address_equal(&taken.from, &peer));
	assert_int_equal(recv(fd, data, sizeof(data), MSG_DONTWAIT), -1);
	(void)say(&s, &peer, "x");
	UNTIL(&s, s.counts.unreachable.own == 1);
	assert_int_equal(s.counts.connect_failures, 1);
	assert_int_equal(say(&s, &peer, "y"), 0);
	assert_int_equal(s.counts.sent.own, 1);
	assert_int_equal(recv(fd, data, sizeof(data), MSG_WAITALL), 3);
	assert_int_equal(np_field_get16(data), np_address_port(&s.local));
	assert_int_equal(data[2], 'y');
	close(fd);
	UNTIL(&s, inside(&s)->ins == 0);
	(void)say(&s, &peer, "z"); /* by one of its own again */
	UNTIL(&s, s.counts.unreachable.own == 2);
	overlay_substrate_close(&s);
}

/* No more messages in a turn than are asked for; the others wait, and make the next turn due. */
static void few_in_a_turn(void **state)
{
	struct overlay_substrate s;
	struct taken taken;
	int fd[2];

	(void)state;
	open_tcp(&s, &taken);
	for (unsigned i = 0; i < 2; i++) {
		fd[i] = connected(&s);
		UNTIL(&s, s.counts.accepts == i + 1);
	}
	for (unsigned i = 0; i < 6; i++)
		speak(fd[i % 2], (uint16_t)(9001 + i % 2), (uint8_t)i);
	for (unsigned i = 1; i <= 6; i++) {
		struct pollfd poll = overlay_substrate_poll(&s);

		if (s.face->deadline(&s))
			assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		assert_int_equal(turn(&s, 1), 1);
		assert_int_equal(taken.count, i);
	}
	turn(&s, 1);
	assert_int_equal(taken.count, 6);
	assert_int_equal(turn(&s, 1), 0);
	assert_true(s.face->deadline(&s) > np_clock_now());
	assert_int_equal(inside(&s)->unread, 0);
	for (unsigned i = 0; i < 2; i++)
		close(fd[i]);
	UNTIL(&s, !inside(&s)->ins);
	overlay_substrate_close(&s);
}

/* Without descriptors nobody is accepted for a while, and the node is not kept awake. */
static void no_descriptors(void **state)
{
	struct overlay_substrate s;
	struct taken taken;
	struct rlimit before, none;
	struct pollfd poll;
	int fd;
	np_time now;

	(void)state;
	open_tcp(&s, &taken);
	fd = connected(&s);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	poll = overlay_substrate_poll(&s);
	assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	setrlimit(RLIMIT_NOFILE, &none);
	now = np_clock_now();
	s.face->turn(&s, 64, now);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(s.counts.last_error, -EMFILE);
	assert_int_equal(s.face->deadline(&s), now + 100 * NP_MILLISECOND);
	assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
	s.face->turn(&s, 64, now + 100 * NP_MILLISECOND - 1);
	assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
	s.face->turn(&s, 64, now + 100 * NP_MILLISECOND);
	assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	s.face->turn(&s, 64, now + 100 * NP_MILLISECOND);
	assert_int_equal(s.counts.accepts, 1);
	overlay_substrate_close(&s);
	close(fd);
}

/* A message to nobody is refused; a port in use is another one, where that is allowed. */
static void refused(void **state)
{
	const struct overlay_address no = {.kind = 9, .length = 1};
	struct overlay_substrate s, second = {0};
	struct overlay_substrate_plan plan = plan_of();
	struct taken taken;

	(void)state;
	open_tcp(&s, &taken);
	assert_int_equal(s.face->send(&s, NULL, "x", 1, OVERLAY_PROTOCOL), -EDESTADDRREQ);
	assert_int_equal(s.face->send(&s, &no, "x", 1, OVERLAY_FORWARDED), -EDESTADDRREQ);
	assert_int_equal(s.counts.refused.protocol, 1);
	assert_int_equal(s.counts.refused.forwarded, 1);
	assert_int_equal(s.counts.last_error, -EDESTADDRREQ);
	plan.local = s.local;
	assert_int_equal(overlay_substrate_open(&second, NP_OVERLAY_TCP, &plan), -EADDRINUSE);
	overlay_substrate_close(&second);
	plan.any_port = true;
	second = (struct overlay_substrate){0};
	assert_int_equal(overlay_substrate_open(&second, NP_OVERLAY_TCP, &plan), 0);
	assert_int_not_equal(np_address_port(&second.local), np_address_port(&s.local));
	overlay_substrate_close(&second);
	overlay_substrate_close(&s);
}

/* What is not through is tried by five more connections, whole each time, then it is dropped. */
static void tries(void **state)
{
	const struct linger at_once = {.l_onoff = 1};
	const size_t bytes = (size_t)8 << 20;
	struct overlay_substrate_plan plan = plan_of();
	struct overlay_substrate s = {0};
	struct overlay_address peer;
	const int listener = listening(&peer, 5);
	char *message = calloc(1, bytes);
	struct taken taken = {0};
	unsigned accepted = 0;

	(void)state;
	assert_non_null(message);
	plan.message_max = (size_t)1 << 24;
	s.context = &taken;
	s.take = take;
	assert_int_equal(overlay_substrate_open(&s, NP_OVERLAY_TCP, &plan), 0);
	assert_int_equal(s.face->send(&s, &peer, message, bytes, OVERLAY_OWN), 0);
	while (!s.counts.unreachable.own) {
		uint8_t head[3];
		int fd;

		UNTIL(&s, s.counts.connects == accepted + 1 || s.counts.unreachable.own);
		if (s.counts.unreachable.own)
			break;
		fd = accept(listener, NULL, NULL);
		accepted++;
		UNTIL(&s, recv(fd, head, sizeof(head), MSG_DONTWAIT | MSG_PEEK) == 3);
		assert_int_equal(np_field_get16(head), np_address_port(&s.local));
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		close(fd);
	}
	assert_int_equal(accepted, 6);
	assert_int_equal(s.counts.sent.own, 0);
	assert_int_equal(connections(&s), 0);
	assert_true(s.face->idle(&s));
	overlay_substrate_close(&s);
	close(listener);
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unused_out),	  cmocka_unit_test(no_answer),
		cmocka_unit_test(no_progress),	  cmocka_unit_test(unused_in),
		cmocka_unit_test(many_in),	  cmocka_unit_test(many_out),
		cmocka_unit_test(back),		  cmocka_unit_test(few_in_a_turn),
		cmocka_unit_test(no_descriptors), cmocka_unit_test(refused),
		cmocka_unit_test(tries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-tcp: the connections of a node in time: when they are closed, given up and forgotten; and
 * what comes by them: how many are accepted, how much is held, which bytes end one. Time is made up
 * where it is the substrate's to judge.
 */
#include "overlay_tcp.h"
#include "support/unit.h"

#include <sys/syscall.h>

/* Connections, each of which is waited for before the library accepts it. */
static unsigned expected;

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	struct pollfd poll = {.fd = fd, .events = POLLIN};

	if (expected) {
		expected--;
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	}
	return (int)syscall(SYS_accept4, fd, address, length, flags);
}

/* One turn at @now, once there is something to do. */
static void turn_at(struct overlay_substrate *s, np_time now)
{
	struct pollfd poll = s->poll;

	assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	assert_true(s->face->turn(s, 64, now) >= 0);
}

/* An unused connection of this node is closed, then its peer is forgotten. */
TCP_TEST(unused_out)
{
	const struct tcp_link *link;

	assert_true(s->face->deadline(s) == NP_TIME_NEVER);
	assert_int_equal(say(s, &peer, "x"), 0);
	link = inside(s)->link[0];
	assert_int_equal(s->face->deadline(s), link->began + CONNECT);
	UNTIL(s, s->counts.sent.own);
	s->face->turn(s, 1, link->used + IDLE - 1);
	assert_int_equal(connections(s), 1);
	assert_int_equal(s->face->deadline(s), link->used + IDLE);
	s->face->turn(s, 1, link->used + IDLE);
	assert_int_equal(connections(s), 0);
	assert_int_equal(inside(s)->outs, 1);
	s->face->turn(s, 1, link->used + IDLE);
	assert_int_equal(inside(s)->outs, 0);
	assert_int_equal(inside(s)->outs + inside(s)->ins, 0);
	assert_int_equal(say(s, &peer, "x"), 0); /* it is made anew */
	UNTIL(s, s->counts.sent.own == 2);
}

/* One that does not come about is given up, with what waits for it. */
TCP_TEST(no_answer)
{
	struct np_address at = {.length = sizeof(at.storage)};
	const struct tcp_link *link;
	int fill[4];

	/* The listener's backlog is full. */
	assert_int_equal(listen(listener, 0), 0);
	assert_int_equal(getsockname(listener, &at.any, &at.length), 0);
	for (unsigned i = 0; i < 4; i++) {
		fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		assert_int_equal(connect(fill[i], &at.any, at.length), -1);
	}
	assert_int_equal(say(s, &peer, "x"), 0);
	assert_int_equal(say(s, &peer, "y"), 0);
	link = inside(s)->link[0];
	assert_false(s->face->room(s, NULL));
	assert_false(s->face->idle(s));
	assert_int_equal(s->face->deadline(s), link->began + CONNECT);
	s->face->turn(s, 1, link->began + CONNECT - 1);
	assert_int_equal(s->counts.unreachable.own, 0);
	s->face->turn(s, 1, link->began + CONNECT);
	assert_int_equal(s->counts.unreachable.own, 2);
	assert_int_equal(s->counts.last_error, -ETIMEDOUT);
	assert_int_equal(connections(s), 0);
	assert_true(s->face->room(s, NULL) && s->face->idle(s));
	/* What comes then fills a queue that takes nothing from others, and no more
	 * than it holds.
	 */
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(say(s, &peer, "z"), 0);
	assert_true(s->face->room(s, NULL));
	assert_int_equal(say(s, &peer, "z"), -EHOSTUNREACH);
	assert_int_equal(s->counts.unreachable.own, 3);
	for (unsigned i = 0; i < 4; i++)
		close(fill[i]);
}

/* A peer that takes nothing any more loses what waits, and only that. */
TCP_TEST(no_progress)
{
	static char text[8001];
	struct overlay_address other;
	const int second = listening(&other, 5);
	const struct tcp_link *link;
	uint64_t waiting;
	np_time moved;

	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(say(s, &other, "x"), 0);
	assert_int_equal(say(s, &peer, text), 0);
	link = inside(s)->link[1];
	UNTIL(s, s->counts.sent.own == 2);
	while (s->face->room(s, NULL)) {
		moved = np_clock_now();
		assert_int_equal(say(s, &peer, text), 0);
		if (link->queue.first) /* its time begins */
			assert_true(link->moved >= moved);
		turn(s, 64);
	}
	assert_true(s->face->room(s, &other));
	assert_false(s->face->room(s, &peer));
	assert_int_equal(connections(s), 2);
	s->face->turn(s, 64, link->moved + IDLE);
	assert_int_equal(s->counts.unreachable.own, 0);
	/* The kernel may still take some now and then. */
	do {
		moved = link->moved;
		s->face->turn(s, 64, moved + STALL - 1);
		assert_int_equal(s->counts.unreachable.own, 0);
		assert_int_equal(s->face->count(s), 0);
		waiting = s->counts.waiting.own;
		assert_true(waiting > 0);
		s->face->turn(s, 64, moved + STALL);
	} while (link->moved != moved);
	assert_int_equal(s->counts.unreachable.own, waiting);
	assert_int_equal(s->counts.last_error, -ETIMEDOUT);
	assert_int_equal(connections(s), 0);
	assert_true(s->face->room(s, NULL));
	close(second);
}

/* Others' connections: the silent ones are closed soon, those of which a message came late. */
TCP_TEST(unused_in)
{
	int silent, proven;
	const struct tcp_link *link, *first;

	silent = connected(s);
	UNTIL(s, s->counts.accepts == 1);
	proven = connected(s);
	speak(proven, 9001, 7);
	UNTIL(s, taken.count == 1);
	first = inside(s)->link[0];
	link = inside(s)->link[1];
	assert_true(link->proven && !first->proven);
	assert_int_equal(s->face->deadline(s), first->began + IDLE);
	s->face->turn(s, 64, first->began + IDLE);
	assert_true(hung_up(silent));
	assert_int_equal(s->face->deadline(s), link->used + 2 * IDLE);
	s->face->turn(s, 64, link->used + 2 * IDLE - 1);
	assert_false(hung_up(proven));
	s->face->turn(s, 64, link->used + 2 * IDLE);
	assert_true(hung_up(proven));
	assert_int_equal(s->counts.received, 1);
	assert_int_equal(s->counts.received_bytes, 12);
	close(silent);
	close(proven);
}

/* Without descriptors nobody is accepted for a while, and the node is not kept awake. */
TCP_TEST(no_descriptors)
{
	struct rlimit before, none;
	struct pollfd poll;
	int fd;
	np_time now;

	fd = connected(s);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	poll = s->poll;
	assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	setrlimit(RLIMIT_NOFILE, &none);
	now = np_clock_now();
	s->face->turn(s, 64, now);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_int_equal(s->counts.last_error, -EMFILE);
	assert_int_equal(s->face->deadline(s), now + 100 * NP_MILLISECOND);
	assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
	s->face->turn(s, 64, now + 100 * NP_MILLISECOND - 1);
	assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
	assert_int_equal(s->counts.accepts, 0);
	s->face->turn(s, 64, now + 100 * NP_MILLISECOND);
	assert_int_equal(s->counts.accepts, 1);
	close(fd);
}

/* A message to nobody is refused; a port in use is another one, where that is allowed. */
TCP_TEST(refused)
{
	const struct overlay_address no = {.kind = 9, .length = 1};
	struct overlay_substrate second = {0};
	struct overlay_substrate_plan plan = plan_of();

	assert_int_equal(s->face->send(s, NULL, "x", 1, OVERLAY_PROTOCOL), -EDESTADDRREQ);
	assert_int_equal(s->face->send(s, &no, "x", 1, OVERLAY_FORWARDED), -EDESTADDRREQ);
	assert_int_equal(s->counts.refused.protocol, 1);
	assert_int_equal(s->counts.refused.forwarded, 1);
	assert_int_equal(s->counts.last_error, -EDESTADDRREQ);
	plan.local = s->info.local;
	assert_int_equal(overlay_substrate_open(&second, &plan), -EADDRINUSE);
	overlay_substrate_close(&second);
	plan.any_port = true;
	open_plan(&second, &plan);
	assert_int_not_equal(np_address_port(&second.info.local), np_address_port(&s->info.local));
	overlay_substrate_close(&second);
}

/* A node has work until its messages are acknowledged, wherever they wait; none is lost. */
TCP_TEST(unacknowledged)
{
	static uint8_t text[1000], data[65536];
	const struct tcp_link *link;
	uint64_t said = 1, left, at = 0;
	bool kernel = false; /* has some, while none waits here */
	int fd;

	memset(text, 'x', sizeof(text));
	assert_int_equal(s->face->send(s, &peer, text, sizeof(text), OVERLAY_OWN), 0);
	UNTIL(s, s->counts.sent.own == 1);
	link = inside(s)->link[0];
	for (unsigned more = 50; more; said++) {
		kernel = kernel || (!s->face->idle(s) && !link->queue.first);
		assert_int_equal(s->face->send(s, &peer, text, sizeof(text), OVERLAY_OWN), 0);
		turn(s, 64);
		more -= !s->face->room(s, NULL);
	}
	assert_true(kernel);
	assert_int_equal(s->face->count(s), 0);
	assert_true(s->counts.waiting.own > 0);
	assert_int_equal(s->counts.sent.own + s->counts.waiting.own, said);
	fd = accept(listener, NULL, NULL);
	for (left = said * (OVERLAY_PORT_BYTES + sizeof(text)); left;) {
		const ssize_t got = recv(fd, data, sizeof(data), MSG_DONTWAIT);

		assert_true(got > 0 || errno == EAGAIN);
		for (ssize_t i = 0; i < got; i++, at++)
			assert_true(data[i] == 'x' || at % 1002 < OVERLAY_PORT_BYTES);
		left -= got > 0 ? (uint64_t)got : 0;
		turn(s, 64);
	}
	UNTIL(s, s->face->idle(s));
	assert_int_equal(s->counts.sent.own, said);
	assert_true(s->face->room(s, NULL));
	assert_int_equal(connections(s), 1);
	close(fd);
}

/* Whoever connects does not keep the node from its other work. */
TCP_TEST(burst)
{
	int fd[20];

	for (unsigned i = 0; i < 20; i++)
		fd[i] = connected(s);
	expected = 20;
	turn_at(s, np_clock_now());
	assert_int_equal(s->counts.accepts, 16);
	assert_true(s->face->deadline(s) <= np_clock_now());
	turn(s, 64);
	assert_int_equal(s->counts.accepts, 20);
	for (unsigned i = 0; i < 20; i++)
		close(fd[i]);
}

struct answering {
	struct overlay_substrate s;
	struct overlay_address peer;
	unsigned count;
};

static void answer(void *context, const struct overlay_address *from, const void *message,
		   size_t bytes, np_time at)
{
	struct answering *a = context;
	const uint64_t before = a->s.counts.sent.own;

	(void)from, (void)message, (void)bytes, (void)at;
	a->count++;
	assert_int_equal(say(&a->s, &a->peer, "y"), 0);
	assert_int_equal(a->s.counts.sent.own, before);
}

/* What is sent while messages are taken goes when all of them are, and what follows at once. */
TEST(answers)
{
	const struct overlay_substrate_plan plan = plan_of();
	struct answering a = {.s = {.context = &a, .take = answer}};
	const int door = listening(&a.peer, 5);
	int fd;

	assert_int_equal(overlay_substrate_open(&a.s, &plan), 0);
	assert_int_equal(say(&a.s, &a.peer, "x"), 0);
	UNTIL(&a.s, a.s.counts.sent.own == 1);
	/* As if it had carried a megabyte in a second. */
	for (unsigned i = 0; i < inside(&a.s)->outs + inside(&a.s)->ins; i++)
		inside(&a.s)->link[i]->limited = false;
	fd = accepted(&a.s);
	for (unsigned i = 0; i < 2; i++) {
		speak(fd, 9001, 7);
		speak(fd, 9001, 8);
		while (a.count < 2 * (i + 1)) {
			turn_at(&a.s, np_clock_now());
			assert_int_equal(a.s.counts.sent.own, 1 + a.count + i);
		}
		assert_int_equal(say(&a.s, &a.peer, "z"), 0);
		assert_int_equal(a.s.counts.sent.own, 2 + a.count + i);
	}
	overlay_substrate_close(&a.s);
	close(fd);
	close(door);
}

/* A message without a port, one that is too long and one that is none end their connections. */
TCP_TEST(bad_bytes)
{
	static const struct {
		uint8_t bytes[16];
		size_t count;
		uint64_t unreadable, oversize; /* then */
	} bad[] = {
		{{0, 0, 0x30, 0, 9, 1, 1, 2, 3, 4, 0, 0, 0, 7}, 14, 1, 0},
		{{0x23, 0x29, 0xff, 0xff, 0xff}, 5, 2, 0},
		{{0x23, 0x29, 0x30, 0x20, 0}, 5, 2, 1},
	};

	for (unsigned i = 0; i < 3; i++) {
		const int fd = accepted(s);

		assert_int_equal(send(fd, bad[i].bytes, bad[i].count, 0), bad[i].count);
		UNTIL(s, !inside(s)->ins);
		assert_int_equal(s->counts.unreadable, bad[i].unreadable);
		assert_int_equal(s->counts.oversize, bad[i].oversize);
		close(fd);
	}
	assert_int_equal(s->counts.received + s->counts.received_bytes + taken.count, 0);
	assert_int_equal(inside(s)->unread + inside(s)->buffered, 0);
}

/* Of all together no more is held than 64 MiB and two messages; who needs no more room goes on. */
TCP_TEST(held)
{
	const size_t most = ((size_t)64 << 20) + 2 * 8192;
	struct tcp *t;
	size_t room;
	int fd[3];

	t = s->state;
	for (unsigned i = 0; i < 3; i++)
		fd[i] = accepted(s);
	speak(fd[0], 9001, 7);
	UNTIL(s, taken.count == 1);
	room = t->buffered;
	assert_true(room > 0);
	t->buffered = most - room; /* as if others held it */
	speak(fd[1], 9001, 7);
	UNTIL(s, taken.count == 2);
	assert_int_equal(t->buffered, most);
	speak(fd[2], 9001, 7);
	UNTIL(s, t->ins == 2);
	assert_int_equal(t->buffered, most);
	t->buffered++;
	speak(fd[0], 9001, 8);
	UNTIL(s, taken.count == 3);
	assert_int_equal(t->ins, 2);
	t->buffered = 2 * room;
	for (unsigned i = 0; i < 3; i++)
		close(fd[i]);
}

/* A part of a message is use of a connection, but for one of which none has come whole. */
TCP_TEST(last_used)
{
	static const uint8_t message[] = {0x23, 0x29, 0x30, 0, 9, 1, 1, 2, 3, 4, 0, 0, 0, 7};
	const struct tcp_link *link;
	np_time now;
	int fd;

	fd = accepted(s);
	link = inside(s)->link[0];
	now = link->began + NP_SECOND;
	assert_int_equal(send(fd, message, 1, MSG_NOSIGNAL), 1);
	while (!link->in.end)
		turn_at(s, now);
	assert_int_equal(link->used, link->began);
	assert_int_equal(send(fd, message + 1, 12, MSG_NOSIGNAL), 12);
	while (link->in.end < 13)
		turn_at(s, now);
	assert_int_equal(taken.count, 0);
	assert_int_equal(send(fd, message + 13, 1, MSG_NOSIGNAL), 1);
	while (!taken.count)
		turn_at(s, now + 1);
	assert_int_equal(link->used, now + 1);
	assert_int_equal(send(fd, message, 1, MSG_NOSIGNAL), 1);
	while (link->in.begin)
		turn_at(s, now + 2);
	assert_int_equal(link->used, now + 2);
	assert_int_equal(taken.count, 1);
	close(fd);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-tcp-in: how many connections of others a turn accepts, how much of
 * them is held, which bytes end one, and when it was last used. */

/* With it the headers define recv(), for which ours stands in below. */
#undef _FORTIFY_SOURCE

#include "overlay_tcp.h"
#include "support/unit.h"

#include <sys/syscall.h>

/* The library's calls come here. */
static unsigned expected; /* connections, each of which is waited for before it
			     is accepted */
static unsigned accepts;  /* how often it asked for one */
static int refusal;	  /* of the next recv() */

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	struct pollfd poll = {.fd = fd, .events = POLLIN};

	accepts++;
	if (expected) {
		expected--;
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	}
	return (int)syscall(SYS_accept4, fd, address, length, flags);
}

ssize_t recv(int fd, void *data, size_t room, int flags)
{
	if (refusal) {
		errno = refusal;
		refusal = 0;
		return -1;
	}
	return syscall(SYS_recvfrom, fd, data, room, flags, NULL, NULL);
}

/* One turn at @now, once there is something to do. */
static void turn_at(struct overlay_substrate *s, np_time now)
{
	struct pollfd poll = overlay_substrate_poll(s);

	assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	assert_true(s->face->turn(s, 64, now) >= 0);
}

static int accepted(struct overlay_substrate *s)
{
	const uint64_t before = s->counts.accepts;
	const int fd = connected(s);

	UNTIL(s, s->counts.accepts == before + 1);
	return fd;
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
	turn_at(s, np_clock_now());
	assert_int_equal(s->counts.accepts, 20);
	assert_int_equal(expected, 0);
	assert_int_equal(s->counts.last_error, 0);
	assert_true(s->face->deadline(s) > 0);
	for (unsigned i = 0; i < 20; i++)
		close(fd[i]);
}

/* Nobody is asked for where nobody connects. */
TCP_TEST(nobody_connects)
{
	int fd;

	fd = accepted(s);
	accepts = 0;
	turn(s, 64);
	speak(fd, 9001, 7);
	UNTIL(s, taken.count == 1);
	assert_int_equal(accepts, 0);
	close(fd);
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

/* What is sent while messages are taken goes when all of them are, and what
 * follows at once. */
TEST(answers)
{
	const struct overlay_substrate_plan plan = plan_of();
	struct answering a = {.s = {.context = &a, .take = answer}};
	const int listener = listening(&a.peer, 5);
	int fd;

	assert_int_equal(overlay_substrate_open(&a.s, OVERLAY_TCP, &plan), 0);
	assert_int_equal(say(&a.s, &a.peer, "x"), 0);
	UNTIL(&a.s, a.s.counts.sent.own == 1);
	for (struct tcp_link *at = inside(&a.s)->links; at; at = at->next)
		at->limited = false; /* as if it had carried a megabyte in a second */
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
	close(listener);
}

/* A message without a port, one that is too long and one that is none end their
 * connections. */
TCP_TEST(bad_bytes)
{
	static const uint8_t none[] = {0x23, 0x29, 0xff, 0xff, 0xff},
			     longer[] = {0x23, 0x29, 0x30, 0x20, 0};
	int fd[3];

	for (unsigned i = 0; i < 3; i++)
		fd[i] = accepted(s);
	speak(fd[0], 0, 7);
	UNTIL(s, inside(s)->ins == 2);
	assert_int_equal(s->counts.unreadable, 1);
	assert_int_equal(send(fd[1], none, sizeof(none), MSG_NOSIGNAL), sizeof(none));
	UNTIL(s, inside(s)->ins == 1);
	assert_int_equal(s->counts.unreadable, 2);
	assert_int_equal(s->counts.oversize, 0);
	assert_int_equal(send(fd[2], longer, sizeof(longer), MSG_NOSIGNAL), sizeof(longer));
	UNTIL(s, inside(s)->ins == 0);
	assert_int_equal(s->counts.unreadable, 2);
	assert_int_equal(s->counts.oversize, 1);
	assert_int_equal(s->counts.received + s->counts.received_bytes + taken.count, 0);
	assert_int_equal(inside(s)->unread, 0);
	assert_int_equal(inside(s)->buffered, 0);
	for (unsigned i = 0; i < 3; i++)
		close(fd[i]);
}

/* Of all together no more is held than 64 MiB and two messages; who needs no
 * more room goes on. */
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
	assert_int_equal(s->counts.turned_away, 1);
	assert_int_equal(t->buffered, most);
	t->buffered++;
	speak(fd[0], 9001, 8);
	UNTIL(s, taken.count == 3);
	assert_int_equal(taken.last, 8);
	assert_int_equal(s->counts.turned_away, 1);
	assert_int_equal(t->ins, 2);
	assert_int_equal(t->buffered, most + 1);
	t->buffered = 2 * room;
	for (unsigned i = 0; i < 3; i++)
		close(fd[i]);
}

/* A part of a message is use of a connection, but for one of which none has
 * come whole. */
TCP_TEST(last_used)
{
	static const uint8_t message[] = {0x23, 0x29, 0x30, 0, 9, 1, 1, 2, 3, 4, 0, 0, 0, 7};
	const struct tcp_link *link;
	np_time now;
	int fd;

	fd = accepted(s);
	link = inside(s)->links;
	now = link->began + NP_SECOND;
	assert_int_equal(send(fd, message, 1, MSG_NOSIGNAL), 1);
	while (!link->in.end)
		turn_at(s, now);
	assert_int_equal(link->used, link->began);
	assert_int_equal(send(fd, message + 1, sizeof(message) - 1, MSG_NOSIGNAL),
			 sizeof(message) - 1);
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

/* So it is on one that this node made. */
TCP_TEST(own_last_used)
{
	struct overlay_address peer;
	const int listener = listening(&peer, 5);
	const struct tcp_link *link;
	np_time now;
	int fd;

	assert_int_equal(say(s, &peer, "x"), 0);
	UNTIL(s, s->counts.sent.own == 1);
	fd = accept(listener, NULL, NULL);
	link = inside(s)->links;
	now = link->used + NP_SECOND;
	assert_int_equal(send(fd, "\x23", 1, MSG_NOSIGNAL), 1);
	while (!link->in.end)
		turn_at(s, now);
	assert_int_equal(link->used, now);
	close(fd);
	close(listener);
}

/* A kernel that has nothing to read after all, or was interrupted, ends no
 * connection. */
TCP_TEST(nothing_to_read)
{
	static const int errors[] = {EAGAIN, EINTR};
	int fd;

	fd = accepted(s);
	for (unsigned i = 0; i < 2; i++) {
		speak(fd, 9001, (uint8_t)i);
		refusal = errors[i];
		turn_at(s, np_clock_now());
		assert_int_equal(refusal, 0);
		assert_int_equal(taken.count, i);
		UNTIL(s, taken.count == i + 1);
		assert_int_equal(taken.last, i);
	}
	refusal = ECONNRESET;
	speak(fd, 9001, 7);
	UNTIL(s, !inside(s)->links);
	assert_int_equal(taken.count, 2);
	close(fd);
}

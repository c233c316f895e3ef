// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-tcp-epoll: what a turn does when the kernel does not tell what is
 * ready, or does not watch a connection. */
#include "overlay_tcp.h"
#include "support/unit.h"

#include <sys/epoll.h>
#include <sys/syscall.h>

/* The library's calls come here. Errors of the next one of each kind. */
static int wait_refusal, watch_refusal;

static bool refuses(int *refusal)
{
	errno = *refusal;
	*refusal = 0;
	return errno != 0;
}

int epoll_wait(int fd, struct epoll_event *events, int most, int limit)
{
	if (refuses(&wait_refusal))
		return -1;
	return (int)syscall(SYS_epoll_pwait, fd, events, most, limit, NULL, 8);
}

int epoll_ctl(int fd, int what, int other, struct epoll_event *event)
{
	if (refuses(&watch_refusal))
		return -1;
	return (int)syscall(SYS_epoll_ctl, fd, what, other, event);
}

/* One turn, once there is something to do. */
static int ready_turn(struct overlay_substrate *s)
{
	struct pollfd poll = overlay_substrate_poll(s);

	assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
	return turn(s, 64);
}

/* A signal does no harm; any other error is told. */
TCP_TEST(waits)
{
	int fd;

	fd = connected(s);
	wait_refusal = EINTR;
	assert_int_equal(ready_turn(s), 0);
	assert_int_equal(s->counts.accepts, 0);
	wait_refusal = EINVAL;
	assert_int_equal(ready_turn(s), -EINVAL);
	assert_int_equal(s->counts.accepts, 0);
	UNTIL(s, s->counts.accepts == 1);
	close(fd);
}

/* An accepted connection that cannot be watched is closed in the next turn,
 * which is due at once.
 */
TCP_TEST(unwatched)
{
	int fd;

	fd = connected(s);
	watch_refusal = ENOSPC;
	assert_int_equal(ready_turn(s), 1);
	assert_int_equal(watch_refusal, 0);
	assert_int_equal(inside(s)->ins, 1);
	assert_int_equal(inside(s)->broken, 1);
	assert_int_equal(s->face->deadline(s), 0);
	assert_int_equal(turn(s, 64), 0);
	assert_int_equal(inside(s)->ins, 0);
	assert_int_equal(inside(s)->broken, 0);
	assert_true(s->face->deadline(s) > 0);
	close(fd);
}

/* One that is made again for what waits, and cannot be watched, is given up in
 * the next turn. */
TCP_TEST(unwatched_again)
{
	static char text[8001];
	const struct linger at_once = {.l_onoff = 1};
	struct overlay_address peer;
	const int listener = listening(&peer, 5);
	uint64_t said = 1;
	int fd, rc;

	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(say(s, &peer, "x"), 0);
	UNTIL(s, s->counts.sent.own == 1);
	for (; s->face->room(s, NULL); said++)
		assert_int_equal(say(s, &peer, text), 0);
	fd = accept(listener, NULL, NULL);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
	watch_refusal = ENOSPC;
	do
		rc = ready_turn(s);
	while (watch_refusal);
	assert_int_equal(rc, 1);
	assert_int_equal(inside(s)->broken, 1);
	assert_int_equal(s->counts.connect_failures, 0);
	assert_int_equal(s->counts.unreachable.own, 0);
	assert_int_equal(s->face->deadline(s), 0);
	assert_int_equal(turn(s, 64), 0);
	assert_int_equal(inside(s)->broken, 0);
	assert_int_equal(s->counts.connect_failures, 1);
	assert_int_equal(s->counts.unreachable.own, said - s->counts.sent.own);
	assert_int_equal(connections(s), 0);
	close(listener);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay-tcp-peers: how many connections a node has and who is closed first, by which of them a
 * message goes, how often it is tried, what is gathered, and how many are taken in a turn.
 */
#include "overlay_tcp.h"
#include "support/unit.h"

#include <sys/syscall.h>

static unsigned calls, said; /* said: messages of the rounds */

/* The library's calls come here. */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	calls++;
	return syscall(SYS_sendmsg, fd, message, flags);
}

ssize_t send(int fd, const void *data, size_t bytes, int flags)
{
	calls++;
	return syscall(SYS_sendto, fd, data, bytes, flags, NULL, 0);
}

/*
 * Of too many the silent one that came first has to go, then the other silent ones, then the one
 * that is unused for longest; never one of this node's own.
 */
TCP_TEST(many_in)
{
	static const unsigned first_gone[] = {10, 20, 1};
	static int fd[TCP_IN_MAX + 3];

	assert_int_equal(say(s, &peer, "x"), 0);
	UNTIL(s, s->counts.sent.own == 1);
	for (unsigned i = 0; i < TCP_IN_MAX; i++) {
		fd[i] = accepted(s);
		if (i == 10 || i == 20)
			continue;
		speak(fd[i], 9001, 7);
		UNTIL(s, taken.count == i + 1 - (i > 10) - (i > 20));
	}
	speak(fd[0], 9001, 8);
	UNTIL(s, taken.last == 8);
	for (unsigned i = 0; i < 3; i++) {
		struct pollfd gone = {.fd = fd[first_gone[i]], .events = POLLIN};

		fd[TCP_IN_MAX + i] = accepted(s);
		assert_int_equal(inside(s)->ins, TCP_IN_MAX);
		assert_int_equal(np_wait_ready(&gone, 1, np_clock_now() + LIMIT), 1);
		assert_true(hung_up(gone.fd));
		speak(fd[TCP_IN_MAX + i], 9001, 9);
		UNTIL(s, taken.count == TCP_IN_MAX + i);
	}
	assert_false(hung_up(fd[0]));
	assert_int_equal(inside(s)->outs, 1);
	assert_int_equal(connections(s), TCP_IN_MAX + 1);
	for (unsigned i = 0; i < TCP_IN_MAX + 3; i++)
		close(fd[i]);
}

static struct overlay_address nobody(unsigned number)
{
	return overlay_address_ipv4(0x7f010000 + number, 1, REALM);
}

/* As many peers; one that cannot be reached, and was used before the others, makes room. */
TCP_TEST(many_out)
{
	struct overlay_address to;

	assert_int_equal(say(s, &peer, "x"), 0);
	UNTIL(s, s->counts.sent.own == 1);
	for (unsigned i = 1; i < TCP_OUT_MAX; i++) {
		to = nobody(i);
		(void)say(s, &to, "x");
		UNTIL(s, s->counts.unreachable.own == i);
	}
	assert_int_equal(inside(s)->outs, TCP_OUT_MAX);
	assert_int_equal(s->counts.last_error, -ECONNREFUSED);
	to = nobody(TCP_OUT_MAX);
	(void)say(s, &to, "x");
	assert_int_equal(inside(s)->outs, TCP_OUT_MAX);
	for (unsigned i = 0; i < inside(s)->outs + inside(s)->ins; i++)
		assert_int_not_equal(ntohl(inside(s)->link[i]->peer.sin_addr.s_addr), 0x7f010001);
	UNTIL(s, s->counts.unreachable.own == TCP_OUT_MAX);
	assert_int_equal(connections(s), 1);
}

/* Who cannot be reached gets messages by the connection that it made itself. */
TCP_TEST(back)
{
	struct overlay_address gone;
	uint8_t data[3];
	struct sockaddr_in in;
	int fd;

	close(listening(&gone, 5));
	fd = connected(s);
	assert_true(overlay_address_get_ipv4(&gone, &in));
	speak(fd, ntohs(in.sin_port), 7);
	UNTIL(s, taken.count == 1);
	assert_true(overlay_address_equal(&taken.from, &gone));
	assert_int_equal(recv(fd, data, sizeof(data), MSG_DONTWAIT), -1);
	(void)say(s, &gone, "x");
	UNTIL(s, s->counts.unreachable.own == 1);
	assert_int_equal(say(s, &gone, "y"), 0);
	assert_int_equal(s->counts.sent.own, 1);
	assert_int_equal(recv(fd, data, sizeof(data), MSG_WAITALL), 3);
	assert_int_equal(np_field_get16(data), np_address_port(&s->info.local));
	assert_int_equal(data[2], 'y');
	close(fd);
	UNTIL(s, inside(s)->ins == 0);
	(void)say(s, &gone, "z"); /* by one of its own again */
	UNTIL(s, s->counts.unreachable.own == 2);
}

/* No more messages in a turn than are asked for; the others wait, and make the next turn due. */
TCP_TEST(few_in_a_turn)
{
	int fd[2];

	for (unsigned i = 0; i < 2; i++)
		fd[i] = accepted(s);
	for (unsigned i = 0; i < 6; i++)
		speak(fd[i % 2], (uint16_t)(9001 + i % 2), (uint8_t)i);
	for (unsigned i = 1; i <= 6; i++) {
		struct pollfd poll = s->poll;

		if (s->face->deadline(s))
			assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		assert_int_equal(turn(s, 1), 1);
		assert_int_equal(taken.count, i);
	}
	turn(s, 1);
	assert_int_equal(taken.count, 6);
	assert_int_equal(turn(s, 1), 0);
	assert_true(s->face->deadline(s) > np_clock_now());
	assert_int_equal(inside(s)->unread, 0);
	for (unsigned i = 0; i < 2; i++)
		close(fd[i]);
	UNTIL(s, !inside(s)->ins);
}

/* One that is closed with messages that were read, and not handed over, leaves nothing to do. */
TCP_TEST(closed_unread)
{
	const struct tcp_link *link;
	uint8_t messages[3 * 14] = {0};
	const int fd = accepted(s);

	for (unsigned i = 0; i < 3; i++)
		memcpy(messages + 14 * i, "\x23\x29\x30\x00\x09\x01\x01\x02\x03\x04", 10);
	assert_int_equal(send(fd, messages, sizeof(messages), MSG_NOSIGNAL), sizeof(messages));
	while (!taken.count) {
		struct pollfd poll = s->poll;

		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		turn(s, 1);
	}
	link = inside(s)->link[0];
	assert_int_equal(inside(s)->unread, 1);
	assert_int_equal(s->face->deadline(s), 0);
	s->face->turn(s, 0, link->used + 2 * IDLE);
	assert_int_equal(inside(s)->outs + inside(s)->ins, 0);
	assert_int_equal(inside(s)->unread, 0);
	assert_int_equal(inside(s)->buffered, 0);
	assert_true(s->face->deadline(s) == NP_TIME_NEVER);
	assert_int_equal(taken.count, 1);
	close(fd);
}

static void reset(int fd)
{
	const struct linger at_once = {.l_onoff = 1};

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
}

/*
 * A connection that breaks is made anew, however often. The first message finds it broken, the
 * others come before the turn that connects again: they wait behind the first one, for the same
 * connection.
 */
TCP_TEST(what_follows_a_break_goes_by_one_connection)
{
	uint8_t data[9];
	int fd;

	assert_int_equal(say(s, &peer, "x"), 0);
	UNTIL(s, s->counts.connects == 1);
	reset(accept(listener, NULL, NULL));
	for (unsigned breaks = 1; breaks <= 10; breaks++) {
		for (char text[] = "1"; *text <= '3'; ++*text)
			assert_int_equal(say(s, &peer, text), 0);
		UNTIL(s, s->counts.connects == 1 + breaks);
		fd = accept(listener, NULL, NULL);
		assert_int_equal(recv(fd, data, sizeof(data), MSG_WAITALL), sizeof(data));
		/* A port and a byte each. */
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(data[3 * i + 2], '1' + i);
		assert_int_equal(connections(s), 1);
		assert_int_equal(s->counts.sent.own, 1 + 3 * breaks);
		reset(fd);
	}
	assert_int_equal(s->counts.unreachable.own, 0);
}

/* What is not through is tried by five more connections, whole each time, then it is dropped. */
TCP_TEST_OF((size_t)1 << 24, tries)
{
	static const char message[8 << 20];
	unsigned accepted = 0;

	assert_int_equal(s->face->send(s, &peer, message, sizeof(message), OVERLAY_OWN), 0);
	for (;; accepted++) {
		uint8_t head[3];
		int fd;

		UNTIL(s, s->counts.connects == accepted + 1 || s->counts.unreachable.own);
		if (s->counts.unreachable.own)
			break;
		fd = accept(listener, NULL, NULL);
		UNTIL(s, recv(fd, head, sizeof(head), MSG_DONTWAIT | MSG_PEEK) == 3);
		assert_int_equal(np_field_get16(head), np_address_port(&s->info.local));
		reset(fd);
	}
	assert_int_equal(accepted, 6);
	assert_int_equal(s->counts.sent.own, 0);
	assert_int_equal(connections(s), 0);
	assert_true(s->face->idle(s));
}

/* Of the longest messages two can wait, whatever they are. */
TCP_TEST_OF((size_t)4 << 20, long_queue)
{
	static const char message[(4 << 20) - OVERLAY_PORT_BYTES];

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(
			s->face->send(s, &peer, message, sizeof(message), OVERLAY_FORWARDED), 0);
	assert_int_equal(s->face->send(s, &peer, message, 1, OVERLAY_FORWARDED), -EAGAIN);
	assert_int_equal(s->counts.no_room.forwarded, 1);
	assert_int_equal(inside(s)->broken, 0); /* nothing of it has gone */
}

/* Sends @count numbered messages, by one call if it can; returns the number of calls. */
static unsigned send_round(struct overlay_substrate *s, const struct overlay_address *to,
			   unsigned count, bool gather)
{
	const unsigned before = calls;
	uint8_t message[100] = {0};

	if (gather)
		s->face->gather(s, true);
	for (unsigned i = 0; i < count; i++) {
		np_field_put32(message, said++);
		assert_int_equal(s->face->send(s, to, message, sizeof(message), OVERLAY_OWN), 0);
	}
	if (gather)
		s->face->gather(s, false);
	return calls - before;
}

/* What comes is in order, and as long as it was sent. */
static void hear_round(int fd)
{
	static unsigned heard;
	uint8_t data[OVERLAY_PORT_BYTES + 100];

	for (; heard < said; heard++) {
		assert_int_equal(recv(fd, data, sizeof(data), MSG_WAITALL), sizeof(data));
		assert_int_equal(np_field_get32(data + OVERLAY_PORT_BYTES), heard);
	}
}

/*
 * What is gathered goes by few calls, only on a connection that has carried a megabyte in a second;
 * a busy machine may need several.
 */
TCP_TEST(gathering)
{
	const np_time limit = np_clock_now() + LIMIT;
	const int room = 1 << 20;
	int fd;

	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	send_round(s, &peer, 1, false);
	UNTIL(s, s->counts.connects == 1);
	fd = accept(listener, NULL, NULL);
	assert_int_equal(send_round(s, &peer, 40, true), 40);
	do {
		for (unsigned i = 0; i < 300; i++) {
			assert_int_equal(send_round(s, &peer, 40, false), 40);
			hear_round(fd);
		}
		assert_true(np_clock_now() < limit);
	} while (send_round(s, &peer, 40, true) != 2);
	hear_round(fd);
	/* One alone is not kept waiting, by whatever call. */
	send_round(s, &peer, 1, true);
	hear_round(fd);
	assert_int_equal(s->counts.sent.own, said);
	assert_int_equal(s->counts.sent_bytes, 100 * said);
	assert_true(s->face->room(s, NULL));
	close(fd);
}

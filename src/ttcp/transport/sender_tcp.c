// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_tcp: a connection a stream, made anew for each run. */
#include "../conversation/sender_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_LIMIT (10 * NP_SECOND)
#define CONNECT_AGAIN (100 * NP_MILLISECOND)
#define TELL_LOOK     (200 * NP_MILLISECOND)
#define PAGE_BYTES    4096 /* the kernel copies faster from where one begins */

static int open_tcp(struct sender *s)
{
	size_t batch = s->batch_messages * s->message_bytes;
	size_t each = (batch + SENDER_ANSWER_ROOM + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;

	s->memory = aligned_alloc(PAGE_BYTES, s->lanes * each);
	if (!s->memory) {
		np_log_error(s->session->log, NULL, "out of memory");
		return 2;
	}
	for (unsigned i = 0; i < s->lanes; i++) {
		s->lane[i].batch = s->memory + i * each;
		s->lane[i].answer = s->lane[i].batch + batch;
	}
	return 0;
}

static int connect_lane(struct sender *s, struct lane *lane)
{
	const struct options *o = sender_options(s);
	struct np_address local;
	struct np_stream_options how = {
		.send_bytes = o->socket.buffer_bytes,
		.receive_bytes = o->socket.buffer_bytes,
		.no_delay = o->socket.no_delay || o->load.ping_pong,
		.congestion = o->socket.congestion,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl > 0 ? o->socket.asked.ttl : 0,
		.device = o->socket.asked.device,
	};
	int rc;

	if (o->place.bind) {
		if (session_resolve(s->session, o->place.bind, 0, s->to.any.sa_family, &local))
			return -EADDRNOTAVAIL;
		how.local = &local;
	}
	rc = np_stream_connect(&lane->stream, &how, &s->to, np_signals_fd(s->session->signals),
			       np_clock_now() + CONNECT_LIMIT);
	if (rc)
		return rc;
	lane->peer = np_stream_info(lane->stream)->remote;
	lane->answered = 0;
	lane->asked = lane->closed = false;
	return 0;
}

/*
 * With --wait a receiver may come later. A connection that is reset before it is made found
 * somebody who had no room for it just then.
 */
static int connect_patiently(struct sender *s, struct lane *lane)
{
	np_time begin = np_clock_now(), until = begin + sender_options(s)->wait.wait;
	np_time crowded = begin + CONNECT_LIMIT;
	int rc;

	for (;;) {
		rc = connect_lane(s, lane);
		if (rc != -ECONNREFUSED && rc != -ETIMEDOUT && rc != -ECONNRESET)
			return rc;
		if (np_clock_now() >= (rc == -ECONNRESET && crowded > until ? crowded : until))
			return rc;
		if (!session_sleep(s->session, np_clock_now() + CONNECT_AGAIN))
			return -ECANCELED;
	}
}

static int connect_tcp(struct sender *s)
{
	int rc = 0;

	for (unsigned i = 0; i < s->lanes && !rc; i++)
		if (!s->lane[i].stream)
			rc = connect_patiently(s, &s->lane[i]);
	return rc;
}

static void give_up_tcp(struct lane *lane)
{
	np_stream_free(lane->stream);
	lane->stream = NULL;
}

static int reach_tcp(struct sender *s)
{
	return connect_lane(s, &s->lane[0]);
}

static int tell_tcp(struct sender *s, struct lane *lane, const struct np_address *to,
		    const void *message, size_t bytes)
{
	np_time now = np_clock_now();
	size_t done = 0, sent;
	int rc;

	(void)to;
	s->moved = now;
	/* A wish to stop does not cut a message in two; a second one does. */
	do {
		rc = np_stream_send_all(lane->stream, (const char *)message + done, bytes - done,
					-1, now + TELL_LOOK, &sent);
		done += sent;
		session_look(s->session);
		if (s->session->interrupts > 1 && rc)
			return -ECANCELED;
		now = np_clock_now();
	} while (rc == -ETIMEDOUT && sender_moves(s, now, SENDER_STALL));
	return rc;
}

static ssize_t push_tcp(struct sender *s, struct lane *lane)
{
	(void)s;
	return np_stream_send(lane->stream, lane->batch + lane->gone, lane->filled - lane->gone);
}

/* Whole messages out of what came; part of one stays. How many, or -errno. */
static int walk(struct sender *s, struct lane *lane, np_time now)
{
	size_t at = 0;
	int count = 0;

	for (;;) {
		int64_t size = message_size(lane->answer + at, lane->answered - at);

		if (size == -EPROTONOSUPPORT)
			s->other_version = true;
		if (size < 0 || size > MESSAGE_CONTROL_MAX)
			return size < 0 ? (int)size : -EBADMSG;
		if (!size || (size_t)size > lane->answered - at)
			break;
		sender_take(s, lane->answer + at, (size_t)size, &lane->peer, now);
		at += (size_t)size;
		count++;
	}
	lane->answered -= at;
	memmove(lane->answer, lane->answer + at, lane->answered);
	return count;
}

static int hear_tcp(struct sender *s, struct lane *lane)
{
	ssize_t got;

	if (lane->closed)
		return 0;
	got = np_stream_receive(lane->stream, lane->answer + lane->answered,
				SENDER_ANSWER_ROOM - lane->answered);
	if (got == -EAGAIN)
		return 0;
	if (got <= 0) {
		lane->closed = true;
		return (int)got;
	}
	lane->answered += (size_t)got;
	return walk(s, lane, np_clock_now());
}

static int patience_tcp(struct lane *lane, np_time limit)
{
	return np_stream_set_receive_timeout(lane->stream, limit);
}

static void finish_tcp(struct lane *lane)
{
	/* A connection that is gone has finished, too. */
	if (lane->stream)
		(void)np_stream_finish(lane->stream);
}

static void disconnect_tcp(struct sender *s)
{
	for (unsigned i = 0; i < s->lanes; i++)
		give_up_tcp(&s->lane[i]);
}

const struct sender_transport sender_tcp = {
	.open = open_tcp,
	.connect = connect_tcp,
	.give_up = give_up_tcp,
	.reach = reach_tcp,
	.tell = tell_tcp,
	.push = push_tcp,
	.hear = hear_tcp,
	.patience = patience_tcp,
	.finish = finish_tcp,
	.disconnect = disconnect_tcp,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_tcp: a connection a stream, made anew for each run. */
#include "../service/send_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_LIMIT (10 * NP_SECOND)
#define CONNECT_AGAIN (100 * NP_MILLISECOND)
#define TELL_LOOK     (200 * NP_MILLISECOND)
#define PAGE_BYTES    4096 /* the kernel copies faster from where one begins */

static int open_tcp(struct send_session *s)
{
	size_t batch = s->plan.batch * s->plan.message_bytes;
	size_t each = (batch + SEND_ANSWER_ROOM + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;

	s->memory = aligned_alloc(PAGE_BYTES, s->plan.lanes * each);
	if (!s->memory) {
		np_log_error(s->session->log, NULL, "out of memory");
		return 2;
	}
	for (unsigned i = 0; i < s->plan.lanes; i++) {
		s->lane[i].of->batch = s->memory + i * each;
		s->lane[i].answer = s->lane[i].of->batch + batch;
	}
	return 0;
}

static int connect_lane(struct send_session *s, struct send_lane *lane)
{
	const struct options *o = send_options(s);
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
	lane->of->asked = lane->of->closed = false;
	return 0;
}

/*
 * With --wait a receiver may come later. A connection that is reset before it is made found
 * somebody who had no room for it just then.
 */
static int connect_patiently(struct send_session *s, struct send_lane *lane)
{
	np_time begin = np_clock_now(), until = begin + send_options(s)->wait.wait;
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

static int connect_tcp(void *context)
{
	struct send_session *s = context;
	int rc = 0;

	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		if (!s->lane[i].stream)
			rc = connect_patiently(s, &s->lane[i]);
	return rc;
}

static void give_up_tcp(void *context, unsigned lane)
{
	struct send_session *s = context;

	np_stream_free(s->lane[lane].stream);
	s->lane[lane].stream = NULL;
}

static int reach_tcp(struct send_session *s)
{
	return connect_lane(s, &s->lane[0]);
}

static int tell_tcp(void *context, unsigned lane, const struct np_address *to, const void *message,
		    size_t bytes)
{
	struct send_session *s = context;
	struct np_stream *stream = s->lane[lane].stream;
	np_time now = np_clock_now();
	size_t done = 0, sent;
	int rc;

	(void)to;
	sender_moved(s->sender, now);
	/* A wish to stop does not cut a message in two; a second one does. */
	do {
		rc = np_stream_send_all(stream, (const char *)message + done, bytes - done, -1,
					now + TELL_LOOK, &sent);
		done += sent;
		session_look(s->session);
		if (s->session->interrupts > 1 && rc)
			return -ECANCELED;
		now = np_clock_now();
	} while (rc == -ETIMEDOUT && sender_moves(s->sender, now, SENDER_STALL));
	return rc;
}

static ssize_t push_tcp(void *context, struct sender_lane *lane, np_time *now)
{
	struct send_session *s = context;
	ssize_t sent = np_stream_send(s->lane[lane->index].stream, lane->batch + lane->gone,
				      lane->filled - lane->gone);

	*now = np_clock_now();
	return sent;
}

/* Whole messages out of what came; part of one stays. How many, or -errno. */
static int walk(struct send_session *s, struct send_lane *lane, np_time now)
{
	size_t at = 0;
	int count = 0;

	for (;;) {
		int64_t size = message_size(lane->answer + at, lane->answered - at);

		if (size < 0 || size > MESSAGE_CONTROL_MAX)
			return size < 0 ? (int)size : -EBADMSG;
		if (!size || (size_t)size > lane->answered - at)
			break;
		(void)sender_take(s->sender, lane->answer + at, (size_t)size, &lane->peer, now);
		at += (size_t)size;
		count++;
	}
	lane->answered -= at;
	memmove(lane->answer, lane->answer + at, lane->answered);
	return count;
}

static int hear_tcp(struct send_session *s, struct send_lane *lane)
{
	ssize_t got;

	if (lane->of->closed)
		return 0;
	got = np_stream_receive(lane->stream, lane->answer + lane->answered,
				SEND_ANSWER_ROOM - lane->answered);
	if (got == -EAGAIN)
		return 0;
	if (got <= 0) {
		lane->of->closed = true;
		return (int)got;
	}
	lane->answered += (size_t)got;
	return walk(s, lane, np_clock_now());
}

static int patience_tcp(struct send_lane *lane, np_time limit)
{
	return np_stream_set_receive_timeout(lane->stream, limit);
}

static void finish_tcp(void *context, unsigned lane)
{
	struct send_session *s = context;

	/* A connection that is gone has finished, too. */
	if (s->lane[lane].stream)
		(void)np_stream_finish(s->lane[lane].stream);
}

static uint64_t unacknowledged_tcp(void *context)
{
	const struct send_session *s = context;
	struct np_stream_stats stats;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		if (s->lane[i].stream && !np_stream_stats(s->lane[i].stream, &stats))
			sum += stats.unacknowledged_bytes;
	return sum;
}

static void disconnect_tcp(struct send_session *s)
{
	for (unsigned i = 0; i < s->plan.lanes; i++)
		give_up_tcp(s, i);
}

const struct send_transport send_tcp = {
	.open = open_tcp,
	.connect = connect_tcp,
	.give_up = give_up_tcp,
	.reach = reach_tcp,
	.tell = tell_tcp,
	.push = push_tcp,
	.hear = hear_tcp,
	.patience = patience_tcp,
	.finish = finish_tcp,
	.unacknowledged = unacknowledged_tcp,
	.disconnect = disconnect_tcp,
};

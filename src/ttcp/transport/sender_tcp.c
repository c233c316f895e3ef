// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_tcp: a connection a stream, made anew for each run. */
#include "../report/record.h"
#include "lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_LIMIT (10 * NP_SECOND)
#define CONNECT_AGAIN (100 * NP_MILLISECOND)
#define TELL_LOOK     (200 * NP_MILLISECOND)
#define ANSWER_ROOM   65536
#define PAGE_BYTES    4096 /* the kernel copies faster from where one begins */

static int open_tcp(struct transport *t)
{
	const size_t batch = t->plan->batch * t->plan->message_bytes;
	const size_t each = (batch + ANSWER_ROOM + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	struct lanes *lanes = lanes_create(t);

	if (!lanes)
		return 2;
	lanes->memory = aligned_alloc(PAGE_BYTES, lanes->count * each);
	if (!lanes->memory) {
		np_log_error(t->session->log, NULL, "out of memory");
		return 2;
	}
	for (unsigned i = 0; i < lanes->count; i++) {
		lanes->lane[i].of->batch = lanes->memory + i * each;
		lanes->lane[i].answer = lanes->lane[i].of->batch + batch;
	}
	return 0;
}

static int connect_lane(struct transport *t, struct lane *lane)
{
	const struct options *o = transport_options(t);
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
		if (session_resolve(t->session, o->place.bind, 0, t->to->any.sa_family, &local))
			return -EADDRNOTAVAIL;
		how.local = &local;
	}
	rc = np_stream_connect(&lane->stream, &how, t->to, np_signals_fd(t->session->signals),
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
static int connect_patiently(struct transport *t, struct lane *lane)
{
	np_time begin = np_clock_now(), until = begin + transport_options(t)->wait.wait;
	np_time crowded = begin + CONNECT_LIMIT;
	int rc;

	for (;;) {
		rc = connect_lane(t, lane);
		if (rc != -ECONNREFUSED && rc != -ETIMEDOUT && rc != -ECONNRESET)
			return rc;
		if (np_clock_now() >= (rc == -ECONNRESET && crowded > until ? crowded : until))
			return rc;
		if (!session_sleep(t->session, np_clock_now() + CONNECT_AGAIN))
			return -ECANCELED;
	}
}

static int connect_tcp(struct transport *t)
{
	struct lanes *lanes = lanes_of(t);
	int rc = 0;

	for (unsigned i = 0; i < lanes->count && !rc; i++)
		if (!lanes->lane[i].stream)
			rc = connect_patiently(t, &lanes->lane[i]);
	return rc;
}

static void release_tcp(struct transport *t, int index)
{
	struct lanes *lanes = lanes_of(t);

	for (unsigned i = 0; i < lanes->count; i++) {
		if (index >= 0 && i != (unsigned)index)
			continue;
		np_stream_free(lanes->lane[i].stream);
		lanes->lane[i].stream = NULL;
	}
}

static int reach_tcp(struct transport *t)
{
	return connect_lane(t, &lanes_of(t)->lane[0]);
}

static int send_tcp(struct transport *t, void *way, const struct np_address *to,
		    const void *message, size_t bytes)
{
	const struct sender_lane *lane = way;
	struct np_stream *stream = lanes_of(t)->lane[lane->index].stream;
	np_time now = np_clock_now();
	size_t done = 0, sent;
	int rc;

	(void)to;
	sender_moved(t->sender, now);
	/* A wish to stop does not cut a message in two; a second one does. */
	do {
		rc = np_stream_send_all(stream, (const char *)message + done, bytes - done, -1,
					now + TELL_LOOK, &sent);
		done += sent;
		session_look(t->session);
		if (t->session->interrupts > 1 && rc)
			return -ECANCELED;
		now = np_clock_now();
	} while (rc == -ETIMEDOUT && sender_moves(t->sender, now, SENDER_STALL));
	return rc;
}

static ssize_t push_tcp(void *context, struct sender_lane *lane, np_time *now)
{
	const struct transport *t = context;
	ssize_t sent = np_stream_send(lanes_of(t)->lane[lane->index].stream,
				      lane->batch + lane->gone, lane->filled - lane->gone);

	*now = np_clock_now();
	return sent;
}

/* Whole messages out of what came; part of one stays. How many, or -errno. */
static int walk(struct transport *t, struct lane *lane, np_time now)
{
	size_t at = 0;
	int count = 0;

	for (;;) {
		int64_t size = message_size(lane->answer + at, lane->answered - at);

		if (size < 0 || size > MESSAGE_CONTROL_MAX)
			return size < 0 ? (int)size : -EBADMSG;
		if (!size || (size_t)size > lane->answered - at)
			break;
		(void)sender_take(t->sender, lane->answer + at, (size_t)size, &lane->peer, now);
		at += (size_t)size;
		count++;
	}
	lane->answered -= at;
	memmove(lane->answer, lane->answer + at, lane->answered);
	return count;
}

static int receive_lane(struct transport *t, struct lane *lane)
{
	ssize_t got;

	if (lane->of->closed)
		return 0;
	got = np_stream_receive(lane->stream, lane->answer + lane->answered,
				ANSWER_ROOM - lane->answered);
	if (got == -EAGAIN)
		return 0;
	if (got <= 0) {
		lane->of->closed = true;
		return (int)got;
	}
	lane->answered += (size_t)got;
	return walk(t, lane, np_clock_now());
}

static int receive_tcp(struct transport *t)
{
	struct lanes *lanes = lanes_of(t);
	int count = 0;

	for (unsigned i = 0; i < lanes->count; i++) {
		int heard = receive_lane(t, &lanes->lane[i]);

		if (heard < 0)
			return heard;
		count += heard;
	}
	return count;
}

static int patience_tcp(struct transport *t, np_time limit)
{
	return np_stream_set_receive_timeout(lanes_of(t)->lane[0].stream, limit);
}

static void finish_tcp(struct transport *t, unsigned index)
{
	struct lane *lane = &lanes_of(t)->lane[index];

	/* A connection that is gone has finished, too. */
	if (lane->stream)
		(void)np_stream_finish(lane->stream);
}

static uint64_t unacknowledged_tcp(struct transport *t)
{
	const struct lanes *lanes = lanes_of(t);
	struct np_stream_stats stats;
	uint64_t sum = 0;

	for (unsigned i = 0; i < lanes->count; i++)
		if (lanes->lane[i].stream && !np_stream_stats(lanes->lane[i].stream, &stats))
			sum += stats.unacknowledged_bytes;
	return sum;
}

static void count_tcp(const struct transport *t, struct transport_counts *counts)
{
	(void)t;
	*counts = (struct transport_counts){.drop_unit = NULL};
}

static struct np_stream *stream_tcp(const struct transport *t)
{
	return lanes_of(t)->lane[0].stream;
}

static const struct np_address *local_tcp(const struct transport *t, const void *way)
{
	(void)way;
	return &np_stream_info(stream_tcp(t))->local;
}

static void describe_tcp(const struct transport *t, struct np_record *start)
{
	for (unsigned i = 0; i < lanes_of(t)->count; i++)
		record_start_stream(start, np_stream_info(lanes_of(t)->lane[i].stream));
}

static void close_tcp(struct transport *t)
{
	if (!lanes_of(t))
		return;
	release_tcp(t, -1);
	free(lanes_of(t)->memory);
	free(t->sockets);
}

const struct transport_face transport_sender_tcp = {
	.open = open_tcp,
	.connect = connect_tcp,
	.reach = reach_tcp,
	.receive = receive_tcp,
	.wait = lanes_wait,
	.patience = patience_tcp,
	.send = send_tcp,
	.push = push_tcp,
	.finish = finish_tcp,
	.release = release_tcp,
	.unacknowledged = unacknowledged_tcp,
	.counts = count_tcp,
	.local = local_tcp,
	.stream = stream_tcp,
	.describe = describe_tcp,
	.close = close_tcp,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_connect: a sender's connections, one for each stream, made anew for each run. */
#include "tcp.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>

#define CONNECT_LIMIT (10 * NP_SECOND)
#define CONNECT_AGAIN (100 * NP_MILLISECOND)
#define SEND_LIMIT    (200 * NP_MILLISECOND) /* a part of a control message, at most */
#define PAGE_BYTES    4096		     /* the kernel copies faster from a page boundary */

static int resolve(struct transport *t)
{
	return session_resolve_host(t->session, &t->to);
}

static int open_lanes(struct transport *t)
{
	const size_t batch = t->plan.batch * t->plan.message_bytes;
	const size_t each = (batch + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	int status = tcp_open_memory(t, t->plan.lanes * each);
	struct tcp *tcp = tcp_of(t);

	if (status)
		return status;
	for (; tcp->count < t->plan.lanes; tcp->count++) {
		const unsigned i = tcp->count;
		struct tcp_channel *c = &tcp->lanes[i];

		c->channel.batch = tcp->memory + TRANSPORT_BEFORE + TRANSPORT_READ + i * each;
		t->lane[i] = &c->channel;
		tcp->channel[i] = c;
	}
	return 0;
}

static int connect_once(struct transport *t, struct tcp_channel *c)
{
	const struct options *o = transport_options(t);
	struct np_stream_options how = tcp_options(t);
	struct np_address local;
	int rc;

	/* What waits for more to send with would count as delay on the path. */
	how.no_delay = o->socket.no_delay == NO_DELAY_YES ||
		       (o->socket.no_delay == NO_DELAY_AUTO &&
			(o->load.ping_pong || options_paced(&o->load)));
	if (o->place.bind) {
		if (session_resolve(t->session, o->place.bind, 0, t->to.any.sa_family, &local))
			return -EADDRNOTAVAIL;
		how.local = &local;
	}
	rc = np_stream_connect(&c->stream, &how, &t->to, np_signals_fd(t->session->signals),
			       np_clock_now() + CONNECT_LIMIT);
	if (rc)
		return rc;
	c->channel.peer = np_stream_info(c->stream)->remote;
	c->channel.gone = false;
	c->channel.error = 0;
	tcp_watch(t, &np_stream_info(c->stream)->local, &c->channel.peer);
	return t->user.opened(t->user.context, &c->channel);
}

/*
 * With --wait a receiver may start later. A connection that is reset while it is made found a
 * receiver without room for it at that moment.
 */
static int connect_patiently(struct transport *t, struct tcp_channel *c)
{
	np_time begin = np_clock_now(), until = begin + transport_options(t)->wait.wait;
	np_time crowded = begin + CONNECT_LIMIT;
	int rc;

	for (;;) {
		rc = connect_once(t, c);
		if (rc != -ECONNREFUSED && rc != -ETIMEDOUT && rc != -ECONNRESET)
			return rc;
		if (np_clock_now() >= (rc == -ECONNRESET && crowded > until ? crowded : until))
			return rc;
		if (!session_sleep(t->session, np_clock_now() + CONNECT_AGAIN))
			return -ECANCELED;
	}
}

static int connect_lane(struct transport *t, unsigned lane, bool patient)
{
	struct tcp_channel *c = tcp_channel_of(t->lane[lane]);

	if (c->stream)
		return 0;
	return patient ? connect_patiently(t, c) : connect_once(t, c);
}

static void release(struct transport *t, int lane)
{
	const struct tcp *tcp = tcp_of(t);

	for (unsigned i = 0; i < tcp->count; i++) {
		if (lane >= 0 && i != (unsigned)lane)
			continue;
		np_stream_free(tcp->channel[i]->stream);
		tcp->channel[i]->stream = NULL;
		tcp->channel[i]->patient = false;
		tcp->channel[i]->low_watermark = 0;
	}
}

static int take_lane(struct transport *t, struct tcp_channel *c)
{
	int count;

	if (c->channel.gone || !c->stream)
		return 0;
	count = tcp_take(t, c);
	if (!c->channel.gone)
		return count;
	(void)t->user.ended(t->user.context, &c->channel);
	return c->channel.error;
}

static int receive(struct transport *t)
{
	const struct tcp *tcp = tcp_of(t);
	int sum = 0;

	for (unsigned i = 0; i < tcp->count; i++) {
		int count = take_lane(t, tcp->channel[i]);

		if (count < 0)
			return count;
		sum += count;
	}
	return sum;
}

static int wait_for_lanes(struct transport *t, np_time deadline, uint64_t writable)
{
	const struct tcp *tcp = tcp_of(t);
	struct pollfd fds[TRANSPORT_LANES_MAX + 1];
	int ready;

	if (deadline <= np_clock_now())
		return 0;
	for (unsigned i = 0; i < tcp->count; i++) {
		const struct tcp_channel *c = tcp->channel[i];
		const int events =
			(c->channel.gone ? 0 : POLLIN) | (writable >> i & 1 ? POLLOUT : 0);

		/* A closed connection would always be readable. */
		fds[i] = (struct pollfd){
			.fd = events && c->stream ? np_stream_fd(c->stream) : -1,
			.events = (short)events,
		};
	}
	fds[tcp->count] =
		(struct pollfd){.fd = np_signals_fd(t->session->signals), .events = POLLIN};
	ready = np_wait_ready(fds, tcp->count + 1, deadline);
	if (ready > 0 && fds[tcp->count].revents)
		session_look(t->session);
	return ready;
}

static void close_lanes(struct transport *t)
{
	if (!tcp_of(t))
		return;
	release(t, -1);
	tcp_free(t);
}

static ssize_t send_all(struct transport *t, struct channel *channel, const struct np_address *to,
			const void *message, size_t bytes, bool more)
{
	struct np_stream *by = tcp_channel_of(channel)->stream;
	size_t sent = 0;
	const int rc =
		np_stream_send_all(by, message, bytes, -1, np_clock_now() + SEND_LIMIT, &sent);

	(void)t;
	(void)to;
	(void)more;
	return rc && rc != -ETIMEDOUT ? rc : (ssize_t)sent;
}

static ssize_t push(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	(void)t;
	return np_stream_send(tcp_channel_of(channel)->stream, channel->batch + first, bytes);
}

static struct np_stream *stream_of(const struct transport *t, unsigned lane)
{
	return tcp_channel_of(t->lane[lane])->stream;
}

static void finish(struct transport *t, unsigned lane)
{
	/* A lost connection needs no end. */
	if (stream_of(t, lane))
		(void)np_stream_finish(stream_of(t, lane));
}

static uint64_t unacknowledged(struct transport *t)
{
	struct np_stream_stats stats;
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->plan.lanes; i++)
		if (stream_of(t, i) && !np_stream_stats(stream_of(t, i), &stats))
			sum += stats.unacknowledged_bytes;
	return sum;
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	(void)channel;
	return &np_stream_info(stream_of(t, 0))->local;
}

static struct np_stream *stream(const struct transport *t)
{
	return stream_of(t, 0);
}

/* Of the lanes the slowest round trip. */
static bool figures(const struct transport *t, struct np_block_tcp *sum)
{
	struct np_stream_tcp tcp;

	*sum = (struct np_block_tcp){.known = false};
	for (unsigned i = 0; i < t->plan.lanes; i++) {
		if (!stream_of(t, i) || np_stream_tcp(stream_of(t, i), &tcp))
			return false;
		sum->retransmitted += tcp.retransmitted;
		if (tcp.rtt > sum->rtt)
			sum->rtt = tcp.rtt;
		if (tcp.rtt_min && (!sum->rtt_min || tcp.rtt_min < sum->rtt_min))
			sum->rtt_min = tcp.rtt_min;
		sum->congestion = np_stream_info(stream_of(t, i))->congestion;
	}
	sum->known = t->plan.lanes > 0;
	return sum->known;
}

const struct transport_face transport_tcp_sender = {
	.resolve = resolve,
	.open = open_lanes,
	.close = close_lanes,
	.connect = connect_lane,
	.receive = receive,
	.wait = wait_for_lanes,
	.receive_timeout = tcp_receive_timeout,
	.send = send_all,
	.push = push,
	.finish = finish,
	.release = release,
	.unacknowledged = unacknowledged,
	.counts = tcp_counts,
	.local = local,
	.stream = stream,
	.socket = tcp_socket,
	.tcp = figures,
};

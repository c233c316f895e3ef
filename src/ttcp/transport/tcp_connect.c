// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_connect: a sender's connections, one for each stream. */
#include "tcp.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>

#define CONNECT_LIMIT (10 * NP_SECOND)
#define CONNECT_AGAIN (100 * NP_MILLISECOND)
#define SEND_LIMIT    (200 * NP_MILLISECOND) /* a part of a control message, at most */
#define PAGE_BYTES    4096		     /* the kernel copies faster from a page boundary */

int tcp_open_lanes(struct transport *t)
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

int tcp_connect(struct transport *t, unsigned lane, bool patient)
{
	struct tcp_channel *c = tcp_channel_of(t->lane[lane]);

	if (c->stream)
		return 0;
	return patient ? connect_patiently(t, c) : connect_once(t, c);
}

void tcp_release_lanes(struct transport *t, int lane)
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

int tcp_receive_lanes(struct transport *t)
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

int tcp_wait_lanes(struct transport *t, np_time deadline, uint64_t writable)
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

ssize_t tcp_send_all(struct tcp_channel *c, const void *message, size_t bytes)
{
	size_t sent = 0;
	int rc = np_stream_send_all(c->stream, message, bytes, -1, np_clock_now() + SEND_LIMIT,
				    &sent);

	return rc && rc != -ETIMEDOUT ? rc : (ssize_t)sent;
}

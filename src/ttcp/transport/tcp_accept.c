// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp_accept: a receiver's connections: those of its senders, and of others that it must refuse;
 * and the answers that wait for room in them.
 */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHARE	    (TRANSPORT_LANES_MAX + 8) /* of one host before they are kept */
#define SILENT	    (20 * NP_SECOND)	      /* one that is not kept by then is closed */
#define NO_ACCEPT   NP_SECOND		      /* without descriptors: until the next attempt */
#define ANSWER_ROOM 65536
/*
 * A partner that is silent for this long, and whose kernel does not answer a keep-alive probe, is
 * dead.
 */
#define KEEP_ALIVE (20 * NP_SECOND)

static int open_listener(struct transport *t)
{
	const struct place_options *place = &transport_options(t)->place;
	struct np_stream_options how = tcp_options(t);
	struct np_address local;
	char text[NP_ADDRESS_TEXT];
	int rc, status = tcp_open_memory(t, 0);

	if (!status)
		status = session_resolve(t->session, place->bind, place->port, AF_UNSPEC, &local);
	if (status)
		return status;
	how.local = &local;
	/* Answers are measured, so they must not be delayed. */
	how.no_delay = true;
	how.keep_alive = KEEP_ALIVE;
	rc = np_stream_listen(&tcp_of(t)->listener, &how, TCP_CHANNELS);
	if (!rc) {
		tcp_watch(t, &np_stream_info(tcp_of(t)->listener)->local, NULL);
		return 0;
	}
	session_blame(t->session, np_address_format(&local, text), rc);
	return 2;
}

void tcp_flush(struct tcp_channel *c)
{
	while (c->went < c->filled) {
		ssize_t sent = np_stream_send(c->stream, c->answers + c->went, c->filled - c->went);

		if (sent == -EAGAIN)
			return;
		if (sent < 0) {
			/* What arrived before can still be read. */
			c->went = c->filled;
			return;
		}
		c->went += (size_t)sent;
	}
	c->went = c->filled = 0;
}

/* The answer goes after those that wait. */
static ssize_t send_answer(struct transport *t, struct channel *channel,
			   const struct np_address *to, const void *message, size_t bytes,
			   bool more)
{
	struct tcp_channel *c = tcp_channel_of(channel);

	(void)t;
	(void)to;
	if (!c)
		return -ENOTCONN;
	if (c->filled + bytes > ANSWER_ROOM)
		tcp_flush(c);
	if (c->filled + bytes > ANSWER_ROOM)
		return -EAGAIN;
	memcpy(c->answers + c->filled, message, bytes);
	c->filled += bytes;
	if (!more)
		tcp_flush(c);
	return (ssize_t)bytes;
}

/* The others keep their order of arrival. */
static void drop(struct transport *t, struct tcp_channel *c)
{
	struct tcp *tcp = tcp_of(t);
	unsigned index = 0;

	while (tcp->channel[index] != c)
		index++;
	t->user->closed(t, &c->channel);
	np_stream_free(c->stream);
	free(c->answers);
	free(c);
	for (tcp->count--; index < tcp->count; index++)
		tcp->channel[index] = tcp->channel[index + 1];
}

static void release_channels(struct transport *t, bool all)
{
	struct tcp *tcp = tcp_of(t);

	for (unsigned i = tcp->count; i-- > 0;)
		if (all || tcp->channel[i]->channel.kept)
			drop(t, tcp->channel[i]);
}

/* Finds the oldest that is not kept, of @host or (NULL) of any host; counts them. */
static struct tcp_channel *find_waiting(const struct tcp *tcp, const struct np_address *host,
					unsigned *count)
{
	struct tcp_channel *oldest = NULL;

	*count = 0;
	for (unsigned i = 0; i < tcp->count; i++) {
		struct tcp_channel *c = tcp->channel[i];

		if (c->channel.kept || (host && !np_address_same_host(host, &c->channel.peer)))
			continue;
		++*count;
		if (!oldest)
			oldest = c;
	}
	return oldest;
}

/*
 * Closes a connection to make room. What it has sent is read first: that may be a reason to keep
 * it, which this program had no time to read.
 */
static void close_waiting(struct transport *t, struct tcp_channel *c)
{
	if (!c->channel.gone)
		(void)tcp_take(t, c);
	if (!c->channel.kept)
		drop(t, c);
}

/* Prevents anybody from keeping others out by connections alone. False: there is no room. */
static bool make_room(struct transport *t, const struct np_address *host)
{
	struct tcp *tcp = tcp_of(t);
	struct tcp_channel *oldest;
	unsigned count;

	while ((oldest = find_waiting(tcp, host, &count)) && count >= SHARE)
		close_waiting(t, oldest);
	while (tcp->count == TCP_CHANNELS && (oldest = find_waiting(tcp, NULL, &count)))
		close_waiting(t, oldest);
	return tcp->count < TCP_CHANNELS;
}

/*
 * No descriptor, or no memory: closes connections that are not kept, then accepts no more for a
 * while.
 */
static bool shed(struct transport *t, int error, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	const unsigned before = tcp->count;
	struct tcp_channel *oldest;
	unsigned count;

	if (error != -EMFILE && error != -ENFILE && error != -ENOBUFS && error != -ENOMEM)
		return false;
	while (tcp->count == before && (oldest = find_waiting(tcp, NULL, &count)))
		close_waiting(t, oldest);
	if (tcp->count < before)
		return true;
	if (!tcp->complained)
		np_log_warning(t->session->log, NULL, "cannot accept more connections: %s",
			       strerror(-error));
	tcp->complained = true;
	tcp->no_accept = now + NO_ACCEPT;
	return false;
}

static void accept_one(struct transport *t, struct np_stream *stream, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	struct tcp_channel *c = NULL;

	if (make_room(t, &np_stream_info(stream)->remote))
		c = calloc(1, sizeof(*c));
	if (c)
		c->answers = malloc(ANSWER_ROOM);
	if (!c || !c->answers) {
		np_stream_free(stream);
		free(c);
		return;
	}
	c->stream = stream;
	c->channel.peer = np_stream_info(stream)->remote;
	c->since = now;
	c->ready = true;
	tcp->channel[tcp->count++] = c;
	if (t->user->opened(t, &c->channel))
		drop(t, c);
}

static void accept_all(struct transport *t, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	struct np_stream *stream;
	unsigned turns = 0;
	int rc;

	tcp->no_accept = 0;
	/* However many arrive, those that are here are read in between. */
	do {
		rc = np_stream_accept(tcp->listener, &stream);
		if (!rc)
			accept_one(t, stream, now);
	} while ((!rc || shed(t, rc, now)) && ++turns < TCP_CHANNELS);
}

static int take_ready(struct transport *t, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	int count = 0;

	for (unsigned i = 0; i < tcp->count; i++) {
		struct tcp_channel *c = tcp->channel[i];
		struct channel *channel = &c->channel;

		if (!channel->gone && (c->ready || c->patient || t->rested))
			count += tcp_take(t, c);
		if (!channel->gone && !channel->kept && now - c->since >= SILENT) {
			channel->gone = true;
			channel->error = -ETIMEDOUT;
		}
		if (!channel->gone || !t->user->ended(t, channel))
			continue;
		drop(t, c);
		i--;
	}
	return count;
}

/* When a connection has been silent for too long, or there may be descriptors again. */
static np_time next_change(const struct tcp *tcp, np_time deadline)
{
	unsigned count;
	const struct tcp_channel *oldest = find_waiting(tcp, NULL, &count);

	if (tcp->no_accept && tcp->no_accept < deadline)
		deadline = tcp->no_accept;
	return oldest && oldest->since + SILENT < deadline ? oldest->since + SILENT : deadline;
}

static int wait_for_channels(struct transport *t, np_time latest, uint64_t writable)
{
	struct tcp *tcp = tcp_of(t);
	struct pollfd fds[TCP_CHANNELS + 2];
	np_time now = np_clock_now();
	int came;

	(void)writable;
	tcp->polled = now;
	if (now >= tcp->no_accept)
		tcp->no_accept = 0;
	for (unsigned i = 0; i < tcp->count; i++) {
		const struct tcp_channel *c = tcp->channel[i];

		fds[i] = (struct pollfd){.fd = c->channel.gone ? -1 : np_stream_fd(c->stream),
					 .events = c->filled ? POLLOUT : POLLIN};
	}
	fds[tcp->count] = (struct pollfd){
		.fd = now < tcp->no_accept ? -1 : np_stream_fd(tcp->listener),
		.events = POLLIN,
	};
	came = transport_wait(t, fds, tcp->count + 1, next_change(tcp, latest));
	if (came < 0)
		return came;
	for (unsigned i = 0; i < tcp->count; i++)
		tcp->channel[i]->ready |= fds[i].revents != 0;
	if (fds[tcp->count].revents)
		accept_all(t, now);
	return came > 0;
}

static int receive(struct transport *t)
{
	np_time now = np_clock_now();
	int rc = 0;

	/* While one connection keeps us busy, others still wait for their refusal. */
	if (now - tcp_of(t)->polled >= TRANSPORT_LOOK)
		rc = wait_for_channels(t, 0, 0);
	return rc < 0 ? rc : take_ready(t, now);
}

static void release(struct transport *t, int lane)
{
	(void)lane;
	release_channels(t, false);
}

static void close_channels(struct transport *t)
{
	if (!tcp_of(t))
		return;
	release_channels(t, true);
	tcp_free(t);
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	struct np_stream *stream =
		channel ? ((const struct tcp_channel *)channel)->stream : tcp_of(t)->listener;

	return &np_stream_info(stream)->local;
}

const struct transport_face transport_tcp_receiver = {
	.open = open_listener,
	.close = close_channels,
	.receive = receive,
	.wait = wait_for_channels,
	.receive_timeout = tcp_receive_timeout,
	.send = send_answer,
	.release = release,
	.local = local,
	.socket = tcp_socket,
};

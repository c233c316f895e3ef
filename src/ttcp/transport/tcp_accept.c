// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp_accept: a receiver's connections: which are accepted, given to another receiver, or closed to
 * make room; and the threads that read some of them and then, one at a time, handle what they have
 * read: the copy that the kernel makes takes most of the time.
 */
#include "tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SHARE	  (TRANSPORT_LANES_MAX + 8) /* of one host before they are kept */
#define NO_ACCEPT NP_SECOND		    /* without descriptors: until the next attempt */

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
		(void)tcp_take(t, c, NULL);
	if (!c->channel.kept)
		tcp_drop(t, c);
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
	if (!tcp->complained)
		np_log_warning(t->session->log, NULL, "cannot accept more connections: %s",
			       strerror(-error));
	tcp->complained = true;
	/* What one that has just come has to say may be on the way. */
	while (tcp->count == before && (oldest = find_waiting(tcp, NULL, &count)) &&
	       now - oldest->since >= NO_ACCEPT)
		close_waiting(t, oldest);
	if (tcp->count < before)
		return true;
	tcp->no_accept = now + NO_ACCEPT;
	t->crowded = t->crowded ? t->crowded : now;
	return false;
}

struct tcp_channel *tcp_accept_one(struct transport *t, struct np_stream *stream, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	struct np_address peer = {.length = sizeof(peer.storage)};
	struct tcp_channel *c = NULL;

	/* What it is in all would be many calls. */
	if (!getpeername(np_stream_fd(stream), &peer.any, &peer.length) && make_room(t, &peer))
		c = calloc(1, sizeof(*c));
	if (c)
		c->answers = malloc(TCP_ANSWERS);
	if (!c || !c->answers) {
		np_stream_free(stream);
		free(c);
		return NULL;
	}
	c->stream = stream;
	c->channel.peer = peer;
	c->channel.fd = np_stream_fd(stream);
	c->since = now;
	c->ready = true;
	tcp->channel[tcp->count++] = c;
	if (!t->user->opened(t, &c->channel))
		return c;
	tcp_drop(t, c);
	return NULL;
}

/* Only between the reads of others, whose memory it uses. */
static void take_gifts(struct transport *t, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	struct transport_gift gift;

	while (transport_inbox_take(&tcp->inbox, &gift)) {
		struct tcp_channel *c = tcp_accept_one(t, gift.socket, now);
		uint8_t *data = tcp->memory + TRANSPORT_BEFORE;

		if (!c)
			continue;
		memcpy(data, gift.data, gift.bytes);
		(void)t->user->bytes(t, &c->channel, data, gift.bytes, now);
		tcp_flush(c);
	}
}

int tcp_give(struct channel *channel, struct transport *to, const void *data, size_t bytes)
{
	struct tcp_channel *c = tcp_channel_of(channel);
	struct transport_gift gift = {.socket = c->stream, .bytes = bytes};
	int rc;

	tcp_take_back(c);
	memcpy(gift.data, data, bytes);
	rc = transport_inbox_give(&tcp_of(to)->inbox, &gift);
	if (!rc)
		c->stream = NULL;
	return rc;
}

void tcp_accept(struct transport *t, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	struct np_stream *stream;
	unsigned turns = 0;
	int rc;

	if (tcp->inbox.open) {
		take_gifts(t, now);
		return;
	}
	/* However many arrive, those that are here are read in between. */
	do {
		rc = np_stream_accept(tcp->listener, &stream);
		if (!rc) {
			t->crowded = 0;
			tcp_accept_one(t, stream, now);
		}
	} while ((!rc || shed(t, rc, now)) && ++turns < TCP_CHANNELS);
}

np_time tcp_next_change(const struct tcp *tcp, np_time deadline)
{
	unsigned count;
	const struct tcp_channel *oldest = find_waiting(tcp, NULL, &count);

	if (tcp->no_accept && tcp->no_accept < deadline)
		deadline = tcp->no_accept;
	return oldest && oldest->since + TCP_SILENT < deadline ? oldest->since + TCP_SILENT
							       : deadline;
}

static void *read_all(void *context)
{
	struct tcp_reader *reader = context;
	struct transport *t = reader->transport;
	struct tcp *tcp = tcp_of(t);

	threads_pin(transport_options(t), reader->index, t->session->log);
	reader->memory = aligned_alloc(TRANSPORT_BEFORE, TRANSPORT_BEFORE + TRANSPORT_READ);
	tcp_lock(tcp);
	/* Without memory the receiver reads what this one would have. */
	while (!tcp->over && reader->memory) {
		struct pollfd fds[TCP_CHANNELS];
		unsigned count = 0;
		int came = 0;

		for (unsigned i = 0; i < tcp->count; i++) {
			struct tcp_channel *c = tcp->channel[i];

			if (c->turn != reader->index || c->channel.gone || c->channel.taken ||
			    c->busy)
				continue;
			c->reader = reader;
			fds[count++] = (struct pollfd){
				.fd = np_stream_fd(c->stream),
				.events = c->filled ? POLLOUT : POLLIN,
			};
			/* The receiver may drop it meanwhile, or others. */
			came |= tcp_take(t, c, reader);
		}
		if (came)
			continue;
		tcp_unlock(tcp);
		/* It looks for other connections, and whether it is to end, now and then. */
		(void)poll(fds, count, TRANSPORT_LOOK / NP_MILLISECOND);
		tcp_lock(tcp);
	}
	tcp_unlock(tcp);
	free(reader->memory);
	return NULL;
}

void tcp_place(struct transport *t, struct tcp_channel *c)
{
	struct tcp *tcp = tcp_of(t);
	unsigned kept = 0, turn;

	for (unsigned i = 0; i < tcp->count; i++)
		kept += tcp->channel[i]->placed;
	c->placed = true;
	turn = kept % threads_count(transport_options(t), TRANSPORT_LANES_MAX);
	for (; tcp->readers < turn; tcp->readers++) {
		struct tcp_reader *reader = &tcp->reader[tcp->readers];

		reader->transport = t;
		reader->index = tcp->readers + 1;
		/* From the first one on the receiver has the lock. */
		if (!tcp->shared)
			tcp->shared = true;
		if (pthread_create(&reader->thread, NULL, read_all, reader))
			return;
	}
	c->turn = turn;
}

void tcp_take_back(struct tcp_channel *c)
{
	struct tcp_reader *reader = c->reader;

	c->turn = 0;
	c->reader = NULL;
	if (!reader || reader->at != c)
		return;
	/* A call that reads does not sleep. */
	while (__atomic_load_n(&reader->reading, __ATOMIC_ACQUIRE))
		sched_yield();
	reader->at = NULL;
}

void tcp_end_readers(struct tcp *tcp)
{
	struct transport_gift gift;

	tcp->over = true;
	tcp_unlock(tcp);
	while (tcp->readers)
		pthread_join(tcp->reader[--tcp->readers].thread, NULL);
	while (transport_inbox_take(&tcp->inbox, &gift))
		np_stream_free(gift.socket);
	transport_inbox_close(&tcp->inbox);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp_accept: a receiver's connections: which are accepted, given to another receiver, or closed to
 * make room; waits for what they bring, and reads it; and the threads that read some of them and
 * then, one at a time, handle what they have read: the copy that the kernel makes takes most of the
 * time.
 */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>

#define SHARE		(TRANSPORT_LANES_MAX + 8) /* of one host before they are kept */
#define NO_ACCEPT	NP_SECOND		  /* without descriptors: until the next attempt */
#define THROWN_AWAY_MAX ((size_t)1 << 30)	  /* in one call */

void tcp_turns_count(struct tcp_turns *turns, struct np_stream *stream, size_t bytes)
{
	const struct sched_param no = {0};
	int cpu = -1;
	socklen_t size = sizeof(cpu);

	if (turns->left > bytes) {
		turns->left -= bytes;
		return;
	}
	turns->left = TCP_LOOK;
	/* Where its last segment was received: of a sender on this host, where that runs. */
	getsockopt(np_stream_fd(stream), SOL_SOCKET, SO_INCOMING_CPU, &cpu, &size);
	turns->here = cpu == sched_getcpu() ? turns->here + 1 : 0;
	if (turns->here == TCP_LOOKS && sched_getscheduler(0) == SCHED_OTHER)
		turns->taken = !sched_setscheduler(0, SCHED_BATCH, &no);
	if (turns->here || !turns->taken)
		return;
	turns->taken = false;
	sched_setscheduler(0, SCHED_OTHER, &no);
}

/*
 * Receives once, by @reader. Returns how many messages; 0: nothing now, or ->gone, or dropped
 * meanwhile; or -errno.
 */
static int take(struct transport *t, struct tcp_channel *c, struct tcp_reader *reader)
{
	struct tcp *tcp = tcp_of(t);
	uint8_t *data = reader->memory + TRANSPORT_BEFORE;
	size_t most = TRANSPORT_READ_SMALL;
	bool unread = false;
	ssize_t got;
	int count;

	/* A partner that does not read its answers is not read from, either. */
	tcp_flush(c);
	if (c->filled || c->channel.fill_left) {
		c->ready = false;
		return 0;
	}
	if (t->user->wants)
		most = t->user->wants(t, &c->channel, &unread);
	if (unread && most > THROWN_AWAY_MAX)
		most = THROWN_AWAY_MAX;
	reader->at = c;
	__atomic_store_n(&reader->reading, true, __ATOMIC_RELAXED);
	tcp_unlock(tcp);
	got = unread ? np_stream_truncate(c->stream, most)
		     : np_stream_receive(c->stream, data, most);
	__atomic_store_n(&reader->reading, false, __ATOMIC_RELEASE);
	tcp_lock(tcp);
	if (!reader->at)
		return 0;
	reader->at = NULL;
	if (got > 0)
		tcp_turns_count(&reader->turns, c->stream, (size_t)got);
	if (got == -EAGAIN) {
		c->ready = false;
		return 0;
	}
	if (got <= 0) {
		c->channel.gone = true;
		c->channel.error = (int)got;
		return 0;
	}
	count = t->user->bytes(t, &c->channel, unread ? NULL : data, (size_t)got, np_clock_now());
	tcp_flush(c);
	return count;
}

/* The oldest that is not kept, of @host or (NULL) of any host, if there are @least of them. */
static struct tcp_channel *find_waiting(const struct tcp *tcp, const struct np_address *host,
					unsigned least)
{
	struct tcp_channel *oldest = NULL;
	unsigned count = 0;

	for (unsigned i = tcp->count; i-- > 0;) {
		struct tcp_channel *c = tcp->channel[i];

		if (c->channel.kept || (host && !np_address_same_host(host, &c->channel.peer)))
			continue;
		count++;
		oldest = c;
	}
	return count >= least ? oldest : NULL;
}

/*
 * Closes a connection to make room. What it has sent is read first: that may be a reason to keep
 * it, which this program had no time to read.
 */
static void close_waiting(struct transport *t, struct tcp_channel *c)
{
	if (!c->channel.gone)
		(void)take(t, c, tcp_of(t)->reader);
	if (!c->channel.kept)
		tcp_drop(t, c);
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

	if (error != -EMFILE && error != -ENFILE && error != -ENOBUFS && error != -ENOMEM)
		return false;
	if (!tcp->complained)
		np_log_warning(t->session->log, NULL, "cannot accept more connections: %s",
			       strerror(-error));
	tcp->complained = true;
	/* What one that has just come has to say may be on the way. */
	while (tcp->count == before && (oldest = find_waiting(tcp, NULL, 1)) &&
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
	/* What it is in all would be many calls. */
	const bool known = !getpeername(np_stream_fd(stream), &peer.any, &peer.length);
	struct tcp_channel *c = NULL, *oldest;

	/* Prevents anybody from keeping others out by connections alone. */
	while (known && (oldest = find_waiting(tcp, &peer, SHARE)))
		close_waiting(t, oldest);
	while (known && tcp->count == TCP_CHANNELS && (oldest = find_waiting(tcp, NULL, 1)))
		close_waiting(t, oldest);
	if (known && tcp->count < TCP_CHANNELS)
		c = malloc(sizeof(*c) + TCP_ANSWERS);
	if (!c) {
		np_stream_free(stream);
		return NULL;
	}
	*c = (struct tcp_channel){
		.channel = {.peer = peer, .fd = np_stream_fd(stream)},
		.stream = stream,
		.since = now,
		.ready = true,
	};
	tcp->channel[tcp->count++] = c;
	if (!t->user->opened(t, &c->channel))
		return c;
	tcp_drop(t, c);
	return NULL;
}

/* Takes those that wait, or were given. */
static void accept_all(struct transport *t, np_time now)
{
	struct tcp *tcp = tcp_of(t);
	struct transport_gift gift;
	struct np_stream *stream;
	unsigned turns = 0;
	int rc;

	/* Only between the reads of others, whose memory this uses. */
	while (transport_inbox_take(&tcp->inbox, &gift)) {
		struct tcp_channel *c = tcp_accept_one(t, gift.socket, now);
		uint8_t *data = tcp->reader->memory + TRANSPORT_BEFORE;

		if (!c)
			continue;
		memcpy(data, gift.data, gift.bytes);
		(void)t->user->bytes(t, &c->channel, data, gift.bytes, now);
		tcp_flush(c);
	}
	if (tcp->inbox.open)
		return;
	/* However many arrive, those that are here are read in between. */
	do {
		rc = np_stream_accept(tcp->listener, &stream);
		if (!rc) {
			t->crowded = 0;
			tcp_accept_one(t, stream, now);
		}
	} while ((!rc || shed(t, rc, now)) && ++turns < TCP_CHANNELS);
}

static void *read_all(void *context)
{
	struct tcp_reader *reader = context;
	struct transport *t = reader->transport;
	struct tcp *tcp = tcp_of(t);

	threads_pin(transport_options(t), (unsigned)(reader - tcp->reader), t->session->log);
	reader->memory = aligned_alloc(TRANSPORT_BEFORE, TRANSPORT_BEFORE + TRANSPORT_READ);
	tcp_lock(tcp);
	/* Without memory the receiver reads what this one would have. */
	while (!tcp->over && reader->memory) {
		struct pollfd fds[TCP_CHANNELS];
		unsigned count = 0;
		int came = 0;

		for (unsigned i = 0; i < tcp->count; i++) {
			struct tcp_channel *c = tcp->channel[i];

			if (c->turn != reader || c->channel.gone || c->channel.taken ||
			    c == tcp->reader->at)
				continue;
			c->reader = reader;
			fds[count++] = (struct pollfd){
				.fd = np_stream_fd(c->stream),
				.events = c->filled ? POLLOUT : POLLIN,
			};
			/* The receiver may drop it meanwhile, or others. */
			came |= take(t, c, reader);
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

/* Decides which thread is to read a connection that is kept. */
static void place(struct transport *t, struct tcp_channel *c)
{
	struct tcp *tcp = tcp_of(t);
	unsigned kept = 0, turn;

	for (unsigned i = 0; i < tcp->count; i++)
		kept += tcp->channel[i]->turn != NULL;
	c->turn = tcp->reader;
	turn = kept % threads_count(transport_options(t), TRANSPORT_LANES_MAX);
	for (; tcp->readers < turn; tcp->readers++) {
		struct tcp_reader *reader = &tcp->reader[tcp->readers + 1];

		reader->transport = t;
		if (pthread_create(&reader->thread, NULL, read_all, reader))
			return;
	}
	c->turn = &tcp->reader[turn];
}

void tcp_take_back(struct tcp_channel *c)
{
	struct tcp_reader *reader = c->reader;

	c->turn = NULL;
	c->reader = NULL;
	if (!reader || reader->at != c)
		return;
	/* A call that reads does not sleep. */
	while (__atomic_load_n(&reader->reading, __ATOMIC_ACQUIRE))
		sched_yield();
	reader->at = NULL;
}

int tcp_wait(struct transport *t, np_time deadline)
{
	struct tcp *tcp = tcp_of(t);
	struct pollfd fds[TCP_CHANNELS + 2];
	const struct tcp_channel *oldest = find_waiting(tcp, NULL, 1);
	const np_time now = np_clock_now();
	unsigned count = 0;
	int came;

	for (; count < tcp->count; count++) {
		const struct tcp_channel *c = tcp->channel[count];
		const bool off = c->channel.gone || c->channel.taken || c->reader;

		fds[count] = (struct pollfd){
			.fd = off ? -1 : np_stream_fd(c->stream),
			.events = c->filled || c->channel.fill_left ? POLLOUT : POLLIN,
		};
	}
	tcp->polled = now;
	if (now >= tcp->no_accept)
		tcp->no_accept = 0;
	fds[count] = (struct pollfd){.fd = -1, .events = POLLIN};
	if (tcp->inbox.open)
		fds[count].fd = tcp->inbox.fd[0];
	else if (tcp->listener && now >= tcp->no_accept)
		fds[count].fd = np_stream_fd(tcp->listener);
	/* When there may be descriptors again, or one has been silent for too long. */
	if (tcp->no_accept && tcp->no_accept < deadline)
		deadline = tcp->no_accept;
	if (oldest && oldest->since + TCP_SILENT < deadline)
		deadline = oldest->since + TCP_SILENT;
	tcp_unlock(tcp);
	came = transport_wait(t, fds, count + 1, deadline);
	tcp_lock(tcp);
	if (came < 0)
		return came;
	for (unsigned i = 0; i < count; i++)
		tcp->channel[i]->ready |= fds[i].revents != 0;
	if (fds[count].revents)
		accept_all(t, now);
	return came > 0;
}

int tcp_receive(struct transport *t)
{
	struct tcp *tcp = tcp_of(t);
	const np_time now = t->lanes ? 0 : np_clock_now();
	int sum = 0, rc = 0;

	/* While one connection keeps us busy, others still wait for their refusal. */
	if (!t->lanes && now - tcp->polled >= TRANSPORT_LOOK)
		rc = tcp_wait(t, 0);
	for (unsigned i = 0; rc >= 0 && i < tcp->count; i++) {
		struct tcp_channel *c = tcp->channel[i];
		struct channel *channel = &c->channel;
		const bool here = c->stream && !channel->gone && !channel->taken;
		int count = 0;

		if (channel->kept && !channel->gone && !c->turn && !channel->fill)
			place(t, c);
		if (here && !c->reader && (t->lanes || c->ready || c->patient || t->rested))
			count = take(t, c, tcp->reader);
		sum += count;
		if (t->lanes) {
			rc = here && channel->gone ? channel->error : count;
			continue;
		}
		if (!channel->gone && !channel->kept && now - c->since >= TCP_SILENT) {
			channel->gone = true;
			channel->error = -ETIMEDOUT;
		}
		if (!channel->gone || !t->user->ended(t, channel))
			continue;
		tcp_drop(t, c);
		i--;
	}
	return rc < 0 ? rc : sum;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp_readers: threads that read some of a receiver's connections, and then, one at a time, handle
 * what they have read: the copy that the kernel makes takes most of the time.
 */
#include "tcp.h"

#include <poll.h>
#include <stdlib.h>

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
	tcp->over = true;
	tcp_unlock(tcp);
	while (tcp->readers)
		pthread_join(tcp->reader[--tcp->readers].thread, NULL);
}

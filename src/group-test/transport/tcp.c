// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp: a full mesh, in one epoll loop that never waits for anybody. What is sent goes
 * once into a queue, and from there to each peer as fast as it takes it.
 */
#include "tcp.h"

#include <errno.h>
#include <sys/epoll.h>

#define EVENTS 64

int tcp_watch(struct transport *t, struct np_stream *stream, enum tcp_kind kind, unsigned index,
	      uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint64_t)kind << 32 | index};

	return epoll_ctl(t->fd, EPOLL_CTL_ADD, np_stream_fd(stream), &event) < 0 ? -errno : 0;
}

/* Events of @count in turn, another one first each time, so that no source starves another. */
static bool handle(struct transport *t, const struct epoll_event *events, unsigned count,
		   unsigned most, np_time now)
{
	struct tcp_state *s = t->state;
	unsigned first = s->turns++;
	bool more = false;

	for (unsigned i = 0; i < count; i++) {
		const struct epoll_event *event = &events[(first + i) % count];
		unsigned index = (unsigned)event->data.u64, got;

		switch ((enum tcp_kind)(event->data.u64 >> 32)) {
		case TCP_LISTENER: tcp_sources_accept(t, now); break;
		case TCP_PEER: tcp_peer_event(t, index, event->events); break;
		case TCP_SOURCE:
			got = most ? tcp_source_read(t, index, most, &more) : 0;
			more |= !most;
			most -= got < most ? got : most;
			break;
		}
	}
	return more;
}

static int tcp_turn(struct transport *t, unsigned most, np_time now)
{
	struct tcp_state *s = t->state;
	struct epoll_event events[EVENTS];
	np_time peers, sources;
	int count;
	bool more;

	tcp_peers_tell(t);
	count = epoll_wait(t->fd, events, EVENTS, 0);
	more = count > 0 && handle(t, events, (unsigned)count, most, now);
	peers = tcp_peers_limit(t, now);
	sources = tcp_sources_limit(t, now);
	tcp_peers_tell(t);
	tcp_peers_tell_moves(t, now);
	t->deadline = peers < sources ? peers : sources;
	if (s->news)
		t->deadline = now;
	return more || count == EVENTS;
}

static int put(struct transport *t, const void *message, size_t bytes, int peer)
{
	struct tcp_state *s = t->state;
	int rc;

	tcp_peers_retry(t);
	rc = queue_put(s->queue, message, bytes, peer);
	if (!rc)
		tcp_peers_send(t);
	if (s->news)
		t->deadline = 0;
	return rc;
}

static int tcp_send(struct transport *t, const void *message, size_t bytes)
{
	return put(t, message, bytes, QUEUE_ALL);
}

static int tcp_send_to(struct transport *t, const struct identity *who, const void *message,
		       size_t bytes)
{
	int peer = tcp_peer_find(t, who);

	return peer < 0 ? -ENOENT : put(t, message, bytes, peer);
}

static unsigned tcp_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	struct tcp_state *s = t->state;
	unsigned count = queue_reserve(s->queue, wanted, slots);

	s->full = !count;
	t->stats.send_refused += s->full;
	return count;
}

static int tcp_commit(struct transport *t, unsigned count)
{
	struct tcp_state *s = t->state;

	tcp_peers_retry(t);
	queue_commit(s->queue, count);
	tcp_peers_send(t);
	if (s->news)
		t->deadline = 0;
	return (int)count;
}

static void tcp_drop(struct transport *t, const struct identity *who)
{
	tcp_peer_drop(t, who);
	tcp_source_drop(t, who);
}

const struct transport_variant transport_tcp_variant = {
	.name = "tcp",
	.open = tcp_open,
	.close = tcp_close,
	.turn = tcp_turn,
	.send = tcp_send,
	.send_to = tcp_send_to,
	.reserve = tcp_reserve,
	.commit = tcp_commit,
	.drop = tcp_drop,
	.trust = tcp_source_trust,
	.idle = tcp_peers_idle,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp: a full mesh, in one epoll loop that never blocks. A member listens, and tries once to reach
 * every peer; a message is queued once, and goes from there to each peer as fast as the peer
 * accepts it.
 */
#include "tcp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define BACKLOG	 1024
#define UNPROVED 64 /* connections that were not proved to be a member's */
#define EVENTS	 64

int tcp_watch(const struct tcp_state *s, int operation, struct np_stream *stream,
	      enum tcp_kind kind, unsigned index, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint64_t)kind << 32 | index};

	return epoll_ctl(s->t->fd, operation, np_stream_fd(stream), &event) < 0 ? -errno : 0;
}

/* Listens at the first free port from the plan's on; 0: any. */
static int open_listener(struct tcp_state *s, const struct transport_plan *plan,
			 struct np_fault *fault)
{
	const uint16_t first = plan->tcp.first_port;
	struct identity id;
	unsigned port = first;
	char text[IDENTITY_TEXT];
	int rc = 0;

	s->local = plan->bind;
	if (s->local.any.sa_family == AF_UNSPEC)
		rc = local_address_for_cluster(&plan->tcp.cluster, &s->local);
	if (!rc && np_address_is_wildcard(&s->local))
		return np_fault_set(fault, -EINVAL, plan->variant,
				    "must not be a wildcard: members know this one by it");
	s->options.local = &s->local;
	s->options.device = plan->device;
	if (!rc) {
		do {
			np_address_set_port(&s->local, (uint16_t)port);
			rc = np_stream_listen(&s->listener, &s->options, BACKLOG);
		} while (rc == -EADDRINUSE && first && ++port <= UINT16_MAX);
	}
	if (rc == -ENODEV && plan->device)
		return np_fault_errno(fault, rc, plan->device);
	if (rc) {
		id = identity_of(&s->local);
		return np_fault_errno(fault, rc, identity_format(&id, text));
	}
	s->local = np_stream_info(s->listener)->local;
	s->t->info.self = identity_of(&s->local);
	s->handshake_bytes = jgroups_handshake_encode(s->handshake, &s->t->info.self);
	if (plan->device)
		snprintf(s->device, sizeof(s->device), "%s", plan->device);
	s->options.device = plan->device ? s->device : NULL;
	return 0;
}

static int make_tables(struct tcp_state *s, const struct transport *t,
		       const struct transport_plan *plan)
{
	/* One more than are listed: ourselves, with a port that may not be listed. */
	const unsigned entries =
		(plan->tcp.later ? plan->members : (unsigned)plan->tcp.cluster.count) + 1;

	s->source_count = 2 * entries + UNPROVED;
	s->peer_room = entries;
	s->sources = calloc(s->source_count, sizeof(*s->sources));
	s->peers = calloc(s->peer_room, sizeof(*s->peers));
	s->buffer = malloc(TCP_READ_BYTES);
	if (!s->sources || !s->peers || !s->buffer)
		return -ENOMEM;
	return queue_create(&s->queue, t->data_bytes, t->data_header_bytes, t->control_bytes);
}

/* Skips duplicates: a peer listed twice would get everything twice. */
static void add_peer(struct tcp_state *s, const struct np_address *address)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (np_address_equal(&s->peers[i].address, address))
			return;
	}
	s->failed++;
	s->peers[s->peer_count++] = (struct tcp_peer){
		.address = *address,
		.id = identity_of(address),
		.reported = -1,
	};
}

static bool all_tried(const struct tcp_state *s)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_CONNECTING)
			return false;
	}
	return true;
}

/* Peers that connect to us meanwhile wait in the listener's queue. */
static void try_all(struct tcp_state *s, np_time limit)
{
	np_time end, now = np_clock_now();

	tcp_peers_connect(s);
	for (end = now + limit; !all_tried(s) && now < end; now = np_clock_now()) {
		struct epoll_event events[EVENTS];
		int count = epoll_wait(s->t->fd, events, EVENTS,
				       (int)((end - now) / NP_MILLISECOND) + 1);

		for (int i = 0; i < count; i++)
			tcp_peer_event(s, (unsigned)events[i].data.u64, events[i].events);
	}
	s->news = true;
	s->t->deadline = 0;
}

static int tcp_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct tcp_state *s = t->state;
	const struct np_stream_info *listener;
	char text[IDENTITY_TEXT];
	int rc;

	if (!plan->ttl)
		return np_fault_set(fault, -EINVAL, "--ttl",
				    "0 (this host only) is for udp; tcp needs at least 1");
	s->t = t;
	rc = make_tables(s, t, plan);
	if (rc)
		return np_fault_errno(fault, rc, plan->variant);
	s->plan = plan->tcp;
	s->plan.cluster = (struct np_address_list){};
	s->options = (struct np_stream_options){
		.receive_bytes = plan->receive_bytes,
		.send_bytes = plan->send_bytes,
		.no_delay = true,
		.tos = plan->tos,
		.ttl = plan->ttl < 0 ? 0 : plan->ttl,
	};
	rc = open_listener(s, plan, fault);
	if (rc)
		return rc;
	for (size_t i = 0; i < plan->tcp.cluster.count; i++)
		add_peer(s, &plan->tcp.cluster.item[i]);
	if (!plan->tcp.first_port || plan->tcp.later)
		add_peer(s, &s->local);
	np_address_set_port(&s->local, 0);
	if (!tcp_peer_of(s, &t->info.self))
		return np_fault_set(fault, -EINVAL, identity_format(&t->info.self, text),
				    "this member's own address is not in the cluster");
	try_all(s, plan->connect_limit);
	rc = tcp_watch(s, EPOLL_CTL_ADD, s->listener, TCP_LISTENER, 0, EPOLLIN);
	if (rc)
		return np_fault_errno(fault, rc, plan->variant);
	/* Unless a size was asked for, the kernel adapts the buffers. */
	listener = np_stream_info(s->listener);
	if (plan->receive_bytes)
		t->info.receive_granted = listener->receive_granted;
	if (plan->send_bytes)
		t->info.send_granted = listener->send_granted;
	snprintf(t->info.detail, sizeof(t->info.detail), "listens at %s, %u in the cluster",
		 identity_format(&t->info.self, text), s->peer_count);
	return 0;
}

static int tcp_enlist(struct transport *t, const struct np_address *addresses, size_t count)
{
	struct tcp_state *s = t->state;

	for (size_t i = 0; i < count; i++) {
		if (s->peer_count == s->peer_room)
			return -ENOSPC;
		add_peer(s, &addresses[i]);
	}
	tcp_peers_connect(s);
	t->deadline = 0;
	return 0;
}

static void tcp_close(struct transport *t)
{
	struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->peer_count; i++)
		np_stream_free(s->peers[i].stream);
	for (unsigned i = 0; s->sources && i < s->source_count; i++)
		tcp_source_free(s, &s->sources[i]);
	np_stream_free(s->listener);
	queue_free(s->queue);
	free(s->peers);
	free(s->sources);
	free(s->buffer);
}

static int tcp_turn(struct transport *t, unsigned most, np_time now)
{
	struct tcp_state *s = t->state;
	struct epoll_event events[EVENTS];
	np_time peers, sources;
	bool more = false;
	int count;

	tcp_peers_notify(s);
	count = epoll_wait(t->fd, events, EVENTS, 0);
	/* Starts with another one each time, so that no source starves another. */
	for (unsigned i = 0, first = s->turns++; count > 0 && i < (unsigned)count; i++) {
		const struct epoll_event *event = &events[(first + i) % (unsigned)count];
		unsigned index = (unsigned)event->data.u64, got;

		switch ((enum tcp_kind)(event->data.u64 >> 32)) {
		case TCP_LISTENER: tcp_sources_accept(s, now); break;
		case TCP_PEER: tcp_peer_event(s, index, event->events); break;
		case TCP_SOURCE:
			got = most ? tcp_source_read(s, index, most, &more) : 0;
			more |= !most;
			most -= got < most ? got : most;
			break;
		}
	}
	peers = tcp_peers_limit(s, now);
	sources = tcp_sources_limit(s, now);
	tcp_peers_notify(s);
	t->deadline = s->news ? now : peers < sources ? peers : sources;
	return more || count == EVENTS;
}

static int put(struct tcp_state *s, const void *message, size_t bytes, int peer)
{
	int rc;

	tcp_peers_retry(s);
	rc = queue_put(s->queue, message, bytes, peer);
	if (!rc)
		tcp_peers_send(s);
	if (s->news)
		s->t->deadline = 0;
	return rc;
}

static int tcp_send(struct transport *t, const void *message, size_t bytes)
{
	struct tcp_state *s = t->state;
	return put(s, message, bytes, QUEUE_ALL);
}

static int tcp_send_to(struct transport *t, const struct identity *who, const void *message,
		       size_t bytes)
{
	struct tcp_state *s = t->state;
	const struct tcp_peer *peer = tcp_peer_of(s, who);

	if (!peer || peer->state != TCP_CONNECTED)
		return -ENOENT;
	return put(s, message, bytes, (int)(peer - s->peers));
}

static unsigned tcp_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	struct tcp_state *s = t->state;
	unsigned count = queue_reserve(s->queue, wanted, slots);

	t->stats.send_refused += !count;
	return count;
}

static int tcp_commit(struct transport *t, unsigned count)
{
	struct tcp_state *s = t->state;

	tcp_peers_retry(s);
	queue_commit(s->queue, count);
	tcp_peers_send(s);
	if (s->news)
		t->deadline = 0;
	return (int)count;
}

/* Only blocked peers have not got everything. */
static bool tcp_idle(const struct transport *t)
{
	const struct tcp_state *s = t->state;

	return !s->blocked;
}

const struct transport_variant transport_tcp_variant = {
	.name = "tcp",
	.state_bytes = sizeof(struct tcp_state),
	.open = tcp_open,
	.close = tcp_close,
	.enlist = tcp_enlist,
	.turn = tcp_turn,
	.send = tcp_send,
	.send_to = tcp_send_to,
	.reserve = tcp_reserve,
	.commit = tcp_commit,
	.drop = tcp_peer_drop,
	.trust = tcp_source_trust,
	.idle = tcp_idle,
};

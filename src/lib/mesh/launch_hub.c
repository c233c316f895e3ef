// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_hub: rank 0: accepts the other ranks, answers what they send, and waits for them. */
#include "launch_state.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

/*
 * Connections that have not joined: how many more there may be than ranks, which may all connect at
 * once, how long each may take to join, and how much it may send for that.
 */
#define PENDING_MAX   256
#define JOIN_LIMIT    (10 * NP_SECOND)
#define PENDING_BYTES 4096

/* Until a connection is asked for again for which there was no descriptor or memory. */
#define ACCEPT_PAUSE (100 * NP_MILLISECOND)

#define EVENTS	     256

/* For as long as @fd is open: what has come is taken until there is no more. 0 or -errno. */
static int watch(const struct np_launch *hub, int fd, uint32_t events, void *who)
{
	struct epoll_event event = {.events = events | EPOLLET, .data.ptr = who};

	return epoll_ctl(hub->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Unless it was out before. */
static void put_out(struct np_launch *hub, const struct hub_rank *rank, enum launch_state state)
{
	uint8_t *at = &hub->state[rank - hub->ranks];

	if (*at == LAUNCH_HERE)
		*at = (uint8_t)state;
}

/* Closes it; its rank is LAUNCH_GONE unless it was out before. */
static void peer_remove(struct np_launch *hub, struct hub_peer *peer)
{
	struct hub_rank *rank = peer->rank;

	hub->pending -= !rank;
	if (rank) {
		rank->peer = NULL;
		put_out(hub, rank, LAUNCH_GONE);
	}
	TAILQ_REMOVE(&hub->peers, peer, link);
	launch_channel_close(&peer->channel);
	free(peer);
}

/*
 * Of a rank of this run that has not joined before and comes in time. Returns whether the
 * connection remains, as all of these do.
 */
static bool take_join(struct np_launch *hub, struct hub_peer *peer,
		      const struct wire_message *message)
{
	const struct wire_join *join = wire_join_of(message);
	const uint32_t number = join ? np_field_get32(join->rank) : 0;
	struct hub_rank *rank = &hub->ranks[number < hub->place.size ? number : 0];
	bool good = join && rank != hub->ranks && !rank->joined &&
		    hub->state[number] == LAUNCH_HERE &&
		    np_field_get32(join->size) == hub->place.size &&
		    !memcmp(join->secret, hub->join.secret, WIRE_SECRET);

	if (good) {
		/* That of another version may be longer or shorter behind the rank and the size. */
		good = message->bytes == sizeof(*join);
		memcpy(rank->host, join->host, good ? WIRE_NAME : 0);
		good = good && !strcmp(join->program, hub->join.program);
		hub->state[number] = good ? LAUNCH_HERE : LAUNCH_OTHER;
	}
	if (!good) {
		launch_channel_send(&peer->channel, WIRE_REFUSED, NULL, 0);
		return false;
	}
	rank->joined = true;
	rank->peer = peer;
	peer->rank = rank;
	hub->pending--;
	return true;
}

static bool take_fetch(struct np_launch *hub, struct hub_peer *peer,
		       const struct wire_message *message)
{
	const size_t count = message->bytes / 4;
	uint8_t *body, *at;
	bool good;

	if (message->bytes % 4 || count > WIRE_FETCH_MAX)
		return false;
	body = malloc(count * (8 + LAUNCH_BLOB_MAX) + 1);
	if (!body)
		return false;
	at = body;
	for (size_t i = 0; i < count; i++) {
		const uint32_t number = np_field_get32(message->body + 4 * i);
		const struct hub_rank *of = &hub->ranks[number < hub->place.size ? number : 0];

		if (number >= hub->place.size || !of->joined)
			continue;
		np_field_put32(at, number);
		np_field_put32(at + 4, (uint32_t)of->blob_bytes);
		if (of->blob_bytes)
			memcpy(at + 8, of->blob, of->blob_bytes);
		at += 8 + of->blob_bytes;
	}
	good = !launch_channel_send(&peer->channel, WIRE_BLOBS, body, (size_t)(at - body));
	free(body);
	return good;
}

static bool take_message(struct np_launch *hub, struct hub_peer *peer,
			 const struct wire_message *message)
{
	struct hub_rank *rank = peer->rank;
	const uint32_t number = rank ? (uint32_t)(rank - hub->ranks) : 0;

	if (!rank)
		return take_join(hub, peer, message);
	switch (message->type) {
	case WIRE_FETCH: return take_fetch(hub, peer, message);
	case WIRE_ENTER:
		/* At most one barrier ahead of rank 0, each one once. */
		return message->bytes == 4 && rank->entered <= hub->step &&
		       np_field_get32(message->body) == ++rank->entered;
	case WIRE_BLOB:
		return message->bytes <= LAUNCH_BLOB_MAX &&
		       !hub_set_blob(hub, number, message->body, message->bytes);
	case WIRE_PIECE:
		/* Sent after the last barrier only, so that rank 0 has ended its own. */
		return hub->take && message->bytes && message->bytes <= LAUNCH_PIECE_MAX &&
		       rank->entered < hub->step &&
		       !hub->take(hub->context, number, message->body, message->bytes);
	case WIRE_WARNINGS:
		return hub->take && message->bytes <= NP_LOG_HELD && rank->entered < hub->step &&
		       launch_warned(hub, number, (const char *)message->body, message->bytes);
	default: return false;
	}
}

/* Sends and receives what is possible now; may remove @peer. */
static void peer_serve(struct np_launch *hub, struct hub_peer *peer)
{
	struct wire_message message;
	int rc = launch_channel_flush(&peer->channel);

	if (rc == -EAGAIN)
		rc = 0;
	while (!rc && (rc = launch_channel_receive(&peer->channel, &message)) > 0) {
		const bool good = take_message(hub, peer, &message);

		if (!good && peer->rank)
			put_out(hub, peer->rank, LAUNCH_WRONG);
		rc = good ? 0 : -EBADMSG;
	}
	if (rc < 0 || (!peer->rank && peer->channel.in.end > PENDING_BYTES))
		peer_remove(hub, peer);
}

int hub_set_blob(struct np_launch *hub, uint32_t rank, const void *blob, size_t bytes)
{
	struct hub_rank *of = &hub->ranks[rank];
	uint8_t *copy = malloc(bytes + 1);

	if (!copy)
		return -ENOMEM;
	if (bytes)
		memcpy(copy, blob, bytes);
	free(of->blob);
	of->blob = copy;
	of->blob_bytes = bytes;
	return 0;
}

int hub_open(struct np_launch *hub, const struct np_address *local)
{
	const struct np_stream_options options = {.local = local, .no_delay = true, .ip.tos = -1};
	int rc;

	TAILQ_INIT(&hub->peers);
	hub->accept_at = NP_TIME_NEVER;
	hub->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (hub->epoll < 0)
		return -errno;
	hub->state = calloc(hub->place.size, 1);
	hub->ranks = calloc(hub->place.size, sizeof(*hub->ranks));
	if (!hub->state || !hub->ranks)
		return -ENOMEM;
	hub->ranks[0].joined = true;
	if (hub->place.size < 2)
		return 0;
	rc = np_stream_listen(&hub->listener, &options, 4096);
	if (rc)
		return rc;
	/* Who says nothing stays with the kernel; a rank's JOIN has come when it is accepted. */
	setsockopt(np_stream_fd(hub->listener), IPPROTO_TCP, TCP_DEFER_ACCEPT,
		   &(int){JOIN_LIMIT / NP_SECOND}, sizeof(int));
	return watch(hub, np_stream_fd(hub->listener), EPOLLIN, hub);
}

void hub_close(struct np_launch *hub)
{
	for (struct hub_peer *peer = TAILQ_FIRST(&hub->peers), *next; peer; peer = next) {
		next = TAILQ_NEXT(peer, link);
		peer_remove(hub, peer);
	}
	for (uint32_t i = 0; hub->ranks && i < hub->place.size; i++)
		free(hub->ranks[i].blob);
	free(hub->ranks);
	np_stream_free(hub->listener);
	if (hub->epoll >= 0)
		close(hub->epoll);
}

static void accept_all(struct np_launch *hub)
{
	struct np_stream *stream;
	struct hub_peer *peer;
	int rc;

	while (!(rc = np_stream_accept(hub->listener, &stream))) {
		const bool allowed =
			np_address_networks_have(hub->allow, &np_stream_info(stream)->remote);

		hub->not_allowed += !allowed;
		peer = allowed ? calloc(1, sizeof(*peer)) : NULL;
		if (!peer) {
			np_stream_free(stream);
			continue;
		}
		peer->channel.stream = stream;
		peer->accepted = np_clock_now();
		TAILQ_INSERT_TAIL(&hub->peers, peer, link);
		hub->pending++;
		if (watch(hub, np_stream_fd(stream), EPOLLIN | EPOLLOUT, peer))
			peer_remove(hub, peer);
		else
			peer_serve(hub, peer);
	}
	hub->accept_at = rc == -EAGAIN ? NP_TIME_NEVER : np_clock_now() + ACCEPT_PAUSE;
}

/*
 * Serves what is ready. Events of one call are of different peers, and a peer removes only itself.
 * Then removes connections that have not joined in time, or have no room.
 */
static int serve(struct np_launch *hub)
{
	struct epoll_event events[EVENTS];
	struct hub_peer *next;
	np_time now = np_clock_now();
	int n;

	if (now >= hub->accept_at)
		accept_all(hub);
	do {
		n = epoll_wait(hub->epoll, events, EVENTS, 0);
		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr == hub)
				accept_all(hub);
			else
				peer_serve(hub, events[i].data.ptr);
		}
	} while (n == EVENTS);
	now = np_clock_now();
	for (struct hub_peer *peer = TAILQ_FIRST(&hub->peers); hub->pending && peer; peer = next) {
		next = TAILQ_NEXT(peer, link);
		if (!peer->rank &&
		    (hub->pending > hub->place.size + PENDING_MAX ||
		     hub->accept_at != NP_TIME_NEVER || now - peer->accepted > JOIN_LIMIT))
			peer_remove(hub, peer);
	}
	return n < 0 && errno != EINTR ? -errno : 0;
}

/* Whether the barrier waits for that rank. */
static bool is_awaited(const struct np_launch *hub, uint32_t rank)
{
	return hub->state[rank] == LAUNCH_HERE && hub->ranks[rank].entered < hub->step;
}

int hub_barrier(struct np_launch *hub, np_time deadline, int other_fd)
{
	size_t bytes = 4;
	uint8_t *body;

	hub->step++;
	for (;;) {
		struct pollfd fds[] = {{.fd = hub->epoll, .events = POLLIN},
				       {.fd = other_fd, .events = POLLIN}};
		uint32_t first = 1;
		int rc = serve(hub);

		while (first < hub->place.size && !is_awaited(hub, first))
			first++;
		if (rc)
			return rc;
		if (first == hub->place.size || np_clock_now() >= deadline)
			break;
		rc = np_wait_ready(fds, 2, hub->accept_at < deadline ? hub->accept_at : deadline);
		if (rc < 0 && rc != -EINTR)
			return rc;
		if (fds[1].revents)
			return -ECANCELED;
	}
	/* Those that are still awaited at the deadline are out. */
	for (uint32_t i = 1; i < hub->place.size; i++) {
		struct hub_rank *rank = &hub->ranks[i];

		if (!is_awaited(hub, i))
			continue;
		hub->state[i] = rank->joined ? LAUNCH_SILENT : LAUNCH_ABSENT;
		if (!rank->peer)
			continue;
		launch_channel_send(&rank->peer->channel, WIRE_REFUSED, NULL, 0);
		peer_remove(hub, rank->peer);
	}
	body = malloc(4 + 8 * (size_t)hub->place.size);
	if (!body)
		return -ENOMEM;
	/* The step, and who is out. */
	np_field_put32(body, hub->step);
	for (uint32_t i = 0; i < hub->place.size; i++) {
		if (hub->state[i] == LAUNCH_HERE)
			continue;
		np_field_put32(body + bytes, i);
		np_field_put32(body + bytes + 4, hub->state[i]);
		bytes += 8;
	}
	/*
	 * One that has died meanwhile is out from the next look at it on; but nothing else would
	 * show that there was no memory for it.
	 */
	for (uint32_t i = 1; i < hub->place.size; i++) {
		struct hub_peer *peer = hub->ranks[i].peer;

		if (hub->state[i] == LAUNCH_HERE &&
		    launch_channel_send(&peer->channel, WIRE_RELEASE, body, bytes) == -ENOMEM)
			peer_remove(hub, peer);
	}
	free(body);
	return 0;
}

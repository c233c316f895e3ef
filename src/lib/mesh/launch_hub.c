// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_hub: rank 0: accepts the other ranks, answers what they send, and waits for them. */
#include "launch_sides.h"

#include <errno.h>
#include <netperf/field.h>
#include <netperf/wait.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

/*
 * Connections that have not joined: how many more there may be than ranks, which may all connect at
 * once, and how long each may take to join.
 */
#define PEER_PENDING_MAX 256
#define PEER_JOIN_LIMIT	 (10 * NP_SECOND)

/* Until a connection is asked for again for which there was no descriptor or memory. */
#define ACCEPT_PAUSE (100 * NP_MILLISECOND)

#define PEER_LATE    "too late: the others have gone on without it"

/* Makes epoll watch @fd for @events from now on. Returns 0 or -errno. */
static int watch(const struct hub *hub, int fd, uint32_t events, void *who)
{
	struct epoll_event event = {.events = events, .data.ptr = who};

	if (!epoll_ctl(hub->epoll, EPOLL_CTL_MOD, fd, &event))
		return 0;
	return epoll_ctl(hub->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Closes it; its rank is NP_LAUNCH_GONE unless it was out before. */
static void peer_remove(struct hub *hub, struct hub_peer *peer)
{
	struct hub_rank *rank = &hub->ranks[peer->rank];

	if (!peer->joined) {
		hub->pending--;
	} else if (rank->peer == peer) {
		rank->peer = NULL;
		if (rank->state == NP_LAUNCH_HERE)
			rank->state = NP_LAUNCH_GONE;
	}
	TAILQ_REMOVE(&hub->peers, peer, link);
	launch_channel_close(&peer->channel);
	free(peer);
}

static void watch_again(struct hub *hub, struct hub_peer *peer)
{
	watch(hub, np_stream_fd(peer->channel.stream),
	      (peer->paused ? 0 : (unsigned)EPOLLIN) | (peer->waits ? (unsigned)EPOLLOUT : 0),
	      peer);
}

/* Returns whether the connection is still good. */
static bool flush(struct hub *hub, struct hub_peer *peer)
{
	const int rc = launch_channel_flush(&peer->channel);
	const bool waits = rc == -EAGAIN;

	if (waits != peer->waits) {
		peer->waits = waits;
		watch_again(hub, peer);
	}
	return !rc || waits;
}

static bool peer_send(struct hub *hub, struct hub_peer *peer, enum wire_type type, const void *body,
		      size_t bytes)
{
	return !launch_channel_send(&peer->channel, type, body, bytes) && flush(hub, peer);
}

/* May remove @peer. */
static void peer_send_or_remove(struct hub *hub, struct hub_peer *peer, enum wire_type type,
				const void *body, size_t bytes)
{
	if (!peer_send(hub, peer, type, body, bytes))
		peer_remove(hub, peer);
}

static bool same_secret(const uint8_t *a, const uint8_t *b)
{
	unsigned differ = 0;

	for (unsigned i = 0; i < WIRE_SECRET; i++)
		differ |= (unsigned)(a[i] ^ b[i]);
	return !differ;
}

/* Returns why it cannot join, or NULL. */
static const char *judge_join(struct hub *hub, const struct wire_join *join)
{
	if (!same_secret(join->secret, hub->secret))
		return "not of this run";
	if (!join->rank || join->rank >= hub->size || join->size != hub->size)
		return "no such rank";
	if (hub->ranks[join->rank].joined)
		return "this rank has joined before";
	if (hub->ranks[join->rank].state != NP_LAUNCH_HERE)
		return PEER_LATE;
	if (strcmp(join->program, hub->program)) {
		hub->ranks[join->rank].state = NP_LAUNCH_OTHER;
		memcpy(hub->ranks[join->rank].host, join->host, WIRE_NAME);
		return "another program or version than rank 0";
	}
	return NULL;
}

/* Returns whether the connection remains, as all of these do. */
static bool take_join(struct hub *hub, struct hub_peer *peer, const struct wire_message *message)
{
	struct hub_rank *rank;
	struct wire_join join;
	const char *why = "no proper start";

	if (!peer->joined && !wire_join_read(message, &join))
		why = judge_join(hub, &join);
	if (why) {
		launch_channel_send(&peer->channel, WIRE_REFUSED, why, strlen(why));
		return false;
	}
	rank = &hub->ranks[join.rank];
	if (hub_set_blob(hub, join.rank, join.blob, join.blob_bytes))
		return false;
	memcpy(rank->host, join.host, WIRE_NAME);
	rank->joined = true;
	rank->peer = peer;
	peer->joined = true;
	peer->rank = join.rank;
	hub->pending--;
	return true;
}

static bool take_fetch(struct hub *hub, struct hub_peer *peer, const struct wire_message *message)
{
	const size_t count = message->bytes / 4;
	uint8_t *body, *at;
	bool good;

	if (message->bytes % 4 || count > WIRE_FETCH_MAX)
		return false;
	body = malloc(count * (8 + NP_LAUNCH_BLOB_MAX) + 1);
	if (!body)
		return false;
	at = body;
	for (size_t i = 0; i < count; i++) {
		const uint32_t of = np_field_get32(message->body + 4 * i);

		if (of >= hub->size || !hub->ranks[of].joined)
			continue;
		np_field_put32(at, of);
		np_field_put32(at + 4, (uint32_t)hub->ranks[of].blob_bytes);
		if (hub->ranks[of].blob_bytes)
			memcpy(at + 8, hub->ranks[of].blob, hub->ranks[of].blob_bytes);
		at += 8 + hub->ranks[of].blob_bytes;
	}
	good = peer_send(hub, peer, WIRE_BLOBS, body, (size_t)(at - body));
	free(body);
	return good;
}

static bool take_enter(struct hub *hub, struct hub_peer *peer, const struct wire_message *message)
{
	struct hub_rank *rank = &hub->ranks[peer->rank];

	/* At most one barrier ahead of rank 0, each one once. */
	if (message->bytes != 4 || np_field_get32(message->body) != rank->entered + 1 ||
	    rank->entered > hub->step)
		return false;
	rank->entered++;
	return true;
}

static bool take_message(struct hub *hub, struct hub_peer *peer, const struct wire_message *message)
{
	if (!peer->joined)
		return take_join(hub, peer, message);
	switch (message->type) {
	case WIRE_FETCH: return take_fetch(hub, peer, message);
	case WIRE_ENTER: return take_enter(hub, peer, message);
	case WIRE_BLOB:
		return message->bytes <= NP_LAUNCH_BLOB_MAX &&
		       !hub_set_blob(hub, peer->rank, message->body, message->bytes);
	case WIRE_PIECE:
		return message->bytes && message->bytes <= NP_LAUNCH_PIECE_MAX &&
		       !hub->ranks[peer->rank].finished &&
		       !hub->take(hub->context, peer->rank, message->body, message->bytes);
	case WIRE_FINISH: hub->ranks[peer->rank].finished = true; return true;
	default: return false;
	}
}

static void serve_messages(struct hub *hub, struct hub_peer *peer)
{
	struct wire_message message;
	int rc;

	while ((rc = launch_channel_receive(&peer->channel, &message)) > 0) {
		/* Results that come early stay in the connection until they are taken. */
		if (message.type == WIRE_PIECE && !hub->take) {
			peer->channel.in_used = 0; /* is read again */
			peer->paused = true;
			watch_again(hub, peer);
			return;
		}
		if (take_message(hub, peer, &message))
			continue;
		if (peer->joined && hub->ranks[peer->rank].state == NP_LAUNCH_HERE)
			hub->ranks[peer->rank].state = NP_LAUNCH_WRONG;
		rc = -EBADMSG;
		break;
	}
	if (rc < 0 || (!peer->joined && peer->channel.in_room > 4096))
		peer_remove(hub, peer);
}

/* Receives and sends what is possible now; may remove @peer. */
static void peer_serve(struct hub *hub, struct hub_peer *peer)
{
	if (peer->waits && !flush(hub, peer)) {
		peer_remove(hub, peer);
		return;
	}
	/* A paused peer that need not send has an event only if its connection has ended. */
	if (!peer->paused)
		serve_messages(hub, peer);
	else if (!peer->waits)
		epoll_ctl(hub->epoll, EPOLL_CTL_DEL, np_stream_fd(peer->channel.stream), NULL);
}

/* Removes connections that have not joined in time. */
static void peer_expire_pending(struct hub *hub)
{
	const np_time now = np_clock_now();
	struct hub_peer *next;

	if (!hub->pending)
		return;
	for (struct hub_peer *peer = TAILQ_FIRST(&hub->peers); peer; peer = next) {
		next = TAILQ_NEXT(peer, link);
		if (!peer->joined && (hub->pending > hub->size + PEER_PENDING_MAX ||
				      now - peer->accepted > PEER_JOIN_LIMIT))
			peer_remove(hub, peer);
	}
}

#define EVENTS 256

int hub_set_blob(struct hub *hub, uint32_t rank, const void *blob, size_t bytes)
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

static int set_up(struct hub *hub, const char *host, const struct np_launch_plan *plan)
{
	const struct np_stream_options options = {
		.local = plan->local, .no_delay = true, .tos = -1};
	/* A descriptor for each rank, and some for files and the program's sockets. */
	const rlim_t needed = (rlim_t)hub->size + PEER_PENDING_MAX + 256;
	struct hub_rank *own = &hub->ranks[0];
	struct rlimit limit;
	int rc;

	memcpy(own->host, host, strnlen(host, WIRE_NAME - 1));
	own->joined = true;
	if (hub_set_blob(hub, 0, plan->blob, plan->blob_bytes))
		return -ENOMEM;
	hub->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (hub->epoll < 0)
		return -errno;
	if (hub->size == 1)
		return 0;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < needed) {
		limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	rc = np_stream_listen(&hub->listener, &options, 4096);
	return rc ? rc : watch(hub, np_stream_fd(hub->listener), EPOLLIN, hub);
}

int hub_open(struct hub **hub, uint32_t size, const char *host, const uint8_t secret[WIRE_SECRET],
	     const struct np_launch_plan *plan)
{
	struct hub *h = calloc(1, sizeof(*h));
	int rc;

	*hub = NULL;
	if (!h)
		return -ENOMEM;
	h->size = size;
	h->epoll = -1;
	TAILQ_INIT(&h->peers);
	h->accept_after = NP_TIME_NEVER;
	h->allow = plan->allow;
	memcpy(h->program, plan->program, strnlen(plan->program, WIRE_NAME - 1));
	memcpy(h->secret, secret, WIRE_SECRET);
	h->ranks = calloc(size, sizeof(*h->ranks));
	rc = h->ranks ? set_up(h, host, plan) : -ENOMEM;
	if (rc)
		hub_free(h);
	else
		*hub = h;
	return rc;
}

void hub_free(struct hub *hub)
{
	if (!hub)
		return;
	while (!TAILQ_EMPTY(&hub->peers))
		peer_remove(hub, TAILQ_FIRST(&hub->peers));
	for (uint32_t i = 0; hub->ranks && i < hub->size; i++)
		free(hub->ranks[i].blob);
	free(hub->ranks);
	np_stream_free(hub->listener);
	if (hub->epoll >= 0)
		close(hub->epoll);
	free(hub);
}

static void accept_all(struct hub *hub)
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
		if (watch(hub, np_stream_fd(stream), EPOLLIN, peer))
			peer_remove(hub, peer);
	}
	if (rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM) {
		hub->accept_after = np_clock_now() + ACCEPT_PAUSE;
		watch(hub, np_stream_fd(hub->listener), 0, hub);
	}
}

/* Serves what is ready. Events of one call are of different peers, and a peer removes only itself.
 */
static int serve(struct hub *hub)
{
	struct epoll_event events[EVENTS];
	int n;

	if (np_clock_now() >= hub->accept_after) {
		hub->accept_after = NP_TIME_NEVER;
		watch(hub, np_stream_fd(hub->listener), EPOLLIN, hub);
	}
	do {
		n = epoll_wait(hub->epoll, events, EVENTS, 0);
		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr == hub)
				accept_all(hub);
			else
				peer_serve(hub, events[i].data.ptr);
		}
	} while (n == EVENTS);
	peer_expire_pending(hub);
	return n < 0 && errno != EINTR ? -errno : 0;
}

static bool has_entered(const struct hub *hub, const struct hub_rank *rank)
{
	return rank->entered >= hub->step;
}

static bool has_finished(const struct hub *hub, const struct hub_rank *rank)
{
	(void)hub;
	return rank->finished;
}

typedef bool (*rank_is_done)(const struct hub *hub, const struct hub_rank *rank);

/* Whether all ranks that are here are @done. */
static bool all_done(const struct hub *hub, rank_is_done done)
{
	for (uint32_t i = 1; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE && !done(hub, &hub->ranks[i]))
			return false;
	}
	return true;
}

/*
 * Waits until they are, @deadline or @other_fd. Puts those out that are not at the deadline.
 * Returns 0, -ECANCELED, or -errno.
 */
static int serve_until(struct hub *hub, rank_is_done done, np_time deadline, int other_fd)
{
	for (;;) {
		struct pollfd fds[] = {{.fd = hub->epoll, .events = POLLIN},
				       {.fd = other_fd, .events = POLLIN}};
		int rc = serve(hub);

		if (rc || all_done(hub, done))
			return rc;
		if (np_clock_now() >= deadline)
			break;
		rc = np_wait_ready(fds, 2,
				   hub->accept_after < deadline ? hub->accept_after : deadline);
		if (rc < 0 && rc != -EINTR)
			return rc;
		if (fds[1].revents)
			return -ECANCELED;
	}
	for (uint32_t i = 1; i < hub->size; i++) {
		struct hub_rank *rank = &hub->ranks[i];
		struct hub_peer *peer = rank->peer;

		if (rank->state != NP_LAUNCH_HERE || done(hub, rank))
			continue;
		rank->state = rank->joined ? NP_LAUNCH_SILENT : NP_LAUNCH_ABSENT;
		if (!peer)
			continue;
		launch_channel_send(&peer->channel, WIRE_REFUSED, PEER_LATE, strlen(PEER_LATE));
		peer_remove(hub, peer);
	}
	return 0;
}

int hub_barrier(struct hub *hub, np_time deadline, int other_fd)
{
	size_t bytes = 4;
	uint8_t *body;
	int rc;

	hub->step++;
	rc = serve_until(hub, has_entered, deadline, other_fd);
	if (rc)
		return rc;
	/* The step, and who is out. */
	body = malloc(4 + 8 * (size_t)hub->size);
	if (!body)
		return -ENOMEM;
	np_field_put32(body, hub->step);
	for (uint32_t i = 0; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE)
			continue;
		np_field_put32(body + bytes, i);
		np_field_put32(body + bytes + 4, hub->ranks[i].state);
		bytes += 8;
	}
	for (uint32_t i = 1; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE)
			peer_send_or_remove(hub, hub->ranks[i].peer, WIRE_RELEASE, body, bytes);
	}
	free(body);
	return 0;
}

int hub_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline)
{
	struct hub_peer *next;
	int rc;

	hub->take = take;
	hub->context = context;
	/* Serves the ranks that have sent some already. */
	for (struct hub_peer *peer = TAILQ_FIRST(&hub->peers); peer; peer = next) {
		next = TAILQ_NEXT(peer, link);
		if (!peer->paused)
			continue;
		peer->paused = false;
		watch_again(hub, peer);
		serve_messages(hub, peer);
	}
	rc = serve_until(hub, has_finished, deadline, -1);
	hub->take = NULL;
	if (rc)
		return rc;
	for (uint32_t i = 1; i < hub->size; i++) {
		struct hub_rank *rank = &hub->ranks[i];

		if (rank->state == NP_LAUNCH_HERE)
			peer_send_or_remove(hub, rank->peer, WIRE_FINISHED, NULL, 0);
		rank->finished = false;
	}
	return 0;
}

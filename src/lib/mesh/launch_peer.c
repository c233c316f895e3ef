// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_peer: answers what the ranks send to rank 0. */
#include "launch_peer.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

struct hub_peer *peer_add(struct hub *hub, struct np_stream *stream)
{
	struct hub_peer *peer = calloc(1, sizeof(*peer));

	if (!peer) {
		np_stream_free(stream);
		return NULL;
	}
	peer->channel.stream = stream;
	peer->accepted = np_clock_now();
	peer->prev = hub->last;
	if (hub->last)
		hub->last->next = peer;
	else
		hub->peers = peer;
	hub->last = peer;
	hub->strangers++;
	return peer;
}

static void part_from_rank(struct hub *hub, struct hub_peer *peer)
{
	struct hub_rank *rank = &hub->ranks[peer->rank];

	if (!peer->joined || rank->peer != peer)
		return;
	rank->peer = NULL;
	if (rank->state == NP_LAUNCH_HERE)
		rank->state = NP_LAUNCH_GONE;
}

void peer_remove(struct hub *hub, struct hub_peer *peer)
{
	part_from_rank(hub, peer);
	if (!peer->joined)
		hub->strangers--;
	if (peer->prev)
		peer->prev->next = peer->next;
	else
		hub->peers = peer->next;
	if (peer->next)
		peer->next->prev = peer->prev;
	else
		hub->last = peer->prev;
	launch_channel_close(&peer->channel);
	free(peer);
}

static void watch_again(struct hub *hub, struct hub_peer *peer)
{
	struct epoll_event event = {
		.events = (peer->paused ? 0 : (unsigned)EPOLLIN) |
			  (peer->waits ? (unsigned)EPOLLOUT : 0),
		.data.ptr = peer,
	};

	if (epoll_ctl(hub->epoll, EPOLL_CTL_MOD, np_stream_fd(peer->channel.stream), &event))
		epoll_ctl(hub->epoll, EPOLL_CTL_ADD, np_stream_fd(peer->channel.stream), &event);
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

static bool tell(struct hub *hub, struct hub_peer *peer, enum wire_type type, const void *body,
		 size_t bytes)
{
	return !launch_channel_send(&peer->channel, type, body, bytes) && flush(hub, peer);
}

void peer_tell(struct hub *hub, struct hub_peer *peer, enum wire_type type, const void *body,
	       size_t bytes)
{
	if (!tell(hub, peer, type, body, bytes))
		peer_remove(hub, peer);
}

void peer_refuse(struct hub *hub, struct hub_peer *peer, const char *why)
{
	part_from_rank(hub, peer);
	launch_channel_send(&peer->channel, WIRE_REFUSED, why, strlen(why));
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
	hub->strangers--;
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
	good = tell(hub, peer, WIRE_BLOBS, body, (size_t)(at - body));
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

/* Results that come early stay in the connection: the rank is served again once they are taken. */
static bool must_pause(const struct hub *hub, const struct wire_message *message)
{
	return message->type == WIRE_PIECE && !hub->take;
}

static void serve_messages(struct hub *hub, struct hub_peer *peer)
{
	struct wire_message message;
	int rc;

	while ((rc = launch_channel_receive(&peer->channel, &message)) > 0) {
		if (must_pause(hub, &message)) {
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

void peer_serve(struct hub *hub, struct hub_peer *peer)
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

void peer_resume_all(struct hub *hub)
{
	struct hub_peer *next;

	for (struct hub_peer *peer = hub->peers; peer; peer = next) {
		next = peer->next;
		if (!peer->paused)
			continue;
		peer->paused = false;
		watch_again(hub, peer);
		serve_messages(hub, peer);
	}
}

void peer_expel_strangers(struct hub *hub)
{
	const np_time now = np_clock_now();
	struct hub_peer *next;

	if (!hub->strangers)
		return;
	for (struct hub_peer *peer = hub->peers; peer; peer = next) {
		next = peer->next;
		if (!peer->joined && (hub->strangers > hub->size + PEER_STRANGERS_MAX ||
				      now - peer->accepted > PEER_JOIN_LIMIT))
			peer_remove(hub, peer);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_out: makes, feeds and gives up our connections to the peers. */
#include "tcp.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>

#define RETRY_INTERVAL (100 * NP_MILLISECOND)
#define RETRY_AT_ONCE  32 /* per interval */
#define PIECES	       64
/*
 * A peer that connects to us again while it acknowledges nothing for longer than this has lost our
 * connection.
 */
#define ANSWER_LIMIT_MS 1000
/* How often the windows, and the progress of blocked connections, are checked. */
#define PROGRESS_INTERVAL (500 * NP_MILLISECOND)
/* A window grows in smaller steps when its owner reads data as it arrives. */
#define WINDOW_STEP 4096

/* What an older kernel does not know is 0. */
static struct tcp_info figures_of(const struct tcp_peer *peer)
{
	struct tcp_info info = {};
	socklen_t bytes = sizeof(info);

	(void)getsockopt(np_stream_fd(peer->stream), IPPROTO_TCP, TCP_INFO, &info, &bytes);
	return info;
}

/* Releases what all remaining peers have accepted. */
static void release(struct tcp_state *s)
{
	uint64_t oldest = queue_end(s->queue).piece;

	for_each(peer, s->peers, s->peer_count) {
		if (peer->state == TCP_CONNECTED && peer->place.piece < oldest)
			oldest = peer->place.piece;
	}
	queue_release(s->queue, oldest);
}

/* Ends the connection, or the attempt to make one: @state is TCP_FAILED or TCP_LOST. */
static void leave(struct tcp_state *s, struct tcp_peer *peer, enum tcp_peer_state state, int error)
{
	s->blocked -= peer->blocked;
	peer->blocked = false;
	np_stream_free(peer->stream);
	peer->stream = NULL;
	s->failed -= peer->state == TCP_FAILED;
	/* A dropped peer is tried once each time that it comes back. */
	peer->state = peer->dropped && error ? TCP_LOST : state;
	s->failed += peer->state == TCP_FAILED;
	peer->error = error;
	tcp_set_news(s);
	release(s);
}

/* Sends the handshake at once when the connection is made: 8 bytes fit in a new one. */
static void look_at(struct tcp_state *s, struct tcp_peer *peer)
{
	const struct np_stream_info *info = np_stream_info(peer->stream);
	int rc = np_stream_connected(peer->stream);
	ssize_t sent;

	/*
	 * TCP allows a connection from a port to itself: nobody listens there, and the attempt
	 * happened to be given that port.
	 */
	if (!rc && np_address_equal(&info->local, &info->remote))
		rc = -ECONNREFUSED;
	if (!rc) {
		sent = np_stream_send(peer->stream, s->handshake, s->handshake_bytes);
		if (sent != (ssize_t)s->handshake_bytes)
			rc = sent < 0 ? (int)sent : -EPIPE;
	}
	peer->absent = rc && rc != -EINPROGRESS;
	if (peer->absent) {
		leave(s, peer, TCP_FAILED, rc);
	} else if (!rc) {
		peer->state = TCP_CONNECTED;
		peer->error = 0;
		peer->place = queue_end(s->queue);
		peer->place.sole = peer->dropped;
		tcp_set_news(s);
	}
}

static void begin(struct tcp_state *s, struct tcp_peer *peer)
{
	int rc = np_stream_begin(&peer->stream, &s->options, &peer->address);

	/* Edge-triggered, so it is never modified while the connection lives. */
	if (!rc)
		rc = tcp_watch(s, peer->stream, TCP_PEER, (unsigned)(peer - s->peers),
			       EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
	if (rc) {
		leave(s, peer, TCP_FAILED, rc);
		return;
	}
	s->failed--;
	peer->state = TCP_CONNECTING;
	peer->error = -ETIMEDOUT;
	look_at(s, peer);
}

void tcp_peers_connect(struct tcp_state *s)
{
	s->tried = np_clock_now();
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_FAILED)
			begin(s, &s->peers[i]);
	}
}

void tcp_peers_retry(struct tcp_state *s)
{
	/*
	 * A member that starts connects to us and is then tried at once, so the others can wait
	 * longer.
	 */
	const np_time pause = RETRY_INTERVAL * (1 + s->failed / RETRY_AT_ONCE);

	if (s->failed && np_clock_now() >= s->tried + pause)
		tcp_peers_connect(s);
}

/* Sends until the peer has everything, or accepts no more. */
static void feed(struct tcp_state *s, struct tcp_peer *peer)
{
	const int index = (int)(peer - s->peers);
	struct iovec pieces[PIECES];
	size_t bytes;
	unsigned count;

	while ((count = queue_gather(s->queue, &peer->place, index, pieces, PIECES, &bytes))) {
		ssize_t sent = np_stream_send_pieces(peer->stream, pieces, count);

		if (sent < 0 && sent != -EAGAIN) {
			leave(s, peer, TCP_LOST, (int)sent);
			return;
		}
		if (sent > 0) {
			s->t->stats.send_calls++;
			queue_advance(s->queue, &peer->place, index, (size_t)sent);
		}
		if (sent < (ssize_t)bytes) {
			/* Nothing waits for a dropped peer. */
			if (peer->dropped) {
				leave(s, peer, TCP_LOST, -EAGAIN);
				return;
			}
			peer->moved |= sent > 0;
			if (sent < 0 && peer->blocked)
				return;
			/* The time without progress starts, or starts anew. */
			s->blocked += !peer->blocked;
			peer->blocked = true;
			peer->since = np_clock_now();
			peer->acknowledged = figures_of(peer).tcpi_bytes_acked;
			s->t->deadline =
				np_clock_sooner(s->t->deadline, s->looked + PROGRESS_INTERVAL);
			return;
		}
	}
	s->blocked -= peer->blocked;
	peer->blocked = false;
}

void tcp_peers_send(struct tcp_state *s)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_CONNECTED && !s->peers[i].blocked)
			feed(s, &s->peers[i]);
	}
	release(s);
}

void tcp_peer_event(struct tcp_state *s, unsigned index, uint32_t events)
{
	struct tcp_peer *peer = &s->peers[index];
	ssize_t got = -EAGAIN;

	if (peer->state == TCP_CONNECTING)
		look_at(s, peer);
	if (peer->state != TCP_CONNECTED)
		return;
	/* Peers never send on these connections; if something arrives, it is ignored. */
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP))
		got = np_stream_receive(peer->stream, s->buffer, TCP_READ_BYTES);
	if (got <= 0 && got != -EAGAIN) {
		leave(s, peer, TCP_LOST, (int)got);
	} else if (events & EPOLLRDHUP) {
		leave(s, peer, TCP_LOST, 0);
	} else if (events & EPOLLOUT) {
		feed(s, peer);
		release(s);
	}
}

void tcp_peers_notify(struct tcp_state *s)
{
	static const enum transport_event_kind kinds[] = {
		[TCP_FAILED] = TRANSPORT_FAILED,
		[TCP_CONNECTING] = TRANSPORT_FAILED,
		[TCP_CONNECTED] = TRANSPORT_CONNECTED,
		[TCP_LOST] = TRANSPORT_LOST,
	};

	if (!s->news)
		return;
	s->news = false;
	for_each(peer, s->peers, s->peer_count) {
		enum transport_event_kind kind;

		if (peer->absent) {
			peer->absent = false;
			tcp_source_deny(s, &peer->id);
		}
		kind = kinds[peer->state];
		/* An attempt counts as failed while none has ended since the opening. */
		if (peer->state == TCP_CONNECTING && peer->reported >= 0)
			continue;
		if (peer->state == TCP_FAILED && peer->reported == TRANSPORT_LOST)
			continue;
		if (!peer->dropped && peer->reported != (int)kind) {
			peer->reported = (int)kind;
			transport_notify(s->t, kind, peer->id,
					 np_address_format(&peer->address).text, peer->error);
		}
		/*
		 * A lost peer may have disconnected by mistake: unless the caller drops it, it is
		 * tried again.
		 */
		if (kind == TRANSPORT_LOST && s->plan->strict && !peer->dropped &&
		    peer->state == TCP_LOST) {
			peer->state = TCP_FAILED;
			s->failed++;
		}
	}
}

np_time tcp_peers_limit(struct tcp_state *s, np_time now)
{
	const bool all = !s->plan->strict;
	const bool look = (all || s->blocked) && now >= s->looked + PROGRESS_INTERVAL;
	np_time next = NP_TIME_NEVER;

	if (look)
		s->looked = now;
	for (unsigned i = 0; (all || s->blocked) && i < s->peer_count; i++) {
		struct tcp_peer *peer = &s->peers[i];
		uint64_t acknowledged;
		uint32_t window;

		/* What a peer has read without reporting it shows as a wider window. */
		if (look && all && peer->state == TCP_CONNECTED &&
		    !identity_equal(&peer->id, &s->t->info.self)) {
			window = figures_of(peer).tcpi_snd_wnd;
			peer->moved |= window >= peer->window + WINDOW_STEP;
			if (peer->moved || window < peer->window)
				peer->window = window;
		}
		/* A kernel with a large buffer may accept nothing but still transmit what it has.
		 */
		acknowledged = look && peer->blocked ? figures_of(peer).tcpi_bytes_acked
						     : peer->acknowledged;
		if (acknowledged != peer->acknowledged) {
			peer->acknowledged = acknowledged;
			peer->since = now;
			peer->moved = true;
		}
		if (peer->blocked && now >= peer->since + s->plan->stall)
			leave(s, peer, TCP_LOST, -ETIMEDOUT);
		if (peer->blocked)
			next = np_clock_sooner(next, peer->since + s->plan->stall);
		/* It accepts data, though slowly. */
		if (peer->moved && now >= peer->move_reported + TCP_MOVED_EVERY) {
			peer->moved = false;
			peer->move_reported = now;
			transport_notify(s->t, TRANSPORT_MOVED, peer->id, NULL, 0);
		}
	}
	return all || s->blocked ? np_clock_sooner(next, s->looked + PROGRESS_INTERVAL) : next;
}

struct tcp_peer *tcp_peer_of(const struct tcp_state *s, const struct identity *who)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (identity_equal(&s->peers[i].id, who))
			return &s->peers[i];
	}
	return NULL;
}

/* The caller knows already, so no event is reported. */
void tcp_peer_drop(struct transport *t, const struct identity *who)
{
	struct tcp_state *s = t->state;
	struct tcp_peer *peer = tcp_peer_of(s, who);

	(void)tcp_source_drop(s, who, NULL);
	if (!peer)
		return;
	peer->dropped = true;
	if (peer->state == TCP_LOST)
		return;
	leave(s, peer, TCP_LOST, 0);
	peer->reported = TRANSPORT_LOST;
}

/*
 * A lost peer was started again: tries it without reporting that. A dropped one can now be told so.
 */
bool tcp_peer_back(struct tcp_state *s, const struct identity *who, bool again)
{
	struct tcp_peer *peer = tcp_peer_of(s, who);

	if (!peer)
		return false;
	/*
	 * A host that lost its power does not know our connection, which the kernel would retry for
	 * long.
	 */
	if (again && peer->state == TCP_CONNECTED) {
		const struct tcp_info info = figures_of(peer);

		if (info.tcpi_unacked && info.tcpi_last_ack_recv > ANSWER_LIMIT_MS)
			leave(s, peer, TCP_LOST, -ETIMEDOUT);
	}
	if (peer->state == TCP_LOST) {
		leave(s, peer, TCP_FAILED, 0);
		if (peer->reported == TRANSPORT_LOST)
			peer->reported = TRANSPORT_FAILED;
	}
	if (peer->state == TCP_FAILED)
		begin(s, peer);
	return peer->state == TCP_CONNECTING || peer->state == TCP_CONNECTED;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_out: makes, feeds and gives up our connections to the peers. */
#include "tcp.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#define RETRY_INTERVAL (100 * NP_MILLISECOND)
#define RETRY_AT_ONCE  32 /* per interval */
#define PIECES	       64
/*
 * A peer that connects to us again while it acknowledges nothing for longer than this has lost our
 * connection.
 */
#define ANSWER_LIMIT_MS 1000
/* How often the progress of a blocked connection is checked. */
#define PROGRESS_INTERVAL (500 * NP_MILLISECOND)
/* A window grows in smaller steps when its owner reads data as it arrives. */
#define WINDOW_STEP 4096

int tcp_watch(struct transport *t, struct np_stream *stream, enum tcp_kind kind, unsigned index,
	      uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint64_t)kind << 32 | index};

	return epoll_ctl(t->fd, EPOLL_CTL_ADD, np_stream_fd(stream), &event) < 0 ? -errno : 0;
}

int tcp_set_ttl(struct np_stream *stream, int ttl)
{
	bool ipv6 = np_stream_info(stream)->local.any.sa_family == AF_INET6;
	int fd = np_stream_fd(stream), rc;

	if (ttl < 0)
		return 0;
	rc = ipv6 ? setsockopt(fd, SOL_IPV6, IPV6_UNICAST_HOPS, &ttl, sizeof(ttl))
		  : setsockopt(fd, SOL_IP, IP_TTL, &ttl, sizeof(ttl));
	return rc < 0 ? -errno : 0;
}

static void unblock(struct tcp_state *s, struct tcp_peer *peer)
{
	s->blocked -= peer->blocked;
	peer->blocked = false;
}

/* Bytes that the peer's host has not acknowledged; 0 when the kernel does not know. */
static int unacknowledged(const struct tcp_peer *peer)
{
	int bytes = 0;

	return ioctl(np_stream_fd(peer->stream), SIOCOUTQ, &bytes) ? 0 : bytes;
}

static np_time sooner(np_time a, np_time b)
{
	return a < b ? a : b;
}

static np_time next_look(const struct tcp_state *s, const struct tcp_peer *peer)
{
	return sooner(peer->looked + PROGRESS_INTERVAL, peer->since + s->stall);
}

/* Marks the start of the time without progress. */
static void block(struct transport *t, struct tcp_peer *peer)
{
	struct tcp_state *s = t->state;

	s->blocked += !peer->blocked;
	peer->blocked = true;
	peer->since = peer->looked = np_clock_now();
	peer->waiting = unacknowledged(peer);
	t->deadline = sooner(t->deadline, next_look(s, peer));
}

/* Ends the connection, or the attempt to make one. */
static void leave(struct tcp_state *s, struct tcp_peer *peer, enum tcp_peer_state state, int error)
{
	unblock(s, peer);
	np_stream_free(peer->stream);
	peer->stream = NULL;
	if (peer->state == TCP_FAILED)
		s->failed--;
	/* A dropped peer is tried once each time that it comes back. */
	if (peer->dropped && state == TCP_FAILED && error)
		state = TCP_LOST;
	peer->state = state;
	peer->error = error;
	s->failed += state == TCP_FAILED;
	s->news = true;
}

/*
 * TCP allows a connection from a port to itself: nobody listens there, and the attempt happened to
 * be given that port.
 */
static bool is_to_itself(struct np_stream *stream)
{
	const struct np_stream_info *info = np_stream_info(stream);

	return np_address_equal(&info->local, &info->remote);
}

/* Sends the handshake at once: 8 bytes fit in a new connection. */
static void greet(struct transport *t, struct tcp_peer *peer)
{
	struct tcp_state *s = t->state;
	ssize_t sent;

	if (is_to_itself(peer->stream)) {
		leave(s, peer, TCP_FAILED, -ECONNREFUSED);
		return;
	}
	sent = np_stream_send(peer->stream, s->handshake, s->handshake_bytes);
	if (sent != (ssize_t)s->handshake_bytes) {
		leave(s, peer, TCP_FAILED, sent < 0 ? (int)sent : -EPIPE);
		return;
	}
	peer->state = TCP_CONNECTED;
	peer->place = queue_end(s->queue);
	peer->place.sole = peer->dropped;
	s->news = true;
}

static void look_at(struct transport *t, struct tcp_peer *peer)
{
	int rc = np_stream_connected(peer->stream);

	if (!rc)
		greet(t, peer);
	else if (rc != -EINPROGRESS)
		leave(t->state, peer, TCP_FAILED, rc);
	peer->absent = peer->state == TCP_FAILED || peer->state == TCP_LOST;
}

static void begin(struct transport *t, unsigned index)
{
	struct tcp_state *s = t->state;
	struct tcp_peer *peer = &s->peers[index];
	int rc = np_stream_begin(&peer->stream, &s->options, &peer->address);

	if (!rc)
		rc = tcp_set_ttl(peer->stream, s->ttl);
	/* Edge-triggered, so it is never modified while the connection lives. */
	if (!rc)
		rc = tcp_watch(t, peer->stream, TCP_PEER, index,
			       EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
	if (rc) {
		leave(s, peer, TCP_FAILED, rc);
		return;
	}
	s->failed--;
	peer->state = TCP_CONNECTING;
	look_at(t, peer);
}

void tcp_peers_connect(struct transport *t)
{
	struct tcp_state *s = t->state;

	s->tried = np_clock_now();
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_FAILED)
			begin(t, i);
	}
}

void tcp_peers_retry(struct transport *t)
{
	const struct tcp_state *s = t->state;

	/*
	 * A member that starts connects to us and is then tried at once, so the others can wait
	 * longer.
	 */
	const np_time pause = RETRY_INTERVAL * (1 + s->failed / RETRY_AT_ONCE);

	if (s->failed && np_clock_now() >= s->tried + pause)
		tcp_peers_connect(t);
}

/* Sends until the peer has everything, or accepts no more. */
static void feed(struct transport *t, unsigned index)
{
	struct tcp_state *s = t->state;
	struct tcp_peer *peer = &s->peers[index];
	struct iovec pieces[PIECES];
	size_t bytes;
	unsigned count;

	while ((count = queue_gather(s->queue, &peer->place, (int)index, pieces, PIECES, &bytes))) {
		ssize_t sent = np_stream_send_pieces(peer->stream, pieces, count);

		if (sent < 0 && sent != -EAGAIN) {
			leave(s, peer, TCP_LOST, (int)sent);
			return;
		}
		if (sent > 0) {
			t->stats.send_calls++;
			queue_advance(s->queue, &peer->place, (int)index, (size_t)sent);
		}
		if (sent < (ssize_t)bytes) {
			/* Nothing waits for a dropped peer. */
			if (peer->dropped) {
				leave(s, peer, TCP_LOST, -EAGAIN);
				return;
			}
			peer->moved |= sent > 0;
			if (sent > 0 || !peer->blocked)
				block(t, peer);
			return;
		}
	}
	unblock(s, peer);
}

/* Releases what all remaining peers have accepted. */
static void release(struct tcp_state *s)
{
	uint64_t most = 0, behind;

	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state != TCP_CONNECTED)
			continue;
		behind = queue_behind(s->queue, &s->peers[i].place);
		most = behind > most ? behind : most;
	}
	queue_release(s->queue, queue_end(s->queue).piece - most);
}

void tcp_peers_send(struct transport *t)
{
	struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_CONNECTED && !s->peers[i].blocked)
			feed(t, i);
	}
	release(s);
}

/* Peers never send on these connections; if something arrives, it is ignored. */
static bool has_hung_up(struct transport *t, struct tcp_peer *peer)
{
	struct tcp_state *s = t->state;
	ssize_t got = np_stream_receive(peer->stream, s->buffer, TCP_READ_BYTES);

	if (got < 0 && got != -EAGAIN)
		leave(s, peer, TCP_LOST, (int)got);
	else if (got == 0)
		leave(s, peer, TCP_LOST, 0);
	return peer->state == TCP_LOST;
}

void tcp_peer_event(struct transport *t, unsigned index, uint32_t events)
{
	struct tcp_state *s = t->state;
	struct tcp_peer *peer = &s->peers[index];

	if (peer->state == TCP_CONNECTING)
		look_at(t, peer);
	if (peer->state != TCP_CONNECTED)
		return;
	if (events & (EPOLLIN | EPOLLERR | EPOLLHUP) && has_hung_up(t, peer)) {
		release(s);
	} else if (events & EPOLLRDHUP) {
		leave(s, peer, TCP_LOST, 0);
		release(s);
	} else if (events & EPOLLOUT) {
		feed(t, index);
		release(s);
	}
}

static void notify(struct transport *t, struct tcp_peer *peer, enum transport_event_kind kind,
		   int error)
{
	char text[NP_ADDRESS_TEXT];

	if (peer->dropped || (peer->any_reported && peer->reported_kind == kind))
		return;
	peer->any_reported = true;
	peer->reported_kind = kind;
	transport_notify(t, &(struct transport_event){
				    .kind = kind,
				    .peer = peer->id,
				    .text = np_address_format(&peer->address, text),
				    .error = error,
			    });
}

/* Reports peers that accept data, though slowly. */
void tcp_peers_notify_moves(struct transport *t, np_time now)
{
	struct tcp_state *s = t->state;
	const bool some = s->blocked || s->watch_windows;

	for (unsigned i = 0; some && i < s->peer_count; i++) {
		struct tcp_peer *peer = &s->peers[i];

		if (!peer->moved || now < peer->move_reported + TCP_MOVED_EVERY)
			continue;
		peer->moved = false;
		peer->move_reported = now;
		transport_notify(t, &(struct transport_event){TRANSPORT_MOVED, .peer = peer->id});
	}
}

/* The peer may have disconnected by mistake: unless the caller drops it, it is tried again. */
static void notify_loss(struct transport *t, struct tcp_peer *peer)
{
	struct tcp_state *s = t->state;

	notify(t, peer, TRANSPORT_LOST, peer->error);
	if (!s->strict || peer->dropped || peer->state != TCP_LOST)
		return;
	peer->state = TCP_FAILED;
	s->failed++;
}

const struct identity *tcp_peer_absent(struct transport *t)
{
	struct tcp_state *s = t->state;

	for (unsigned i = 0; s->news && i < s->peer_count; i++) {
		if (!s->peers[i].absent)
			continue;
		s->peers[i].absent = false;
		return &s->peers[i].id;
	}
	return NULL;
}

/* An attempt that is still running after the opening is reported as failed. */
void tcp_peers_notify(struct transport *t)
{
	struct tcp_state *s = t->state;

	if (!s->news)
		return;
	s->news = false;
	for (unsigned i = 0; i < s->peer_count; i++) {
		struct tcp_peer *peer = &s->peers[i];

		switch (peer->state) {
		case TCP_FAILED:
			if (!peer->any_reported || peer->reported_kind != TRANSPORT_LOST)
				notify(t, peer, TRANSPORT_FAILED, peer->error);
			break;
		case TCP_CONNECTED: notify(t, peer, TRANSPORT_CONNECTED, 0); break;
		case TCP_LOST: notify_loss(t, peer); break;
		case TCP_CONNECTING:
			if (!peer->any_reported)
				notify(t, peer, TRANSPORT_FAILED, -ETIMEDOUT);
		}
	}
}

/* A kernel with a large buffer may accept nothing but still transmit what it has. */
static void look_at_progress(struct tcp_peer *peer, np_time now)
{
	const int waiting = unacknowledged(peer);

	peer->looked = now;
	if (waiting < peer->waiting) {
		peer->waiting = waiting;
		peer->since = now;
		peer->moved = true;
	}
}

/* What a peer has read without reporting it shows as a wider window. */
static void look_at_window(struct tcp_peer *peer)
{
	struct tcp_info info = {};
	socklen_t bytes = sizeof(info);

	if (getsockopt(np_stream_fd(peer->stream), IPPROTO_TCP, TCP_INFO, &info, &bytes) ||
	    bytes < offsetof(struct tcp_info, tcpi_snd_wnd) + sizeof(info.tcpi_snd_wnd))
		return;
	if (info.tcpi_snd_wnd >= peer->window + WINDOW_STEP)
		peer->moved = true;
	if (peer->moved || info.tcpi_snd_wnd < peer->window)
		peer->window = info.tcpi_snd_wnd;
}

/* Checks all connected peers; returns when to check again. */
static np_time look_at_windows(struct transport *t, np_time now)
{
	struct tcp_state *s = t->state;

	if (!s->watch_windows)
		return NP_TIME_NEVER;
	if (now < s->watched + PROGRESS_INTERVAL)
		return s->watched + PROGRESS_INTERVAL;
	s->watched = now;
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_CONNECTED &&
		    !identity_equal(&s->peers[i].id, &t->info.self))
			look_at_window(&s->peers[i]);
	}
	return now + PROGRESS_INTERVAL;
}

np_time tcp_peers_limit(struct transport *t, np_time now)
{
	struct tcp_state *s = t->state;
	np_time next = look_at_windows(t, now);

	for (unsigned i = 0; s->blocked && i < s->peer_count; i++) {
		struct tcp_peer *peer = &s->peers[i];

		if (!peer->blocked)
			continue;
		if (now >= peer->looked + PROGRESS_INTERVAL)
			look_at_progress(peer, now);
		if (now >= peer->since + s->stall) {
			leave(s, peer, TCP_LOST, -ETIMEDOUT);
			release(s);
		} else {
			next = sooner(next, next_look(s, peer));
		}
	}
	return next;
}

static struct tcp_peer *find(const struct tcp_state *s, const struct identity *who)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (identity_equal(&s->peers[i].id, who))
			return &s->peers[i];
	}
	return NULL;
}

int tcp_peer_find(const struct transport *t, const struct identity *who)
{
	const struct tcp_state *s = t->state;
	const struct tcp_peer *peer = find(s, who);

	return peer && peer->state == TCP_CONNECTED ? (int)(peer - s->peers) : -1;
}

/* The caller knows already, so no event is reported. */
void tcp_peer_drop(struct transport *t, const struct identity *who)
{
	struct tcp_state *s = t->state;
	struct tcp_peer *peer = find(s, who);

	if (!peer)
		return;
	peer->dropped = true;
	if (peer->state == TCP_LOST)
		return;
	leave(s, peer, TCP_LOST, 0);
	peer->any_reported = true;
	peer->reported_kind = TRANSPORT_LOST;
	release(s);
}

const struct tcp_peer *tcp_peer_of(const struct transport *t, const struct identity *who)
{
	return find(t->state, who);
}

bool tcp_peer_is_near(const struct transport *t, const struct identity *remote)
{
	const struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->peer_count; i++) {
		if (!memcmp(s->peers[i].id.ip, remote->ip, sizeof(remote->ip)))
			return true;
	}
	return false;
}

/*
 * A host that lost its power does not know our connection, which the kernel would retry for long.
 */
static bool is_mute(const struct tcp_peer *peer)
{
	struct tcp_info info = {};
	socklen_t length = sizeof(info);

	return !getsockopt(np_stream_fd(peer->stream), IPPROTO_TCP, TCP_INFO, &info, &length) &&
	       info.tcpi_unacked && info.tcpi_last_ack_recv > ANSWER_LIMIT_MS;
}

/*
 * A lost peer was started again: tries it without reporting that. A dropped one can now be told so.
 */
bool tcp_peer_back(struct transport *t, const struct identity *who, bool again)
{
	struct tcp_state *s = t->state;
	struct tcp_peer *peer = find(s, who);

	if (!peer)
		return false;
	if (again && peer->state == TCP_CONNECTED && is_mute(peer)) {
		leave(s, peer, TCP_LOST, -ETIMEDOUT);
		release(s);
	}
	if (peer->state == TCP_LOST) {
		leave(s, peer, TCP_FAILED, 0);
		if (peer->reported_kind == TRANSPORT_LOST)
			peer->reported_kind = TRANSPORT_FAILED;
	}
	if (peer->state == TCP_FAILED)
		begin(t, (unsigned)(peer - s->peers));
	return peer->state == TCP_CONNECTING || peer->state == TCP_CONNECTED;
}

bool tcp_peers_idle(const struct transport *t)
{
	const struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->peer_count; i++) {
		if (s->peers[i].state == TCP_CONNECTED && s->peers[i].blocked)
			return false;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_link: the table of connections, and the messages that go out on them. */
#include "tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define QUEUE_BYTES ((size_t)4 << 20)

struct np_stream_options tcp_link_options(const struct overlay_substrate *s,
					  const struct np_address *local)
{
	const struct np_overlay_options *options = &s->plan.options;

	return (struct np_stream_options){
		.local = local,
		.receive_bytes = options->receive_bytes,
		.send_bytes = options->send_bytes,
		.no_delay = true,
		.ip = options->ip,
	};
}

static struct tcp_link **bucket_of(struct tcp *t, const struct sockaddr_in *peer)
{
	const uint32_t key = ntohl(peer->sin_addr.s_addr) * 31 + ntohs(peer->sin_port);

	return &t->bucket[key * UINT32_C(2654435769) >> 24];
}

static struct tcp_link *find(struct tcp *t, const struct sockaddr_in *peer, bool out)
{
	struct tcp_link *at = *bucket_of(t, peer);

	while (at &&
	       (at->out != out || (at->broken && !out) || at->peer.sin_port != peer->sin_port ||
		at->peer.sin_addr.s_addr != peer->sin_addr.s_addr))
		at = at->bucket;
	return at;
}

static void enter(struct tcp *t, struct tcp_link *link)
{
	struct tcp_link **bucket = bucket_of(t, &link->peer);

	link->bucket = *bucket;
	*bucket = link;
}

static struct tcp_link *make(struct overlay_substrate *s, bool out)
{
	struct tcp *t = s->state;
	struct tcp_link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	link->out = out;
	link->queue.count_max = s->plan.message_buffer;
	link->queue.bytes_max = 2 * (size_t)s->plan.message_max;
	if (link->queue.bytes_max < QUEUE_BYTES)
		link->queue.bytes_max = QUEUE_BYTES;
	link->in.message_max = s->plan.message_max;
	link->began = link->used = link->moved = np_clock_now();
	link->next = t->links;
	t->links = link;
	if (out)
		t->outs++;
	else
		t->ins++;
	return link;
}

void tcp_link_drop(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;

	t->gathered -= link->gathered;
	link->gathered = false;
	overlay_queue_drop(&link->queue, &s->counts.unreachable);
	link->offset = 0;
	link->tries = 0;
	t->waiting -= link->counted;
	link->counted = false;
}

void tcp_link_free(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	struct tcp_link **at = bucket_of(t, &link->peer);

	tcp_link_drop(s, link);
	/* One without a name is in no bucket. */
	while (*at && *at != link)
		at = &(*at)->bucket;
	if (*at)
		*at = link->bucket;
	at = &t->links;
	while (*at != link)
		at = &(*at)->next;
	*at = link->next;
	if (link->out)
		t->outs--;
	else
		t->ins--;
	t->unread -= link->unread;
	t->broken -= link->broken;
	t->buffered -= link->in.room;
	overlay_delimiter_free(&link->in);
	np_stream_free(link->stream);
	free(link);
}

/* One that is only remembered makes room. */
static void forget_one(struct overlay_substrate *s)
{
	const struct tcp *t = s->state;
	struct tcp_link *oldest = NULL;

	for (struct tcp_link *at = t->links; at; at = at->next) {
		if (at->out && !at->stream && !at->queue.first && !at->broken &&
		    (!oldest || at->used < oldest->used))
			oldest = at;
	}
	if (oldest)
		tcp_link_free(s, oldest);
}

struct tcp_link *tcp_link_to(struct overlay_substrate *s, const struct sockaddr_in *to, bool wanted)
{
	struct tcp *t = s->state;
	struct tcp_link *out = find(t, to, true), *in;

	/* Cannot be reached, but has come itself. */
	if (out && out->queue.strict && !out->connected) {
		in = find(t, to, false);
		return in ? in : out;
	}
	if (out || !wanted)
		return out;
	if (t->outs == TCP_OUT_MAX)
		forget_one(s);
	if (t->outs == TCP_OUT_MAX)
		return NULL;
	out = make(s, true);
	if (!out)
		return NULL;
	out->peer = *to;
	enter(t, out);
	return out;
}

void tcp_link_break(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;

	t->broken += !link->broken;
	link->broken = true;
}

/* Counts it if something waits for it that can be expected to go; watches for what it needs. */
static void renew(struct overlay_substrate *s, struct tcp_link *link)
{
	const bool waits = link->queue.first && !link->queue.strict;
	const uint32_t events =
		EPOLLIN | EPOLLRDHUP | (!link->connected || link->queue.first ? EPOLLOUT : 0);
	struct tcp *t = s->state;

	t->waiting += (unsigned)waits - (unsigned)link->counted;
	link->counted = waits;
	if (!link->stream || events == link->watched)
		return;
	if (overlay_substrate_watch(s, np_stream_fd(link->stream), events, link))
		tcp_link_break(s, link);
	link->watched = events;
}

void tcp_link_accept(struct overlay_substrate *s, struct np_stream *stream)
{
	const struct np_address *remote = &np_stream_info(stream)->remote;
	struct tcp_link *link = NULL;

	/* The other may have gone again. */
	if (remote->length && remote->any.sa_family == AF_INET)
		link = make(s, false);
	if (!link) {
		np_stream_free(stream);
		return;
	}
	link->stream = stream;
	link->connected = true;
	link->peer = *(const struct sockaddr_in *)(const void *)&remote->storage;
	link->peer.sin_port = 0;
	s->counts.accepts++;
	renew(s, link);
}

void tcp_link_name(struct overlay_substrate *s, struct tcp_link *link, uint16_t port)
{
	link->peer.sin_port = htons(port);
	enter(s->state, link);
}

np_time tcp_link_due(const struct overlay_substrate *s, const struct tcp_link *link)
{
	const struct overlay_substrate_plan *plan = &s->plan;

	if (link->stream && !link->connected)
		return link->began + plan->connect_timeout;
	if (link->queue.first)
		return link->moved + plan->stall_max;
	if (link->out)
		return link->used + plan->idle_max;
	/* The one that connected closes first, so that nothing is on its way then. */
	return link->proven ? link->used + 2 * plan->idle_max : link->began + plan->idle_max;
}

/*
 * Bytes that the kernel may hold unsent on a connection, 4 s at 64 kbit/s, until it has carried
 * FAST_BYTES in a second. A slow link would else have megabytes of payloads before the next
 * heartbeat, and the peer would take this node for dead.
 */
#define UNSENT_MOST 32768
#define FAST_BYTES  1000000
/* Gathered for one call, and what one call takes of a queue. */
#define GATHERED_BYTES 32768
#define GATHERED_MOST  32
#define TRIES	       5 /* new connections for what waits, as HyperCast does */

/* Lets the kernel accept more only when it holds less than @most bytes unsent; 0: no limit. */
static void limit_unsent(struct tcp_link *link, int most)
{
	/* A kernel without the option holds more, as every one does without the limit. */
	(void)setsockopt(np_stream_fd(link->stream), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most,
			 sizeof(most));
	link->limited = most != 0;
	link->carried = 0;
	link->window = link->began;
}

/* A connection that carries so much in a second needs no limit, which costs it calls. */
static void note_carried(struct tcp_link *link, size_t bytes)
{
	if (!link->limited)
		return;
	if (link->used - link->window > NP_SECOND) {
		link->window = link->used;
		link->carried = 0;
	}
	link->carried += bytes;
	if (link->carried >= FAST_BYTES)
		limit_unsent(link, 0);
}

/* Starts to connect if there is no stream. Returns 0 or -errno. */
static int start_connecting(struct overlay_substrate *s, struct tcp_link *link)
{
	struct np_address local = s->local, to = {.length = sizeof(link->peer)};
	const struct np_stream_options how = tcp_link_options(s, &local);
	int rc;

	np_address_set_port(&local, 0);
	memcpy(&to.storage, &link->peer, sizeof(link->peer));
	rc = np_stream_begin(&link->stream, &how, &to);
	link->connected = false;
	link->watched = 0;
	link->began = link->used = np_clock_now();
	if (rc) {
		s->counts.connect_failures++;
		s->counts.last_error = rc;
		link->queue.strict = true;
		return rc;
	}
	limit_unsent(link, UNSENT_MOST);
	renew(s, link);
	return 0;
}

/* Writes what waits to @pieces; returns their number. One at a time where the kernel is limited. */
static unsigned pieces_of(const struct tcp_link *link, struct iovec pieces[GATHERED_MOST])
{
	const unsigned most = link->limited ? 1 : GATHERED_MOST;
	size_t offset = link->offset;
	unsigned count = 0;

	for (struct overlay_queued *at = link->queue.first; at && count < most; at = at->next) {
		pieces[count++] = (struct iovec){at->data + offset, at->bytes - offset};
		offset = 0;
	}
	return count;
}

/* So many more bytes of the queue are sent. */
static void note_sent(struct overlay_substrate *s, struct tcp_link *link, size_t sent)
{
	const struct overlay_queued *first;

	link->offset += sent;
	while ((first = link->queue.first) && link->offset >= first->bytes) {
		link->offset -= first->bytes;
		overlay_substrate_done(s, 0, first->bytes - OVERLAY_PORT_BYTES, first->class);
		free(overlay_queue_take(&link->queue));
		link->tries = 0;
	}
}

static void flush(struct overlay_substrate *s, struct tcp_link *link)
{
	struct iovec pieces[GATHERED_MOST];

	while (link->queue.first) {
		const ssize_t sent =
			np_stream_send_pieces(link->stream, pieces, pieces_of(link, pieces));

		if (sent == -EAGAIN)
			break;
		if (sent < 0) {
			tcp_link_break(s, link);
			break;
		}
		link->moved = link->used = np_clock_now();
		note_carried(link, (size_t)sent);
		note_sent(s, link, (size_t)sent);
	}
	renew(s, link);
}

void tcp_out_release(struct overlay_substrate *s)
{
	struct tcp *t = s->state;

	for (struct tcp_link *at = t->links; at && t->gathered; at = at->next) {
		if (!at->gathered)
			continue;
		at->gathered = false;
		t->gathered--;
		if (at->broken)
			renew(s, at);
		else
			flush(s, at);
	}
}

int tcp_out_send(struct overlay_substrate *s, struct tcp_link *link, const void *message,
		 size_t bytes, enum overlay_class class)
{
	const struct sockaddr_in *local = (const void *)&s->local.storage;
	const struct iovec pieces[] = {{(void *)&local->sin_port, OVERLAY_PORT_BYTES},
				       {(void *)message, bytes}};
	const size_t room = link->queue.count_max;
	struct tcp *t = s->state;
	int rc = !link->stream && !link->broken ? start_connecting(s, link) : 0;

	if (rc) {
		overlay_substrate_add(&s->counts.unreachable, class);
		return rc;
	}
	if (link->gathered && (link->queue.count >= (room < GATHERED_MOST ? room : GATHERED_MOST) ||
			       link->queue.bytes >= GATHERED_BYTES))
		flush(s, link);
	if (!link->queue.first) {
		link->offset = 0;
		link->moved = np_clock_now();
	}
	rc = overlay_queue_put(&link->queue, &link->peer, class, pieces, 2);
	if (rc == -EAGAIN && link->queue.strict) {
		overlay_substrate_add(&s->counts.unreachable, class);
		return -EHOSTUNREACH;
	}
	if (rc) {
		overlay_substrate_add(&s->counts.no_room, class);
		return rc;
	}
	link->used = np_clock_now();
	/* What waits for the kernel is counted, and goes when that has room. */
	if (!link->connected || link->broken || link->counted) {
		renew(s, link);
	} else if (!t->gathers || link->limited) {
		/* A limited kernel gets no more than it takes. */
		flush(s, link);
	} else {
		t->gathered += !link->gathered;
		link->gathered = true;
	}
	return 0;
}

void tcp_out_ready(struct overlay_substrate *s, struct tcp_link *link)
{
	const int rc = link->connected ? 0 : np_stream_connected(link->stream);

	if (rc == -EINPROGRESS)
		return;
	if (rc) {
		s->counts.last_error = rc;
		tcp_link_break(s, link);
		return;
	}
	if (!link->connected) {
		link->connected = true;
		link->moved = np_clock_now();
		s->counts.connects++;
		link->queue.strict = false;
	}
	flush(s, link);
}

void tcp_out_reconnect(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	const bool failed = link->stream && !link->connected;

	t->broken -= link->broken;
	link->broken = false;
	t->unread -= link->unread;
	link->unread = false;
	t->buffered -= link->in.room;
	overlay_delimiter_free(&link->in);
	np_stream_free(link->stream);
	link->stream = NULL;
	link->connected = false;
	/* A message that has gone in part is said anew. */
	link->offset = 0;
	if (failed) {
		s->counts.connect_failures++;
		link->queue.strict = true;
	}
	if (!link->queue.first)
		return;
	if (failed || link->tries++ >= TRIES || start_connecting(s, link))
		tcp_link_drop(s, link);
}

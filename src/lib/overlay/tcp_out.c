// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_out: messages onto connections: at once where the kernel has room, else from a queue. */
#include "tcp.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define TRIES 5 /* new connections for what waits, as HyperCast does */

void tcp_out_watch(struct overlay_substrate *s, struct tcp_link *link)
{
	const bool writes = !link->connected || link->queue.first;
	const uint32_t events = EPOLLIN | EPOLLRDHUP | (writes ? EPOLLOUT : 0);

	if (!link->stream || events == link->watched)
		return;
	if (overlay_substrate_watch(s, np_stream_fd(link->stream), events, link))
		tcp_link_break(s, link);
	link->watched = events;
}

/* Whether something waits for it that can be expected to go. */
static void count_waiting(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	const bool waits = link->queue.first && !link->queue.strict;

	t->waiting += (unsigned)waits - (unsigned)link->counted;
	link->counted = waits;
}

static void set_failing(struct tcp_link *link, bool failing)
{
	link->failures = failing ? link->failures + 1 : 0;
	link->queue.strict = failing;
}

int tcp_out_connect(struct overlay_substrate *s, struct tcp_link *link)
{
	const struct np_overlay_options *options = &s->plan.options;
	struct np_address local = s->local, to = {.length = sizeof(link->peer)};
	const struct np_stream_options how = {
		.local = &local,
		.receive_bytes = options->receive_bytes,
		.send_bytes = options->send_bytes,
		.no_delay = true,
		.tos = options->tos,
		.ttl = options->ttl < 0 ? 0 : options->ttl,
		.device = options->device,
	};
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
		set_failing(link, true);
		return rc;
	}
	tcp_out_watch(s, link);
	return 0;
}

/* What goes out: 0..all bytes taken, or -errno of a connection that is no good. */
static ssize_t push(struct tcp_link *link, const uint8_t port[OVERLAY_PORT_BYTES],
		    const void *message, size_t bytes)
{
	const struct iovec pieces[] = {
		{(void *)port, OVERLAY_PORT_BYTES},
		{(void *)message, bytes},
	};
	ssize_t sent;

	if (!link->connected || link->broken || link->queue.first)
		return 0;
	sent = np_stream_send_pieces(link->stream, pieces, 2);
	return sent == -EAGAIN ? 0 : sent;
}

static int keep(struct overlay_substrate *s, struct tcp_link *link,
		const struct overlay_piece piece[2], enum overlay_class class)
{
	const int rc = overlay_queue_put(&link->queue, &link->peer, class, piece, 2);

	if (!rc) {
		count_waiting(s, link);
		tcp_out_watch(s, link);
		return 0;
	}
	if (link->queue.strict && rc == -EAGAIN) {
		overlay_substrate_add(&s->counts.unreachable, class);
		return -EHOSTUNREACH;
	}
	overlay_substrate_add(&s->counts.no_room, class);
	return rc;
}

int tcp_out_send(struct overlay_substrate *s, struct tcp_link *link, const void *message,
		 size_t bytes, enum overlay_class class)
{
	const struct sockaddr_in *local = (const void *)&s->local.storage;
	uint8_t port[OVERLAY_PORT_BYTES];
	const struct overlay_piece piece[] = {{port, sizeof(port)}, {message, bytes}};
	ssize_t sent;
	int rc = 0;

	memcpy(port, &local->sin_port, sizeof(port));
	if (!link->stream && !link->broken)
		rc = tcp_out_connect(s, link);
	if (rc) {
		overlay_substrate_add(&s->counts.unreachable, class);
		return rc;
	}
	sent = push(link, port, message, bytes);
	link->used = np_clock_now();
	if (sent == (ssize_t)(sizeof(port) + bytes)) {
		overlay_substrate_add(&s->counts.sent, class);
		s->counts.sent_bytes += bytes;
		return 0;
	}
	if (!link->queue.first) {
		link->offset = sent > 0 ? (size_t)sent : 0;
		link->moved = link->used;
	}
	rc = keep(s, link, piece, class);
	/* It broke, or what has begun cannot be ended. */
	if (sent < 0 || (rc && sent > 0))
		tcp_link_break(s, link);
	return rc;
}

static void flush(struct overlay_substrate *s, struct tcp_link *link)
{
	struct overlay_queued *first;

	while ((first = link->queue.first)) {
		const ssize_t sent = np_stream_send(link->stream, first->data + link->offset,
						    first->bytes - link->offset);

		if (sent == -EAGAIN)
			break;
		if (sent < 0) {
			tcp_link_break(s, link);
			break;
		}
		link->moved = link->used = np_clock_now();
		link->offset += (size_t)sent;
		if (link->offset < first->bytes)
			continue;
		overlay_substrate_add(&s->counts.sent, first->class);
		s->counts.sent_bytes += first->bytes - OVERLAY_PORT_BYTES;
		free(overlay_queue_take(&link->queue));
		link->offset = 0;
		link->tries = 0;
	}
	count_waiting(s, link);
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
		set_failing(link, false);
	}
	flush(s, link);
	tcp_out_watch(s, link);
}

void tcp_out_mend(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	const bool failed = link->stream && !link->connected;

	t->broken -= link->broken;
	link->broken = false;
	t->unread -= link->unread;
	link->unread = false;
	t->buffered -= link->in.room;
	overlay_delimiter_free(&link->in, true);
	np_stream_free(link->stream);
	link->stream = NULL;
	link->connected = false;
	/* A message that has gone in part is said anew. */
	link->offset = 0;
	if (failed) {
		s->counts.connect_failures++;
		set_failing(link, true);
	}
	if (!link->queue.first)
		return;
	if (failed || link->tries++ >= TRIES || tcp_out_connect(s, link))
		tcp_link_drop(s, link);
}

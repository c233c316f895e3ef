// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_link: the table of connections: found by where their peers listen, made, broken, freed. */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>

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
		.tos = options->tos,
		.ttl = options->ttl < 0 ? 0 : options->ttl,
		.device = options->device,
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

static void leave(struct tcp *t, struct tcp_link *link)
{
	struct tcp_link **at = bucket_of(t, &link->peer);

	while (*at && *at != link)
		at = &(*at)->bucket;
	if (*at)
		*at = link->bucket;
}

static struct tcp_link *make(struct overlay_substrate *s, bool out)
{
	struct tcp *t = s->state;
	struct tcp_link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	link->out = out;
	link->queue.count_max = s->plan.message_buffer;
	link->queue.bytes_max = 2 * s->plan.message_max;
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

	for (struct tcp_link **at = &t->gathered; link->gathered && *at;
	     at = &(*at)->gathered_next) {
		if (*at == link) {
			*at = link->gathered_next;
			link->gathered = false;
			break;
		}
	}
	overlay_queue_drop(&link->queue, &s->counts.unreachable);
	link->offset = 0;
	link->tries = 0;
	t->waiting -= link->counted;
	link->counted = false;
}

void tcp_link_free(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	struct tcp_link **at = &t->links;

	tcp_link_drop(s, link);
	if (link->peer.sin_port)
		leave(t, link);
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
	overlay_delimiter_free(&link->in, true);
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
	if (out && out->failures && !out->connected) {
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

int tcp_link_accept(struct overlay_substrate *s, struct np_stream *stream)
{
	const struct np_address *remote = &np_stream_info(stream)->remote;
	struct tcp_link *link = NULL;

	/* The other may have gone again. */
	if (remote->length && remote->any.sa_family == AF_INET)
		link = make(s, false);
	if (!link) {
		np_stream_free(stream);
		return -ENOMEM;
	}
	link->stream = stream;
	link->connected = true;
	link->peer = *(const struct sockaddr_in *)(const void *)&remote->storage;
	link->peer.sin_port = 0;
	s->counts.accepts++;
	tcp_out_watch(s, link);
	return 0;
}

void tcp_link_name(struct overlay_substrate *s, struct tcp_link *link, uint16_t port)
{
	link->peer.sin_port = htons(port);
	enter(s->state, link);
}

void tcp_link_break(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;

	t->broken += !link->broken;
	link->broken = true;
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_in: connections accepted, bytes read, messages handed over. Who connects costs a place. */
#include "tcp.h"

#include <errno.h>
#include <sys/epoll.h>

#define ACCEPTS		16 /* in one turn */
#define DESCRIPTOR_WAIT (100 * NP_MILLISECOND)
/* Parts of messages, of all connections together; what is longer has one place. */
#define BUFFERED_MAX ((size_t)64 << 20)

/* The one of others' connections that is missed least: silent ones first. NULL: there is none. */
static struct tcp_link *least(const struct tcp *t)
{
	struct tcp_link *found = NULL;

	for (struct tcp_link *at = t->links; at; at = at->next) {
		if (at->out || at->broken)
			continue;
		if (!found || (found->proven && !at->proven) ||
		    (found->proven == at->proven && at->used < found->used))
			found = at;
	}
	return found;
}

void tcp_in_accept(struct overlay_substrate *s)
{
	struct tcp *t = s->state;
	struct np_stream *stream;
	int rc = 0;

	for (unsigned i = 0; i < ACCEPTS; i++) {
		rc = np_stream_accept(t->listener, &stream);
		if (rc)
			break;
		if (t->ins == TCP_IN_MAX) {
			struct tcp_link *gone = least(t);

			s->counts.turned_away++;
			if (gone)
				tcp_link_free(s, gone);
		}
		if (t->ins == TCP_IN_MAX)
			np_stream_free(stream);
		else
			(void)tcp_link_accept(s, stream);
	}
	if (rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM) {
		s->counts.last_error = rc;
		t->deaf = t->now + DESCRIPTOR_WAIT;
		(void)overlay_substrate_watch(s, np_stream_fd(t->listener), 0, NULL);
	}
}

/* A message came, by whom it says. False: that cannot be. */
static bool take(struct overlay_substrate *s, struct tcp_link *link,
		 const struct overlay_delimited *message)
{
	const struct tcp *t = s->state;
	struct overlay_address from;

	if (!message->port)
		return false;
	if (!link->peer.sin_port)
		tcp_link_name(s, link, message->port);
	link->proven = true;
	link->used = t->now;
	s->counts.received++;
	s->counts.received_bytes += message->bytes;
	from = overlay_address_ipv4(ntohl(link->peer.sin_addr.s_addr), message->port,
				    s->plan.realm);
	s->take(s->context, &from, message->message, message->bytes, t->now);
	return true;
}

void tcp_in_rest(struct overlay_substrate *s, struct tcp_link *link, unsigned *most)
{
	struct tcp *t = s->state;
	struct overlay_delimited message;
	int rc = 1;

	t->gathers++;
	while (*most && rc == 1 && !link->broken) {
		rc = overlay_delimiter_next(&link->in, &message);
		if (rc == 1 && !take(s, link, &message))
			rc = -EBADMSG;
		*most -= rc == 1;
	}
	if (!--t->gathers)
		tcp_out_release(s);
	t->unread += (unsigned)(rc == 1) - (unsigned)link->unread;
	link->unread = rc == 1;
	if (rc < 0) {
		s->counts.oversize += rc == -EMSGSIZE;
		s->counts.unreadable += rc != -EMSGSIZE;
		tcp_link_break(s, link);
	}
}

/* Room to read into; bounded for all together. */
static int room(struct overlay_substrate *s, struct tcp_link *link, uint8_t **at, size_t *bytes)
{
	struct tcp *t = s->state;
	const size_t before = link->in.room;
	const int rc = overlay_delimiter_room(&link->in, at, bytes);

	t->buffered += link->in.room - before;
	if (!rc && t->buffered > BUFFERED_MAX + 2 * s->plan.message_max && link->in.room > before) {
		s->counts.turned_away++;
		return -ENOBUFS;
	}
	return rc;
}

void tcp_in_read(struct overlay_substrate *s, struct tcp_link *link, unsigned *most)
{
	const struct tcp *t = s->state;
	uint8_t *at;
	size_t bytes;
	ssize_t got;

	if (room(s, link, &at, &bytes)) {
		tcp_link_break(s, link);
		return;
	}
	got = np_stream_receive(link->stream, at, bytes);
	if (got == -EAGAIN || got == -EINTR)
		return;
	if (got <= 0) {
		tcp_link_break(s, link);
		return;
	}
	overlay_delimiter_fill(&link->in, (size_t)got);
	if (link->proven || link->out)
		link->used = t->now;
	tcp_in_rest(s, link, most);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp: the substrate of TCP connections: accepted, read, timed, closed. */
#include "tcp.h"

#include "message.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define ACCEPTS		16 /* in one turn */
#define DESCRIPTOR_WAIT (100 * NP_MILLISECOND)
/* Parts of messages, of all connections together; what is longer has one place. */
#define BUFFERED_MAX ((size_t)64 << 20)

#define FIRST_ROOM   4096
#define USUAL_ROOM   65536

int overlay_delimiter_room(struct overlay_delimiter *d, uint8_t **at, size_t *room)
{
	const size_t more = d->room < FIRST_ROOM   ? FIRST_ROOM
			    : d->room < USUAL_ROOM ? USUAL_ROOM
						   : 2 * d->room;
	uint8_t *data;

	if (d->begin) {
		memmove(d->data, d->data + d->begin, d->end - d->begin);
		d->end -= d->begin;
		d->begin = 0;
	}
	if (d->end == d->room) {
		data = realloc(d->data, more);
		if (!data)
			return -ENOMEM;
		d->data = data;
		d->room = more;
	}
	*at = d->data + d->end;
	*room = d->room - d->end;
	return 0;
}

int overlay_delimiter_next(struct overlay_delimiter *d, struct overlay_delimited *out)
{
	const uint8_t *at = d->data + d->begin;
	const size_t bytes = d->end - d->begin;
	int64_t wanted;

	if (bytes <= OVERLAY_PORT_BYTES)
		return 0;
	wanted = overlay_message_bytes(at + OVERLAY_PORT_BYTES, bytes - OVERLAY_PORT_BYTES);
	if (wanted < 0)
		return -EBADMSG;
	if ((uint64_t)wanted > d->message_max)
		return -EMSGSIZE;
	if (!wanted || bytes - OVERLAY_PORT_BYTES < (size_t)wanted)
		return 0;
	*out = (struct overlay_delimited){
		.port = np_field_get16(at),
		.message = at + OVERLAY_PORT_BYTES,
		.bytes = (size_t)wanted,
	};
	d->begin += OVERLAY_PORT_BYTES + (size_t)wanted;
	return 1;
}

void overlay_delimiter_free(struct overlay_delimiter *d)
{
	free(d->data);
	d->data = NULL;
	d->room = d->begin = d->end = 0;
}

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

/* Accepts all waiting connections. */
static void accept_waiting(struct overlay_substrate *s)
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
			tcp_link_accept(s, stream);
	}
	if (rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM) {
		s->counts.last_error = rc;
		t->accept_after = t->now + DESCRIPTOR_WAIT;
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

/* Delivers what was read before, at most *@most messages, which it decrements. */
static void deliver_rest(struct overlay_substrate *s, struct tcp_link *link, unsigned *most)
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
	if (!rc && t->buffered > BUFFERED_MAX + 2 * (size_t)s->plan.message_max &&
	    link->in.room > before) {
		s->counts.turned_away++;
		return -ENOBUFS;
	}
	return rc;
}

/* Reads once, and delivers as above. */
static void read_once(struct overlay_substrate *s, struct tcp_link *link, unsigned *most)
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
	link->in.end += (size_t)got;
	if (link->proven || link->out)
		link->used = t->now;
	deliver_rest(s, link, most);
}

#define EVENTS 64

static int tcp_open(struct overlay_substrate *s)
{
	const struct np_stream_options how = tcp_link_options(s, &s->local);
	const struct np_stream_info *info;
	struct tcp *t = calloc(1, sizeof(*t));
	int rc;

	s->state = t;
	if (!t)
		return -ENOMEM;
	t->check = NP_TIME_NEVER;
	rc = np_stream_listen(&t->listener, &how, (int)s->plan.backlog);
	if (rc == -EADDRINUSE && s->plan.any_port) {
		np_address_set_port(&s->local, 0);
		rc = np_stream_listen(&t->listener, &how, (int)s->plan.backlog);
	}
	if (rc)
		return rc;
	info = np_stream_info(t->listener);
	s->local = info->local;
	s->receive_granted = info->receive_granted;
	s->send_granted = info->send_granted;
	return overlay_substrate_watch(s, np_stream_fd(t->listener), EPOLLIN, NULL);
}

static void tcp_close(struct overlay_substrate *s)
{
	struct tcp *t = s->state;

	if (!t)
		return;
	while (t->links)
		tcp_link_free(s, t->links);
	np_stream_free(t->listener);
	free(t);
}

static int tcp_send(struct overlay_substrate *s, const struct overlay_address *to,
		    const void *message, size_t bytes, enum overlay_class class)
{
	struct tcp *t = s->state;
	struct sockaddr_in endpoint;
	struct tcp_link *link;
	np_time due;
	int rc;

	if (!to || !overlay_address_get_ipv4(to, &endpoint))
		return overlay_substrate_done(s, -EDESTADDRREQ, bytes, class);
	link = tcp_link_to(s, &endpoint, true);
	if (!link) {
		overlay_substrate_add(&s->counts.unreachable, class);
		return -ENOBUFS;
	}
	rc = tcp_out_send(s, link, message, bytes, class);
	due = tcp_link_due(s, link);
	if (due < t->check)
		t->check = due;
	return rc;
}

static bool tcp_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	const struct tcp *t = s->state;
	struct sockaddr_in endpoint;
	const struct tcp_link *link;

	if (!t->waiting)
		return true;
	if (!to || !overlay_address_get_ipv4(to, &endpoint))
		return false;
	link = tcp_link_to((struct overlay_substrate *)s, &endpoint, false);
	return !link || !link->counted;
}

static void tcp_gather(struct overlay_substrate *s, bool on)
{
	struct tcp *t = s->state;

	if (on)
		t->gathers++;
	else if (!--t->gathers)
		tcp_out_release(s);
}

static void handle(struct overlay_substrate *s, const struct epoll_event *event, unsigned *most)
{
	struct tcp_link *link = event->data.ptr;

	if (link->broken)
		return;
	if (event->events & EPOLLOUT)
		tcp_out_ready(s, link);
	if (link->broken || !*most || link->unread || !(event->events & ~(uint32_t)EPOLLOUT))
		return;
	/* One that does not come about says so by an error. */
	if (!link->connected)
		tcp_out_ready(s, link);
	else
		read_once(s, link, most);
}

/* Ends what is broken, once nobody holds it. */
static void close_broken(struct overlay_substrate *s, struct tcp *t)
{
	for (struct tcp_link *at = t->links, *next; at && t->broken; at = next) {
		next = at->next;
		if (!at->broken)
			continue;
		if (at->out)
			tcp_out_reconnect(s, at);
		else
			tcp_link_free(s, at);
	}
}

static void end_of_time(struct overlay_substrate *s, struct tcp_link *link)
{
	if (link->queue.first && link->connected) {
		/* Takes nothing any more. */
		s->counts.last_error = -ETIMEDOUT;
		tcp_link_drop(s, link);
	} else if (link->stream && !link->connected) {
		s->counts.last_error = -ETIMEDOUT;
		tcp_out_reconnect(s, link);
		return;
	} else if (link->out && !link->stream) {
		tcp_link_free(s, link);
		return;
	} else if (link->out || link->proven) {
		s->counts.idle_closed++;
	} else {
		s->counts.turned_away++;
	}
	if (link->out)
		tcp_out_reconnect(s, link);
	else
		tcp_link_free(s, link);
}

static void look_at_times(struct overlay_substrate *s, struct tcp *t, np_time now)
{
	if (t->accept_after && now >= t->accept_after) {
		t->accept_after = 0;
		(void)overlay_substrate_watch(s, np_stream_fd(t->listener), EPOLLIN, NULL);
	}
	if (now < t->check)
		return;
	for (struct tcp_link *at = t->links, *next; at; at = next) {
		next = at->next;
		if (tcp_link_due(s, at) <= now)
			end_of_time(s, at);
	}
	t->check = NP_TIME_NEVER;
	for (const struct tcp_link *at = t->links; at; at = at->next) {
		const np_time due = tcp_link_due(s, at);

		if (due < t->check)
			t->check = due;
	}
}

static int tcp_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	struct tcp *t = s->state;
	struct epoll_event events[EVENTS];
	bool accepts = false;
	int count;

	t->now = now;
	for (struct tcp_link *at = t->links; at && t->unread && most; at = at->next) {
		if (at->unread && !at->broken)
			deliver_rest(s, at, &most);
	}
	count = epoll_wait(s->epoll, events, EVENTS, 0);
	if (count < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < count; i++) {
		if (events[i].data.ptr)
			handle(s, &events[i], &most);
		else
			accepts = true;
	}
	close_broken(s, t);
	if (accepts && !t->accept_after) {
		accept_waiting(s);
		t->check = now;
	}
	look_at_times(s, t, now);
	return t->unread || t->broken || !most || count == EVENTS;
}

static np_time tcp_deadline(const struct overlay_substrate *s)
{
	const struct tcp *t = s->state;

	if (t->broken || t->unread)
		return 0;
	return t->accept_after && t->accept_after < t->check ? t->accept_after : t->check;
}

static bool tcp_idle(const struct overlay_substrate *s)
{
	const struct tcp *t = s->state;

	for (const struct tcp_link *at = t->links; at; at = at->next) {
		struct np_stream_stats stats;

		if (at->queue.first)
			return false;
		if (at->stream && !np_stream_stats(at->stream, &stats) &&
		    stats.unacknowledged_bytes)
			return false;
	}
	return true;
}

static int tcp_count(struct overlay_substrate *s)
{
	const struct tcp *t = s->state;

	s->counts.waiting = (struct np_overlay_copies){0};
	s->counts.connections = 0;
	for (const struct tcp_link *at = t->links; at; at = at->next) {
		s->counts.connections += at->stream != NULL;
		overlay_queue_count(&at->queue, &s->counts.waiting);
	}
	return 0;
}

const struct overlay_substrate_face overlay_tcp = {
	.open = tcp_open,
	.close = tcp_close,
	.send = tcp_send,
	.room = tcp_room,
	.gather = tcp_gather,
	.turn = tcp_turn,
	.deadline = tcp_deadline,
	.idle = tcp_idle,
	.count = tcp_count,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp: the substrate of TCP connections: opened, waited for, timed, closed. */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define EVENTS 64

static int open_listener(struct overlay_substrate *s, struct tcp *t)
{
	const struct np_stream_options how = tcp_link_options(s, &s->local);
	const struct np_stream_info *info;
	int rc = np_stream_listen(&t->listener, &how, (int)s->plan.backlog);

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

static int tcp_open(struct overlay_substrate *s)
{
	struct tcp *t = calloc(1, sizeof(*t));

	s->state = t;
	if (!t)
		return -ENOMEM;
	t->check = NP_TIME_NEVER;
	return open_listener(s, t);
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

	if (!to || !overlay_substrate_endpoint(to, &endpoint)) {
		overlay_substrate_add(&s->counts.refused, class);
		return s->counts.last_error = -EDESTADDRREQ;
	}
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
	if (!to || !overlay_substrate_endpoint(to, &endpoint))
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
		tcp_in_read(s, link, most);
}

/* Ends what is broken, once nobody holds it. */
static void mend(struct overlay_substrate *s, struct tcp *t)
{
	for (struct tcp_link *at = t->links, *next; at && t->broken; at = next) {
		next = at->next;
		if (!at->broken)
			continue;
		if (at->out)
			tcp_out_mend(s, at);
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
		tcp_out_mend(s, link);
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
		tcp_out_mend(s, link);
	else
		tcp_link_free(s, link);
}

static void look_at_times(struct overlay_substrate *s, struct tcp *t, np_time now)
{
	if (t->deaf && now >= t->deaf) {
		t->deaf = 0;
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
			tcp_in_rest(s, at, &most);
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
	mend(s, t);
	if (accepts && !t->deaf) {
		tcp_in_accept(s);
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
	return t->deaf && t->deaf < t->check ? t->deaf : t->check;
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
	.name = "tcp",
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

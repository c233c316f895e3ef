// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* substrate: the face of the substrates, and what they share: descriptors, counts, queues. */
#include "substrate.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

int overlay_substrate_open(struct overlay_substrate *s, const struct overlay_substrate_plan *plan)
{
	static const char *const kinds[] = {
		[OVERLAY_UDP] = "udp",
		[OVERLAY_TCP] = "tcp",
		[OVERLAY_PAIR] = "pair",
	};

	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return -errno;
	s->poll = (struct pollfd){.fd = s->epoll, .events = POLLIN};
	s->face = plan->kind == OVERLAY_TCP ? &overlay_tcp : &overlay_udp;
	s->plan = *plan;
	s->info = (struct np_overlay_info){
		.substrate = kinds[plan->kind],
		.local = plan->local,
		.message_max = plan->message_max,
		.message_buffer = plan->message_buffer,
		.stamps = "user",
	};
	return s->face->open(s);
}

void overlay_substrate_close(struct overlay_substrate *s)
{
	if (!s->face)
		return;
	s->face->close(s);
	close(s->epoll);
	s->face = NULL;
}

int overlay_substrate_watch(const struct overlay_substrate *s, int fd, uint32_t events,
			    void *pointer)
{
	struct epoll_event event = {.events = events, .data.ptr = pointer};

	if (epoll_ctl(s->epoll, EPOLL_CTL_MOD, fd, &event) == 0)
		return 0;
	if (errno != ENOENT)
		return -errno;
	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int overlay_substrate_fd(struct overlay_substrate *s)
{
	if (s->poll.fd != s->epoll)
		(void)overlay_substrate_watch(s, s->poll.fd, (uint32_t)s->poll.events, NULL);
	s->poll = (struct pollfd){.fd = s->epoll, .events = POLLIN};
	return s->epoll;
}

void overlay_substrate_add(struct np_overlay_copies *copies, enum overlay_class class)
{
	copies->own += class == OVERLAY_OWN;
	copies->forwarded += class == OVERLAY_FORWARDED;
	copies->protocol += class == OVERLAY_PROTOCOL;
}

int overlay_substrate_done(struct overlay_substrate *s, int rc, size_t bytes,
			   enum overlay_class class)
{
	if (rc) {
		overlay_substrate_add(&s->counts.refused, class);
		s->counts.last_error = rc;
	} else {
		overlay_substrate_add(&s->counts.sent, class);
		s->counts.sent_bytes += bytes;
	}
	return rc;
}

int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct iovec *piece, unsigned count)
{
	struct overlay_queued *made;
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += piece[i].iov_len;
	if ((class != OVERLAY_OWN || queue->strict) && queue->first &&
	    (queue->count >= queue->count_max || queue->bytes + bytes > queue->bytes_max))
		return -EAGAIN;
	made = malloc(sizeof(*made) + bytes);
	if (!made)
		return -ENOMEM;
	*made = (struct overlay_queued){.to = *to, .class = class};
	for (unsigned i = 0; i < count; i++) {
		memcpy(made->data + made->bytes, piece[i].iov_base, piece[i].iov_len);
		made->bytes += piece[i].iov_len;
	}
	if (queue->first)
		queue->last->next = made;
	else
		queue->first = made;
	queue->last = made;
	queue->count++;
	queue->bytes += bytes;
	return 0;
}

void overlay_queue_pop(struct overlay_queue *queue)
{
	struct overlay_queued *first = queue->first;

	queue->first = first->next;
	queue->count--;
	queue->bytes -= first->bytes;
	free(first);
}

void overlay_queue_count(const struct overlay_queue *queue, struct np_overlay_copies *copies)
{
	for (const struct overlay_queued *at = queue->first; at; at = at->next)
		overlay_substrate_add(copies, at->class);
}

void overlay_queue_drop(struct overlay_queue *queue, struct np_overlay_copies *copies)
{
	overlay_queue_count(queue, copies);
	while (queue->first)
		overlay_queue_pop(queue);
}

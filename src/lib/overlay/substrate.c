// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* substrate: the face of the substrates, and what they share. */
#include "substrate.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

int overlay_substrate_open(struct overlay_substrate *s, enum overlay_kind kind,
			   const struct overlay_substrate_plan *plan)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return -errno;
	s->direct = -1;
	s->kind = kind;
	s->face = kind == OVERLAY_TCP ? &overlay_tcp : &overlay_udp;
	s->plan = *plan;
	if (plan->options.device) {
		const size_t length = strlen(plan->options.device);

		/* A longer one is the name of none. */
		if (length >= sizeof(s->device))
			return -ENODEV;
		memcpy(s->device, plan->options.device, length + 1);
		s->plan.options.device = s->device;
	}
	s->local = plan->local;
	s->stamps = "user";
	return s->face->open(s);
}

void overlay_substrate_close(struct overlay_substrate *s)
{
	if (s->face)
		s->face->close(s);
	if (s->face)
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

int overlay_substrate_watch_direct(struct overlay_substrate *s, int fd, uint32_t events)
{
	s->direct = fd;
	s->direct_events = events;
	/* Registered without events: to change them later cannot fail. */
	return overlay_substrate_watch(s, fd, 0, NULL);
}

int overlay_substrate_fd(struct overlay_substrate *s)
{
	if (s->direct >= 0)
		(void)overlay_substrate_watch(s, s->direct, s->direct_events, NULL);
	s->direct = -1;
	return s->epoll;
}

struct pollfd overlay_substrate_poll(const struct overlay_substrate *s)
{
	if (s->direct < 0)
		return (struct pollfd){.fd = s->epoll, .events = POLLIN};
	return (struct pollfd){
		.fd = s->direct,
		.events = (short)(POLLIN | (s->direct_events & EPOLLOUT ? POLLOUT : 0)),
	};
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

struct overlay_address overlay_substrate_address(const struct overlay_substrate *s,
						 const struct np_address *address)
{
	const struct sockaddr_in *ipv4 = (const void *)&address->storage;

	return overlay_address_ipv4(ntohl(ipv4->sin_addr.s_addr), ntohs(ipv4->sin_port),
				    s->plan.realm);
}

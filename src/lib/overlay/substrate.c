// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* substrate: the face of the substrates, what they share, and the one that sends into nothing. */
#include "substrate.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static const struct overlay_substrate_face *const faces[] = {
	[NP_OVERLAY_UDP] = &overlay_udp,
	[NP_OVERLAY_TCP] = &overlay_tcp,
	[NP_OVERLAY_PAIR] = &overlay_pair,
	[NP_OVERLAY_NULL] = &overlay_null,
};

int overlay_substrate_open(struct overlay_substrate *s, enum np_overlay_substrate kind,
			   const struct overlay_substrate_plan *plan)
{
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		return -errno;
	s->direct = -1;
	s->face = faces[kind];
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

struct overlay_address overlay_substrate_address(const struct overlay_substrate *s,
						 const struct np_address *address)
{
	const struct sockaddr_in *ipv4 = (const void *)&address->storage;

	return overlay_address_ipv4(ntohl(ipv4->sin_addr.s_addr), ntohs(ipv4->sin_port),
				    s->plan.realm);
}

bool overlay_substrate_endpoint(const struct overlay_address *address, struct sockaddr_in *to)
{
	uint32_t ip;
	uint16_t port;

	if (!overlay_address_get_ipv4(address, &ip, &port))
		return false;
	*to = (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};
	return true;
}

static int null_open(struct overlay_substrate *s)
{
	/* An address that nobody has (RFC 5737), for the node to be somebody. */
	if (!np_address_port(&s->local))
		np_address_set_port(&s->local, 1);
	return 0;
}

static void null_close(struct overlay_substrate *s)
{
	(void)s;
}

static int null_send(struct overlay_substrate *s, const struct overlay_address *to,
		     const void *message, size_t bytes, enum overlay_class class)
{
	(void)to;
	(void)message;
	overlay_substrate_add(&s->counts.sent, class);
	s->counts.sent_bytes += bytes;
	return 0;
}

static bool null_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	(void)s;
	(void)to;
	return true;
}

static int null_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	(void)s;
	(void)most;
	(void)now;
	return 0;
}

static np_time null_deadline(const struct overlay_substrate *s)
{
	(void)s;
	return NP_TIME_NEVER;
}

static bool null_idle(const struct overlay_substrate *s)
{
	(void)s;
	return true;
}

static int null_count(struct overlay_substrate *s)
{
	(void)s;
	return 0;
}

const struct overlay_substrate_face overlay_null = {
	.name = "null",
	.open = null_open,
	.close = null_close,
	.send = null_send,
	.room = null_room,
	.turn = null_turn,
	.deadline = null_deadline,
	.idle = null_idle,
	.count = null_count,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_hub: accepts and serves the ranks, and waits for them. */
#include "launch_hub.h"

#include "launch_peer.h"

#include <errno.h>
#include <netperf/field.h>
#include <netperf/wait.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#define EVENTS 256

/* A descriptor for each rank, and some for files and the program's sockets. */
static void raise_descriptor_limit(uint32_t ranks)
{
	const rlim_t needed = (rlim_t)ranks + PEER_STRANGERS_MAX + 256;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = needed < limit.rlim_max ? needed : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int watch(struct hub *hub, int fd, void *who)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = who};

	return epoll_ctl(hub->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

int hub_set_blob(struct hub *hub, uint32_t rank, const void *blob, size_t bytes)
{
	struct hub_rank *of = &hub->ranks[rank];
	uint8_t *copy = malloc(bytes + 1);

	if (!copy)
		return -ENOMEM;
	if (bytes)
		memcpy(copy, blob, bytes);
	free(of->blob);
	of->blob = copy;
	of->blob_bytes = bytes;
	return 0;
}

static int set_up(struct hub *hub, const struct hub_plan *plan)
{
	const struct np_stream_options options = {
		.local = plan->local, .no_delay = true, .tos = -1};
	struct hub_rank *own = &hub->ranks[0];
	int rc;

	memcpy(own->host, plan->host, strnlen(plan->host, WIRE_NAME - 1));
	own->joined = true;
	if (hub_set_blob(hub, 0, plan->blob, plan->blob_bytes))
		return -ENOMEM;
	hub->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (hub->epoll < 0)
		return -errno;
	if (hub->size == 1)
		return 0;
	raise_descriptor_limit(hub->size);
	rc = np_stream_listen(&hub->listener, &options, 4096);
	return rc ? rc : watch(hub, np_stream_fd(hub->listener), hub);
}

int hub_open(struct hub **hub, const struct hub_plan *plan)
{
	struct hub *h = calloc(1, sizeof(*h));
	int rc;

	*hub = NULL;
	if (!h)
		return -ENOMEM;
	h->size = plan->size;
	h->epoll = -1;
	h->allow = plan->allow;
	memcpy(h->program, plan->program, strnlen(plan->program, WIRE_NAME - 1));
	memcpy(h->secret, plan->secret, WIRE_SECRET);
	h->ranks = calloc(plan->size, sizeof(*h->ranks));
	rc = h->ranks ? set_up(h, plan) : -ENOMEM;
	if (rc)
		hub_free(h);
	else
		*hub = h;
	return rc;
}

void hub_free(struct hub *hub)
{
	if (!hub)
		return;
	while (hub->peers)
		peer_remove(hub, hub->peers);
	for (uint32_t i = 0; hub->ranks && i < hub->size; i++)
		free(hub->ranks[i].blob);
	free(hub->ranks);
	np_stream_free(hub->listener);
	if (hub->epoll >= 0)
		close(hub->epoll);
	free(hub);
}

const struct np_address *hub_address(const struct hub *hub)
{
	return &np_stream_info(hub->listener)->local;
}

uint64_t hub_not_allowed(const struct hub *hub)
{
	return hub->not_allowed;
}

const struct hub_rank *hub_ranks(const struct hub *hub)
{
	return hub->ranks;
}

static void accept_all(struct hub *hub)
{
	struct np_stream *stream;
	struct hub_peer *peer;

	while (!np_stream_accept(hub->listener, &stream)) {
		if (!np_address_networks_have(hub->allow, &np_stream_info(stream)->remote)) {
			hub->not_allowed++;
			np_stream_free(stream);
			continue;
		}
		peer = peer_add(hub, stream);
		if (peer && watch(hub, np_stream_fd(stream), peer))
			peer_remove(hub, peer);
	}
}

/* Serves what is ready. Events of one call are of different peers, and a peer removes only itself.
 */
static int serve(struct hub *hub)
{
	struct epoll_event events[EVENTS];
	int n;

	do {
		n = epoll_wait(hub->epoll, events, EVENTS, 0);
		for (int i = 0; i < n; i++) {
			if (events[i].data.ptr == hub)
				accept_all(hub);
			else
				peer_serve(hub, events[i].data.ptr);
		}
	} while (n == EVENTS);
	peer_expel_strangers(hub);
	return n < 0 && errno != EINTR ? -errno : 0;
}

/* Until @done, @deadline or @other_fd: 0, -ETIMEDOUT, -ECANCELED. */
static int serve_until(struct hub *hub, bool (*done)(const struct hub *), np_time deadline,
		       int other_fd)
{
	for (;;) {
		struct pollfd fds[] = {{.fd = hub->epoll, .events = POLLIN},
				       {.fd = other_fd, .events = POLLIN}};
		int rc = serve(hub);

		if (rc || done(hub))
			return rc;
		if (np_clock_now() >= deadline)
			return -ETIMEDOUT;
		rc = np_wait_ready(fds, 2, deadline);
		if (rc < 0 && rc != -EINTR)
			return rc;
		if (fds[1].revents)
			return -ECANCELED;
	}
}

static bool all_entered(const struct hub *hub)
{
	for (uint32_t i = 1; i < hub->size; i++) {
		const struct hub_rank *rank = &hub->ranks[i];

		if (rank->state == NP_LAUNCH_HERE && rank->entered < hub->step)
			return false;
	}
	return true;
}

static bool all_finished(const struct hub *hub)
{
	for (uint32_t i = 1; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE && !hub->ranks[i].finished)
			return false;
	}
	return true;
}

static void put_out(struct hub *hub, uint32_t rank)
{
	hub->ranks[rank].state = hub->ranks[rank].joined ? NP_LAUNCH_SILENT : NP_LAUNCH_ABSENT;
	if (hub->ranks[rank].peer)
		peer_refuse(hub, hub->ranks[rank].peer, PEER_LATE);
}

/* The body of RELEASE: the step, and who is out. Returns its length, or 0. */
static size_t write_release(const struct hub *hub, uint8_t **body)
{
	size_t at = 4;

	*body = malloc(4 + 8 * (size_t)hub->size);
	if (!*body)
		return 0;
	np_field_put32(*body, hub->step);
	for (uint32_t i = 0; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE)
			continue;
		np_field_put32(*body + at, i);
		np_field_put32(*body + at + 4, hub->ranks[i].state);
		at += 8;
	}
	return at;
}

int hub_barrier(struct hub *hub, np_time deadline, int other_fd)
{
	uint8_t *body;
	size_t bytes;
	int rc;

	hub->step++;
	rc = serve_until(hub, all_entered, deadline, other_fd);
	if (rc && rc != -ETIMEDOUT)
		return rc;
	for (uint32_t i = 1; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE && hub->ranks[i].entered < hub->step)
			put_out(hub, i);
	}
	bytes = write_release(hub, &body);
	if (!bytes)
		return -ENOMEM;
	for (uint32_t i = 1; i < hub->size; i++) {
		if (hub->ranks[i].state == NP_LAUNCH_HERE)
			peer_tell(hub, hub->ranks[i].peer, WIRE_RELEASE, body, bytes);
	}
	free(body);
	return 0;
}

int hub_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline)
{
	int rc;

	hub->take = take;
	hub->context = context;
	peer_resume_all(hub);
	rc = serve_until(hub, all_finished, deadline, -1);
	hub->take = NULL;
	if (rc && rc != -ETIMEDOUT)
		return rc;
	for (uint32_t i = 1; i < hub->size; i++) {
		struct hub_rank *rank = &hub->ranks[i];

		if (rank->state == NP_LAUNCH_HERE && !rank->finished)
			put_out(hub, i);
		else if (rank->state == NP_LAUNCH_HERE)
			peer_tell(hub, rank->peer, WIRE_FINISHED, NULL, 0);
		rank->finished = false;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* link_socket: frames by send() and recv() on an AF_PACKET socket. */
#include "link_packet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct socket_state {
	struct link_packet packet;
	uint8_t *memory; /* batch frames of stride bytes */
	size_t stride;
};

static int set_receive_buffer(int fd, size_t bytes)
{
	int wanted = (int)(bytes < LINK_RECEIVE_MAX ? bytes : LINK_RECEIVE_MAX);

	if (wanted == 0)
		return 0;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof(wanted)) == 0)
		return 0;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof(wanted)) == 0)
		return 0;
	return -errno;
}

static int get_receive_buffer(struct np_link *link)
{
	int granted = 0;
	socklen_t length = sizeof(granted);

	if (getsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &granted, &length) < 0)
		return -errno;
	link->info.receive_granted = (size_t)granted;
	return 0;
}

static int allocate_memory(struct socket_state *state, const struct np_link_options *options)
{
	size_t line = 64;

	state->stride = (options->frame_bytes + line - 1) / line * line;
	state->memory = aligned_alloc(line, state->stride * options->batch);
	if (!state->memory)
		return -ENOMEM;
	memset(state->memory, 0, state->stride * options->batch);
	return 0;
}

static int socket_open(struct np_link *link, const struct np_link_options *options)
{
	struct socket_state *state = calloc(1, sizeof(*state));
	int error;

	if (!state)
		return -ENOMEM;
	link->state = state;
	link->info.stamps = "user";
	error = allocate_memory(state, options);
	if (!error)
		error = link_packet_open(link, &state->packet, options);
	if (!error)
		error = set_receive_buffer(link->fd, options->receive_bytes);
	if (!error)
		error = get_receive_buffer(link);
	if (!error)
		error = link_packet_bind(link, options->ethertype);
	return error;
}

static void socket_close(struct np_link *link)
{
	struct socket_state *state = link->state;

	if (!state)
		return;
	link_packet_close(link, &state->packet);
	free(state->memory);
	free(state);
}

static int socket_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	struct socket_state *state = link->state;

	return link_packet_send(link, &state->packet, frames, count);
}

/* Handles the error at which recv() stopped after @taken good frames. */
static int receive_stopped(struct np_link *link, unsigned taken, int error)
{
	if (error == EAGAIN || error == EINTR)
		return (int)taken;
	if (error == ENODEV) /* the interface is gone, not just down */
		error = ENETDOWN;
	if (taken == 0)
		return -error;
	/* The kernel reports it only once. */
	link->pending_error = error;
	return (int)taken;
}

static int socket_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	struct socket_state *state = link->state;
	uint8_t *slot = state->memory;

	for (unsigned i = 0; i < count; i++, slot += state->stride) {
		ssize_t length = recv(link->fd, slot, link->frame_bytes, MSG_DONTWAIT);

		if (length < 0)
			return receive_stopped(link, i, errno);
		frames[i].data = slot;
		frames[i].length = (size_t)length;
		frames[i].stamp = np_clock_now();
	}
	return (int)count;
}

const struct link_variant link_socket_variant = {
	.name = "socket",
	.open = socket_open,
	.close = socket_close,
	.send = socket_send,
	.receive = socket_receive,
	.count_dropped = link_packet_count_dropped,
	.dropped_known = true,
};

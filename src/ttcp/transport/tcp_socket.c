// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_socket: what the user asks of TCP's sockets, and what the kernel made of it. */
#include "tcp.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

struct np_stream_options tcp_options(const struct transport *t)
{
	const struct socket_options *asked = &transport_options(t)->socket;
	const bool paced = t->lanes && asked->pacing == PACING_KERNEL;

	return (struct np_stream_options){
		.send_bytes = asked->buffer_bytes,
		.receive_bytes = asked->buffer_bytes,
		.congestion = asked->congestion,
		.mss = (int)asked->mss,
		.mptcp = asked->mptcp,
		.zero_copy = t->lanes && asked->zero_copy,
		.pacing_bytes_per_s = paced ? (uint64_t)(t->rate_bits / 8 / t->lanes) : 0,
		.ip = asked->asked.ip,
	};
}

void tcp_describe(const struct transport *t, struct np_stream *stream, struct record_socket *socket)
{
	const struct np_stream_info *info = np_stream_info(stream);

	*socket = (struct record_socket){
		.congestion = info->congestion,
		.no_delay = info->no_delay,
		.mptcp = !transport_options(t)->socket.mptcp ? NULL
			 : info->mptcp			     ? "yes"
							     : "no",
		.mss_bytes = info->mss_bytes,
		.pacing_bytes_per_s = info->pacing_bytes_per_s,
		.send_bytes = info->send_granted,
		.receive_bytes = info->receive_granted,
	};
	peer_name(&info->local, socket->local);
	peer_name(&info->remote, socket->peer);
}

bool tcp_is_apart(struct np_stream *stream)
{
	int cpu = -1;
	socklen_t bytes = sizeof(cpu);

	getsockopt(np_stream_fd(stream), SOL_SOCKET, SO_INCOMING_CPU, &cpu, &bytes);
	return cpu != sched_getcpu();
}

unsigned tcp_places(const struct transport *t, size_t each)
{
	size_t count;

	/* A receiver has none. */
	if (!transport_options(t)->socket.zero_copy)
		return 1;
	count = TCP_PLACES_BYTES / each;
	return count > TCP_PLACES ? TCP_PLACES : count > 4 ? (unsigned)count : 4;
}

bool tcp_places_wait(struct np_stream *stream, const struct tcp_places *places)
{
	return np_stream_unpinned(stream) < places->needs;
}

ssize_t tcp_push_pinned(struct np_stream *stream, struct tcp_places *places, uint8_t **batch,
			size_t first, size_t bytes)
{
	const unsigned next = (places->at + 1) % places->count;
	uint8_t *place = *batch + ((ssize_t)next - (ssize_t)places->at) * (ssize_t)places->each;
	ssize_t sent;

	/* The next message is written there as soon as this one is sent. */
	places->needs = places->last[next];
	if (tcp_places_wait(stream, places))
		return -EAGAIN;
	sent = np_stream_send_pinned(stream, *batch + first, bytes, &places->calls);
	if (sent == -ENOBUFS) {
		places->needs = np_stream_unpinned(stream) + 1;
		return places->needs > places->calls ? np_stream_send(stream, *batch + first, bytes)
						     : -EAGAIN;
	}
	if (sent > 0)
		places->last[places->at] = places->calls;
	if (sent != (ssize_t)bytes)
		return sent;
	if (places->used++ < places->count)
		memcpy(place, *batch, places->each);
	places->at = next;
	*batch = place;
	return sent;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_socket: what the user asks of TCP's sockets, and what the kernel made of it. */
#include "tcp.h"

#include "transport.h"

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
		.pacing_bytes_per_s = paced ? (uint64_t)(t->rate_bits / 8 / t->lanes) : 0,
		.tos = asked->asked.tos,
		.ttl = asked->asked.ttl > 0 ? asked->asked.ttl : 0,
		.device = asked->asked.device,
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

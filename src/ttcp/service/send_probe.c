// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_probe: if nobody answers one protocol, checks whether somebody answers the other. */
#include "send_session.h"

#include <netperf/datagram.h>
#include <netperf/stream.h>

#define PROBE_LIMIT NP_SECOND
#define PROBE_AGAIN (200 * NP_MILLISECOND)

static bool tcp_answers(struct send_session *s)
{
	struct np_stream_options how = {.tos = -1, .device = send_options(s)->socket.asked.device};
	struct np_stream *stream;

	/* A receiver recognises a connection without a byte as a probe. */
	if (np_stream_connect(&stream, &how, &s->transport.to, np_signals_fd(s->session->signals),
			      np_clock_now() + PROBE_LIMIT))
		return false;
	np_stream_free(stream);
	return true;
}

static struct np_datagram *open_probe(struct send_session *s)
{
	struct np_address local;
	struct np_datagram_options how = {
		.variant = "plain",
		.local = &local,
		.packet_bytes = MESSAGE_CONTROL_MAX,
		.batch = 1,
		.tos = -1,
		.ttl = -1,
		.device = send_options(s)->socket.asked.device,
	};
	struct np_datagram *datagram;

	if (session_resolve(s->session, NULL, 0, s->transport.to.any.sa_family, &local) ||
	    np_datagram_open(&datagram, &how))
		return NULL;
	return datagram;
}

/* A START that is marked as a probe is answered, but starts nothing. */
static bool udp_answers(struct send_session *s)
{
	struct np_datagram *datagram = open_probe(s);
	np_time limit = np_clock_now() + PROBE_LIMIT;
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.type = MESSAGE_START,
		.flags = MESSAGE_PROBE,
		.session = s->plan.id,
		.run = 1,
		.start = s->sender->run.start,
	};
	size_t bytes = message_encode(data, &m);
	bool answered = false;

	while (datagram && !answered && np_clock_now() < limit) {
		struct np_packet packet;

		(void)np_datagram_send_one(datagram, &s->transport.to, data, bytes);
		if (np_datagram_wait(datagram, -1, np_clock_now() + PROBE_AGAIN) == 1 &&
		    np_datagram_receive(datagram, &packet, 1) == 1)
			answered = !message_decode(packet.data, packet.length, &m) &&
				   m.type == MESSAGE_START_OK && m.session == s->plan.id;
	}
	np_datagram_free(datagram);
	return answered;
}

void send_probe(struct send_session *s)
{
	const enum options_transport transport = send_options(s)->place.transport;
	const bool udp = transport == TRANSPORT_UDP;

	if (!udp && transport != TRANSPORT_TCP)
		return;
	if (udp ? tcp_answers(s) : udp_answers(s))
		np_log_error(s->session->log, s->name,
			     "there is a receiver for %s there: give -u at both ends or at neither",
			     udp ? "TCP" : "UDP");
}

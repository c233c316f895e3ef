// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive_port: connects the receiver's machine to the transport; finds the messages in datagrams,
 * and handles those that differ only by their numbers at once.
 */
#include "receive_session.h"

#include <errno.h>
#include <stdlib.h>

/* DATA of one buffer with consecutive numbers that do not differ otherwise. */
struct data_series {
	struct message first;
	struct receiver_source source;
	np_time at;
	unsigned count;
};

static bool continues(const struct data_series *run, const struct np_packet *packet,
		      const struct message *m)
{
	const struct message *first = &run->first;

	return run->count && m->number == first->number + run->count && m->time == first->time &&
	       m->session == first->session && m->run == first->run && m->stream == first->stream &&
	       m->size == first->size && m->flags == first->flags &&
	       !(m->flags & MESSAGE_ACK_WANTED) && packet->source == run->source.address &&
	       packet->stamp == run->at;
}

static void end_series(struct receive_session *r, struct data_series *run)
{
	if (run->count)
		receiver_take_data(r->receiver, &run->source, &run->first, run->count, run->at);
	run->count = 0;
}

/* Takes one packet, or adds it to the series, which is handled before anything else. */
static void take_packet(struct receive_session *r, struct data_series *run,
			const struct np_packet *packet, bool by_group)
{
	const struct receiver_source source = {
		.address = packet->source,
		.by_group = by_group,
		.bytes = packet->length,
	};
	struct message *m = &r->message;
	const int rc = message_decode(packet->data, packet->length, m);
	const bool data = !rc && m->type == MESSAGE_DATA;
	const bool intact = data && message_fill_good(packet->data, packet->length, r->pattern);

	if (intact && continues(run, packet, m)) {
		run->count++;
		return;
	}
	end_series(r, run);
	if (rc)
		receiver_take_unknown(r->receiver, &source, packet->length, rc, packet->stamp);
	else if (!data)
		receiver_take(r->receiver, &source, m, packet->stamp);
	else if (!intact)
		receiver_take_damaged(r->receiver, &source, m, packet->stamp);
	else
		*run = (struct data_series){*m, source, packet->stamp, 1};
}

bool receive_allows(struct receive_session *r, const struct np_address *source)
{
	const bool allowed = np_address_networks_have(r->allowed, source);

	r->not_allowed += !allowed;
	return allowed;
}

static int take_packets(void *context, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct receive_session *r = context;
	struct data_series run = {.count = 0};
	int taken = 0;

	for (unsigned i = 0; i < count; i++) {
		if (r->allowed && !receive_allows(r, packet[i].source)) {
			end_series(r, &run);
			continue;
		}
		take_packet(r, &run, &packet[i], by_group);
		taken++;
	}
	end_series(r, &run);
	return taken;
}

int receive_open_transport(struct receive_session *r)
{
	const struct place_options *place = &receive_options(r)->place;
	struct transport *t = &r->transport;
	size_t longest;
	int status = 0;

	t->face = transport_face_of(place->transport, false);
	t->session = r->session;
	t->plan.control_bytes = MESSAGE_CONTROL_MAX;
	t->user = (struct transport_user){
		.context = r,
		.packets = take_packets,
		.opened = receive_stream_opened,
		.wants = receive_stream_wants,
		.bytes = receive_stream_bytes,
		.ended = receive_stream_ended,
		.closed = receive_stream_closed,
	};
	if (place->allow && np_address_networks_parse(&r->allowed, place->allow))
		return np_log_refuse(r->session->log, NULL, "out of memory");
	if (t->face->resolve)
		status = t->face->resolve(t);
	if (!status)
		status = t->face->open(t);
	if (status)
		return status;
	longest = t->longest ? t->longest : NP_DATAGRAM_BYTES_MAX;
	r->pattern = malloc(longest);
	if (!r->pattern)
		return np_log_refuse(r->session->log, NULL, "out of memory");
	message_fill(r->pattern, longest);
	return 0;
}

void receive_close_transport(struct receive_session *r)
{
	if (r->transport.face)
		r->transport.face->close(&r->transport);
	free(r->pattern);
	np_address_networks_free(r->allowed);
}

int receive_take(struct receive_session *r)
{
	struct transport *t = &r->transport;

	/* A single stream may sleep in its receive call, without a poll before. */
	if (t->face->receive_timeout && !t->face->datagrams) {
		receive_stream_choose_timeout(r);
	} else if (t->face->receive_timeout) {
		const bool alone = !t->group && receiver_in_ping_pong(r->receiver);

		if (alone != r->patient &&
		    !t->face->receive_timeout(t, NULL, alone ? TRANSPORT_LOOK : 0, 0))
			r->patient = alone;
	}
	return t->face->receive(t);
}

void receive_answer(void *context, const struct receiver_source *to, const void *message,
		    size_t bytes)
{
	struct receive_session *r = context;
	struct transport *t = &r->transport;
	struct channel *channel = to->channel ? to->channel : receive_stream_first(r);

	/*
	 * Only a connection that is being read now is flushed soon: an answer on another one is
	 * sent at once.
	 */
	(void)t->face->send(t, channel, to->address, message, bytes, to->channel);
}

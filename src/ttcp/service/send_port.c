// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_port: connects the sender's machine to the transport; finds the messages in what it hears.
 */
#include "service.h"

#include <errno.h>
#include <string.h>

static int take_packets(void *context, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct send_session *s = context;

	(void)by_group;
	for (unsigned i = 0; i < count; i++)
		(void)sender_take(s->sender, packet[i].data, packet[i].length, packet[i].source,
				  packet[i].stamp);
	return (int)count;
}

static unsigned index_of(const struct send_session *s, const struct channel *channel)
{
	unsigned i = 0;

	while (s->transport.lane[i] != channel)
		i++;
	return i;
}

static int open_lane(void *context, struct channel *channel)
{
	struct send_session *s = context;
	const unsigned index = index_of(s, channel);
	struct sender_lane *lane = &s->sender->lane[index];

	s->carry[index].bytes = 0;
	lane->asked = lane->closed = false;
	return 0;
}

/* There are MESSAGE_CONTROL_MAX bytes of room before @data. */
static int take_bytes(void *context, struct channel *channel, uint8_t *data, size_t length,
		      np_time at)
{
	struct send_session *s = context;
	struct send_carry *carry = &s->carry[index_of(s, channel)];
	int count = 0;

	data -= carry->bytes;
	memcpy(data, carry->data, carry->bytes);
	length += carry->bytes;
	carry->bytes = 0;
	for (;;) {
		const int64_t size = message_size(data, length);

		if (size < 0 || size > MESSAGE_CONTROL_MAX)
			return size < 0 ? (int)size : -EBADMSG;
		if (!size || (size_t)size > length)
			break;
		(void)sender_take(s->sender, data, (size_t)size, &channel->peer, at);
		data += size;
		length -= (size_t)size;
		count++;
	}
	/* Keeps the rest, which is shorter than a message. */
	memcpy(carry->data, data, length);
	carry->bytes = length;
	return count;
}

static bool close_lane(void *context, struct channel *channel)
{
	struct send_session *s = context;

	s->sender->lane[index_of(s, channel)].closed = true;
	return true;
}

int send_resolve(struct send_session *s)
{
	struct transport *t = &s->transport;
	const struct options *o = send_options(s);

	t->face = transport_face_of(o->place.transport, true);
	t->session = s->session;
	t->plan.lanes = (unsigned)o->load.streams;
	t->user = (struct transport_user){
		.context = s,
		.packets = take_packets,
		.opened = open_lane,
		.bytes = take_bytes,
		.ended = close_lane,
	};
	return t->face->resolve ? t->face->resolve(t) : 0;
}

int send_open_transport(struct send_session *s)
{
	struct transport *t = &s->transport;
	int status;

	t->plan.batch = s->plan.batch;
	t->plan.message_bytes = s->plan.message_bytes;
	t->plan.answered = s->plan.acks;
	t->plan.control_bytes = MESSAGE_CONTROL_MAX;
	status = t->face->open(t);
	for (unsigned i = 0; !status && i < s->plan.lanes; i++)
		s->sender->lane[i].batch = t->lane[i]->batch;
	return status;
}

int send_datagram(struct send_session *s, unsigned lane, const struct np_address *to,
		  const void *data, size_t bytes)
{
	struct transport *t = &s->transport;
	const ssize_t went = t->face->send(t, t->lane[lane], to, data, bytes, false);

	/* It is repeated later. */
	return went >= 0 || went == -EAGAIN || went == -ENOBUFS ? 0 : (int)went;
}

/* A request to stop does not cut a message of a stream short; a second one does. */
static int send_control(void *context, unsigned lane, const struct np_address *to,
			const void *message, size_t bytes)
{
	struct send_session *s = context;
	struct transport *t = &s->transport;
	np_time now = np_clock_now();
	size_t done = 0;

	if (t->face->datagrams)
		return send_datagram(s, lane, to, message, bytes);
	sender_moved(s->sender, now);
	do {
		ssize_t went = t->face->send(t, t->lane[lane], NULL, (const char *)message + done,
					     bytes - done, false);

		session_look(s->session);
		done += went > 0 ? (size_t)went : 0;
		if (done == bytes)
			return 0;
		if (s->session->interrupts > 1)
			return -ECANCELED;
		if (went < 0)
			return (int)went;
		now = np_clock_now();
	} while (sender_moves(s->sender, now, SENDER_STALL));
	return -ETIMEDOUT;
}

static ssize_t push(void *context, struct sender_lane *lane, np_time *now)
{
	struct send_session *s = context;
	struct transport *t = &s->transport;
	ssize_t went =
		t->face->push(t, t->lane[lane->index], lane->gone, lane->filled - lane->gone);

	*now = np_clock_now();
	if (went >= 0 || went == -EAGAIN || !t->face->datagrams)
		return went;
	/* This one cannot be sent (a filter, no route), but those after it may. */
	lane->lost++;
	return (ssize_t)s->plan.message_bytes;
}

int send_connect(struct send_session *s)
{
	struct transport *t = &s->transport;
	int rc = 0;

	for (unsigned i = 0; i < s->plan.lanes && t->face->connect && !rc; i++)
		rc = t->face->connect(t, i, true);
	return rc;
}

static int reconnect(void *context, uint64_t lanes)
{
	struct send_session *s = context;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		if (lanes >> i & 1)
			s->transport.face->release(&s->transport, (int)i);
	return send_connect(s);
}

static void finish(void *context, unsigned lane)
{
	struct send_session *s = context;

	s->transport.face->finish(&s->transport, lane);
}

static uint64_t unacknowledged(void *context)
{
	struct send_session *s = context;

	return s->transport.face->unacknowledged(&s->transport);
}

static bool refused(void *context)
{
	const struct send_session *s = context;

	return transport_count(&s->transport).refusal == -ECONNREFUSED;
}

struct sender_port send_port(struct send_session *s)
{
	const struct transport_face *face = s->transport.face;

	return (struct sender_port){
		.context = s,
		.send = send_control,
		.push = push,
		.clock = session_clock,
		.reconnect = reconnect,
		.finish = finish,
		.unacknowledged = face->unacknowledged ? unacknowledged : NULL,
		.refused = refused,
		.account = send_account,
		.name = face->name,
	};
}

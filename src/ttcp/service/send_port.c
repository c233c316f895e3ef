// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_port: connects the sender's machine to the transport. */
#include "send_session.h"

#include <errno.h>

static int take_packets(void *context, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct send_session *s = context;

	(void)by_group;
	return answers_take_packets(s->sender, packet, count);
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
	struct sender_lane *lane = sender_lane(s->sender, index);

	s->answers[index].carried = 0;
	lane->asked = lane->closed = false;
	return 0;
}

static int take_bytes(void *context, struct channel *channel, uint8_t *data, size_t length,
		      np_time at)
{
	struct send_session *s = context;

	return answers_take(&s->answers[index_of(s, channel)], s->sender, &channel->peer, data,
			    length, at);
}

static bool close_lane(void *context, struct channel *channel)
{
	struct send_session *s = context;

	sender_lane(s->sender, index_of(s, channel))->closed = true;
	return true;
}

int send_resolve(struct send_session *s)
{
	struct transport *t = &s->transport;
	const struct options *o = send_options(s);

	t->face = transport_face_of(o->place.transport);
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
		sender_lane(s->sender, i)->batch = t->lane[i]->batch;
	return status;
}

static int tell_datagram(struct transport *t, unsigned lane, const struct np_address *to,
			 const void *message, size_t bytes)
{
	ssize_t went = t->face->send(t, t->lane[lane], to, message, bytes, false);

	/* It is repeated later. */
	return went >= 0 || went == -EAGAIN || went == -ENOBUFS ? 0 : (int)went;
}

int send_bare(struct send_session *s, const void *data, size_t bytes)
{
	return tell_datagram(&s->transport, 0, NULL, data, bytes);
}

/* A request to stop does not cut a message short; a second one does. */
static int tell_stream(struct send_session *s, unsigned lane, const char *message, size_t bytes)
{
	struct transport *t = &s->transport;
	np_time now = np_clock_now();
	size_t done = 0;

	sender_moved(s->sender, now);
	do {
		ssize_t went =
			t->face->send(t, t->lane[lane], NULL, message + done, bytes - done, false);

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

static int tell(void *context, unsigned lane, const struct np_address *to, const void *message,
		size_t bytes)
{
	struct send_session *s = context;

	return s->transport.face->datagrams ? tell_datagram(&s->transport, lane, to, message, bytes)
					    : tell_stream(s, lane, message, bytes);
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

static np_time read_clock(void *context)
{
	(void)context;
	return np_clock_now();
}

static int connect_again(void *context)
{
	struct send_session *s = context;
	struct transport *t = &s->transport;
	int rc = 0;

	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		rc = t->face->connect(t, i, true);
	return rc;
}

static void give_up(void *context, unsigned lane)
{
	struct send_session *s = context;

	s->transport.face->release(&s->transport, (int)lane);
}

static void finish(void *context, unsigned lane)
{
	struct send_session *s = context;

	s->transport.face->finish(&s->transport, lane);
}

static uint64_t unacknowledged(void *context)
{
	struct send_session *s = context;
	const struct transport_face *face = s->transport.face;

	return face->unacknowledged ? face->unacknowledged(&s->transport) : 0;
}

static bool refused(void *context)
{
	const struct send_session *s = context;
	struct transport_counts counts;

	s->transport.face->counts(&s->transport, &counts);
	return counts.refusal == -ECONNREFUSED;
}

static void account(void *context, struct message_end *end)
{
	const struct send_session *s = context;
	const struct np_usage usage = np_usage_since(&s->progress.usage);

	end->cpu = (struct message_cpu){true, usage.user, usage.system};
	send_drops_account(context, end);
}

static char *name(void *context, const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	const struct send_session *s = context;
	const struct transport_face *face = s->transport.face;

	return face->name ? face->name(address, out) : peer_name(address, out);
}

struct sender_port send_port(struct send_session *s)
{
	return (struct sender_port){
		.context = s,
		.tell = tell,
		.push = push,
		.clock = read_clock,
		.connect = connect_again,
		.give_up = give_up,
		.finish = finish,
		.unacknowledged = unacknowledged,
		.refused = refused,
		.account = account,
		.name = name,
	};
}

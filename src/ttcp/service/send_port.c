// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_port: the sender's machine speaks by the transport. */
#include "send_session.h"

#include <errno.h>

static int tell(void *context, unsigned lane, const struct np_address *to, const void *message,
		size_t bytes)
{
	struct transport *t = context;

	return t->face->send(t, sender_lane(t->sender, lane), to, message, bytes);
}

static np_time read_clock(void *context)
{
	(void)context;
	return np_clock_now();
}

static int connect_again(void *context)
{
	struct transport *t = context;

	return t->face->connect(t);
}

static void give_up(void *context, unsigned lane)
{
	struct transport *t = context;

	t->face->release(t, (int)lane);
}

static void finish(void *context, unsigned lane)
{
	struct transport *t = context;

	t->face->finish(t, lane);
}

static uint64_t unacknowledged(void *context)
{
	struct transport *t = context;

	return t->face->unacknowledged ? t->face->unacknowledged(t) : 0;
}

static bool refused(void *context)
{
	const struct transport *t = context;
	struct transport_counts counts;

	t->face->counts(t, &counts);
	return counts.refusal == -ECONNREFUSED;
}

struct sender_port send_port(struct send_session *s, bool tcp)
{
	s->transport.face = tcp ? &transport_sender_tcp : &transport_sender_udp;
	return (struct sender_port){
		.context = &s->transport,
		.tell = tell,
		.push = s->transport.face->push,
		.clock = read_clock,
		.connect = connect_again,
		.give_up = give_up,
		.finish = finish,
		.unacknowledged = unacknowledged,
		.refused = refused,
	};
}

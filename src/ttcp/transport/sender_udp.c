// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_udp: a socket a stream, to one receiver or to a group; open for all runs. */
#include "../conversation/sender_state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RECEIVE_BYTES	 ((size_t)4 << 20)
#define PACKETS		 64
#define NO_ROOM_PAUSE_US 100

static int open_lane(struct sender *s, struct lane *lane, const struct np_address *local)
{
	const struct options *o = sender_options(s);
	const struct np_datagram_options how = {
		.variant = np_datagram_variants[o->socket.batch],
		.local = local,
		.packet_bytes = s->message_bytes,
		.longest_bytes = MESSAGE_CONTROL_MAX,
		.batch = s->batch_messages,
		/* A batch is answered at once. */
		.receive_bytes = s->acks ? RECEIVE_BYTES : o->socket.buffer_bytes,
		.send_bytes = o->socket.buffer_bytes,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
	};
	int rc = np_datagram_open(&lane->datagram, &how);

	if (!rc)
		lane->batch = np_datagram_slot(lane->datagram, 0);
	return rc;
}

static int open_udp(struct sender *s)
{
	const struct options *o = sender_options(s);
	struct np_address local;
	int status = session_resolve(s->session, o->place.bind, 0, s->to.any.sa_family, &local);

	for (unsigned i = 0; i < s->lanes && !status; i++) {
		int rc = open_lane(s, &s->lane[i], &local);

		if (rc) {
			session_blame(s->session, o->place.bind ? o->place.bind : "socket", rc);
			status = 2;
		}
	}
	if (!status)
		np_log_detail(s->session->log, "sends by %s, up to %u messages a call",
			      np_datagram_info(s->lane[0].datagram)->variant, s->batch_messages);
	return status;
}

static int connect_udp(struct sender *s)
{
	(void)s;
	return 0;
}

static int tell_udp(struct sender *s, struct lane *lane, const struct np_address *to,
		    const void *message, size_t bytes)
{
	int rc = np_datagram_send_one(lane->datagram, to ? to : &s->to, message, bytes);

	/* Told again later. */
	return rc == -EAGAIN || rc == -ENOBUFS ? 0 : rc;
}

static ssize_t push_udp(struct sender *s, struct lane *lane)
{
	unsigned first = (unsigned)(lane->gone / s->message_bytes);
	unsigned count = (unsigned)(lane->filled / s->message_bytes) - first;
	int sent = np_datagram_send(lane->datagram, &s->to, first, count, s->message_bytes, false);

	if (sent < 0) {
		/* This one cannot go (a filter, no route); those behind it may. */
		lane->lost++;
		sent = 1;
	} else if (!sent) {
		/* An interface's queue that is full says nothing when it has room again. */
		if (lane->full)
			usleep(NO_ROOM_PAUSE_US);
		lane->full = true;
		return -EAGAIN;
	}
	lane->full = false;
	return (ssize_t)((size_t)sent * s->message_bytes);
}

static int hear_udp(struct sender *s, struct lane *lane)
{
	struct np_packet packets[PACKETS];
	int count = np_datagram_receive(lane->datagram, packets, PACKETS);

	for (int i = 0; i < count; i++)
		sender_take(s, packets[i].data, packets[i].length, packets[i].source,
			    packets[i].stamp);
	return count < 0 ? 0 : count;
}

static int patience_udp(struct lane *lane, np_time limit)
{
	return np_datagram_set_receive_timeout(lane->datagram, limit);
}

static void finish_udp(struct lane *lane)
{
	(void)lane;
}

static void give_up_udp(struct lane *lane)
{
	(void)lane;
}

static void disconnect_udp(struct sender *s)
{
	(void)s;
}

const struct sender_transport sender_udp = {
	.repeats = true,
	.open = open_udp,
	.connect = connect_udp,
	.give_up = give_up_udp,
	.reach = connect_udp,
	.tell = tell_udp,
	.push = push_udp,
	.hear = hear_udp,
	.patience = patience_udp,
	.finish = finish_udp,
	.disconnect = disconnect_udp,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_udp: a socket a stream, to one receiver or to a group; open for all runs. */
#include "../service/send_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define RECEIVE_BYTES	 ((size_t)4 << 20)
#define PACKETS		 64
#define NO_ROOM_PAUSE_US 100

static int open_lane(struct send_session *s, struct send_lane *lane, const struct np_address *local)
{
	const struct options *o = send_options(s);
	const struct np_datagram_options how = {
		.variant = np_datagram_variants[o->socket.batch],
		.local = local,
		.packet_bytes = s->plan.message_bytes,
		.longest_bytes = MESSAGE_CONTROL_MAX,
		.batch = s->plan.batch,
		/* A batch is answered at once. */
		.receive_bytes = s->plan.acks ? RECEIVE_BYTES : o->socket.buffer_bytes,
		.send_bytes = o->socket.buffer_bytes,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
	};
	int rc = np_datagram_open(&lane->datagram, &how);

	if (rc)
		return rc;
	lane->of->batch = np_datagram_slot(lane->datagram, 0);
	if (lane == s->lane)
		(void)np_datagram_fits(how.packet_bytes, np_datagram_mtu(&how, &s->to), &s->to,
				       s->session->log);
	return rc;
}

static int open_udp(struct send_session *s)
{
	const struct options *o = send_options(s);
	struct np_address local;
	int status = session_resolve(s->session, o->place.bind, 0, s->to.any.sa_family, &local);

	for (unsigned i = 0; i < s->plan.lanes && !status; i++) {
		int rc = open_lane(s, &s->lane[i], &local);

		if (rc) {
			session_blame(s->session, o->place.bind ? o->place.bind : "socket", rc);
			status = 2;
		}
	}
	if (!status)
		np_log_detail(s->session->log, "sends by %s, up to %u messages a call",
			      np_datagram_info(s->lane[0].datagram)->variant, s->plan.batch);
	return status;
}

static int reach_udp(struct send_session *s)
{
	(void)s;
	return 0;
}

static int connect_udp(void *context)
{
	(void)context;
	return 0;
}

static int tell_udp(void *context, unsigned lane, const struct np_address *to, const void *message,
		    size_t bytes)
{
	struct send_session *s = context;
	int rc = np_datagram_send_one(s->lane[lane].datagram, to ? to : &s->to, message, bytes);

	/* Told again later. */
	return rc == -EAGAIN || rc == -ENOBUFS ? 0 : rc;
}

/* How many messages go, or are lost; 0: there is no room. */
static int send_batch(struct send_session *s, struct sender_lane *lane)
{
	const size_t bytes = s->plan.message_bytes;
	struct send_lane *way = &s->lane[lane->index];
	unsigned first = (unsigned)(lane->gone / bytes);
	unsigned count = (unsigned)(lane->filled / bytes) - first;
	int sent = np_datagram_send(way->datagram, &s->to, first, count, bytes, false);

	if (sent < 0) {
		/* This one cannot go (a filter, no route); those behind it may. */
		lane->lost++;
		sent = 1;
	}
	/* An interface's queue that is full says nothing when it has room again. */
	if (!sent && way->full)
		usleep(NO_ROOM_PAUSE_US);
	way->full = !sent;
	return sent;
}

static ssize_t push_udp(void *context, struct sender_lane *lane, np_time *now)
{
	struct send_session *s = context;
	int sent = send_batch(s, lane);

	*now = np_clock_now();
	return sent ? (ssize_t)((size_t)sent * s->plan.message_bytes) : -EAGAIN;
}

static int hear_udp(struct send_session *s, struct send_lane *lane)
{
	struct np_packet packets[PACKETS];
	int count = np_datagram_receive(lane->datagram, packets, PACKETS);

	for (int i = 0; i < count; i++)
		(void)sender_take(s->sender, packets[i].data, packets[i].length, packets[i].source,
				  packets[i].stamp);
	return count < 0 ? 0 : count;
}

static int patience_udp(struct send_lane *lane, np_time limit)
{
	return np_datagram_set_receive_timeout(lane->datagram, limit);
}

static bool refused_udp(void *context)
{
	const struct send_session *s = context;
	struct np_datagram_stats stats;

	(void)np_datagram_stats(s->lane[0].datagram, &stats);
	return stats.icmp_errors && stats.last_error == -ECONNREFUSED;
}

static void disconnect_udp(struct send_session *s)
{
	(void)s;
}

const struct send_transport send_udp = {
	.repeats = true,
	.open = open_udp,
	.connect = connect_udp,
	.reach = reach_udp,
	.tell = tell_udp,
	.push = push_udp,
	.hear = hear_udp,
	.patience = patience_udp,
	.refused = refused_udp,
	.disconnect = disconnect_udp,
};

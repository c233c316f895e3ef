// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_udp: a socket a stream, to one receiver or to a group; open for all runs. */
#include "../report/record.h"
#include "lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECEIVE_BYTES	 ((size_t)4 << 20)
#define PACKETS		 64
#define NO_ROOM_PAUSE_US 100

static int open_lane(struct transport *t, struct lane *lane, const struct np_address *local)
{
	const struct options *o = transport_options(t);
	const struct np_datagram_options how = {
		.variant = np_datagram_variants[o->socket.batch],
		.local = local,
		.packet_bytes = t->plan->message_bytes,
		.longest_bytes = MESSAGE_CONTROL_MAX,
		.batch = t->plan->batch,
		/* A batch is answered at once. */
		.receive_bytes = t->plan->acks ? RECEIVE_BYTES : o->socket.buffer_bytes,
		.send_bytes = o->socket.buffer_bytes,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
	};
	int rc = np_datagram_open(&lane->datagram, &how);

	if (rc)
		return rc;
	lane->of->batch = np_datagram_slot(lane->datagram, 0);
	if (!lane->of->index)
		(void)np_datagram_fits(how.packet_bytes, np_datagram_mtu(&how, t->to), t->to,
				       t->session->log);
	return rc;
}

static int open_udp(struct transport *t)
{
	const struct options *o = transport_options(t);
	struct np_address local;
	struct lanes *lanes = lanes_create(t);
	int status =
		lanes ? session_resolve(t->session, o->place.bind, 0, t->to->any.sa_family, &local)
		      : 2;

	for (unsigned i = 0; !status && i < lanes->count; i++) {
		int rc = open_lane(t, &lanes->lane[i], &local);

		if (rc) {
			session_blame(t->session, o->place.bind ? o->place.bind : "socket", rc);
			status = 2;
		}
	}
	if (!status)
		np_log_detail(t->session->log, "sends by %s, up to %u messages a call",
			      np_datagram_info(lanes->lane[0].datagram)->variant, t->plan->batch);
	return status;
}

static int send_udp(struct transport *t, void *way, const struct np_address *to,
		    const void *message, size_t bytes)
{
	const struct sender_lane *lane = way;
	int rc = np_datagram_send_one(lanes_of(t)->lane[lane->index].datagram, to ? to : t->to,
				      message, bytes);

	/* Told again later. */
	return rc == -EAGAIN || rc == -ENOBUFS ? 0 : rc;
}

/* How many messages go, or are lost; 0: there is no room. */
static int send_batch(struct transport *t, struct sender_lane *lane)
{
	const size_t bytes = t->plan->message_bytes;
	struct lane *way = &lanes_of(t)->lane[lane->index];
	unsigned first = (unsigned)(lane->gone / bytes);
	unsigned count = (unsigned)(lane->filled / bytes) - first;
	int sent = np_datagram_send(way->datagram, t->to, first, count, bytes, false);

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
	struct transport *t = context;
	int sent = send_batch(t, lane);

	*now = np_clock_now();
	return sent ? (ssize_t)((size_t)sent * t->plan->message_bytes) : -EAGAIN;
}

static int receive_lane(struct transport *t, struct lane *lane)
{
	struct np_packet packets[PACKETS];
	int count = np_datagram_receive(lane->datagram, packets, PACKETS);

	for (int i = 0; i < count; i++)
		(void)sender_take(t->sender, packets[i].data, packets[i].length, packets[i].source,
				  packets[i].stamp);
	return count < 0 ? 0 : count;
}

static int receive_udp(struct transport *t)
{
	struct lanes *lanes = lanes_of(t);
	int count = 0;

	for (unsigned i = 0; i < lanes->count; i++)
		count += receive_lane(t, &lanes->lane[i]);
	return count;
}

static int patience_udp(struct transport *t, np_time limit)
{
	return np_datagram_set_receive_timeout(lanes_of(t)->lane[0].datagram, limit);
}

static void count_udp(const struct transport *t, struct transport_counts *counts)
{
	const struct lanes *lanes = lanes_of(t);
	struct np_datagram_stats stats;

	*counts = (struct transport_counts){.drop_unit = NULL};
	for (unsigned i = 0; i < lanes->count; i++) {
		if (np_datagram_stats(lanes->lane[i].datagram, &stats))
			continue;
		counts->send_errors += stats.send_errors + stats.icmp_errors;
		counts->retried += stats.send_refused;
		if (i == 0 && stats.icmp_errors)
			counts->refusal = stats.last_error;
	}
}

static const struct np_address *local_udp(const struct transport *t, const void *way)
{
	(void)t;
	(void)way;
	return NULL;
}

static void describe_udp(const struct transport *t, struct np_record *start)
{
	const struct lanes *lanes = lanes_of(t);

	for (unsigned i = 0; i < lanes->count; i++)
		record_start_datagram(start, np_datagram_info(lanes->lane[i].datagram), NULL);
}

static void close_udp(struct transport *t)
{
	struct lanes *lanes = lanes_of(t);

	for (unsigned i = 0; lanes && i < lanes->count; i++)
		np_datagram_free(lanes->lane[i].datagram);
	free(lanes);
}

const struct transport_face transport_sender_udp = {
	.datagrams = true,
	.open = open_udp,
	.receive = receive_udp,
	.wait = lanes_wait,
	.patience = patience_udp,
	.send = send_udp,
	.push = push_udp,
	.counts = count_udp,
	.local = local_udp,
	.describe = describe_udp,
	.close = close_udp,
};

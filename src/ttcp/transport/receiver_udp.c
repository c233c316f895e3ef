// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_udp: datagrams of one sender, or of a group that is joined. */
#include "../report/record.h"
#include "transport.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>

#define ROOM	      1024
#define BATCH	      128
#define RECEIVE_BYTES ((size_t)4 << 20)

struct udp_sockets {
	struct np_datagram *port; /* on the port that senders know */
	/* A group's member answers from a port of its own, so that two on one host are two. */
	struct np_datagram *own;
	bool patient;
	uint8_t *pattern;	/* the fill that is right, NP_DATAGRAM_BYTES_MAX bytes */
	struct message message; /* room for what comes */
	struct np_packet packet[ROOM];
};

static const struct udp_sockets *sockets_of(const struct transport *r)
{
	return r->sockets;
}

static int complain(struct transport *r, const struct np_address *at, int rc)
{
	char text[NP_ADDRESS_TEXT];

	session_blame(r->session, np_address_format(at, text), rc);
	return 2;
}

static int open_socket(struct transport *r, struct np_datagram **datagram,
		       const struct np_address *local, const struct np_address *group)
{
	const struct options *o = transport_options(r);
	size_t wanted = o->socket.buffer_bytes;
	const struct np_datagram_options how = {
		.variant = np_datagram_variants[o->socket.batch],
		.local = local,
		.packet_bytes = MESSAGE_CONTROL_MAX,
		.longest_bytes = NP_DATAGRAM_BYTES_MAX,
		.batch = BATCH,
		.receive_bytes = wanted ? wanted : RECEIVE_BYTES,
		.send_bytes = wanted,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
		.group = group,
		.reuse = group,
	};
	int rc = np_datagram_open(datagram, &how);

	if (rc)
		return complain(r, group ? group : local, rc);
	if (np_datagram_info(*datagram)->receive_granted < wanted)
		np_log_warning(r->session->log, "--sockbuf",
			       "the kernel grants only %zu bytes: raise net.core.rmem_max",
			       np_datagram_info(*datagram)->receive_granted);
	return 0;
}

static int open_group(struct transport *r, struct udp_sockets *u)
{
	const struct place_options *place = &transport_options(r)->place;
	struct np_address group, local;
	int status = session_resolve_group(r->session, &group);

	if (!status)
		status = session_resolve(r->session, place->bind, place->port, group.any.sa_family,
					 &local);
	if (!status)
		status = open_socket(r, &u->port, &local, &group);
	np_address_set_port(&local, 0);
	return status ? status : open_socket(r, &u->own, &local, NULL);
}

static int open_udp(struct transport *r)
{
	const struct place_options *place = &transport_options(r)->place;
	struct udp_sockets *u = calloc(1, sizeof(*u));
	struct np_address local;
	int status;

	r->sockets = u;
	if (u)
		u->pattern = malloc(NP_DATAGRAM_BYTES_MAX);
	if (!u || !u->pattern) {
		np_log_error(r->session->log, NULL, "out of memory");
		return 2;
	}
	message_fill(u->pattern, NP_DATAGRAM_BYTES_MAX);
	if (place->transport == TRANSPORT_MULTICAST)
		return open_group(r, u);
	status = session_resolve(r->session, place->bind, place->port, AF_UNSPEC, &local);
	if (!status)
		status = open_socket(r, &u->port, &local, NULL);
	if (!status)
		np_log_detail(r->session->log, "receives by %s, stamps by %s",
			      np_datagram_info(u->port)->variant,
			      np_datagram_info(u->port)->stamps);
	return status;
}

/* DATA of one buffer that differ by their numbers alone, one behind the other. */
struct data_run {
	struct message first;
	struct receiver_source source;
	np_time at;
	unsigned count;
};

static bool continues(const struct data_run *run, const struct np_packet *packet,
		      const struct message *m)
{
	const struct message *first = &run->first;

	return run->count && m->number == first->number + run->count && m->time == first->time &&
	       m->session == first->session && m->run == first->run && m->stream == first->stream &&
	       m->size == first->size && m->flags == first->flags &&
	       !(m->flags & MESSAGE_ACK_WANTED) && packet->source == run->source.address &&
	       packet->stamp == run->at;
}

static void end_run(struct transport *r, struct data_run *run)
{
	if (run->count)
		receiver_take_data(r->receiver, &run->source, &run->first, run->count, run->at);
	run->count = 0;
}

/* Takes one packet, or adds it to the run, which is taken before anything else is. */
static void take_packet(struct transport *r, struct data_run *run, const struct np_packet *packet,
			bool by_group)
{
	const struct receiver_source source = {
		.address = packet->source,
		.by_group = by_group,
		.bytes = packet->length,
	};
	struct udp_sockets *u = r->sockets;
	struct message *m = &u->message;
	int rc = message_decode(packet->data, packet->length, m);
	bool data = !rc && m->type == MESSAGE_DATA;
	bool intact = data && message_fill_good(packet->data, packet->length, u->pattern);

	if (intact && continues(run, packet, m)) {
		run->count++;
		return;
	}
	end_run(r, run);
	if (rc)
		receiver_take_unknown(r->receiver, &source, packet->length, rc, packet->stamp);
	else if (!data)
		receiver_take(r->receiver, &source, m, packet->stamp);
	else if (!intact)
		receiver_take_damaged(r->receiver, &source, m, packet->stamp);
	else
		*run = (struct data_run){*m, source, packet->stamp, 1};
}

static int take_packets(struct transport *r, struct np_datagram *from, bool by_group)
{
	struct udp_sockets *u = r->sockets;
	struct data_run run = {.count = 0};
	int count = np_datagram_receive(from, u->packet, ROOM);

	for (int i = 0; i < count; i++)
		take_packet(r, &run, &u->packet[i], by_group);
	end_run(r, &run);
	/* An error of one receive is most likely a sender's refusal of what we answered. */
	return count < 0 ? 0 : count;
}

/* Until a packet comes on either socket, or a signal. */
static int wait_for_group(struct transport *r, np_time deadline)
{
	struct udp_sockets *u = r->sockets;
	struct pollfd fds[] = {
		{.fd = np_datagram_fd(u->port), .events = POLLIN},
		{.fd = np_datagram_fd(u->own), .events = POLLIN},
		{.fd = np_signals_fd(r->session->signals), .events = POLLIN},
	};
	struct np_datagram_stats stats;
	int ready;

	if (np_clock_now() >= deadline)
		return 0;
	ready = np_wait_ready(fds, 3, deadline);
	if (ready < 0)
		return ready;
	/* An ICMP error would end every wait until it is taken. */
	if (fds[1].revents & POLLERR)
		(void)np_datagram_stats(u->own, &stats);
	return ((fds[0].revents | fds[1].revents) & POLLIN) != 0;
}

static void choose_patience(struct transport *r)
{
	struct udp_sockets *u = r->sockets;
	bool wanted = !u->own && receiver_in_ping_pong(r->receiver);

	if (u->patient != wanted &&
	    !np_datagram_set_receive_timeout(u->port, wanted ? TRANSPORT_LOOK : 0))
		u->patient = wanted;
}

static int receive_udp(struct transport *r)
{
	struct udp_sockets *u = r->sockets;
	int count;

	choose_patience(r);
	count = take_packets(r, u->port, u->own);
	return count + (u->own ? take_packets(r, u->own, false) : 0);
}

static int wait_udp(struct transport *r, np_time deadline, bool writable)
{
	struct udp_sockets *u = r->sockets;

	(void)writable;
	if (u->own)
		return wait_for_group(r, deadline);
	return np_datagram_wait(u->port, np_signals_fd(r->session->signals), deadline);
}

static int send_udp(struct transport *r, void *way, const struct np_address *to,
		    const void *message, size_t bytes)
{
	const struct udp_sockets *u = sockets_of(r);

	(void)way;
	return np_datagram_send_one(u->own ? u->own : u->port, to, message, bytes);
}

static void count_udp(const struct transport *r, struct transport_counts *counts)
{
	const struct udp_sockets *u = sockets_of(r);
	struct np_datagram_stats stats;

	*counts = (struct transport_counts){
		.drop_unit = np_datagram_info(u->port)->drop_unit,
		.dropped_known = !np_datagram_stats(u->port, &stats),
	};
	if (counts->dropped_known)
		counts->dropped = stats.dropped;
}

/* Beyond a group's port nobody knows by which card messages come. */
static const struct np_address *local_udp(const struct transport *r, const void *way)
{
	(void)way;
	return sockets_of(r)->own ? NULL : &np_datagram_info(sockets_of(r)->port)->local;
}

static void describe_udp(const struct transport *r, struct np_record *start)
{
	record_start_datagram(start, np_datagram_info(sockets_of(r)->port),
			      &receiver_run(r->receiver)->sender);
}

static void close_udp(struct transport *r)
{
	struct udp_sockets *u = r->sockets;

	if (!u)
		return;
	np_datagram_free(u->port);
	np_datagram_free(u->own);
	free(u->pattern);
	free(u);
	r->sockets = NULL;
}

const struct transport_face transport_receiver_udp = {
	.datagrams = true,
	.open = open_udp,
	.receive = receive_udp,
	.wait = wait_udp,
	.send = send_udp,
	.counts = count_udp,
	.local = local_udp,
	.describe = describe_udp,
	.close = close_udp,
};

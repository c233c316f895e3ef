/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* datagram_variant: what a variant of datagram provides, and what the face keeps for each of them.
 */
#ifndef DATAGRAM_VARIANT_H
#define DATAGRAM_VARIANT_H

#include "datagram_inbox.h"

#include <netperf/datagram.h>

#define DATAGRAM_REFUSED_KEPT 16

/* Packets to one destination, behind each other at a distance of packet_bytes. */
struct datagram_burst {
	const struct sockaddr *to; /* NULL: the socket is connected */
	socklen_t to_length;
	uint8_t *data;
	size_t bytes; /* of each */
	unsigned count;
	int flags; /* of sendmsg(2) */
};

/* What sendmmsg is told, a message a packet; sendmsg of one buffer takes the vectors alone. */
struct datagram_outbox {
	struct mmsghdr *messages;
	struct iovec *vectors;
};

struct datagram_variant {
	const char *name;
	bool socketless;
	/* Between the making of the socket and its binding. What it allocates the face frees. */
	int (*open)(struct np_datagram *datagram, const struct np_datagram_options *options);
	/* Tries once: packets sent, 1..count, or -errno of the first. */
	int (*send)(struct np_datagram *datagram, const struct datagram_burst *burst);
	/* As np_datagram_receive, in one turn: -EAGAIN when there are none. */
	int (*receive)(struct np_datagram *datagram, struct np_packet *packets, unsigned room);
};

struct np_datagram {
	const struct datagram_variant *variant;
	struct np_datagram_info info;
	struct np_datagram_stats stats;
	size_t packet_bytes;
	size_t longest_bytes;
	unsigned batch;
	int fd;
	bool connected;	   /* to the only peer */
	bool loopback;	   /* see np_datagram_options */
	unsigned tried;	   /* packets in the latest try to send */
	int receive_flags; /* MSG_DONTWAIT; none while a receive timeout is set */
	uint8_t *slots;
	struct datagram_outbox outbox;
	struct datagram_inbox inbox;
	struct stamps stamps;
	unsigned segments_max; /* of one UDP_SEGMENT send */
	struct np_address refused[DATAGRAM_REFUSED_KEPT];
	unsigned refused_first, refused_count;
	uint32_t drops_seen; /* the kernel's counter wraps */
};

extern const struct datagram_variant datagram_gso_variant;
extern const struct datagram_variant datagram_mmsg_variant;
extern const struct datagram_variant datagram_plain_variant;
extern const struct datagram_variant datagram_null_variant;

/* The socket with all its options, not bound yet; sets datagram->fd. */
int datagram_socket_make(struct np_datagram *datagram, const struct np_datagram_options *options);

/* Binds it, connects it to the peer if there is one, and fills in info.local. */
int datagram_socket_bind(struct np_datagram *datagram, const struct np_datagram_options *options);

/* Has the kernel stamp what arrives. */
int datagram_socket_stamp(struct np_datagram *datagram);

/* Takes the ICMP errors from the error queue and counts them; returns how many there were. */
unsigned datagram_errors_drain(struct np_datagram *datagram);

/* Brings stats.dropped up to date; 0 or -errno. */
int datagram_drops_count(struct np_datagram *datagram);

int datagram_outbox_open(struct np_datagram *datagram);

/* Sends a burst with a message a packet: the mmsg variant's way, and what gso falls back to. */
int datagram_mmsg_send(struct np_datagram *datagram, const struct datagram_burst *burst);

/* An inbox with a packet a buffer, as many as a batch or 4 MiB hold. */
int datagram_mmsg_inbox(struct np_datagram *datagram);

/* Hands over the inbox's @count buffers, each of one packet. */
void datagram_mmsg_hand_over(struct np_datagram *datagram, struct np_packet *packets,
			     unsigned count);

#endif

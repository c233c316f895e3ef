/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * datagram_variant: what a variant of datagram provides, and the state that datagram.c keeps for
 * it.
 */
#pragma once

#include "socket.h"

#include <netperf/datagram.h>

#define DATAGRAM_REFUSED_KEPT 16

/* Packets to one destination, packet_bytes apart in memory. */
struct datagram_burst {
	const struct sockaddr *to; /* NULL: the socket is connected */
	socklen_t to_length;
	uint8_t *data;
	size_t bytes; /* of each */
	unsigned count;
	int flags; /* of sendmsg(2) */
};

/* Buffers, source addresses and control data that the kernel receives into. */
#define DATAGRAM_INBOX_BYTES ((size_t)4 << 20)

union datagram_control {
	struct cmsghdr header; /* aligns the buffer */
	/* The stamp, then the segment, TOS, TTL and fragment. */
	uint8_t room[CMSG_SPACE(sizeof(struct timespec)) + 4 * CMSG_SPACE(sizeof(int))];
};

struct datagram_inbox {
	struct socket_messages in;
	struct np_address *sources;
	union datagram_control *controls;
	uint8_t *memory;
	unsigned count; /* number of buffers */
	/*
	 * Buffers 0..filled-1 are filled; all before next, and offset bytes of it, were returned to
	 * the caller.
	 */
	unsigned filled;
	unsigned next;
	size_t offset;
	size_t latest; /* bytes in the last one filled */
};

struct datagram_variant {
	const char *name;
	bool socketless;
	/*
	 * Called after the socket and @out were made and before it is bound. datagram.c frees what
	 * it allocates. Like receive, not of a socketless one.
	 */
	int (*open)(struct np_datagram *datagram);
	/* Tries to send once; returns the packets sent, 1..count, or -errno of the first. */
	int (*send)(struct np_datagram *datagram, const struct datagram_burst *burst);
	/* Like np_datagram_receive, with one system call: -EAGAIN when nothing has arrived. */
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
	bool connected;	       /* to the only peer */
	bool loopback;	       /* see np_datagram_options */
	bool apart;	       /* see np_datagram_set_apart */
	bool single;	       /* likewise */
	unsigned tried;	       /* packets in the latest attempt to send */
	np_time receive_limit; /* the receive timeout; 0: none */
	int receive_flags;     /* MSG_DONTWAIT; none while there is one */
	uint8_t *slots;
	struct socket_messages out; /* one a packet; sendmsg of a buffer uses the pieces only */
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

/*
 * Adds the counters on the "Udp:" lines of /proc/net/snmp: a line of names, then a line of values.
 * A missing counter adds nothing. Modifies @text. Returns 0, or -ENODATA without such lines.
 */
int datagram_kernel_add_snmp(char *text, struct np_datagram_kernel *counts);

/* The same for the "Udp6NAME VALUE" lines of /proc/net/snmp6. */
int datagram_kernel_add_snmp6(char *text, struct np_datagram_kernel *counts);

/*
 * Adds up the second column of all lines of /proc/net/softnet_stat, one for each processor: 32-bit
 * hexadecimal numbers separated by blanks. Returns 0, or -ENODATA when there is no line or one
 * without that column; then @dropped is unchanged.
 */
int path_softnet_parse(const char *text, uint64_t *dropped);

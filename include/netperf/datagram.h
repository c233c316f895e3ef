/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * datagram: UDP in batches. Variants behind one interface: "gso" (UDP_SEGMENT out, UDP_GRO in: one
 * system call and one trip through the stack for up to 64 KiB), "mmsg" (sendmmsg, recvmmsg),
 * "plain" (sendto, recvfrom), "null" (sends into nothing, never receives). See udp(7).
 */
#pragma once

#include <netperf/socket.h>

struct np_datagram;

/* Names for --batch, NULL-terminated: "auto", then the variants. */
extern const char *const np_datagram_variants[];

#define NP_DATAGRAM_BYTES_MAX 65507
#define NP_DATAGRAM_BATCH_MAX 1024

struct np_datagram_options {
	const char *variant;		/* NULL or "auto": the fastest that works here */
	const struct np_address *local; /* address to bind to; with port 0 the kernel chooses */
	size_t packet_bytes;		/* of a packet sent, at most */
	size_t longest_bytes;		/* to receive, a longer one is truncated; 0: packet_bytes */
	unsigned batch;			/* most packets in one send, 1..NP_DATAGRAM_BATCH_MAX */
	size_t receive_bytes;		/* SO_RCVBUF to set, forced where permitted; 0: unchanged */
	size_t send_bytes;		/* SO_SNDBUF to set, forced where permitted; 0: unchanged */
	np_time send_timeout;		/* SO_SNDTIMEO, after which a send is refused; 0: never */
	struct np_ip_options ip;
	bool dont_fragment; /* IP_PMTUDISC_DO: a packet longer than the path MTU is -EMSGSIZE */
	/*
	 * Multicast group to join, NULL: none. The socket is then bound to the group and @local's
	 * port and receives nothing else: answers to its owner need another socket. @ip.device, an
	 * IPv6 group's scope, or @local selects the interface by which the group is received and
	 * packets to groups are sent. For other settings see netperf/socket.h.
	 */
	const struct np_address *group;
	/*
	 * The only destination of packets, NULL: any. The socket is connected to it, which saves
	 * the kernel a route lookup for each send, and receives from nobody else. Without a route
	 * to it yet, the socket stays unconnected.
	 */
	const struct np_address *peer;
	bool reuse; /* SO_REUSEADDR, for several members of a group on one host */
	/*
	 * SO_REUSEPORT, for several sockets on one address: the kernel gives all that comes from
	 * one address and port to the same one, as long as none is added.
	 */
	bool reuse_port;
	/*
	 * gso: receives each packet by itself, without UDP_GRO, so that the kernel counts each one
	 * that it drops.
	 */
	bool single;
	bool headers; /* packets received have what their IP headers say, see np_packet */
	/*
	 * This host is a member of the group that it sends to. The kernel delivers the copy for
	 * this host before the transmit queue refuses a packet (ENOBUFS), so sending it again would
	 * deliver it twice here: such a packet counts as sent, and in queue_refused; and the send
	 * buffer is made smaller than what the queue held, so that the next packets wait for room
	 * in it.
	 */
	bool loopback;
};

/* How packets are sent: the type of service or traffic class, and hops, 0: unknown. */
struct np_marks {
	bool known;
	uint8_t tos, hops;
};

struct np_datagram_info {
	const char *variant;
	const char *detail;	 /* why it does less than its name says; NULL: it does all */
	const char *stamps;	 /* of receive: "kernel", or "user" (after the receive call) */
	const char *drop_unit;	 /* what the kernel's drop counter counts: "packet" or "buffer" */
	struct np_address local; /* as bound, with the port */
	size_t receive_granted;	 /* usable bytes: half of what SO_RCVBUF reads back */
	size_t send_granted;
	struct np_marks marks; /* the hops of those to groups may be others */
	bool gso;	       /* in use for sending; false once the path refuses it, see detail */
	bool queue_full; /* with loopback: the transmit queue refused packets of the latest send */
};

/* A received packet; its data is in the socket's own memory, valid until the next receive. */
struct np_packet {
	uint8_t *data;
	size_t length; /* at most longest_bytes */
	bool cut;      /* it was longer than that */
	/*
	 * With headers, as they arrived: the type of service or traffic class and the TTL or hop
	 * limit, 0: both are unknown; and the bytes of the largest of several fragments, 0: none.
	 */
	uint8_t tos, hops;
	uint16_t fragment_bytes;
	np_time stamp; /* of arrival; those of successive calls may overlap by a microsecond */
	/* The same pointer for packets of one buffer; its name is "". */
	const struct np_address *source;
};

struct np_datagram_stats {
	uint64_t sent;
	uint64_t send_refused;	/* how often this host accepted no more: EAGAIN, ENOBUFS */
	uint64_t queue_refused; /* with loopback: sent, but refused by the transmit queue */
	uint64_t send_errors;	/* packets not sent otherwise: EPERM from a filter, no route */
	/*
	 * Packets that this host dropped in a send and said so (ENOBUFS of a queue, EPERM of a
	 * filter): they do not count as sent. And how often a batch (mmsg) stopped early, which may
	 * have dropped one more.
	 */
	uint64_t reported_drops, reported_drops_perhaps;
	/*
	 * ICMP errors (IP_RECVERR) for packets counted as sent. Hosts limit their rate
	 * (icmp_ratelimit), and one may stand for a whole buffer.
	 */
	uint64_t icmp_errors;
	int last_error; /* -errno of the latest of both kinds; 0: none */
	uint64_t received;
	/*
	 * Drops because the receive buffer was full (SO_MEMINFO), counted in drop_unit; includes
	 * packets with wrong checksums (np_datagram_kernel.checksum_errors).
	 */
	uint64_t dropped;
	uint64_t send_calls; /* system calls that moved packets */
	uint64_t receive_calls;
};

/*
 * On failure *@datagram is NULL. -EINVAL: options out of range, -EPROTONOSUPPORT: no such variant,
 * or it cannot work here (gso: two packets of packet_bytes do not fit in 64 KiB, or the kernel
 * lacks it), -EADDRINUSE, -EADDRNOTAVAIL, -EACCES, -ENODEV (no such device), -EAFNOSUPPORT ...
 */
int np_datagram_open(struct np_datagram **datagram, const struct np_datagram_options *options);

/*
 * The MTU, in bytes, of the path that packets to @to would take from a socket opened with @how
 * (whose local and device matter), as far as the kernel knows it; 0: unknown, or no route.
 */
unsigned np_datagram_mtu(const struct np_datagram_options *how, const struct np_address *to);

/*
 * Whether packets with @bytes of data go unfragmented at @mtu (0: unknown, assumed to fit), which
 * is that of @address: one of this host, or the destination. If not, warns on @log, which names the
 * address with its port unless that is 0; @whole: they may not be fragmented, and it is an error.
 */
bool np_datagram_fits(size_t bytes, unsigned mtu, const struct np_address *address, bool whole,
		      const struct np_log *log);
void np_datagram_free(struct np_datagram *datagram);

const struct np_datagram_info *np_datagram_info(const struct np_datagram *datagram);

/* For a poll set with other descriptors; -1 with the null variant. */
int np_datagram_fd(const struct np_datagram *datagram);

/*
 * The memory of packet @index to send: packet_bytes for the caller to write. Packets are adjacent,
 * so that a batch is one buffer. Contents are kept from one send to the next.
 */
uint8_t *np_datagram_slot(const struct np_datagram *datagram, unsigned index);

/*
 * gso: whether each packet sent from now on has a buffer of its own, by one call nevertheless, so
 * that a refusal concerns one packet: a shaper may drop a part of a segmented buffer without an
 * error.
 */
void np_datagram_set_apart(struct np_datagram *datagram, bool apart);

/*
 * Sends slots @first..@first+@count-1 to @to (the peer, if one was given), each @bytes long (at
 * most packet_bytes). With @wait it sleeps while the send buffer is full. Returns how many packets
 * were sent: fewer when the kernel accepted no more (send_refused), a signal came, or a later
 * packet failed, which will be the first of the next call; or -errno of the first packet, counted
 * in send_errors. -EINVAL: beyond batch or packet_bytes.
 */
int np_datagram_send(struct np_datagram *datagram, const struct np_address *to, unsigned first,
		     unsigned count, size_t bytes, bool wait);

/*
 * Sends one datagram from the caller's memory, without waiting. Returns 0 or -errno. Counted
 * neither in sent nor in send_errors.
 */
int np_datagram_send_one(struct np_datagram *datagram, const struct np_address *to,
			 const void *data, size_t bytes);

/*
 * Returns up to @room packets that have arrived, without waiting; 0 when there are none, or -errno.
 * A buffer of many packets (gso) is split; packets beyond @room come with the next call. Receive
 * memory is limited to 4 MiB, whatever the batch.
 */
int np_datagram_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room);

/*
 * SO_RCVTIMEO: from now on np_datagram_receive sleeps while nothing has arrived, for up to @limit
 * (whole us) or until a signal, and returns one packet per call: one system call both waits and
 * receives. 0, the default: it never sleeps. What is set already takes no call. Returns 0, -EINVAL
 * (negative), or -errno.
 */
int np_datagram_set_receive_timeout(struct np_datagram *datagram, np_time limit);

/*
 * Sleeps until a packet has arrived, @other_fd (or -1) is readable, @deadline, or a signal. Returns
 * 1 when a packet has arrived, else 0, or -errno. ICMP errors do not end it.
 */
int np_datagram_wait(struct np_datagram *datagram, int other_fd, np_time deadline);

/* Counts since the socket was opened; reads the kernel's drop counter and the error queue. */
int np_datagram_stats(struct np_datagram *datagram, struct np_datagram_stats *stats);

/*
 * Returns an address that answered ECONNREFUSED (nobody listens there): the oldest of the last 16
 * that were not returned yet. False when there is none.
 */
bool np_datagram_refused(struct np_datagram *datagram, struct np_address *to);

struct np_datagram_kernel {
	/* /proc/net/snmp, snmp6: RcvbufErrors, and MemErrors (no memory for any buffer) */
	uint64_t receive_buffer_errors;
	uint64_t send_buffer_errors; /* SndbufErrors */
	uint64_t checksum_errors;    /* InCsumErrors: damaged packets */
	uint64_t received;	     /* InDatagrams: datagrams that programs received */
	uint64_t sent;		     /* OutDatagrams: a segmented send counts as one */
};

/*
 * The UDP counters of the network namespace, IPv4 and IPv6 added up, over all its sockets. Returns
 * 0 or -errno.
 */
int np_datagram_kernel_counts(struct np_datagram_kernel *counts);

/*
 * Frames that this host dropped before its UDP or packet layer, as far as it counts them. These are
 * upper bounds on the part of the loss on the way that happened in this host: the counters do not
 * show whose frames they were, several may count the same frame, and with GSO or GRO a frame holds
 * many datagrams.
 */

/*
 * Counts of frames. The counters wrap at 32 bits and start at any value: only the results of
 * np_path_since are meaningful.
 */
struct np_path_drops {
	uint64_t softnet_dropped; /* the backlog, of all interfaces and namespaces */
	uint64_t rx_dropped;	  /* the interface: no room, or no receiver for this protocol */
	uint64_t rx_missed;	  /* the card had no buffer */
	uint64_t rx_fifo;	  /* the card's own queue overflowed */
	unsigned interfaces;	  /* how many interfaces are added up */
	bool softnet_known, interfaces_known;
};

/*
 * Reads the counters of the interface @device or, when that is NULL, of the interface that has the
 * address @local and of the loopback interface, by which this host reaches itself; of all
 * interfaces when @local is NULL, a wildcard or a group. Counters that cannot be read are marked
 * unknown.
 */
void np_path_read(struct np_path_drops *drops, const char *device, const struct np_address *local);

/* Subtracts @begin, an earlier reading, from @drops. */
void np_path_since(struct np_path_drops *drops, const struct np_path_drops *begin);

/* Adds @more, which covers another time: what is unknown in either is unknown in the sum. */
void np_path_add(struct np_path_drops *sum, const struct np_path_drops *more);

/*
 * Formats "backlog 3, interface 4, missed 0, fifo 0", with "unknown" for unknown counts. Returns
 * @out.
 */
#define NP_PATH_TEXT 128
char *np_path_format(const struct np_path_drops *drops, char out[NP_PATH_TEXT]);

struct np_record;

/*
 * Adds the object "path_bounds" {softnet_dropped, rx_dropped, rx_missed, rx_fifo}, without the
 * unknown counts.
 */
void np_record_path(struct np_record *record, const struct np_path_drops *drops);

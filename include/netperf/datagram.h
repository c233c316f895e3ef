/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * datagram: UDP in batches. Variants behind one face: "gso" (UDP_SEGMENT out, UDP_GRO in: one
 * system call and one trip through the stack for up to 64 KiB), "mmsg" (sendmmsg, recvmmsg),
 * "plain" (sendto, recvfrom), "null" (sends into nothing, never receives). See udp(7).
 *
 * A socket belongs to one thread. Functions return 0 or a count, or -errno.
 */
#ifndef NETPERF_DATAGRAM_H
#define NETPERF_DATAGRAM_H

#include <netperf/address.h>
#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct np_datagram;

/* Names for --batch, NULL-terminated: "auto", then the variants. */
extern const char *const np_datagram_variants[];

#define NP_DATAGRAM_BYTES_MAX 65507
#define NP_DATAGRAM_BATCH_MAX 1024

struct np_datagram_options {
	const char *variant;		/* NULL or "auto": the fastest that works here */
	const struct np_address *local; /* bound to it; a port of 0 is chosen by the kernel */
	size_t packet_bytes;  /* of a packet sent; longest wanted of one received (rest is cut) */
	unsigned batch;	      /* most packets in one call, 1..NP_DATAGRAM_BATCH_MAX */
	size_t receive_bytes; /* SO_RCVBUF asked for, 0: leave; forced where permitted */
	size_t send_bytes;    /* SO_SNDBUF asked for, 0: leave */
	int tos;	      /* -1: leave; DSCP << 2 */
	int ttl;	      /* -1: leave; hops, also of multicast */
	const char *device;   /* SO_BINDTODEVICE, NULL: any */
	const struct np_address *group; /* multicast group to join, NULL: none */
	bool reuse;			/* SO_REUSEADDR: several members of a group on one host */
};

struct np_datagram_info {
	const char *variant;
	const char *stamps;	 /* of received packets: "kernel" or "user" */
	const char *drop_unit;	 /* what the kernel counts when it drops: "packet", or "buffer" */
	struct np_address local; /* as bound, with its port */
	size_t receive_granted;	 /* usable bytes: half of what SO_RCVBUF reads back */
	size_t send_granted;
	bool gso; /* in use for sending, receiving */
	bool gro;
};

/* A received packet; its data is the socket's own memory, good until the next receive. */
struct np_packet {
	uint8_t *data;
	size_t length;			 /* at most packet_bytes */
	bool cut;			 /* it was longer */
	np_time stamp;			 /* arrival, see np_datagram_info.stamps */
	const struct np_address *source; /* same pointer for packets of one buffer; name is "" */
};

struct np_datagram_stats {
	uint64_t sent;
	uint64_t send_refused; /* ENOBUFS, EAGAIN: not sent, by this host */
	uint64_t send_errors;  /* others: ICMP refusals by IP_RECVERR, EPERM of a filter ... */
	int last_error;	       /* -errno of the latest one */
	uint64_t received;
	uint64_t dropped; /* SO_MEMINFO: found the receive buffer full; in drop_unit */
	uint64_t calls;	  /* system calls that moved packets */
};

/* On failure *@datagram is NULL. -EADDRINUSE, -EADDRNOTAVAIL, -ENODEV, -EPROTONOSUPPORT ... */
int np_datagram_open(struct np_datagram **datagram, const struct np_datagram_options *options);

/* NULL is allowed. */
void np_datagram_free(struct np_datagram *datagram);

const struct np_datagram_info *np_datagram_info(const struct np_datagram *datagram);
int np_datagram_fd(const struct np_datagram *datagram);

/*
 * The memory of the @index'th packet to send: packet_bytes that the caller writes. Packets lie
 * behind each other, so that a batch is one buffer. Contents stay from one send to the next.
 */
uint8_t *np_datagram_slot(const struct np_datagram *datagram, unsigned index);

/*
 * Sends slots 0..@count-1 to @to, each @bytes long (at most packet_bytes). With @wait it sleeps
 * while the send buffer is full, else it returns what was taken. Returns how many packets went
 * (short: the kernel took no more, counted in send_refused), or -errno of the first.
 */
int np_datagram_send(struct np_datagram *datagram, const struct np_address *to, unsigned count,
		     size_t bytes, bool wait);

/* Sends one small datagram of the caller's own memory; 0 or -errno. Not counted in sent. */
int np_datagram_send_one(struct np_datagram *datagram, const struct np_address *to,
			 const void *data, size_t bytes);

/*
 * Hands over up to @room packets that have arrived, without waiting. Returns how many, 0 when
 * there are none. A buffer of many packets (gso) is split; what does not fit in @room comes with
 * the next call.
 */
int np_datagram_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room);

/* Sleeps until a packet is there, @other_fd (or -1) is readable, or @deadline. 1: a packet. */
int np_datagram_wait(struct np_datagram *datagram, int other_fd, np_time deadline);

/* Counts since the opening; reads the kernel's drop counter and the error queue. */
int np_datagram_stats(struct np_datagram *datagram, struct np_datagram_stats *stats);

struct np_datagram_kernel {
	uint64_t receive_buffer_errors; /* /proc/net/snmp, snmp6: RcvbufErrors */
	uint64_t send_buffer_errors;	/* SndbufErrors */
	uint64_t checksum_errors;	/* InCsumErrors: damaged on the way */
	uint64_t received;		/* InDatagrams */
	uint64_t sent;			/* OutDatagrams */
};

/* The network namespace's own UDP counters, IPv4 and IPv6 summed; 0 or -errno. */
int np_datagram_kernel_counts(struct np_datagram_kernel *counts);

#pragma GCC visibility pop
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
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
#include <netperf/log.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_datagram;

/* Names for --batch, NULL-terminated: "auto", then the variants. */
extern const char *const np_datagram_variants[];

#define NP_DATAGRAM_BYTES_MAX 65507
#define NP_DATAGRAM_BATCH_MAX 1024

struct np_datagram_options {
	const char *variant;		/* NULL or "auto": the fastest that works here */
	const struct np_address *local; /* bound to it; a port of 0 is chosen by the kernel */
	size_t packet_bytes;		/* of a packet sent, at most */
	size_t longest_bytes; /* wanted of one received, the rest is cut; 0: packet_bytes */
	unsigned batch;	      /* most packets in one send, 1..NP_DATAGRAM_BATCH_MAX */
	size_t receive_bytes; /* SO_RCVBUF asked for, 0: leave; forced where permitted */
	size_t send_bytes;    /* SO_SNDBUF asked for, 0: leave; forced where permitted */
	np_time send_timeout; /* SO_SNDTIMEO: a send that waits this long is refused; 0: never */
	int tos;	      /* -1: leave; DSCP << 2 */
	int ttl;	      /* -1: leave; hops, also of multicast; 0: of multicast alone */
	const char *device;   /* SO_BINDTODEVICE, NULL: any */
	/*
	 * Multicast group to join, NULL: none. The socket is then bound to the group and @local's
	 * port and hears nothing else: answers to its owner go to another socket. By which
	 * interface it comes in, and packets to any group go out, is said by @device, an IPv6
	 * group's scope, or @local. What else there is to set: netperf/multicast.h.
	 */
	const struct np_address *group;
	/*
	 * The only one that packets are sent to, NULL: any. The socket is connected to it, which
	 * saves the kernel looking up the way for each send, and hears nobody else. Where there is
	 * no way to it yet, the socket stays as without.
	 */
	const struct np_address *peer;
	bool reuse; /* SO_REUSEADDR: several members of a group on one host */
	/*
	 * What is sent is multicast that this host hears, too. The kernel delivers the copy here
	 * before the transmit queue refuses a packet (ENOBUFS), so that sending it again would
	 * double it here: it counts as sent, and in queue_refused; and the send buffer is made
	 * smaller than what the queue held, so that the next packets wait for room in it.
	 */
	bool loopback;
};

struct np_datagram_info {
	const char *variant;
	const char *detail; /* why it does less than its name says; NULL: it does not */
	const char *stamps; /* of received packets: "kernel" or "user" (after the receive call) */
	const char *drop_unit;	 /* what the kernel counts when it drops: "packet", or "buffer" */
	struct np_address local; /* as bound, with its port */
	size_t receive_granted;	 /* usable bytes: half of what SO_RCVBUF reads back */
	size_t send_granted;
	bool gso;	 /* in use for sending; ends when the path refuses it, see detail */
	bool queue_full; /* with loopback: the transmit queue refused packets of the latest send */
};

/* A received packet; its data is the socket's own memory, good until the next receive. */
struct np_packet {
	uint8_t *data;
	size_t length; /* at most longest_bytes */
	bool cut;      /* it was longer */
	/* Arrival, see np_datagram_info.stamps; the next call's may begin a microsecond earlier. */
	np_time stamp;
	const struct np_address *source; /* same pointer for packets of one buffer; name is "" */
};

struct np_datagram_stats {
	uint64_t sent;
	uint64_t send_refused;	/* times this host took no more: EAGAIN, ENOBUFS (qdisc, buffers) */
	uint64_t queue_refused; /* of sent, with loopback: by the transmit queue */
	uint64_t send_errors; /* packets not sent for another reason: EPERM of a filter, no route */
	/*
	 * ICMP errors that came back, by IP_RECVERR, for packets counted in sent. The network sends
	 * few of them (icmp_ratelimit), and one may stand for a whole buffer.
	 */
	uint64_t icmp_errors;
	int last_error; /* -errno of the latest of both kinds, 0: none */
	uint64_t received;
	/*
	 * SO_MEMINFO: found the receive buffer full, in drop_unit; damaged ones
	 * (np_datagram_kernel.checksum_errors) are among them.
	 */
	uint64_t dropped;
	uint64_t send_calls; /* system calls that moved packets */
	uint64_t receive_calls;
};

/*
 * On failure *@datagram is NULL. -EINVAL: options out of range, -EPROTONOSUPPORT: no such variant,
 * or it cannot work here (gso: not two packets of packet_bytes fit in 64 KiB, or not this kernel),
 * -EADDRINUSE, -EADDRNOTAVAIL, -EACCES, -ENODEV (no such device), -EAFNOSUPPORT ...
 */
int np_datagram_open(struct np_datagram **datagram, const struct np_datagram_options *options);

/*
 * The MTU, in bytes, of the way that packets to @to would take from a socket that is opened with
 * @how (local and device count), as the kernel knows it; 0: not known, or no way.
 */
unsigned np_datagram_mtu(const struct np_datagram_options *how, const struct np_address *to);

/*
 * Whether packets with @bytes of data go in one piece each where @mtu (0: unknown, they do) is that
 * of @address, one of this host or the destination. If not, warns of it on @log.
 */
bool np_datagram_fits(size_t bytes, unsigned mtu, const struct np_address *address,
		      const struct np_log *log);

/* NULL is allowed. */
void np_datagram_free(struct np_datagram *datagram);

const struct np_datagram_info *np_datagram_info(const struct np_datagram *datagram);

/* To wait on beside others; -1 with the null variant. */
int np_datagram_fd(const struct np_datagram *datagram);

/*
 * The memory of the @index'th packet to send: packet_bytes that the caller writes. Packets lie
 * behind each other, so that a batch is one buffer. Contents stay from one send to the next.
 */
uint8_t *np_datagram_slot(const struct np_datagram *datagram, unsigned index);

/*
 * Sends slots @first..@first+@count-1 to @to (the peer, if one was given), each @bytes long (at
 * most packet_bytes). With @wait it sleeps while the send buffer is full. Returns how many packets
 * went: fewer when the kernel took no more (send_refused), a signal came, or a later one failed,
 * which is then the first of the next call; or -errno of the first, counted in send_errors.
 * -EINVAL: beyond batch, packet_bytes.
 */
int np_datagram_send(struct np_datagram *datagram, const struct np_address *to, unsigned first,
		     unsigned count, size_t bytes, bool wait);

/*
 * Sends one datagram of the caller's own memory, without waiting; 0 or -errno. Not counted in
 * sent or send_errors.
 */
int np_datagram_send_one(struct np_datagram *datagram, const struct np_address *to,
			 const void *data, size_t bytes);

/*
 * Hands over up to @room packets that have arrived, without waiting. Returns how many, 0 when
 * there are none, or -errno. A buffer of many packets (gso) is split; what does not fit in @room
 * comes with the next call. Receive memory is bounded by 4 MiB, whatever the batch.
 */
int np_datagram_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room);

/*
 * SO_RCVTIMEO: from now on np_datagram_receive sleeps while nothing has arrived, up to @limit
 * (whole us) or until a signal, and hands over one packet a call: one system call both waits and
 * receives. 0, as at the start: it never sleeps. 0, -EINVAL (negative), or -errno.
 */
int np_datagram_set_receive_timeout(struct np_datagram *datagram, np_time limit);

/*
 * Sleeps until a packet is there, @other_fd (or -1) is readable, @deadline, or a signal. Returns 1
 * when a packet is there, else 0, or -errno. ICMP errors do not end it.
 */
int np_datagram_wait(struct np_datagram *datagram, int other_fd, np_time deadline);

/* Counts since the opening; reads the kernel's drop counter and the error queue. */
int np_datagram_stats(struct np_datagram *datagram, struct np_datagram_stats *stats);

/*
 * An address that answered "nobody here" (ECONNREFUSED) to what was sent there: the oldest of the
 * last 16 that were not asked for yet. Returns false when there is none.
 */
bool np_datagram_refused(struct np_datagram *datagram, struct np_address *to);

struct np_datagram_kernel {
	/* /proc/net/snmp, snmp6: RcvbufErrors, and MemErrors: no memory for any buffer */
	uint64_t receive_buffer_errors;
	uint64_t send_buffer_errors; /* SndbufErrors */
	uint64_t checksum_errors;    /* InCsumErrors: damaged on the way */
	uint64_t received;	     /* InDatagrams: what programs have taken */
	uint64_t sent;		     /* OutDatagrams: a segmented send counts once */
};

/*
 * The network namespace's own UDP counters, IPv4 and IPv6 summed; 0 or -errno. Shared by all
 * sockets there.
 */
int np_datagram_kernel_counts(struct np_datagram_kernel *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

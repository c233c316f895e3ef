/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stream: TCP connections on non-blocking sockets (tcp(7)). Everything works with many connections
 * in one epoll loop: each call does what is possible at once and returns, except those that take a
 * deadline.
 *
 * -EAGAIN: nothing can be done now. A partner's reset of the connection is -ECONNRESET or -EPIPE,
 * never a signal.
 */
#pragma once

#include <netperf/flow.h>
#include <netperf/socket.h>
#include <sys/uio.h>

struct np_stream;

struct np_stream_options {
	/* To bind to; with port 0 the kernel chooses. NULL: not bound, for connecting only. */
	const struct np_address *local;
	size_t receive_bytes;	/* SO_RCVBUF to set, forced where permitted; 0: unchanged */
	size_t send_bytes;	/* SO_SNDBUF to set, forced where permitted; 0: unchanged */
	bool no_delay;		/* TCP_NODELAY */
	const char *congestion; /* TCP_CONGESTION by name; NULL: unchanged */
	struct np_ip_options ip;
	/*
	 * RFC 8684: several paths; where the partner, or the path, cannot do it, it is TCP.
	 * -EPROTONOSUPPORT, -ENOPROTOOPT: this kernel cannot.
	 */
	bool mptcp;
	uint64_t pacing_bytes_per_s; /* SO_MAX_PACING_RATE; 0: unchanged */
	bool zero_copy;		     /* SO_ZEROCOPY, for np_stream_send_pinned */
	int mss;		     /* TCP_MAXSEG, payload of a segment at most; 0: unchanged */
	/*
	 * A silent partner is probed, and is gone (-ETIMEDOUT) when it has not answered for this
	 * long; in whole seconds, at least 4. 0: it is never probed.
	 */
	np_time keep_alive;
};

struct np_stream_info {
	struct np_address local;
	struct np_address remote; /* length 0 until there is one */
	size_t receive_granted;	  /* usable bytes: half of what SO_RCVBUF reads back */
	size_t send_granted;
	char congestion[16]; /* algorithm in use; "" when unknown */
	size_t mss_bytes;    /* TCP_MAXSEG as it reads back: the payload of a segment, at most */
	bool no_delay;
	bool mptcp;		     /* it is in use */
	uint64_t pacing_bytes_per_s; /* SO_MAX_PACING_RATE as it reads back; 0: no limit */
};

/*
 * The bytes that were sent and the partner's kernel has not acknowledged (SIOCOUTQ); 0 where this
 * kernel does not tell, as for a listener.
 */
uint64_t np_stream_unacknowledged(const struct np_stream *stream);

/*
 * Listens at @options->local, with SO_REUSEADDR, so that a port is free as soon as nobody listens
 * there. An IPv6 wildcard accepts IPv4, too. On failure *@listener is NULL: -EADDRINUSE,
 * -EADDRNOTAVAIL, -EACCES, -ENODEV, -ENOENT (no such congestion control) ...
 */
int np_stream_listen(struct np_stream **listener, const struct np_stream_options *options,
		     int backlog);

/* Accepts the next waiting connection, with the listener's options; or -EAGAIN, or -errno. */
int np_stream_accept(struct np_stream *listener, struct np_stream **stream);

/*
 * Starts to connect to @to. Returns 0 with *@stream, connected or not yet: wait until it is
 * writable, then ask np_stream_connected. On failure *@stream is NULL.
 */
int np_stream_begin(struct np_stream **stream, const struct np_stream_options *options,
		    const struct np_address *to);

/* 0: connected; -EINPROGRESS: not yet; else -errno of the attempt (-ECONNREFUSED ...). */
int np_stream_connected(struct np_stream *stream);

/*
 * Starts to connect and waits until @deadline: -ETIMEDOUT, or -ECANCELED when @other_fd (or -1)
 * became readable first. On failure *@stream is NULL.
 */
int np_stream_connect(struct np_stream **stream, const struct np_stream_options *options,
		      const struct np_address *to, int other_fd, np_time deadline);

/* Closes it. Data already sent is still delivered. */
void np_stream_free(struct np_stream *stream);

/* The present state, valid until the stream is freed; the descriptor for a poll set with others. */
const struct np_stream_info *np_stream_info(struct np_stream *stream);
int np_stream_fd(const struct np_stream *stream);

/* Returns how many bytes the kernel accepted, at least 1 of @bytes; or -EAGAIN, or -errno. */
ssize_t np_stream_send(struct np_stream *stream, const void *data, size_t bytes);

/*
 * The same without a copy (MSG_ZEROCOPY): until np_stream_unpinned says that *@calls are over,
 * which this sets, @data must not change. -ENOBUFS: too many are not yet.
 */
ssize_t np_stream_send_pinned(struct np_stream *stream, const void *data, size_t bytes,
			      uint64_t *calls);

/* Of how many such calls, from the first one on, the kernel no longer needs the data. */
uint64_t np_stream_unpinned(struct np_stream *stream);

/* The same for @count pieces, of which one call takes at most IOV_MAX. */
ssize_t np_stream_send_pieces(struct np_stream *stream, const struct iovec *pieces, unsigned count);

/*
 * Sends all of it, waiting where needed. Returns 0; -ETIMEDOUT at @deadline, -ECANCELED when
 * @other_fd (or -1) is readable while the kernel has no room; or -errno. *@sent (if not NULL): how
 * much was sent in any case, so that the rest can follow.
 */
int np_stream_send_all(struct np_stream *stream, const void *data, size_t bytes, int other_fd,
		       np_time deadline, size_t *sent);

/*
 * Returns how many bytes were received, at most @room; 0 when the partner sends no more; or
 * -EAGAIN, or -errno.
 */
ssize_t np_stream_receive(struct np_stream *stream, void *data, size_t room);

/* The same, but the kernel discards at most @bytes without copying them (MSG_TRUNC). */
ssize_t np_stream_truncate(struct np_stream *stream, size_t bytes);

/*
 * SO_RCVTIMEO: from now on np_stream_receive and np_stream_truncate sleep while nothing has
 * arrived, for up to @limit (whole us) or until a signal, and then return -EAGAIN: one system call
 * both waits and receives. 0, the default: they never sleep. What is set already takes no call.
 * Returns 0, -EINVAL (negative), or -errno.
 */
int np_stream_set_receive_timeout(struct np_stream *stream, np_time limit);

/*
 * SO_RCVLOWAT: np_stream_receive and np_stream_truncate with a receive timeout, and poll(2), sleep
 * until @bytes have arrived, or as many as the call has room for, or the partner sends no more.
 * This saves wake-ups for parts of a message. Default 1; the kernel limits it to what the receive
 * buffer can hold. What is set already takes no call. Returns 0, -EINVAL (0, or over INT_MAX), or
 * -errno.
 */
int np_stream_set_low_watermark(struct np_stream *stream, size_t bytes);

/* TCP_NODELAY from now on. 0 or -errno. */
int np_stream_set_no_delay(struct np_stream *stream, bool no_delay);

/* Tells the partner that no more follows; receiving goes on. 0 or -errno. */
int np_stream_finish(struct np_stream *stream);

/* TCP's own figures of the connection since it was made (TCP_INFO). */
struct np_stream_tcp {
	unsigned parts; /* what this kernel knows, of NP_STREAM_TCP_... */
	/* Of what was sent: */
	uint64_t retransmitted, retransmitted_bytes; /* segments; bytes */
	uint64_t cwnd, cwnd_bytes;		     /* congestion window, the same */
	np_time srtt, rttvar, rtt_min;		     /* RFC 6298; rtt_min 0: unknown */
	uint64_t delivery_rate, pacing_rate;	     /* bytes a second; 0: unknown, or no limit */
	uint64_t reordering;			     /* events of it */
	uint64_t delivered_ce;			     /* segments, marked by ECN (RFC 3168) */
	uint64_t mss;				     /* bytes of a segment's payload */
	/* How long something was unacknowledged or waited, and what then was the limit. */
	np_time busy, receive_window_limited, send_buffer_limited;
	np_time application_limited; /* else, since some moment: use only differences */
	/* Calls of np_stream_send_pinned; of them completed, and copied all the same. */
	uint64_t pinned, completed, copied;
	/* Of what was received: */
	uint64_t out_of_order;	/* segments that came before others that were due */
	np_time receive_rtt;	/* as the receiver estimates it; 0: unknown */
	uint64_t receive_space; /* bytes: its estimate of what is in flight */
};

/*
 * Parts of the columns; a kernel before Linux 5.4 does not know NP_STREAM_TCP_NEW. A sum over
 * connections has the slowest round trip, the smallest segment, and of all else the sum.
 */
#define NP_STREAM_TCP_SENT     1u
#define NP_STREAM_TCP_RECEIVED 2u
#define NP_STREAM_TCP_NEW      4u
#define NP_STREAM_TCP_PINNED   8u /* it sends so */
extern const struct np_column np_stream_tcp_columns[];

int np_stream_tcp(struct np_stream *stream, struct np_stream_tcp *tcp);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the state that the parts of the tcp transport share: a sender's connections, a receiver's.
 */
#ifndef TTCP_TRANSPORT_TCP_H
#define TTCP_TRANSPORT_TCP_H

#include "tcp_read.h"
#include "transport.h"

/* Of a receiver: of the run, and of other senders that must be refused. */
#define TCP_CHANNELS 192

struct tcp_channel {
	struct channel channel;
	struct np_stream *stream; /* NULL: a sender's lane that is not connected */
	np_time since;
	bool ready;	      /* there may be something to receive */
	bool patient;	      /* its receive call sleeps until there is something */
	size_t low_watermark; /* and until this much is there; 0: a byte */
	/* A receiver's answers that were not sent yet. */
	size_t filled, went;
	uint8_t *answers;
};

struct tcp {
	unsigned count;
	struct tcp_channel *channel[TCP_CHANNELS];
	struct tcp_channel *lanes; /* a sender's: what the pointers above point to */
	uint8_t *memory; /* TRANSPORT_BEFORE + TRANSPORT_READ bytes, then a sender's batches */
	/* For a receiver: */
	struct tcp_read read;
	struct np_stream *listener;
	np_time polled; /* when it was last polled, by the monotonic clock */
	np_time deaf;	/* nothing is accepted before this; 0: no limit */
	bool complained;
};

static inline struct tcp *tcp_of(const struct transport *t)
{
	return t->sockets;
}

static inline struct tcp_channel *tcp_channel_of(struct channel *channel)
{
	return (struct tcp_channel *)channel;
}

/* tcp: receives once. Returns how many messages; 0: nothing now, or ->gone; or -errno. */
int tcp_take(struct transport *t, struct tcp_channel *c);

/*
 * Allocates memory to read to, followed by @more bytes, and a sender's lanes. Returns 0, or the
 * exit status after a message.
 */
int tcp_open_memory(struct transport *t, size_t more);

/* Counts which segments from @local to @peer (NULL: anybody), and back, this host drops from now
 * on. */
void tcp_watch(struct transport *t, const struct np_address *local, const struct np_address *peer);

/* The user's socket options, for both ends. */
struct np_stream_options tcp_options(const struct transport *t);

/* tcp_connect: a sender's lanes. */
int tcp_open_lanes(struct transport *t);
int tcp_connect(struct transport *t, unsigned lane, bool patient);
int tcp_receive_lanes(struct transport *t);
int tcp_wait_lanes(struct transport *t, np_time deadline, uint64_t writable);
ssize_t tcp_send_all(struct tcp_channel *c, const void *message, size_t bytes);
void tcp_release_lanes(struct transport *t, int lane);

/*
 * tcp_channel: creates a receiver's channel. Returns NULL when out of memory; then the stream is
 * closed.
 */
struct tcp_channel *tcp_channel_new(struct np_stream *stream, np_time now);
void tcp_channel_free(struct tcp_channel *c);
/* Sends after what waits; @more: with the next flush. Returns the bytes, or -EAGAIN: no room. */
ssize_t tcp_send_answer(struct tcp_channel *c, const void *message, size_t bytes, bool more);
void tcp_flush(struct tcp_channel *c);

/* tcp_accept: handles all of a receiver's connections. */
int tcp_open_listener(struct transport *t);
int tcp_receive_channels(struct transport *t);
int tcp_wait_channels(struct transport *t, np_time deadline);
void tcp_release_channels(struct transport *t, bool all);

#endif

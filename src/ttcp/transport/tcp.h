/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the state that the parts of the tcp transport share: a sender's connections, a receiver's.
 */
#ifndef TTCP_TRANSPORT_TCP_H
#define TTCP_TRANSPORT_TCP_H

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

/*
 * tcp_read: how many bytes to read at a time, by how often the reader sleeps. A sender that runs at
 * the same time on another processor has to wake a reader that is ahead of it, and both have to
 * share the socket: large reads make that rare (1 MiB: 1.28 times the throughput of 64 KiB, at 0.78
 * of the CPU time). A sender on the same processor fills the socket's buffer before the reader runs
 * again: then a read that leaves the cache to the sender is better (256 KiB: 1.06 times the
 * throughput of 64 KiB, 1 MiB: 0.92).
 */
#define TCP_READ_LEAST ((size_t)256 << 10)
#define TCP_READ_MOST  ((size_t)1 << 20)

/* All zero: nothing is known yet. */
struct tcp_read {
	bool large;
	bool counted;	   /* sleeps is valid */
	uint64_t sleeps;   /* of the process, when counting the bytes started */
	uint64_t received; /* bytes since then */
};

static inline size_t tcp_read_bytes(const struct tcp_read *read)
{
	return read->large ? TCP_READ_MOST : TCP_READ_LEAST;
}

/* Counts @bytes that were read. True: enough for a judgement. */
bool tcp_read_count(struct tcp_read *read, size_t bytes);

/* Judges by @sleeps, how often the process has slept so far, and starts to count anew. */
void tcp_read_judge(struct tcp_read *read, uint64_t sleeps);

struct tcp {
	unsigned count;
	struct tcp_channel *channel[TCP_CHANNELS];
	struct tcp_channel *lanes; /* a sender's: what the pointers above point to */
	uint8_t *memory; /* TRANSPORT_BEFORE + TRANSPORT_READ bytes, then a sender's batches */
	/* For a receiver: */
	struct tcp_read read;
	struct np_stream *listener;
	np_time polled;	   /* when it was last polled, by the monotonic clock */
	np_time no_accept; /* nothing is accepted before this; 0: no limit */
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

/* Sends answers of a receiver that wait, as far as there is room. */
void tcp_flush(struct tcp_channel *c);

/* Frees everything but the channels' streams. */
void tcp_free(struct transport *t);

/* What the rows of both ends have in common. */
int tcp_receive_timeout(struct transport *t, struct channel *channel, np_time limit,
			size_t low_watermark);
bool tcp_socket(const struct transport *t, unsigned index, const struct np_address *peer,
		struct record_socket *socket);

#endif

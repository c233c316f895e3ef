/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tcp: the connections of both ends, which tcp.c makes, and tcp_accept.c accepts and reads.
 *
 * tcp_turns: whether a thread that reads runs on the processor of its sender. There, what arrives
 * shall not take that from the sender each time: by SCHED_BATCH the two take turns with full
 * buffers (1.09 times the throughput at 128 KiB, 1.24 at 8 KiB, 1.45 with --no-copy). Elsewhere it
 * is woken at once, also beside other load.
 */
#pragma once

#include "transport.h"

#include <pthread.h>
#include <semaphore.h>

#define TCP_LOOK  ((size_t)4 << 20) /* bytes read between two looks where the sender runs */
#define TCP_LOOKS 8		    /* in a row must find it here */

/*
 * --zero-copy: places of a sender's batch, one after the other, since the kernel reads what was
 * sent until the receiver has it.
 */
#define TCP_PLACES	 256
#define TCP_PLACES_LEAST 4
#define TCP_PLACES_BYTES ((size_t)16 << 20) /* of one stream, but for the least places */

struct tcp_places {
	unsigned count;	   /* 1: the kernel copies */
	unsigned at, used; /* the batch is there; so many are filled in */
	size_t each;
	uint64_t needs;		   /* as many calls must be over before the next */
	uint64_t calls;		   /* so far */
	uint64_t last[TCP_PLACES]; /* how many there were when it was sent */
};

/* Of the thread that calls; all zero: nothing is known yet. */
struct tcp_turns {
	unsigned here; /* looks in a row that found the sender on this processor */
	bool taken;    /* the policy is ours: one that the user chose stays */
	size_t left;   /* bytes to read before the next look */
};

/*
 * Of @bytes that were read of the stream: looks now and then. Of a sender that runs on another
 * processor some segments are received here, too: those that our acknowledgements let out.
 */
void tcp_turns_count(struct tcp_turns *turns, struct np_stream *stream, size_t bytes);

/* Of a receiver: of the run, and of other senders that must be refused. */
#define TCP_CHANNELS 192
#define TCP_SILENT   (20 * NP_SECOND) /* one that is not kept by then is closed */
#define TCP_ANSWERS  65536	      /* bytes that wait to be sent */

/*
 * Who reads: the owner of the transport, or a thread that reads some of a receiver's connections,
 * and shares its user.
 */
struct tcp_reader {
	struct transport *transport;
	pthread_t thread;
	uint8_t *memory; /* TRANSPORT_BEFORE + TRANSPORT_READ bytes */
	/* What it reads, without the lock; NULL: nothing, or that was dropped meanwhile. */
	struct tcp_channel *at;
	bool reading; /* atomic */
	struct tcp_turns turns;
};

struct tcp_channel {
	struct channel channel;
	struct np_stream *stream; /* NULL: a sender's lane that is not connected */
	np_time since;
	bool ready;		   /* there may be something to receive */
	bool patient;		   /* its receive call sleeps until there is something */
	size_t filled, went;	   /* of ->answers */
	struct tcp_places places;  /* a sender's */
	struct tcp_reader *turn;   /* that is to read it; NULL: it is not decided */
	struct tcp_reader *reader; /* that reads it; NULL: the receiver itself, yet or for good */
	uint8_t answers[]; /* a receiver's TCP_ANSWERS bytes: those that were not sent yet */
};

struct tcp {
	unsigned count;
	struct tcp_channel *channel[TCP_CHANNELS];
	/* The owner, behind whose memory are a sender's batches; then a receiver's threads. */
	struct tcp_reader reader[TRANSPORT_LANES_MAX];
	struct np_address local; /* what to connect from; of length 0: as the kernel chooses */
	/* For a receiver: */
	struct np_stream *listener;
	struct transport_inbox inbox; /* in place of a listener */
	np_time polled;		      /* when it was last polled, by the monotonic clock */
	np_time no_accept;	      /* nothing is accepted before this; 0: no limit */
	bool complained;
	/*
	 * Who has the lock handles everything: the receiver, unless it sleeps or reads, or a
	 * reader that has read.
	 */
	sem_t lock;	  /* a mutex would have to be unlocked by the thread that locked it */
	unsigned readers; /* how many of these */
	bool over;	  /* they are to end */
};

static inline struct tcp *tcp_of(const struct transport *t)
{
	return t->sockets;
}

static inline struct tcp_channel *tcp_channel_of(struct channel *channel)
{
	return (struct tcp_channel *)channel;
}

static inline void tcp_lock(struct tcp *tcp)
{
	while (sem_wait(&tcp->lock))
		;
}

static inline void tcp_unlock(struct tcp *tcp)
{
	sem_post(&tcp->lock);
}

/* Sends answers of a receiver that wait, as far as there is room. */
void tcp_flush(struct tcp_channel *c);

/* Closes and frees it. */
void tcp_drop(struct transport *t, struct tcp_channel *c);

/*
 * accept: takes a connection, if there is room for it; NULL: it is closed. Wait of a receiver, and
 * receive.
 */
struct tcp_channel *tcp_accept_one(struct transport *t, struct np_stream *stream, np_time now);
int tcp_wait(struct transport *t, np_time deadline);
int tcp_receive(struct transport *t);

/* Takes a connection back from the thread that reads it, before it is dropped. */
void tcp_take_back(struct tcp_channel *c);

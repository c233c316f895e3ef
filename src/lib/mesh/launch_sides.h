/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_sides: rank 0's side of a run (hub), that of every other rank (spoke), and the messages
 * between them, over a TCP connection of each rank to rank 0.
 */
#pragma once

#include <netperf/launch.h>
#include <netperf/stream.h>
#include <stdbool.h>
#include <sys/queue.h>

/*
 * The messages (launch_spoke.c). All integers are big-endian. A message is its type (4 bytes),
 * the length of its body (4 bytes), and the body. Those that write and read bytes are pure; nothing
 * here waits.
 */
#define WIRE_HEAD      8
#define WIRE_BODY_MAX  ((size_t)512 * 1024)
#define WIRE_SECRET    16
#define WIRE_NAME      64  /* room for a host's or program's name, with its end */
#define WIRE_FETCH_MAX 256 /* ranks in one FETCH, so that the answer fits */

enum wire_type {
	WIRE_JOIN = 1, /* struct wire_join */
	WIRE_REFUSED,  /* a text */
	WIRE_FETCH,    /* ranks, 4 bytes each */
	WIRE_BLOBS,    /* of each: rank (4), length (4), blob; unknown ones are left out */
	WIRE_ENTER,    /* the number of the barrier (4) */
	WIRE_RELEASE,  /* the number of the barrier (4), who is out: rank (4), state (4) */
	WIRE_PIECE,    /* of results */
	WIRE_FINISH,   /* no more pieces; no body */
	WIRE_FINISHED, /* all pieces were taken; no body */
	WIRE_BLOB,     /* in place of an earlier one */
};

struct wire_message {
	enum wire_type type;
	const uint8_t *body;
	size_t bytes;
};

/* The body of JOIN as it is sent. */
struct wire_join {
	uint8_t secret[WIRE_SECRET];
	uint8_t rank[4], size[4];
	char program[WIRE_NAME], host[WIRE_NAME]; /* filled up with zeros, at least one */
};

/*
 * The message at the start of @data. Returns its length with the head, 0 when it is not complete,
 * or -EBADMSG.
 */
ssize_t wire_parse(const uint8_t *data, size_t bytes, struct wire_message *message);

/* The JOIN that @message is, where it stands; NULL: it is none. */
const struct wire_join *wire_join_of(const struct wire_message *message);

/* Steps through BLOBS from *@at = 0: 1, 0 at the end, or -EBADMSG. */
int wire_blob_next(const struct wire_message *message, size_t *at, uint32_t *rank,
		   const uint8_t **blob, size_t *bytes);

struct buffer {
	uint8_t *data;
	size_t bytes, room;
};

/* One connection. */
struct channel {
	struct np_stream *stream; /* NULL: closed */
	struct buffer in, out;
	size_t taken; /* bytes of @in: the message returned last */
};

/* Queues a message and sends what the kernel takes; what remains goes by a flush. 0 or -errno. */
int launch_channel_send(struct channel *channel, enum wire_type type, const void *body,
			size_t bytes);

/* Sends what is queued; 0, -EAGAIN when some remains, or -errno. */
int launch_channel_flush(struct channel *channel);

/*
 * The next message that has arrived; @message's body is valid until the next call. Returns 1, 0
 * when there is none, -ECONNRESET when the partner has closed, -EBADMSG, or -errno.
 */
int launch_channel_receive(struct channel *channel, struct wire_message *message);

/* Closes the connection and frees the buffers. */
void launch_channel_close(struct channel *channel);

/*
 * Rank 0 (launch_hub.c): takes the connections of the other ranks, holds the barriers, hands out
 * blobs and takes results. One thread; its sockets are served only while a function that waits
 * runs.
 */
struct hub_rank {
	enum np_launch_state state;
	bool joined;
	bool finished;	  /* has sent all its results */
	uint32_t entered; /* barriers it has reached */
	char host[WIRE_NAME];
	uint8_t *blob;
	size_t blob_bytes;
	struct hub_peer *peer; /* its connection, or NULL */
};

/* A connection. */
struct hub_peer {
	struct channel channel;
	struct hub_rank *rank; /* NULL: has not joined */
	np_time accepted;
	TAILQ_ENTRY(hub_peer) link;
};

struct hub {
	uint32_t size;
	uint32_t step; /* barriers begun */
	char program[WIRE_NAME];
	uint8_t secret[WIRE_SECRET];
	struct hub_rank *ranks;	    /* @size of them */
	struct np_stream *listener; /* NULL: the only rank */
	int epoll;
	np_time accept_at; /* when to try again, since there was no descriptor; NP_TIME_NEVER */
	TAILQ_HEAD(, hub_peer) peers; /* in the order of their connections */
	uint32_t pending;	      /* of these, have not joined */
	const struct np_address_networks *allow;
	uint64_t not_allowed; /* connections that were closed because of @allow */
	np_launch_take take;  /* while results are collected */
	void *context;
};

/*
 * Listens at @plan's local address, which is not NULL (port 0: the kernel chooses one), as its
 * program; @host: this one's name, of at most WIRE_NAME - 1 bytes. A JOIN must have the same size,
 * program and secret. Returns 0 or -errno.
 */
int hub_open(struct hub **hub, uint32_t size, const char *host, const uint8_t secret[WIRE_SECRET],
	     const struct np_launch_plan *plan);
void hub_free(struct hub *hub);

/* Copies it in place of the one that was known. Returns 0 or -ENOMEM. */
int hub_set_blob(struct hub *hub, uint32_t rank, const void *blob, size_t bytes);

/* As np_launch_barrier and np_launch_collect. */
int hub_barrier(struct hub *hub, np_time deadline, int other_fd);
int hub_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline);

/*
 * Every other rank (launch_spoke.c): one connection to rank 0. What is sent and what is waited for
 * are apart, so that a test can play many ranks in one thread.
 */
struct spoke {
	struct channel channel;
	uint32_t size;
	uint32_t step;	 /* barriers entered */
	bool hub_silent; /* rank 0 did not answer in time */
	uint8_t *state;	 /* of each rank, as of the last barrier */
	uint8_t *blobs;	 /* the bodies of BLOBS, one after the other */
	size_t blobs_bytes;
};

/* Connects and sends JOIN. Returns 0 or -errno. */
int spoke_open(struct spoke *spoke, const struct np_address *hub, const struct wire_join *join,
	       np_time deadline, int other_fd);
void spoke_close(struct spoke *spoke);

/* Each returns 0 or an error of np_launch_barrier. */
int spoke_enter(struct spoke *spoke);
int spoke_await_release(struct spoke *spoke, np_time deadline, int other_fd);
int spoke_message(struct spoke *spoke, enum wire_type type, const void *body, size_t bytes);
int spoke_fetch(struct spoke *spoke, const uint32_t *ranks, size_t count, np_time deadline);
int spoke_send(struct spoke *spoke, const void *piece, size_t bytes, np_time deadline);
int spoke_await_finished(struct spoke *spoke, np_time deadline);

/* The fetched blob of @rank, or NULL. */
const void *spoke_blob(const struct spoke *spoke, uint32_t rank, size_t *bytes);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_state: a rank's state: rank 0's side of a run (hub), or that of every other rank (spoke);
 * and the messages between them, over a TCP connection of each rank to rank 0.
 */
#pragma once

#include "../net/buffer.h"

#include <netperf/launch.h>
#include <stdbool.h>
#include <sys/queue.h>

/* What a launcher provides by PMIx: the place in the run, and one text from rank 0. */

/* Room for the text that rank 0 publishes, with its end. */
#define LAUNCH_TEXT_MAX 256

struct launch_place {
	uint32_t rank, size;
	void *state; /* of launch_pmix.c */
};

/* All NULL in a build without libpmix. publish, lookup and end are not called in a run of one rank.
 */
struct launch_pmix {
	/* The rank by the environment alone. Returns 0 or -ENOENT. */
	int (*expect)(uint32_t *rank);
	/*
	 * Returns 0, -ENOENT (not started by such a launcher), -ETIME (it had not answered by
	 * @deadline), or another -errno. After a call of those below that took too long all do
	 * nothing, and return -ETIME.
	 */
	int (*open)(struct launch_place *place, np_time deadline);
	/* Rank 0: makes @text known to the others. Returns 0 or -EIO. */
	int (*publish)(struct launch_place *place, const char *text);
	/* Asks once, for up to a second, for that text. Returns 0, -EAGAIN or -EIO. */
	int (*lookup)(struct launch_place *place, char text[LAUNCH_TEXT_MAX]);
	/*
	 * All have found rank 0: leaves the launcher, so that it takes no notice of a rank that
	 * dies later (Slurm's PMIx server would kill the others).
	 */
	void (*leave)(struct launch_place *place);
	/* Asks the launcher to end the processes of these ranks. */
	void (*end)(struct launch_place *place, const uint32_t *ranks, size_t count);
	void (*close)(struct launch_place *place);
};

extern const struct launch_pmix launch_pmix;

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
	WIRE_REFUSED,  /* nothing: np_launch_reason has the words */
	WIRE_FETCH,    /* ranks, 4 bytes each */
	WIRE_BLOBS,    /* of each: rank (4), length (4), blob; unknown ones are left out */
	WIRE_ENTER,    /* the number of the barrier (4) */
	WIRE_RELEASE,  /* the number of the barrier (4), who is out: rank (4), state (4) */
	WIRE_PIECE,    /* of results, before the barrier that ends them */
	WIRE_WARNINGS, /* likewise, np_log_reason's held ones */
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

/* One connection. */
struct channel {
	struct np_stream *stream; /* NULL: closed */
	struct buffer in, out;
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

/* Another rank, as rank 0 knows it. */
struct hub_rank {
	bool joined;
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

struct np_launch {
	struct launch_place place;
	struct wire_join join; /* of this rank; another one must have its secret, size, program */
	uint16_t port;	       /* where rank 0 listens; 0: there is no other */
	const struct np_log *log;
	uint32_t step;	/* barriers begun */
	bool canceled;	/* a barrier was: nobody knows which one the others are at */
	uint8_t *state; /* enum np_launch_state of each rank: now; or as of the last barrier */

	/* Rank 0: */
	struct hub_rank *ranks;	    /* NULL: this is another rank */
	struct np_stream *listener; /* NULL: the only rank */
	int epoll;
	np_time accept_at; /* when to try again, since there was no descriptor; NP_TIME_NEVER */
	TAILQ_HEAD(, hub_peer) peers; /* in the order of their connections */
	uint32_t pending;	      /* of these, have not joined */
	const struct np_address_networks *allow;
	uint64_t not_allowed; /* connections that were closed because of @allow */
	np_launch_take take;  /* while results are collected */
	void *context;
	struct launch_warnings *warnings; /* likewise */

	/* The others: */
	struct channel channel;
	bool hub_silent;     /* rank 0 did not answer in time */
	struct buffer blobs; /* the bodies of BLOBS, one after the other */
};

/*
 * The rank that this process will have, by its launcher's environment alone, before anything is
 * opened: only rank 0 writes results. Returns 0, -ENOENT or -EOPNOTSUPP as np_launch_open.
 */
int launch_expected_rank(uint32_t *rank);

/*
 * Rank 0 (launch_hub.c): takes the connections of the other ranks, holds the barriers, hands out
 * blobs and takes results. One thread; its sockets are served only while hub_barrier runs.
 *
 * Listens at @local (port 0: the kernel chooses one); launch->place, join and allow are set, all
 * else is zero. Returns 0 or -errno. launch_discard releases it in both cases.
 */
int hub_open(struct np_launch *launch, const struct np_address *local);
void hub_close(struct np_launch *launch);

/* Copies it in place of the one that was known. Returns 0 or -ENOMEM. */
int hub_set_blob(struct np_launch *launch, uint32_t rank, const void *blob, size_t bytes);

/* As np_launch_barrier; with launch->take, np_launch_collect. */
int hub_barrier(struct np_launch *launch, np_time deadline, int other_fd);

/* Collects the warnings that @rank held. Returns false for what is not strings in pairs. */
bool launch_warned(struct np_launch *launch, uint32_t rank, const char *held, size_t bytes);

/*
 * Every other rank (launch_spoke.c): one connection to rank 0. What is sent and what is waited for
 * are apart, so that a test can play many ranks in one thread.
 *
 * Connects and sends launch->join; that and place are set, all else is zero. Returns 0 or -errno.
 * launch_discard releases it in both cases.
 */
int spoke_open(struct np_launch *launch, const struct np_address *hub, np_time deadline,
	       int other_fd);

/* Each returns 0 or an error of np_launch_barrier. */
int spoke_enter(struct np_launch *launch);
int spoke_await_release(struct np_launch *launch, np_time deadline, int other_fd);
int spoke_message(struct np_launch *launch, enum wire_type type, const void *body, size_t bytes);

/* Closes all connections, and frees what belongs to @launch, but not @launch itself. */
void launch_discard(struct np_launch *launch);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch_state: the ranks of a run that a launcher starts on many hosts, Open MPI's mpirun or
 * Slurm's srun (PMIx standard, <https://pmix.github.io/>): rank 0's side (hub), and that of every
 * other rank (spoke). meet.c has the steps of a run.
 *
 * PMIx tells each process its rank and how many there are, and carries one text: where rank 0
 * listens, and a secret. The rest goes over one TCP connection from each rank to rank 0, so that
 * every wait has a limit, and a rank that has died is noticed at once and named. Who connects
 * without the secret is turned away.
 *
 * The barriers are counted, so that all ranks must have the same ones. A rank that has not reached
 * one by its deadline is out: the others go on without it, it is notified (-ESTALE), and ->state
 * says in each rank who is out as of the last barrier.
 */
#pragma once

#include "../base/log.h"
#include "../net/buffer.h"

#include <netperf/mesh.h>
#include <sys/queue.h>

/* Limits: bytes of a rank's blob, and of one piece of results. */
#define LAUNCH_BLOB_MAX	 1024
#define LAUNCH_PIECE_MAX 32768

/* What is known of a rank. */
enum launch_state {
	LAUNCH_HERE,
	LAUNCH_ABSENT, /* had not joined by the deadline of the first barrier */
	LAUNCH_GONE,   /* its connection has ended: it has died or given up */
	LAUNCH_SILENT, /* had not reached a barrier, or sent its results, by the deadline */
	LAUNCH_OTHER,  /* runs another program or version */
	LAUNCH_WRONG,  /* sent something malformed */
};

/* Takes a piece of @rank; returns 0, or -errno, which makes that rank LAUNCH_WRONG. */
typedef int (*launch_take)(void *context, uint32_t rank, const void *piece, size_t bytes);

/* What a launcher provides by PMIx: the place in the run, and one text from rank 0. */

/* Room for the text that rank 0 publishes, with its end. */
#define LAUNCH_TEXT_MAX 256

struct np_launch;

struct launch_place {
	uint32_t rank, size;
	char *text;  /* LAUNCH_TEXT_MAX bytes: what rank 0 publishes, and the others look up */
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
	/* Rank 0: makes its text known to the others. Returns 0 or -EIO. */
	int (*publish)(struct launch_place *place);
	/* Asks once, for up to a second, for that text. Returns 0, -EAGAIN or -EIO. */
	int (*lookup)(struct launch_place *place);
	/*
	 * All have found rank 0: leaves the launcher, so that it takes no notice of a rank that
	 * dies later (Slurm's PMIx server would kill the others).
	 */
	void (*leave)(struct launch_place *place);
	/* Asks the launcher to end the processes of the ranks that launch_hangs. */
	void (*end)(const struct np_launch *launch);
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
#define WIRE_SECRET    32  /* hexadecimal digits */
#define WIRE_NAME      64  /* room for a host's or program's name, with its end */
#define WIRE_FETCH_MAX 256 /* ranks in one FETCH, so that the answer fits */

enum wire_type {
	WIRE_JOIN = 1, /* struct wire_join */
	WIRE_REFUSED,  /* nothing: launch_reason has the words */
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
	char secret[WIRE_SECRET];
	uint8_t rank[4], size[4];
	/* Filled up with zeros, at least one. The program is as "datagram-test 1.0.0". */
	char program[WIRE_NAME], host[WIRE_NAME];
};

/*
 * The message at the start of @data. Returns its length with the head, 0 when it is not complete,
 * or -EBADMSG.
 */
ssize_t wire_parse(const uint8_t *data, size_t bytes, struct wire_message *message);

/* The JOIN that @message is, where it stands; NULL: it is none. Another length ends with @size. */
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
	const struct np_log *log; /* see launch_collect; NULL: none */
	uint32_t step;		  /* barriers begun */
	bool canceled;		  /* a barrier was: nobody knows which one the others are at */
	uint8_t *state; /* enum launch_state of each rank: now; or as of the last barrier */

	/* Rank 0: */
	struct hub_rank *ranks;	    /* NULL: this is another rank */
	struct np_stream *listener; /* NULL: the only rank */
	int epoll;
	np_time accept_at; /* when to try again, since there was no descriptor; NP_TIME_NEVER */
	TAILQ_HEAD(, hub_peer) peers; /* in the order of their connections */
	uint32_t pending;	      /* of these, have not joined */
	/* From where connections are taken; NULL: from anywhere. It must outlive the launch. */
	const struct np_address_networks *allow;
	uint64_t not_allowed; /* connections that were closed because of @allow */
	launch_take take;     /* while results are collected */
	void *context;
	struct launch_warnings *warnings; /* likewise */

	/* The others: */
	struct channel channel;
	bool hub_silent;     /* rank 0 did not answer in time */
	struct buffer blobs; /* the bodies of BLOBS, one after the other */
};

/*
 * The rank that this process will have, by its launcher's environment alone, before anything is
 * opened: only rank 0 writes results. Returns 0, -ENOENT or -EOPNOTSUPP as launch_open.
 */
int launch_expected_rank(uint32_t *rank);

/*
 * Joins the run. *@launch starts as @plan, of which @log, @allow and the program of @join are set.
 * Rank 0 listens at @local (NULL: np_address_of_this_host), at a port of the kernel's choice;
 * @deadline: for finding it; @other_fd (or -1) readable: that ends with -ECANCELED. It starts
 * threads of libpmix's own: open it after np_signals_open and after privileges are dropped. Returns
 * 0, or -errno, for which launch_reason has the words, with *@launch NULL. If rank 0 refuses this
 * one, its next wait returns -ESTALE. A rank 0 that has not opened its launch by the deadline is
 * ended, as by launch_close.
 */
int launch_open(struct np_launch **launch, const struct np_launch *plan,
		const struct np_address *local, np_time deadline, int other_fd);

/*
 * Waits until all ranks that are not out have called this as often as this one, or @deadline; those
 * that have not are then out. The @deadline of rank 0 decides; the other ranks wait up to 10 s
 * longer than theirs. @other_fd: as for launch_open. Returns 0, even if ranks are out;
 * -ECANCELED (by @other_fd), -ENOMEM; in ranks other than 0 also -ECONNRESET (rank 0 has died),
 * -ETIMEDOUT (rank 0 does not answer), -ESTALE (this rank was too late or refused, and is out),
 * -EBADMSG (rank 0 sent something malformed).
 *
 * A barrier that @other_fd ended must not be repeated: this rank is counted as being there, and the
 * others may have gone on. Its run is over: only launch_close may follow; barriers and
 * collections return -ECANCELED at once. Where the run is to end in order, pass -1.
 */
int launch_barrier(struct np_launch *launch, np_time deadline, int other_fd);

/*
 * Sets this rank's blob, or replaces it: ranks that fetch it after the next barrier get it. Returns
 * 0, -E2BIG, -ENOMEM, or as launch_barrier.
 */
int launch_set_blob(struct np_launch *launch, const void *blob, size_t bytes);

/*
 * Obtains the blobs of @count @ranks from rank 0, for launch_blob, after the first barrier.
 * Memory and traffic grow with @count alone. Errors as for launch_barrier.
 */
int launch_fetch(struct np_launch *launch, const uint32_t *ranks, size_t count, np_time deadline);

/*
 * The blob of a rank, or NULL: not fetched (in rank 0: not set). Owned by @launch, valid until
 * the next launch_fetch. *@bytes: its length; may be NULL.
 */
const void *launch_blob(const struct np_launch *launch, uint32_t rank, size_t *bytes);

/*
 * Rank 0: passes the pieces of the others' results (WIRE_PIECE) to @take, those of each rank in the
 * order of sending, until each rank has called this, too, or @deadline. Ranks that have not are
 * then LAUNCH_SILENT; what was taken of them remains. Other ranks (@take is not used): reports that
 * all was sent, and waits until rank 0 has it: a barrier for all. Not interrupted by signals.
 * Errors as for launch_barrier.
 *
 * The warnings that wait in the log go with the results: rank 0 prints them, one that
 * several ranks have once, "3 ranks: object: reason".
 */
int launch_collect(struct np_launch *launch, launch_take take, void *context, np_time deadline);

/* How many ranks are out. */
uint32_t launch_missing(const struct np_launch *launch);

/*
 * The host of @rank: rank 0 knows that of each that has joined, others know their own; or NULL, as
 * without a launch.
 */
const char *launch_host(const struct np_launch *launch, uint32_t rank);

/* What became of a rank: "never started", "died", ...; NULL: it is here. Not to be freed. */
const char *launch_state_text(enum launch_state state);

/*
 * Writes "rank 3 (host-c): died; ranks 5, 7: never started" to @text, cut to fit with "...".
 * Returns @text; "" when none is out.
 */
char *launch_describe_missing(const struct np_launch *launch, char *text, size_t room);

/*
 * Leaves the run. Rank 0 asks the launcher to end ranks that are LAUNCH_SILENT or LAUNCH_ABSENT,
 * and others to end a rank 0 that did not answer: they would keep it waiting.
 */
void launch_close(struct np_launch *launch);

/*
 * Whether the launcher would wait for that rank, even after all others have ended; one that never
 * joined may hang, too.
 */
bool launch_hangs(const struct np_launch *launch, uint32_t rank);

/* The message for what a function above returned; not to be freed. */
const char *launch_reason(int error);

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

/* As launch_barrier; with launch->take, launch_collect. */
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

/*
 * Each returns 0 or an error of launch_barrier. A message, as WIRE_PIECE with 1 to LAUNCH_PIECE_MAX
 * bytes, is sent as far as the kernel takes it; what remains goes with the next wait.
 */
int spoke_enter(struct np_launch *launch);
int spoke_await_release(struct np_launch *launch, np_time deadline, int other_fd);
int spoke_message(struct np_launch *launch, enum wire_type type, const void *body, size_t bytes);

/* Closes all connections, and frees what belongs to @launch, but not @launch itself. */
void launch_discard(struct np_launch *launch);

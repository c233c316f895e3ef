/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * launch: the ranks of a run that a launcher starts on many hosts, Open MPI's mpirun or Slurm's
 * srun (PMIx standard, <https://pmix.github.io/>).
 *
 * PMIx tells each process its rank and how many there are, and carries one text: where rank 0
 * listens, and a secret. The rest goes over one TCP connection from each rank to rank 0, so that
 * every wait has a limit, and a rank that has died is noticed at once and named. Who connects
 * without the secret is turned away.
 *
 * A program's steps, the same in every rank; the barriers are counted, so that all ranks must have
 * the same ones:
 *	np_launch_open		rank and size
 *	np_launch_barrier	all have started, or the limit is over
 *	np_launch_set_blob	what other ranks must know of this one, such as its address
 *	np_launch_barrier	all are ready: nobody sends before everybody listens
 *	np_launch_fetch, np_launch_blob	where the ranks are that this one needs
 *	(the run)
 *	np_launch_barrier	nobody sends any more
 *	np_launch_send		results, in pieces; np_launch_collect in rank 0 takes them
 *	np_launch_close
 * A rank that has not reached a barrier by its deadline is out: the others go on without it, it is
 * notified (-ESTALE), and np_launch_state says in each rank who is out as of the last barrier.
 *
 * A launch starts threads of libpmix's own: open it after np_signals_open and after privileges are
 * dropped. np_launch_reason has the messages.
 */
#pragma once

#include <netperf/address.h>
#include <netperf/clock.h>
#include <netperf/log.h>
#include <netperf/report.h>
#include <stddef.h>
#include <stdint.h>

/* Limits: ranks of a run, bytes of a rank's blob, and of one piece of results. */
#define NP_LAUNCH_RANKS_MAX 65536
#define NP_LAUNCH_BLOB_MAX  1024
#define NP_LAUNCH_PIECE_MAX 32768

struct np_launch;

struct np_launch_plan {
	/* What must be equal in all ranks, such as "datagram-test 1.0.0"; at most 63 bytes. */
	const char *program;
	/* Rank 0 listens here, at a port of the kernel's choice. NULL: np_address_of_this_host. */
	const struct np_address *local;
	/* From where rank 0 takes connections; NULL: from anywhere. It must outlive the launch. */
	const struct np_address_networks *allow;
	np_time deadline;	  /* for finding rank 0 */
	const struct np_log *log; /* see np_launch_collect; NULL: none */
	int other_fd; /* readable: waits end with -ECANCELED, except where said; -1: none */
};

/* What is known of a rank. */
enum np_launch_state {
	NP_LAUNCH_HERE,
	NP_LAUNCH_ABSENT, /* had not joined by the deadline of the first barrier */
	NP_LAUNCH_GONE,	  /* its connection has ended: it has died or given up */
	NP_LAUNCH_SILENT, /* had not reached a barrier, or sent its results, by the deadline */
	NP_LAUNCH_OTHER,  /* runs another program or version */
	NP_LAUNCH_WRONG,  /* sent something malformed */
};

/*
 * Joins the run. Returns 0, or -EOPNOTSUPP (built without libpmix), -EPROTONOSUPPORT (libpmix is
 * not installed), -ENOENT (no launcher has started this process), -ETIMEDOUT (rank 0 was not found
 * by the deadline), -ETIME (the launcher does not answer), -ECONNREFUSED and the like (rank 0
 * cannot be reached), -ECANCELED, -ERANGE (more than NP_LAUNCH_RANKS_MAX ranks), -EIO (PMIx
 * failed), -ENOMEM. On failure *@launch is NULL. If rank 0 refuses this one, its next wait returns
 * -ESTALE. A rank 0 that has not opened its launch by the deadline is ended, as by np_launch_close.
 */
int np_launch_open(struct np_launch **launch, const struct np_launch_plan *plan);

/* How many ranks there are. */
uint32_t np_launch_size(const struct np_launch *launch);

/*
 * Waits until all ranks that are not out have called this as often as this one, or @deadline; those
 * that have not are then out. The @deadline of rank 0 decides; the other ranks wait up to 10 s
 * longer than theirs. @other_fd: as in the plan, for this wait. Returns 0, even if ranks are out;
 * -ECANCELED (by @other_fd), -ENOMEM; in ranks other than 0 also -ECONNRESET (rank 0 has died),
 * -ETIMEDOUT (rank 0 does not answer), -ESTALE (this rank was too late or refused, and is out),
 * -EBADMSG (rank 0 sent something malformed).
 *
 * A barrier that @other_fd ended must not be repeated: this rank is counted as being there, and the
 * others may have gone on. Its run is over: only np_launch_close may follow; barriers and
 * collections return -ECANCELED at once. Where the run is to end in order, pass -1.
 */
int np_launch_barrier(struct np_launch *launch, np_time deadline, int other_fd);

/*
 * Sets this rank's blob, or replaces it: ranks that fetch it after the next barrier get it. Returns
 * 0, -E2BIG, -ENOMEM, or as np_launch_barrier.
 */
int np_launch_set_blob(struct np_launch *launch, const void *blob, size_t bytes);

/*
 * Obtains the blobs of @count @ranks from rank 0, for np_launch_blob, after the first barrier.
 * Memory and traffic grow with @count alone. Errors as for np_launch_barrier.
 */
int np_launch_fetch(struct np_launch *launch, const uint32_t *ranks, size_t count,
		    np_time deadline);

/*
 * The blob of a rank, or NULL: not fetched (in rank 0: not set). Owned by @launch, valid until
 * the next np_launch_fetch. *@bytes: its length; may be NULL.
 */
const void *np_launch_blob(const struct np_launch *launch, uint32_t rank, size_t *bytes);

/*
 * Sends a piece of this rank's results, 1 to NP_LAUNCH_PIECE_MAX bytes, to rank 0, which must not
 * call it itself. Signals do not interrupt it. Errors as for np_launch_barrier.
 */
int np_launch_send(struct np_launch *launch, const void *piece, size_t bytes, np_time deadline);

/* Takes a piece of @rank; returns 0, or -errno, which makes that rank NP_LAUNCH_WRONG. */
typedef int (*np_launch_take)(void *context, uint32_t rank, const void *piece, size_t bytes);

/*
 * Rank 0: passes the pieces of the others to @take, those of each rank in the order of sending,
 * until each rank has called this, too, or @deadline. Ranks that have not are then
 * NP_LAUNCH_SILENT; what was taken of them remains. Other ranks (@take is not used): reports that
 * all was sent, and waits until rank 0 has it: a barrier for all. Not interrupted by signals.
 * Errors as for np_launch_barrier.
 *
 * The warnings that wait in the plan's log go with the results: rank 0 prints them, one that
 * several ranks have once, "3 ranks: object: reason".
 */
int np_launch_collect(struct np_launch *launch, np_launch_take take, void *context,
		      np_time deadline);

/*
 * What was known of @rank at the last barrier or collection; in rank 0, now: until the next call
 * that waits or fetches, all ranks that passed a barrier agree on who is out.
 */
enum np_launch_state np_launch_state(const struct np_launch *launch, uint32_t rank);

/* How many ranks are out. */
uint32_t np_launch_missing(const struct np_launch *launch);

/* The host of @rank: rank 0 knows that of each that has joined, others know their own; or NULL. */
const char *np_launch_host(const struct np_launch *launch, uint32_t rank);

/* What became of a rank: "never started", "died", ...; not to be freed. */
const char *np_launch_state_text(enum np_launch_state state);

/*
 * Writes "rank 3 (host-c): died; ranks 5, 7: never started" to @text, cut to fit with "...".
 * Returns @text; "" when none is out.
 */
char *np_launch_describe_missing(const struct np_launch *launch, char *text, size_t room);

/*
 * Leaves the run. Rank 0 asks the launcher to end ranks that are NP_LAUNCH_SILENT or
 * NP_LAUNCH_ABSENT, and others to end a rank 0 that did not answer: they would keep it waiting.
 */
void np_launch_close(struct np_launch *launch);

/* The message for what a function above returned; not to be freed. */
const char *np_launch_reason(int error);

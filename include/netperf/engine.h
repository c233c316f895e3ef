/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * engine: reads and writes in flight on one descriptor, up to a depth, each with its own buffer,
 * which is allocated, aligned and (io_uring) registered before the first I/O.
 *
 * Variants behind one interface: "sync" (pread/pwrite; depth 1), "libaio", "io_uring", "null"
 * (completes at once without I/O: the baseline of the benchmarks).
 *
 * An engine belongs to one thread, see @moves.
 */
#pragma once

#include <netperf/clock.h>

struct np_engine;

/* Names for --engine, NULL-terminated: "auto", then the variants. */
extern const char *const np_engine_variants[];

struct np_engine_options {
	const char *variant; /* NULL or "auto": sync at depth 1, else the fastest that works here */
	int fd;
	unsigned depth;	     /* most I/Os in flight, 1..NP_ENGINE_DEPTH_MAX; of sync 1 */
	size_t buffer_bytes; /* of each buffer, 1..UINT32_MAX */
	size_t align;	     /* of each buffer; a power of two */
	bool moves;	     /* another thread than the one that opens it will use it */
};

#define NP_ENGINE_DEPTH_MAX 1024

/* One read or write, from submission to completion; its data is in the buffer of @slot. */
struct np_io {
	unsigned slot; /* 0..depth-1; a slot has at most one I/O in flight */
	bool write;
	uint32_t bytes;	   /* asked for, at most buffer_bytes */
	uint64_t offset;   /* in bytes */
	int64_t result;	   /* bytes transferred, or -errno */
	np_time submitted; /* just before it was handed to the kernel */
	np_time completed; /* just after it was found complete */
};

/*
 * Returns 0; -EPROTONOSUPPORT: no such variant or forbidden by the kernel; -ENOMEM. On failure
 * *@engine is NULL.
 */
int np_engine_open(struct np_engine **engine, const struct np_engine_options *options);

/* Waits for the I/Os in flight (the kernel writes into the buffers), then frees. */
void np_engine_free(struct np_engine *engine);

struct np_engine_info {
	const char *variant; /* "sync", "libaio", "io_uring" or "null" */
	/*
	 * Why "auto", which tries io_uring and libaio first, did not get them: -errno; 0: it tried
	 * none, or was not asked to. A lack of memory there is due to "ulimit -l".
	 */
	int refusal;
	bool registered;    /* the kernel (io_uring) need not map the buffers for each I/O */
	unsigned in_flight; /* I/Os submitted and not yet returned by np_engine_complete */
};

/* What is so at the moment; owned by the engine. */
const struct np_engine_info *np_engine_info(const struct np_engine *engine);

/* The buffer of @slot: buffer_bytes, zeroed at first, aligned. */
void *np_engine_buffer(const struct np_engine *engine, unsigned slot);

/*
 * Takes @count I/Os, which the engine copies, and stamps their @submitted as late as possible, just
 * before the batch goes to the kernel. A variant may keep them until the next np_engine_complete,
 * so that one system call serves both: call that soon. Each slot must be free. Errors from the
 * kernel appear in the I/O's completion.
 */
void np_engine_submit(struct np_engine *engine, struct np_io *ios, unsigned count);

/*
 * Hands to the kernel at once what a variant has kept: for callers that have other work to do
 * before np_engine_complete.
 */
void np_engine_flush(struct np_engine *engine);

/*
 * Fills @done with up to @count completed I/Os. Waits for one when none is complete and any is in
 * flight, but not beyond @deadline (NP_TIME_NEVER: no limit; "null" and "sync" never wait here).
 * Returns how many (0: nothing in flight, or the deadline came first), or -errno.
 */
int np_engine_complete(struct np_engine *engine, struct np_io *done, unsigned count,
		       np_time deadline);

/*
 * cursor: the order in which a region is visited: piece by piece from its start, or in random
 * order, every piece once per pass; after the last piece the next pass begins. Pure. Offsets are in
 * the caller's unit (bytes or sectors).
 */
struct np_cursor {
	uint64_t begin;	 /* start of the region */
	uint64_t length; /* of the region; not 0 */
	uint64_t step;	 /* length of a piece; the last one of a region may be shorter */
	uint64_t pieces; /* of the region */
	bool random;
	uint64_t seed;
	uint64_t next;	 /* number of the next piece within the pass */
	uint64_t passes; /* completed */
};

struct np_extent {
	uint64_t offset;
	uint64_t length;
};

/*
 * Starts a walk of the region. A @step larger than @length becomes @length. If either is 0 there
 * are no pieces, and none may be asked for. Then @random may be set; that order is a function of
 * @seed and the pass.
 */
void np_cursor_start(struct np_cursor *cursor, uint64_t begin, uint64_t length, uint64_t step);

/* The next piece; np_cursor_next also advances. */
struct np_extent np_cursor_peek(const struct np_cursor *cursor);
struct np_extent np_cursor_next(struct np_cursor *cursor);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * engine: reads and writes in flight on one descriptor, up to a depth, each with a buffer of its
 * own that was allocated, aligned and (io_uring) registered before the first I/O.
 *
 * Variants behind one face: "sync" (pread/pwrite; depth 1), "libaio", "io_uring", "null"
 * (completes at once without I/O: the baseline of the benchmarks).
 *
 * An engine belongs to one thread.
 */
#ifndef NETPERF_ENGINE_H
#define NETPERF_ENGINE_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_engine;

/* Names for --engine, NULL-terminated: "auto", then the variants. */
extern const char *const np_engine_variants[];

struct np_engine_options {
	const char *variant; /* NULL or "auto": sync at depth 1, else the fastest that works here */
	int fd;
	unsigned depth;	     /* most I/Os in flight, 1..NP_ENGINE_DEPTH_MAX */
	size_t buffer_bytes; /* of each buffer */
	size_t align;	     /* of each buffer; a power of two */
};

#define NP_ENGINE_DEPTH_MAX 1024

/* One read or write, from submission to completion; @slot says whose buffer carries the data. */
struct np_io {
	unsigned slot; /* 0..depth-1; a slot has at most one I/O in flight */
	bool write;
	uint32_t bytes;	   /* asked for, at most buffer_bytes */
	uint64_t offset;   /* in bytes */
	int64_t result;	   /* bytes done, or -errno */
	np_time submitted; /* read just before it was handed to the kernel */
	np_time completed; /* read just after it was found done */
};

/*
 * Returns 0; -EPROTONOSUPPORT: no such variant or forbidden by the kernel; -EINVAL: depth above 1
 * asked of sync, or an option out of range; -ENOMEM. On failure *@engine is NULL.
 */
int np_engine_open(struct np_engine **engine, const struct np_engine_options *options);

/* Waits for what is in flight (the kernel writes into the buffers), then frees. NULL is allowed. */
void np_engine_free(struct np_engine *engine);

/* "sync", "libaio", "io_uring" or "null". */
const char *np_engine_variant(const struct np_engine *engine);

/*
 * Why "auto" did not get io_uring or libaio, which it tried before this one: -errno; 0: it tried
 * none, or was not asked. Those who lack memory for it run into "ulimit -l".
 */
int np_engine_refusal(const struct np_engine *engine);

/* Whether the kernel has the buffers registered (io_uring), and need not map them for each I/O. */
bool np_engine_registered(const struct np_engine *engine);

/* The buffer of @slot: buffer_bytes, zeroed at first, aligned. */
void *np_engine_buffer(const struct np_engine *engine, unsigned slot);

/*
 * Takes @count I/Os, which the engine copies, and stamps their @submitted: as late as it can be
 * told, just before the batch goes to the kernel. A variant may keep them until the next
 * np_engine_complete, so that one system call serves both: call it soon. Returns 0, or
 * -EINVAL and takes none when one names a slot that is busy or out of range or more bytes than a
 * buffer holds. What the kernel refuses is reported by the I/O's completion.
 */
int np_engine_submit(struct np_engine *engine, struct np_io *ios, unsigned count);

/*
 * Fills @done with up to @count finished I/Os. Waits for one when none is finished and any is in
 * flight, but not beyond @deadline (NP_TIME_NEVER: no limit; "null" and "sync" never wait here).
 * Returns how many (0: nothing in flight, or the deadline came first), or -errno.
 */
int np_engine_complete(struct np_engine *engine, struct np_io *done, unsigned count,
		       np_time deadline);

/* I/Os submitted and not yet returned by np_engine_complete. */
unsigned np_engine_in_flight(const struct np_engine *engine);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

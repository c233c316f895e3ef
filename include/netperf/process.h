/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * process: what every program does first, so that no descriptor or signal state that it inherits
 * does harm later.
 */
#ifndef NETPERF_PROCESS_H
#define NETPERF_PROCESS_H

#include <netperf/clock.h>
#include <stddef.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/*
 * Call it first in main. Opens closed descriptors among 0 to 2 on /dev/null; otherwise the first
 * socket or disk would get such a number, and with it the text. Reading the first and writing the
 * others still fails (-EBADF), so that a result that goes nowhere is an error. Ignores SIGXFSZ:
 * when a file reaches its size limit the write fails (-EFBIG), and the summary is still printed.
 * And SIGPIPE: a write to a reader that has gone fails (-EPIPE), and ends the run in order
 * (output.h). Returns 0, or -errno of /dev/null, and it is not safe to continue.
 */
int np_process_begin(void);

/* Writes the message for what np_process_begin returned to @text, and returns that. */
#define NP_PROCESS_REASON_BYTES 192
const char *np_process_reason(int error, char text[NP_PROCESS_REASON_BYTES]);

/*
 * From now on allocations of @bytes or more are mapped from the kernel one by one, and returned to
 * it when freed. So a large block costs only the pages that are written, however often it is
 * allocated; otherwise the C library would keep and reuse such blocks after the first free. Call it
 * before threads are started.
 */
void np_process_map_blocks(size_t bytes);

/*
 * What the run used of this machine, and what disturbed it (getrusage(2)). Thread-safe;
 * counts the whole process.
 */

struct np_usage {
	np_time user;
	np_time system;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
};

/* The use since the process started. */
struct np_usage np_usage_now(void);

/* The use since @begin. */
struct np_usage np_usage_since(const struct np_usage *begin);

/* How much of one processor that is over @elapsed; below 0 if that is too short to tell. */
double np_usage_share(const struct np_usage *usage, np_time elapsed);

struct np_record;

/* Adds @usage to @record as the objects "cpu" {user_ns, system_ns} and "context_switches"
 * {voluntary, involuntary}. */
void np_record_usage(struct np_record *record, const struct np_usage *usage);

#include <netperf/bits/end.h>
#endif

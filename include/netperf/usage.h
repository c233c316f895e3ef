/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * usage: what the run used of this machine, and what disturbed it (getrusage(2)). Thread-safe;
 * counts the whole process.
 */
#ifndef NETPERF_USAGE_H
#define NETPERF_USAGE_H

#include <netperf/clock.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* run: keeps the queue filled until the test ends, and counts what completes. */
#ifndef RUN_H
#define RUN_H

#include "report.h"

struct run;

/*
 * Allocates everything that the run needs. Returns 0 or -errno of np_engine_open; then *@run is
 * NULL.
 */
int run_create(struct run **run, const struct options *options, const struct target *target);

/* NULL is allowed. */
void run_free(struct run *run);

/*
 * Runs until the time is over, a signal comes, or too many I/Os fail. Fills @result, and reports
 * the start and intervals by @reporter.
 */
void run_measure(struct run *run, struct reporter *reporter, struct result *result);

#endif

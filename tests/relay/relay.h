/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* relay: two links, and a lane each way between them. */
#pragma once

#include "interface.h"
#include "truth.h"

#include <netperf/process.h>

struct relay {
	const struct options *options;
	const struct np_log *log;
	struct np_signals *signals;
	struct np_report *report;
	struct log_file log_file;
	struct np_link *link[WAYS];	     /* of A, of B */
	struct interface_counts begin[WAYS]; /* of A, of B */
	struct lane_setting setting[WAYS];
	struct lane lane[WAYS];
	unsigned next_flow;
};

/* Returns 0, or -errno after logging the error. Call relay_close in any case. */
int relay_open(struct relay *relay, const struct options *options, const struct np_log *log);

/* Runs until SIGINT or SIGTERM; returns 0, or -errno after logging. */
int relay_run(struct relay *relay);

/* Writes the final truth; false when it is void or could not be written. */
bool relay_finish(struct relay *relay);

void relay_close(struct relay *relay);

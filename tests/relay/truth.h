/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* truth: the record of what the relay knows to have happened, in JSON. */
#pragma once

#include "lane.h"
#include "options.h"

#include <netperf/report.h>

/* One direction, with everything that could void its figures. */
struct truth {
	const struct lane *lane;
	const char *from, *to;
	struct np_link_stats in, out;
	uint64_t interface_dropped;	/* by the kernel, before the relay's socket */
	uint64_t interface_unaccounted; /* sent by the relay but missing in the interface's counter
					 */
};

/* Why the figures cannot be trusted, or NULL. */
const char *truth_void(const struct truth *truth);

/* Writes a record of @type ("interval", "summary") for both directions; returns 0 or -errno. */
int truth_write(struct np_report *report, const char *type, const struct truth truths[WAYS]);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: the command line of the relay. */
#pragma once

#include "plan.h"

#include <netperf/log.h>
#include <netperf/options.h>

enum { AB, BA, WAYS };

struct options {
	const char *interface[WAYS]; /* A, B */
	struct np_option_list fault[WAYS];
	const char *truth, *log, *arrivals;
	uint64_t seed, number_at, number_bytes, delay_slots, receive_bytes;
	np_time hold_limit;
	unsigned link;
	bool quiet;
	struct plan plan[WAYS]; /* made from the faults */
};

/* Returns -1 when the relay may run, else the exit status. */
int options_read(struct options *options, int argc, char *argv[], struct np_log *log);

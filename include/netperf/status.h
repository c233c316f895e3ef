/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * status: one line at the bottom of the terminal that shows how a run gets on, such as "12 s, 48 s
 * left: 941.2 Mbit/s, 812345 packets received, lost 0". It is drawn once a second at most, only
 * where a line of the terminal begins and while the process has it in the foreground, and is erased
 * before any other text of the process. np_tool_main makes it, and np_log has it. Thread-safe; NULL
 * is allowed everywhere: there is none.
 */
#pragma once

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

struct np_status;

struct np_status_figures {
	np_time begun;	    /* when the run began: other figures count from there on */
	np_time end;	    /* when it will end; NP_TIME_NEVER: that is not known */
	uint64_t bytes;	    /* for the rate, which is that since the line was last due */
	bool rate_in_bytes; /* else in bits */
	uint64_t count;
	const char *unit; /* of it: "packets received" */
	uint64_t faults;
	const char *fault; /* "lost", "errors"; NULL: not known, and left out */
};

/* From when on it is to be drawn again; NP_TIME_NEVER: there is none. Cheap. */
np_time np_status_next(const struct np_status *status);

/* Draws it, unless it is too early. Never waits for the terminal. */
void np_status_show(struct np_status *status, np_time now, const struct np_status_figures *figures);

/* Erases it: what it shows is over. */
void np_status_erase(struct np_status *status);

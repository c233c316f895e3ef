/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * log: the reason that a log keeps, and its end; what the library's own writers to the terminal do
 * about the status line, of which NULL is allowed.
 */
#pragma once

#include <netperf/log.h>

#define NP_LOG_HELD 4096

/* The reason for a failure, as logged: "object: reason". */
struct np_log_reason {
	char text[1024]; /* of the last error, else of the last warning; "": there was none */
	bool error;	 /* it is an error's */
	bool last;	 /* nothing was logged after it */
	bool record;	 /* it is written to stdout as JSON at the end */
	/*
	 * With --mesh: warnings wait here for those of other ranks, as far as there is room, until
	 * rank 0 has the results. Each is the name of the program, with its rank if it has that,
	 * and "object: reason", both with a NUL.
	 */
	bool holds;
	size_t held_bytes;
	char held[NP_LOG_HELD];
};

/* For the terminal @fd, which stays open. Returns 0 or -ENOMEM. */
int status_create(struct np_status **status, int fd);

/* Erases the line. */
void status_free(struct np_status *status);

/* Erases it and keeps it away until status_release; @at_start: the text ended with a newline. */
void status_hide(struct np_status *status);
void status_release(struct np_status *status, bool at_start);

/*
 * Prints the warnings that wait, and from now on each at once. If the run @failed, logs the reason
 * again, unless it was the last line that was logged.
 */
void log_end(const struct np_log *log, bool failed);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * log: what the library's own writers to the terminal do about the status line, of which NULL is
 * allowed; the end of a log.
 */
#pragma once

#include <netperf/log.h>

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* log_file: the file of -log, with a row of figures for each publisher. */
#ifndef DATAGRAM_TEST_LOG_FILE_H
#define DATAGRAM_TEST_LOG_FILE_H

#include "flow.h"

#include <stdio.h>

#define LOG_FILE_NAME_BYTES 4352

/*
 * The name of the file: @name; with several listeners @port and a dash precede its last component.
 * "stdout" and "stderr" are kept.
 */
const char *log_file_name(const char *name, uint16_t port, bool several,
			  char out[LOG_FILE_NAME_BYTES]);

struct log_file;

/*
 * Opens for appending. The heading of an empty file is written with its first row. Returns 0 or
 * -errno.
 */
int log_file_open(struct log_file **log_file, const char *name);

/* Writes a row for every flow, about the time since the last report. */
void log_file_interval(struct log_file *log_file, const struct flows *flows);

/* Writes the row of a flow that is over, about its whole life. */
void log_file_life(struct log_file *log_file, const struct flow *flow);

/*
 * With @never_began a file without rows stays as it was, and one that log_file_open made is
 * removed. Returns 0, or -errno if a row could not be written. NULL is allowed.
 */
int log_file_close(struct log_file *log_file, bool never_began);

#endif

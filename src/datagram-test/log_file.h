/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* log_file: the file of -log, a row of figures for each publisher. */
#ifndef DATAGRAM_TEST_LOG_FILE_H
#define DATAGRAM_TEST_LOG_FILE_H

#include "flow.h"

#include <stdio.h>

#define LOG_FILE_NAME_BYTES 4352

/*
 * The name of the file: @name, or with @port put before its last part when there are several
 * listeners. "stdout" and "stderr" stay.
 */
const char *log_file_name(const char *name, uint16_t port, bool several,
			  char out[LOG_FILE_NAME_BYTES]);

struct log_file;

/* Opens for appending and writes the heading where there is nothing yet. 0 or -errno. */
int log_file_open(struct log_file **log_file, const char *name);

/* A row for every flow, of the span since the last report. */
void log_file_interval(struct log_file *log_file, const struct flows *flows);

/* The row of a flow that is over, of its life. */
void log_file_life(struct log_file *log_file, const struct flow *flow);

/* Returns 0 or the -errno for which a row could not be written. NULL is allowed. */
int log_file_close(struct log_file *log_file);

#endif

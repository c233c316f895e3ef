/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * log_file: the file of -f: the banner, a row of numbers every log_interval messages, the results
 * (spec 6.5). In place of Java's heap it shows the machine's free and total memory.
 */
#ifndef GROUP_TEST_REPORT_LOG_FILE_H
#define GROUP_TEST_REPORT_LOG_FILE_H

#include "../transport/transport.h"
#include "../wire/result.h"

#include <stdio.h>

/* Writes the heading of the rows; @transport: with the counters of dump_transport_stats. */
void log_file_heading(FILE *out, bool transport);

/*
 * Writes a row: what @myself has received so far, the wall clock, and the rate from its first
 * message to @now. @stats NULL: without the transport's counters.
 */
void log_file_row(FILE *out, const struct result_row *so_far, uint64_t msg_size, np_time now,
		  const struct transport_stats *stats);

#endif

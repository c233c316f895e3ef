/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * journal: the file of -f: the banner, a row of numbers every log_interval messages, the results
 * (spec 6.5). Where Java's heap was, the machine's free and total memory stand.
 */
#ifndef GROUP_TEST_JOURNAL_H
#define GROUP_TEST_JOURNAL_H

#include "result.h"
#include "transport.h"

#include <stdio.h>

/* The heading of the rows; @transport: with the counters of dump_transport_stats. */
void journal_heading(FILE *out, bool transport);

/*
 * A row: what @myself received so far, the wall clock, and the rate from its first message to
 * @now. @stats NULL: without the transport's counters.
 */
void journal_row(FILE *out, const struct result_row *so_far, uint64_t msg_size, np_time now,
		 const struct transport_stats *stats);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * log_file: records each decision, and the order of what was forwarded, in two files with one line
 * each: "FLOW POSITION NUMBER pass" (or "drop"; followed by ",damage=right", ",damage=bad",
 * ",hold=N", ",copies=N" or ",copies=N@N", ",delay=NS") and "FLOW NUMBER STATE first" (or "copy";
 * STATE is right, damaged or bad). NUMBER is "-" where a datagram is too short for one; "bad" is
 * what the receiver's kernel will drop because of its checksum.
 */
#pragma once

#include "delay_queue.h"

#include <stdio.h>

struct log_file {
	FILE *decisions; /* or NULL */
	FILE *arrivals;	 /* or NULL */
};

/* NULL for a path: none. Returns 0, or -errno with *@object the path. */
int log_file_open(struct log_file *log_file, const char *decisions, const char *arrivals,
		  const char **object);

/* Returns 0, or -errno of the first write that failed. */
int log_file_flush(struct log_file *log_file);
int log_file_close(struct log_file *log_file);

void log_file_decision(struct log_file *log_file, const struct item *item,
		       const struct verdict *verdict);
void log_file_arrival(struct log_file *log_file, const struct item *item);

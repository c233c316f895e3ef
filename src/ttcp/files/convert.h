/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * convert: -s2d and -smd: converts a file of a run to another, without a network. A file is read
 * line by line and word by word; it may be damaged, truncated or something else altogether: then
 * the number of the bad line and what is wrong are known.
 *
 * Density: the share of consecutive sequence numbers that was received, from a sequence file (-s).
 * Smoothing: the mean delay of one receiver over windows of time, from a delay file (-d).
 */
#pragma once

#include "../config/options.h"

/*
 * Returns the exit status: 2 when the input cannot be read or the output cannot be created, 1 when
 * the input is damaged or a write fails.
 */
int convert_run(const struct options *options, const struct np_log *log);

#define CONVERT_LINE  4096 /* the most bytes of a line */
#define CONVERT_WORDS 12

struct convert_row {
	int64_t at; /* the sequence number, or when it was sent */
	np_time delay;
};

/* A file and what was read of it; zero but for @receiver. */
struct convert {
	const char *receiver; /* of smoothing, as spelled there, or without its port; else NULL */
	struct convert_row *row; /* in order of the file; the caller frees it in any case */
	size_t count, room;
	uint64_t highest; /* sequence number */

	uint64_t line;	    /* number of the last line read, from 1 */
	const char *reason; /* the reason of the last -EBADMSG */
	char *word[CONVERT_WORDS];
	char text[CONVERT_LINE + 1]; /* with its end */
};

/*
 * Reads all rows of @file. Returns 0, or -EBADMSG with line and reason, and what is before that
 * line in the rows; or -ENOMEM, or -errno of the file.
 */
int convert_read(struct convert *c, FILE *file);

/*
 * Sorts the rows and writes them. Density: "first<tab>density" for every @interval numbers from 0
 * on; missing numbers count as 0; the last window ends with the highest number. Smoothing:
 * "window_start_ms<tab>count<tab>mean_delay" for every @interval ms of sending time from the first
 * row of the file on, without empty windows.
 */
void convert_write(struct convert *c, uint64_t interval, FILE *out);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * convert: -s2d and -smd: converts a file of a run to another, without a network. A file is read
 * line by line and word by word; it may be damaged, truncated or something else altogether: then
 * the number of the bad line and what is wrong are known.
 *
 * density: the share of consecutive sequence numbers that was received, from a sequence file (-s).
 * smooth: the mean delay of one receiver over windows of time, from a delay file (-d).
 */
#ifndef TTCP_FILES_CONVERT_H
#define TTCP_FILES_CONVERT_H

#include "../config/options.h"

#include <netperf/clock.h>
#include <stdio.h>

/*
 * Returns the exit status: 2 when the input cannot be read or the output cannot be created, 1 when
 * the input is damaged or a write fails.
 */
int convert_run(const struct options *options, const struct np_log *log);

#define READER_LINE  4096 /* the most bytes of a line */
#define READER_WORDS 12

struct reader {
	FILE *file;	    /* owned by the caller */
	uint64_t line;	    /* number of the last line read, from 1 */
	const char *reason; /* the reason of the last -EBADMSG */
	unsigned count;
	char *word[READER_WORDS];
	char text[READER_LINE];
};

void reader_init(struct reader *reader, FILE *file);

/* The distinct numbers of a file, in order. */
struct density {
	uint64_t *number;
	size_t count, room;
};

/*
 * Reads all rows. Returns 0, or -EBADMSG with @reader's line and reason, and the rows before that
 * line in @density; or -ENOMEM, or -errno of the file. Call density_free in any case.
 */
int density_read(struct density *density, struct reader *reader);
void density_free(struct density *density);

/*
 * Writes "first<tab>density" for every @interval numbers from 0 on; missing numbers count as 0. The
 * last window ends with the highest number.
 */
void density_write(const struct density *density, uint64_t interval, FILE *out);

/* One row of the receiver. */
struct smooth_row {
	np_time sent, delay;
};

struct smooth {
	struct smooth_row *row; /* in order of the file */
	size_t count, room;
};

/*
 * Reads the rows of @receiver: as spelled in the file, or without its port. Returns 0, or -EBADMSG
 * with @reader's line and reason, and the rows before that line in @smooth; or -ENOMEM, or -errno
 * of the file. Call smooth_free in any case.
 */
int smooth_read(struct smooth *smooth, struct reader *reader, const char *receiver);
void smooth_free(struct smooth *smooth);

/*
 * Writes "window_start_ms<tab>count<tab>mean_delay" for every @interval ms of sending time from the
 * first row on, without empty windows. Sorts the rows.
 */
void smooth_write(struct smooth *smooth, uint64_t interval, FILE *out);

#endif

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

struct converted_row {
	int64_t at; /* the sequence number, or when it was sent */
	np_time delay;
};

/* What was read of a file. Free it in any case. */
struct converted {
	struct converted_row *row;
	size_t count, room;
};

void converted_free(struct converted *rows);

/*
 * Reads all rows: the distinct numbers, in order. Returns 0, or -EBADMSG with @reader's line and
 * reason, and what is before that line in @numbers; or -ENOMEM, or -errno of the file.
 */
int density_read(struct converted *numbers, struct reader *reader);

/*
 * Writes "first<tab>density" for every @interval numbers from 0 on; missing numbers count as 0. The
 * last window ends with the highest number.
 */
void density_write(const struct converted *numbers, uint64_t interval, FILE *out);

/*
 * The same for the rows of @receiver, in order of the file: as spelled there, or without its port.
 */
int smooth_read(struct converted *delays, struct reader *reader, const char *receiver);

/*
 * Writes "window_start_ms<tab>count<tab>mean_delay" for every @interval ms of sending time from the
 * first row on, without empty windows. Sorts the rows.
 */
void smooth_write(struct converted *delays, uint64_t interval, FILE *out);

#endif

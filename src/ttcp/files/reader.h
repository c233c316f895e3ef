/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * reader: reads a text file of ours again, line by line and word by word, and knows the number of
 * the bad line and what is wrong. Files may be damaged, truncated or something else altogether.
 */
#ifndef TTCP_FILES_READER_H
#define TTCP_FILES_READER_H

#include <netperf/clock.h>
#include <stdint.h>
#include <stdio.h>

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

/*
 * Reads the next line that is neither empty nor starts with "#", and splits it into words. Returns
 * 1, 0 at the end of the file, -EBADMSG for a line that is too long, has too many words or no end,
 * or -errno.
 */
int reader_next(struct reader *reader);

/* Rejects the line: sets the reason and returns -EBADMSG. */
int reader_damaged(struct reader *reader, const char *reason);

/*
 * Parses word @at as a number, or as milliseconds with up to six decimals in ns. Returns 0 or
 * -EBADMSG.
 */
int reader_number(struct reader *reader, unsigned at, uint64_t max, uint64_t *number);
int reader_ms(struct reader *reader, unsigned at, np_time *t);

#endif

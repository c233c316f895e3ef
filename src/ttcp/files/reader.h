/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * reader: a text file of ours read again, line by line and word by word, with the number of the
 * line that is wrong and why. Files may be damaged, cut off or something else altogether.
 */
#ifndef TTCP_FILES_READER_H
#define TTCP_FILES_READER_H

#include <netperf/clock.h>
#include <stdint.h>
#include <stdio.h>

#define READER_LINE  4096 /* bytes of a line, at most */
#define READER_WORDS 12

struct reader {
	FILE *file;	    /* the caller's */
	uint64_t line;	    /* number of the one that was read last, from 1 */
	const char *reason; /* why reader_next said -EBADMSG */
	unsigned count;
	char *word[READER_WORDS];
	char text[READER_LINE];
};

void reader_init(struct reader *reader, FILE *file);

/*
 * Reads the next line that is neither empty nor begins with "#" into words. Returns 1, 0 at the end
 * of the file, -EBADMSG for a line that is too long, has too many words or no end, or -errno.
 */
int reader_next(struct reader *reader);

/* The line is not what it should be: sets the reason and returns -EBADMSG. */
int reader_damaged(struct reader *reader, const char *reason);

/* Word @at as a number, or as milliseconds with up to six decimals in ns. 0 or -EBADMSG. */
int reader_number(struct reader *reader, unsigned at, uint64_t max, uint64_t *number);
int reader_ms(struct reader *reader, unsigned at, np_time *t);

#endif

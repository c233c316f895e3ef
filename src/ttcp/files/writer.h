/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * writer: a buffered text file, with the kinds of fields that ttcp's files have. Nothing is
 * allocated, and printf is not used, so that a row takes some tens of nanoseconds.
 */
#ifndef TTCP_FILES_WRITER_H
#define TTCP_FILES_WRITER_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
	int fd;
	int error;  /* the first, -errno */
	bool keeps; /* the file has something yet, which is lost with the first flush */
	bool made;  /* the file was not there */
	size_t used;
	char buffer[1 << 16];
};

/* Creates and empties the file, or with @append continues it. Returns 0, or see np_output_open. */
int writer_open(struct writer *writer, const char *path, bool append);

/*
 * The same for an open file, which it owns from now on; its content is removed only when it is
 * written.
 */
void writer_adopt(struct writer *writer, int fd, bool made);

void writer_char(struct writer *writer, char c);
void writer_text(struct writer *writer, const char *text);
void writer_number(struct writer *writer, uint64_t number);

/* In ms, exactly: "0", "31", "-3.412345". */
void writer_ms(struct writer *writer, np_time t);

/*
 * Forgets what a file that keeps what it has was to be given; one that was made is emptied,
 * whatever it was given.
 */
void writer_forget(struct writer *writer);

/* Return 0 or -errno of the first failed write. */
int writer_flush(struct writer *writer);
int writer_close(struct writer *writer);

#endif

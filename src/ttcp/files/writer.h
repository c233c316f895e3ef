/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * writer: a text file written in pieces, with the fields that files of ttcp have. Nothing is
 * allocated or formatted by printf, so that a row costs some tens of nanoseconds.
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
	bool made;  /* of writer_open: the file was not there */
	size_t used;
	char buffer[1 << 16];
};

/* Creates and empties the file, or with @append goes on behind what it has. 0, or see
 * np_output_open. */
int writer_open(struct writer *writer, const char *path, bool append);

/* The same of one that is open, and then its owner's; what it has is lost only when it is written.
 */
void writer_adopt(struct writer *writer, int fd);

void writer_char(struct writer *writer, char c);
void writer_text(struct writer *writer, const char *text);
void writer_number(struct writer *writer, uint64_t number);

/* In ms, exactly: "0", "31", "-3.412345". */
void writer_ms(struct writer *writer, np_time t);

/*
 * Forgets what a file that keeps what it has was to be given; one that was @made is emptied,
 * whatever it was given.
 */
void writer_forget(struct writer *writer, bool made);

/* Return 0 or -errno of the first write that failed. */
int writer_flush(struct writer *writer);
int writer_close(struct writer *writer);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * rows: a text file written in pieces, with the fields that files of ttcp have. Nothing is
 * allocated or formatted by printf, so that a row costs some tens of nanoseconds.
 */
#ifndef TTCP_ROWS_H
#define TTCP_ROWS_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rows {
	int fd;
	int error; /* the first, -errno */
	size_t used;
	char buffer[1 << 16];
};

/* Creates and empties the file, or with @append goes on behind what it has. 0, or see
 * np_output_open. */
int rows_open(struct rows *rows, const char *path, bool append);

/* The same of one that is open, and then its owner's. */
void rows_adopt(struct rows *rows, int fd);

void rows_char(struct rows *rows, char c);
void rows_text(struct rows *rows, const char *text);
void rows_number(struct rows *rows, uint64_t number);

/* In ms, exactly: "0", "31", "-3.412345". */
void rows_ms(struct rows *rows, np_time t);

/* Return 0 or -errno of the first write that failed. */
int rows_flush(struct rows *rows);
int rows_close(struct rows *rows);

#endif

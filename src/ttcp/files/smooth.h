/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* smooth: the mean delay of one receiver over windows of time, from a delay file (-d). */
#ifndef TTCP_FILES_SMOOTH_H
#define TTCP_FILES_SMOOTH_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct reader;

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * density: the share of consecutive sequence numbers that was received, from a sequence file (-s).
 */
#ifndef TTCP_FILES_DENSITY_H
#define TTCP_FILES_DENSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct reader;

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

#endif

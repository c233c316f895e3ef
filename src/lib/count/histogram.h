/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * histogram: which bucket a value counts in, and the counts of those buckets alone that have
 * counted something, packed into little memory.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <netperf/histogram.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Below 2048 a bucket is one value wide; from there each doubling has 1024 buckets of twice the
 * width, so that a bucket's width is under 1/1024 of the values in it.
 */
#define HISTOGRAM_LINEAR_BITS 11
#define HISTOGRAM_LIMIT_BITS  43
#define HISTOGRAM_ROW	      (1u << (HISTOGRAM_LINEAR_BITS - 1))
#define HISTOGRAM_ROWS	      (HISTOGRAM_LIMIT_BITS - HISTOGRAM_LINEAR_BITS + 2)
#define HISTOGRAM_BUCKETS     ((size_t)HISTOGRAM_ROW * HISTOGRAM_ROWS)

#define HISTOGRAM_BLOCK	      64 /* buckets */

struct histogram_block;

/* Counts of few of the buckets. {0} is an empty one. */
struct histogram_packed {
	struct histogram_block **row[HISTOGRAM_ROWS]; /* 16 blocks, or NULL: nothing there */
	size_t bytes;				      /* that it owns */
};

/*
 * Adds @times to the bucket. Returns 0, -ENOMEM, or -EOVERFLOW when they are too many for a packed
 * count or the counts take too much memory to be packed; then nothing has changed. Hot.
 */
int histogram_packed_add(struct histogram_packed *packed, size_t bucket, uint64_t times);

/* The first bucket from @from on that has counted, and its count; false: there is none. */
bool histogram_packed_next(const struct histogram_packed *packed, size_t from, size_t *bucket,
			   uint64_t *count);

/* Frees what it owns and makes it empty. */
void histogram_packed_clear(struct histogram_packed *packed);

#endif

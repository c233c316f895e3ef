/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sequence_made: a sequence for the tests, numbers for it, and what it counted. */
#ifndef SEQUENCE_MADE_H
#define SEQUENCE_MADE_H

#include "../../src/lib/count/sequence.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static inline struct sequence *create(uint64_t window)
{
	struct sequence *sequence;

	assert_int_equal(sequence_create(&sequence, window), 0);
	return sequence;
}

static inline struct sequence_counts life_of(const struct sequence *sequence)
{
	struct sequence_counts counts;

	sequence_life(sequence, &counts);
	assert_true(counts.spanned == counts.received + counts.missing + counts.old);
	return counts;
}

static inline struct sequence_counts now_of(const struct sequence *sequence)
{
	struct sequence_counts counts;

	sequence_now(sequence, &counts);
	assert_true(counts.spanned == counts.received + counts.missing + counts.old);
	return counts;
}

static inline void add_range(struct sequence *sequence, uint64_t first, uint64_t last)
{
	for (uint64_t i = first; i <= last; i++)
		sequence_add(sequence, i, (np_time)i);
}

/* Adds the given numbers, the first at 0, each a nanosecond after the other. */
#define ADD(sequence, ...)                                                                         \
	do {                                                                                       \
		const uint64_t numbers[] = {__VA_ARGS__};                                          \
		for (size_t i = 0; i < COUNT_OF(numbers); i++)                                     \
			sequence_add(sequence, numbers[i], (np_time)i);                            \
	} while (0)

#endif

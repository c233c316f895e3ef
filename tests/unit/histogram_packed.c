// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * histogram_packed: the widths of counts, and as little memory as is said; histogram has that all
 * of them are told back.
 */
#include "../../src/lib/count/histogram.h"
#include "support/unit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static uint64_t wanted[HISTOGRAM_BUCKETS];
static struct histogram_packed packed;

static int begin(void **state)
{
	(void)state;
	memset(wanted, 0, sizeof(wanted));
	return 0;
}

static int end(void **state)
{
	(void)state;
	histogram_packed_clear(&packed);
	return 0;
}

static void add(size_t bucket, uint64_t times)
{
	assert_int_equal(histogram_packed_add(&packed, bucket, times), 0);
	wanted[bucket] += times;
}

/* All that was counted is told in its order, and nothing else. */
static void expect_all(void)
{
	size_t bucket = 0, next = 0;
	uint64_t count = 0;

	while (histogram_packed_next(&packed, next, &bucket, &count)) {
		for (; next < bucket; next++)
			assert_int_equal(wanted[next], 0);
		assert_int_equal(count, wanted[bucket]);
		next++;
	}
	for (; next < HISTOGRAM_BUCKETS; next++)
		assert_int_equal(wanted[next], 0);
}

/* A count that grows past one, two and four bytes takes none of its neighbours'. */
TEST_WITH(begin, end, counts_outgrow_their_width)
{
	static const uint64_t ends[] = {255, 65535, UINT32_MAX};

	(void)state;
	add(69, 1);
	add(71, 200);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		add(70, ends[i] - wanted[70]);
		expect_all();
		if (i < 2)
			add(70, 1);
		expect_all();
	}
	/* There is no wider one; nothing has changed. */
	assert_int_equal(histogram_packed_add(&packed, 75, UINT64_C(1) << 32), -EOVERFLOW);
	add(80, UINT32_MAX);
	assert_int_equal(histogram_packed_add(&packed, 70, 1), -EOVERFLOW);
	assert_int_equal(histogram_packed_add(&packed, 70, UINT64_MAX), -EOVERFLOW);
	expect_all();
	add(71, 1);
	expect_all();
}

/* Spread over 6 doublings, each bucket for the first time: what a flow of messages may look like.
 */
TEST_WITH(begin, end, little_memory_for_few_values)
{
	(void)state;
	add(5000, 1);
	assert_in_range(packed.bytes, 1, 256);
	for (unsigned i = 0; i < 1000; i++)
		add(5000 + i * 2549 % 6144, 1);
	expect_all();
	assert_in_range(packed.bytes, 1000, 3800);
	/* As many as there can be, three each: a byte is enough. */
	for (unsigned i = 0; i < 3 * 6144; i++)
		add(5000 + i * 2549 % 6144, 1);
	expect_all();
	assert_in_range(packed.bytes, 6144, 10000);
}

/* What would take nearly as much as all buckets is not packed. */
TEST_WITH(begin, end, too_many_are_refused)
{
	size_t bucket = 0;

	(void)state;
	while (bucket < HISTOGRAM_BUCKETS && !histogram_packed_add(&packed, bucket, 100000)) {
		wanted[bucket] = 100000;
		bucket++;
	}
	assert_in_range(bucket, 20000, HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_packed_add(&packed, bucket, 100000), -EOVERFLOW);
	assert_in_range(packed.bytes, 1, 131072);
	expect_all();
	add(3, 1);
	expect_all();
}

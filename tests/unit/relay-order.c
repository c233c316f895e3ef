// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* relay-order: reordered datagrams and extents as RFC 4737 counts them. */
#include <stdint.h>

#include "support/unit.h"
#include "tests/relay/order.h"

#include <stdlib.h>
#include <string.h>

static void add_all(struct order *order, const uint64_t *numbers, unsigned count)
{
	memset(order, 0, sizeof(*order));
	for (unsigned i = 0; i < count; i++)
		order_add(order, numbers[i]);
}

TEST(extents_reach_back_to_the_earliest_larger_one)
{
	/* The packets 4, 5 and 6 come behind 7 to 10. */
	static const uint64_t table[] = {1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11};
	struct order order;

	add_all(&order, table, 11);
	assert_int_equal(order.reordered, 3);
	assert_int_equal(order.extent_count[4], 1);
	assert_int_equal(order.extent_count[5], 1);
	assert_int_equal(order.extent_count[6], 1);
	assert_int_equal(order.extent_sum, 15);
	assert_int_equal(order.extent_max, 6);
	assert_int_equal(order.extent_unknown, 0);
}

TEST(gaps_are_no_disorder)
{
	static const uint64_t gaps[] = {2, 5, 100, 101};
	struct order order;

	add_all(&order, gaps, 4);
	assert_int_equal(order.reordered, 0);
}

TEST(beyond_the_records_an_extent_is_unknown)
{
	struct order *order = calloc(1, sizeof(*order));

	assert_non_null(order);
	for (uint64_t i = 0; i < ORDER_RECORDS; i++)
		order_add(order, i + 3);
	order_add(order, 2);
	assert_int_equal(order->extent_max, ORDER_RECORDS);
	order_add(order, ORDER_RECORDS + 3);
	order_add(order, 1);
	assert_int_equal(order->reordered, 2);
	assert_int_equal(order->extent_unknown, 1);
	assert_int_equal(order->extent_sum, ORDER_RECORDS);
	free(order);
}

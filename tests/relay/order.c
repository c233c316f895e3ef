// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* order: counts reordered datagrams and their extents. */
#include "order.h"

static const struct order_record *record(const struct order *order, uint64_t index)
{
	return &order->record[index % ORDER_RECORDS];
}

static void count_extent(struct order *order, uint64_t extent)
{
	order->extent_sum += extent;
	if (extent > order->extent_max)
		order->extent_max = extent;
	if (extent <= ORDER_EXTENTS)
		order->extent_count[extent]++;
}

/* The records ascend in number and position: the first one above @number is the earliest. */
static void add_reordered(struct order *order, uint64_t number)
{
	uint64_t oldest = order->records > ORDER_RECORDS ? order->records - ORDER_RECORDS : 0;
	uint64_t low = oldest, high = order->records - 1;

	order->reordered++;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (record(order, middle)->number > number)
			high = middle;
		else
			low = middle + 1;
	}
	if (low == oldest && oldest > 0)
		order->extent_unknown++;
	else
		count_extent(order, order->arrivals - record(order, low)->position);
}

void order_add(struct order *order, uint64_t number)
{
	order->arrivals++;
	if (order->records > 0 && number < record(order, order->records - 1)->number) {
		add_reordered(order, number);
		return;
	}
	order->record[order->records % ORDER_RECORDS] =
		(struct order_record){.number = number, .position = order->arrivals};
	order->records++;
}

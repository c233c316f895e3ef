/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * order: counts reordered datagrams and how far they came behind, RFC 4737: one is reordered when
 * its number is lower than the highest before it; its extent is the distance in arrivals to the
 * earliest one with a higher number. Pure. Numbers are distinct and start at 1.
 */
#ifndef RELAY_ORDER_H
#define RELAY_ORDER_H

#include <stdint.h>

#define ORDER_RECORDS 2048 /* a power of two; further back extents are only known to be larger */
#define ORDER_EXTENTS 64   /* extents counted one by one: 1..64 */

struct order_record {
	uint64_t number;
	uint64_t position;
};

struct order {
	uint64_t arrivals;
	uint64_t reordered;
	uint64_t extent_sum;
	uint64_t extent_max;
	uint64_t extent_unknown; /* of those reordered: not in the sum */
	uint64_t extent_count[ORDER_EXTENTS + 1];
	uint64_t records;			   /* new highest numbers ever seen */
	struct order_record record[ORDER_RECORDS]; /* the last of them */
};

void order_add(struct order *order, uint64_t number);

#endif

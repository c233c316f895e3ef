/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * order: counts reordered datagrams and their extents by RFC 4737: one is reordered when its number
 * is lower than the highest before it; its extent is the distance in arrivals to the earliest one
 * with a higher number. Pure. Numbers are distinct and start at 1.
 */
#pragma once

#include <stdint.h>

#define ORDER_RECORDS 2048 /* a power of two; larger extents are only known to be larger */
#define ORDER_EXTENTS 64   /* extents of 1..64 are counted one by one */

struct order_record {
	uint64_t number;
	uint64_t position;
};

struct order {
	uint64_t arrivals;
	uint64_t reordered;
	uint64_t extent_sum;
	uint64_t extent_max;
	uint64_t extent_unknown; /* reordered ones that are not in the sum */
	uint64_t extent_count[ORDER_EXTENTS + 1];
	uint64_t records;			   /* datagrams with a new highest number */
	struct order_record record[ORDER_RECORDS]; /* the latest of them */
};

void order_add(struct order *order, uint64_t number);

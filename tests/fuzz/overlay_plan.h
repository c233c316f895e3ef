/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_plan: the node that the fuzz targets of overlays drive, by the first byte of the input.
 */
#pragma once

#include "../../src/lib/overlay/message.h"
#include "../../src/lib/overlay/node.h"

#include <stdlib.h>

#define NEIGHBOURS 8
#define STATIONS   8
#define START	   (1000 * NP_SECOND)
#define HASH	   0x35eb719f

static inline void must(bool holds)
{
	if (!holds)
		abort();
}

/* The node is station 0, its contact station 1. */
static inline struct overlay_address address(unsigned number)
{
	return overlay_address_ipv4(0x0a000001 + number % STATIONS, 9000, 0x7fd2);
}

/* @contact must last as long as the plan; the caller may set what differs. */
static inline struct overlay_plan plan_of(uint8_t choice, const struct overlay_address *contact)
{
	struct overlay_plan plan = overlay_plan_default(choice & 3);

	plan.hash = HASH;
	plan.self = address(0);
	plan.coordinates = (struct overlay_point){500, plan.protocol == OVERLAY_SPT ? 0 : 500};
	plan.fixed = choice & 4;
	plan.any_neighbour = choice & 8;
	plan.contacts = contact;
	plan.contact_count = 1;
	plan.buddy_cache = 3;
	plan.neighbours_max = NEIGHBOURS;
	plan.seed = choice;
	return plan;
}

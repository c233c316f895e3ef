/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * shelf: frames that wait: held until so many later ones of their flow have passed, or delayed
 * until a moment. Pure but for its memory, all of which is taken at the begin.
 */
#ifndef RELAY_SHELF_H
#define RELAY_SHELF_H

#include "flow.h"

#include <netperf/link.h>

/* A frame on its way through the relay. */
struct item {
	struct np_frame frame;
	struct flow *flow; /* NULL: no UDP, has no further fields */
	uint64_t position; /* in its flow, from 1 */
	uint64_t number;   /* the application's */
	bool has_number;
	bool copy;
	bool damaged;
	bool checksum_bad;
	unsigned copies;    /* to be sent behind it */
	unsigned copies_by; /* once so many later ones have passed */
	np_time delay;
	struct shelf_slot *slot; /* holds the frame; NULL: it lies elsewhere */
};

struct shelf;

/* Room for @slots frames of up to @frame_bytes. Returns 0 or -ENOMEM. */
int shelf_create(struct shelf **shelf, unsigned slots, size_t frame_bytes);

/* NULL is allowed. */
void shelf_free(struct shelf *shelf);

/*
 * Puts @item (its frame is copied unless it is on the shelf already) behind @by later ones, but no
 * longer than to @limit. Returns false when there is no room: the item stays the caller's.
 */
bool shelf_hold(struct shelf *shelf, struct item *item, unsigned by, np_time limit);

/* The same until @due. */
bool shelf_delay(struct shelf *shelf, struct item *item, np_time due);

/* Tells that the @position-th of @flow goes on its way: earlier ones that are held wait for one
 * less. */
void shelf_passed(struct shelf *shelf, const struct flow *flow, uint64_t position);

/*
 * Takes the first held item that has let enough others pass or has reached its limit; its frame
 * stays in its slot until shelf_give_back.
 */
bool shelf_take_held(struct shelf *shelf, np_time now, struct item *item);

/* The same for the delayed one that is due. */
bool shelf_take_due(struct shelf *shelf, np_time now, struct item *item);

/* Any that is left, for the end. */
bool shelf_take_left(struct shelf *shelf, struct item *item);

/* NULL is allowed. */
void shelf_give_back(struct shelf *shelf, struct shelf_slot *slot);

/* When the next one has to go at the latest, or NP_TIME_NEVER. */
np_time shelf_next(const struct shelf *shelf);

#endif

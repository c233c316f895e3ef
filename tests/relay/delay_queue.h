/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * delay_queue: frames that wait: held until a number of later ones of their flow have passed, or
 * delayed until a moment. Pure but for its memory, all of which is allocated at the start.
 */
#pragma once

#include "flow.h"

#include <netperf/link.h>

/* A frame on its way through the relay. */
struct item {
	struct np_frame frame;
	struct flow *flow; /* NULL: not UDP, and the other fields are unused */
	uint64_t position; /* in its flow, from 1 */
	uint64_t number;   /* of the application */
	bool has_number;
	bool copy;
	bool damaged;
	bool checksum_bad;
	unsigned copies;    /* to be sent after it */
	unsigned copies_by; /* after this many later ones have passed */
	np_time delay;
	struct delay_slot *slot; /* holds the frame; NULL: the frame is elsewhere */
};

struct delay_queue;

/* Room for @slots frames of up to @frame_bytes. Returns 0 or -ENOMEM. */
int delay_queue_create(struct delay_queue **queue, unsigned slots, size_t frame_bytes);

/* NULL is allowed. */
void delay_queue_free(struct delay_queue *queue);

/*
 * Holds @item (its frame is copied unless it is in the delay queue already) until @by later ones
 * have passed, but at most until @limit. Returns false when there is no room: the caller keeps the
 * item.
 */
bool delay_queue_hold(struct delay_queue *queue, struct item *item, unsigned by, np_time limit);

/* Delays it until @due. */
bool delay_queue_delay(struct delay_queue *queue, struct item *item, np_time due);

/* The @position-th frame of @flow passes: earlier ones that are held wait for one less. */
void delay_queue_passed(struct delay_queue *queue, const struct flow *flow, uint64_t position);

/*
 * Removes the first held item that has let enough others pass or has reached its limit; its frame
 * stays in its slot until delay_queue_give_back.
 */
bool delay_queue_take_held(struct delay_queue *queue, np_time now, struct item *item);

/* The same for a delayed item that is due. */
bool delay_queue_take_due(struct delay_queue *queue, np_time now, struct item *item);

/* Removes any remaining item, at the end. */
bool delay_queue_take_left(struct delay_queue *queue, struct item *item);

/* NULL is allowed. */
void delay_queue_give_back(struct delay_queue *queue, struct delay_slot *slot);

/* When the next one must be sent, or NP_TIME_NEVER. */
np_time delay_queue_next(const struct delay_queue *queue);

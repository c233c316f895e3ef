/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * answerers: the hosts that answer the questions of a discovery, told apart by MAC address,
 * firmware, limits, size and identity: two disks at one shelf and slot must not pass for one. Pure.
 */
#ifndef AOE_EXERCISE_ANSWERERS_H
#define AOE_EXERCISE_ANSWERERS_H

#include "target.h"

/* Questions of one discovery, each with a tag of its own. */
#define ANSWERERS_QUESTIONS 8

struct answerers {
	uint16_t shelf; /* NP_AOE_SHELF_ALL: of any address */
	uint8_t slot;
	uint32_t tag; /* of the first question; the others' follow */
	struct target *list;
	unsigned room;
	unsigned count;
};

/* The tag of question @number, from 0 on. */
uint32_t answerers_tag(const struct answerers *answerers, unsigned number);

/*
 * Takes an answer. When a single address is asked, a sender whose answer carries an error or does
 * not parse is an answerer, too. Answerers beyond the capacity are dropped: a full list is
 * ambiguous in any case.
 */
void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame);

/*
 * Marks those that share their address with another, or may do so. To be called after the last
 * answer was taken.
 */
void answerers_conclude(struct answerers *answerers);

/*
 * Notes an answer of @target that arrives after the discovery. False when it answers none of the
 * discovery's questions.
 */
bool answerers_late(struct target *target, const struct np_aoe_header *header);

/*
 * True when so many questions were answered again after the discovery that a second target with the
 * same identity must be there.
 */
bool answerers_twice(const struct target *target);

/*
 * True when most questions were answered more than once: two identical targets, or a path that
 * duplicates frames.
 */
bool answerers_doubled(const struct target *target);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * answerers: who answers the questions of a discovery, told apart by MAC address, firmware, limits,
 * size and identity: two disks at one shelf and slot must not pass for one. Pure.
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
 * Takes an answer. One with an error or nonsense in it makes its sender an answerer, too, when a
 * single address is asked. What is over the room is dropped: a full list is ambiguous anyway.
 */
void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame);

/* Marks those that are not alone at their address, or may not be: when all is taken. */
void answerers_conclude(struct answerers *answerers);

/*
 * Takes note of an answer of @target's that comes after the discovery. False when it is none to a
 * question of it.
 */
bool answerers_late(struct target *target, const struct np_aoe_header *header);

/* True when questions were answered again that late: by another one that is alike. */
bool answerers_twice(const struct target *target);

/* True when most questions were answered twice and more: two that are alike, or a doubling path. */
bool answerers_doubled(const struct target *target);

#endif

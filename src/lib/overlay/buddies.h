/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * buddies: nodes that are asked for the overlay in addition to the configured ones: neighbours that
 * fell silent, the latest first, until they are heard again. Pure.
 */
#ifndef OVERLAY_BUDDIES_H
#define OVERLAY_BUDDIES_H

#include "addresses.h"

struct overlay_buddies {
	struct overlay_address *address;
	unsigned count, room;
};

/* @room 0: stores none. Returns 0 or -ENOMEM. */
int overlay_buddies_open(struct overlay_buddies *buddies, unsigned room);
void overlay_buddies_close(struct overlay_buddies *buddies);

/* Puts it first; the last one is dropped if there is no room. */
void overlay_buddies_add(struct overlay_buddies *buddies, const struct overlay_address *address);
void overlay_buddies_remove(struct overlay_buddies *buddies, const struct overlay_address *address);

#endif

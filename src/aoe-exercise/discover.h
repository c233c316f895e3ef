/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* discover: finds targets by broadcast questions. */
#ifndef AOE_EXERCISE_DISCOVER_H
#define AOE_EXERCISE_DISCOVER_H

#include "target.h"

/* Enough entries to name all who answer for one address. */
#define DISCOVER_ONE_ROOM 8

enum discover_mode {
	DISCOVER_FIRST, /* ends 0.1 s after the first answer; asks again for up to 1.5 s without one
			 */
	DISCOVER_ALL,	/* asks three times and listens for a full second, whoever answers */
};

/*
 * Finds the hosts that answer for @shelf and @slot: asks for configuration and identity. Each
 * answerer that differs in MAC address or in what it answers gets an entry of @targets, which has
 * room for DISCOVER_ONE_ROOM; usable ones come first. Returns the number of entries, or -errno
 * (-EINTR: a signal asks to stop).
 */
int discover_one(struct channel *channel, uint16_t shelf, uint8_t slot, enum discover_mode mode,
		 struct target *targets);

/*
 * Finds all targets: asks for the configuration, three times half a second apart. Returns the
 * number found, at most @room, or -errno.
 */
int discover_all(struct channel *channel, struct target *targets, unsigned room);

/* True when the target has a valid host address and has reported its limits. */
bool discover_is_usable(const struct target *target);

#endif

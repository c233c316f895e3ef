/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* discover: asks by broadcast who is there. */
#ifndef AOE_EXERCISE_DISCOVER_H
#define AOE_EXERCISE_DISCOVER_H

#include "target.h"

/* Enough to name those who answer for one address. */
#define DISCOVER_ONE_ROOM 8

enum discover_patience {
	DISCOVER_FIRST, /* done 0.1 s after the first answer; asks again for 1.5 s without one */
	DISCOVER_ALL,	/* asks three times and listens for a full second, whoever answers */
};

/*
 * Who answers for @shelf and @slot: asks for configuration and identity. Each answerer that
 * differs in MAC address or in what it says gets a place of @targets, which has room for
 * DISCOVER_ONE_ROOM; those that can be exercised come first. Returns how many there are, or
 * -errno (-EINTR: a signal asks to stop).
 */
int discover_one(struct wire *wire, uint16_t shelf, uint8_t slot, enum discover_patience patience,
		 struct target *targets);

/*
 * Who is there at all: asks for configuration, three times half a second apart. Returns how many
 * there are, at most @room, or -errno.
 */
int discover_all(struct wire *wire, struct target *targets, unsigned room);

/* Can be exercised: has an address that a host may have, and said what it takes. */
bool discover_is_usable(const struct target *target);

#endif

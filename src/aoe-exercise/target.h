/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* target: finding AoE targets, and asking one of them the few things a run must know. */
#ifndef AOE_EXERCISE_TARGET_H
#define AOE_EXERCISE_TARGET_H

#include "wire.h"

#include <netperf/aoe.h>

struct target {
	uint16_t shelf;
	uint8_t slot;
	uint8_t mac[6];
	uint16_t buffer_count; /* requests it says it can queue */
	uint16_t firmware;
	uint8_t sector_count; /* most sectors it takes in a request */
	bool ambiguous;	      /* more than one MAC address answers for it */
	bool identified;      /* @identity is known */
	struct np_ata_identity identity;
};

/* Room for "e65535.255". */
#define TARGET_NAME_BYTES 16

char *target_name(const struct target *target, char out[TARGET_NAME_BYTES]);

/*
 * Asks by broadcast who is there, three times half a second apart, and gathers the answers for
 * @shelf and @slot, or all with NP_AOE_SHELF_ALL and NP_AOE_SLOT_ALL, at most @room. For one
 * address it is done shortly after the first answer. Returns how many targets there are, or
 * -errno (-EINTR: a signal asks to stop).
 */
int target_discover(struct wire *wire, uint16_t shelf, uint8_t slot, struct target *targets,
		    unsigned room);

/* Asks for the IDENTIFY block. Returns 0, -ETIMEDOUT, -EIO (it refused), or -errno. */
int target_identify(struct wire *wire, struct target *target);

/*
 * Reads @sectors sectors (at most what fits a request) at @lba into @data, asking again when an
 * answer stays out. Returns 0, -ETIMEDOUT, -EIO, or -errno.
 */
int target_read(struct wire *wire, const struct target *target, uint64_t lba, uint8_t sectors,
		void *data);

/* Fills in a header to send to @target from the wire's interface. */
void target_header(const struct wire *wire, const struct target *target,
		   struct np_aoe_header *header);

#endif

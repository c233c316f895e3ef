/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* target: an AoE target, and what a run must know of it. */
#ifndef AOE_EXERCISE_TARGET_H
#define AOE_EXERCISE_TARGET_H

#include "channel.h"

#include <string.h>

/* Who answers for a target in its place. */
struct other_host {
	uint64_t answers;
	uint8_t mac[6]; /* of the first one */
};

/* Counts an answer whose @source is not @mac; true when it is not. */
static inline bool other_host_answers(struct other_host *other, const uint8_t source[6],
				      const uint8_t mac[6])
{
	if (!memcmp(source, mac, 6))
		return false;
	if (!other->answers++)
		memcpy(other->mac, source, 6);
	return true;
}

struct target {
	uint16_t shelf;
	uint8_t slot;
	uint8_t mac[6];
	bool configured;       /* the next four are known */
	uint16_t buffer_count; /* requests that it can queue, by its own account */
	uint16_t firmware;
	uint8_t sector_count; /* most sectors in one request */
	uint64_t string_mark; /* differs between config strings, see target_mark_string */
	bool identified;      /* @identity is known */
	struct np_ata_identity identity;
	int identity_error; /* of discover_identities */

	/* From the discovery: */
	bool ambiguous;	    /* more than one host answers for it, or may do so */
	uint32_t answered;  /* a bit for each question that it answered, */
	uint32_t doubled;   /* and for each that it answered again */
	uint32_t tag;	    /* of its first question */
	np_time discovered; /* when the discovery began */
	unsigned again;	    /* repeated answers at the end of the discovery */

	struct other_host other; /* who else than @mac answers for it after the discovery */
};

/* Room for "e65535.255", for a MAC address, and for target_describe. */
#define TARGET_NAME_BYTES	 16
#define TARGET_MAC_BYTES	 18
#define TARGET_DESCRIPTION_BYTES 160

char *target_name(const struct target *target, char out[TARGET_NAME_BYTES]);
char *target_mac(const uint8_t mac[6], char out[TARGET_MAC_BYTES]);

/* What distinguishes it from others: its MAC address, and what it reports of itself. */
char *target_describe(const struct target *target, char out[TARGET_DESCRIPTION_BYTES]);

/* False for an address that no host sends from: multicast or broadcast. */
bool target_has_address(const struct target *target);

/* A number that tells the config string of one target from that of another. */
uint64_t target_mark_string(const struct np_aoe_config *config);

bool target_same_identity(const struct np_ata_identity *a, const struct np_ata_identity *b);

/*
 * Decodes the answer to an ATA command that is to bring @sectors sectors. Returns 1; -EIO: the
 * target refuses, by the header's error, with zeros in @ata, or by its status; 0: it is no such
 * answer.
 */
int target_decode(const struct np_aoe_header *header, const struct np_frame *frame, size_t sectors,
		  struct np_aoe_ata *ata);

/* Fills in a header to send to @target from the channel's interface. */
void target_header(const struct channel *channel, const struct target *target,
		   struct np_aoe_header *header);

#endif

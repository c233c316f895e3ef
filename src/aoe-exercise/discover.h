/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * discover: a target, and what a run must know of it. Finds targets by broadcast questions; each
 * MAC address that answers is one.
 */
#pragma once

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

/* Room for "e65535.255", for a MAC address, and for target_describe. */
#define TARGET_NAME_BYTES	 16
#define TARGET_MAC_BYTES	 18
#define TARGET_DESCRIPTION_BYTES 160

struct target {
	char name[TARGET_NAME_BYTES];
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
	int identity_error;	 /* of discover_identities */
	bool ambiguous;		 /* more than one host answers for it, or one in two ways */
	np_time discovered;	 /* when the discovery began */
	struct other_host other; /* who else than @mac answers for it after the discovery */
};

char *target_mac(const uint8_t mac[6], char out[TARGET_MAC_BYTES]);

/* What distinguishes it from others: its MAC address, and what it reports of itself. */
char *target_describe(const struct target *target, char out[TARGET_DESCRIPTION_BYTES]);

/* Whether both name the same disk: another size, serial number, model or firmware is another one.
 */
bool target_same_identity(const struct np_ata_identity *a, const struct np_ata_identity *b);

/* A number that tells the config string of one target from that of another. */
uint64_t target_mark_string(const struct np_aoe_config *config);

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

/* Who answered the questions of one discovery. The functions that take it are pure. */
struct answerers {
	uint16_t shelf; /* NP_AOE_SHELF_ALL: of any address */
	uint8_t slot;
	uint32_t tag;	/* of the first question; the others' follow */
	uint32_t asked; /* questions */
	struct target *list;
	unsigned room;
	unsigned count;
};

/*
 * Takes an answer. When a single address is asked, a sender whose answer carries an error or does
 * not parse is an answerer, too. Answerers beyond the capacity are dropped: a full list is
 * ambiguous in any case.
 */
void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame);

/* Marks those that share their address with another. After the last answer was taken. */
void answerers_conclude(struct answerers *answerers);

/* Enough entries to name all who answer for one address. */
#define DISCOVER_ONE_ROOM 8

enum discover_mode {
	DISCOVER_FIRST, /* ends 0.1 s after the first answer; asks again for up to 1.5 s without one
			 */
	DISCOVER_ALL,	/* asks three times and listens for a full second, whoever answers */
	DISCOVER_LIST,	/* asks for the configuration alone, three times half a second apart */
};

/*
 * Finds the hosts that answer for @shelf and @slot, which may be those of all targets: asks for
 * configuration and identity. Fills in @targets, which has @room entries, of different addresses:
 * for DISCOVER_LIST in their order, else usable ones first. Returns the number of entries, or
 * -errno (-EINTR: a signal asks to stop).
 */
int discover(struct channel *channel, uint16_t shelf, uint8_t slot, enum discover_mode mode,
	     struct target *targets, unsigned room);

/* True when the target has a valid host address and has reported its limits. */
bool discover_is_usable(const struct target *target);

/*
 * Sends IDENTIFY to each of the @count targets and repeats it to silent ones, for 1.5 s at most.
 * Stores in each the answer, and the answers of other hosts, or in @identity_error why there is
 * none: -ETIMEDOUT, -EIO (it refused). Returns 0, or -errno (-EINTR: a signal asks to stop) with
 * what was answered by then.
 */
int discover_identities(struct channel *channel, struct target *targets, unsigned count);

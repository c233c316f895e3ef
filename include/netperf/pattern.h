/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * pattern: the test data of a sector, and the most likely cause when a sector differs from it.
 *
 * A sector of 512 bytes carries its number (the LBA: byte offset / 512 in the device or file that
 * was opened) as an unsigned 64-bit little-endian integer at bytes 0..7 and again at 504..511,
 * whatever the host's byte order: these are its two stamps. Between them: zeros (NP_PATTERN_ZERO),
 * a verification code at 8..15 and zeros (NP_PATTERN_CODE), or 62 words computed from the number
 * (NP_PATTERN_LBA). Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NP_PATTERN_SECTOR_BYTES 512

enum np_pattern_fill { NP_PATTERN_ZERO, NP_PATTERN_LBA, NP_PATTERN_CODE };

struct np_pattern {
	enum np_pattern_fill fill;
	bool full;     /* check every byte, not only the two stamps */
	uint64_t seed; /* the verification code of sector n is computed from seed and n */
};

/*
 * Draw seeds below this: a code in sector 0 is taken for one of theirs, and hardly a foreign word.
 * Passes count on from there: so few runs leave that range.
 */
#define NP_PATTERN_SEEDS (UINT64_C(1) << 40)

/* A stamp of this value or above is no sector number: LBA48 ends here, at 128 PiB. */
#define NP_PATTERN_LBA_LIMIT (UINT64_C(1) << 48)

/* The class of a bad sector: the first that applies, in this order. */
enum np_pattern_class {
	NP_PATTERN_GOOD,
	NP_PATTERN_ALL_ZERO,  /* all 512 bytes are zero: never written, or not read at all */
	NP_PATTERN_MISPLACED, /* both stamps agree on another number, below the limit */
	NP_PATTERN_STALE,     /* right number, but another verification code or another fill */
	NP_PATTERN_FLIPPED,   /* up to 8 of the checked bits are wrong */
	NP_PATTERN_TORN,      /* one stamp is right, or they are two numbers below the limit */
	NP_PATTERN_FOREIGN,   /* anything else */
	NP_PATTERN_CLASSES,
};

/* "good", "zero", "misplaced", "stale", "flipped", "torn", "foreign". */
const char *np_pattern_class_name(enum np_pattern_class kind);

/* Adjacent bad sectors of one class. */
struct np_damage_run {
	uint64_t lba; /* of the first by number, whichever was found first */
	uint64_t sectors;
	uint64_t found; /* the leading stamp of the first one */
	enum np_pattern_class kind;
};

#define NP_DAMAGE_RUNS 64

/*
 * Bad sectors, counted by class and listed as runs of adjacent ones. Zero it before use. A sector
 * that is bad in several passes counts each time and is listed once.
 */
struct np_damage {
	uint64_t total;
	uint64_t sectors[NP_PATTERN_CLASSES];
	uint64_t stale[NP_PATTERN_CODE + 1];	      /* by the fill that they have */
	struct np_damage_run run[NP_DAMAGE_RUNS + 1]; /* [NP_DAMAGE_RUNS]: the newest unlisted */
	size_t runs;				      /* listed */
	uint64_t runs_unlisted;			      /* found when the list was full */
};

/* Fills @sectors sectors at @data with the pattern for @lba and the following numbers. */
void np_pattern_write(const struct np_pattern *pattern, void *data, uint64_t lba, size_t sectors);

/*
 * Writes only the stamps, into sectors that already have the zeros of NP_PATTERN_ZERO between them:
 * a buffer that is written repeatedly need not be cleared each time.
 */
void np_pattern_stamp(void *data, uint64_t lba, size_t sectors);

/*
 * Compares @sectors sectors at @data with what np_pattern_write would have written. Adds every bad
 * one to @damage and returns how many there are. Without @pattern->full only the stamps are
 * compared: damage between them is not noticed, and a sector 0 of zeros is good.
 */
size_t np_pattern_check(const struct np_pattern *pattern, const void *data, uint64_t lba,
			size_t sectors, struct np_damage *damage);

/*
 * How many of the @bytes at @data, from @lba on, come before the first sector that is neither all
 * zero nor carries our stamps; @bytes: there is none. Sector 0, whose stamps are zero, must also
 * have our content between them; a verification code of a seed from NP_PATTERN_SEEDS on counts only
 * beside that of sector 1. The bytes after the last whole sector must be zero.
 */
size_t np_pattern_ours(const void *data, uint64_t lba, size_t bytes);

/* The seed whose verification code is in @sector, whatever else that holds. */
uint64_t np_pattern_seed(const void *sector, uint64_t lba);

struct np_record;

/*
 * True when none of the @checked sectors carried test data: all were zeros or foreign, but for up
 * to one in a hundred that resembles damaged test data, and for sector 0, which is valid as zeros
 * in each of @passes passes. Such errors are no damage.
 */
bool np_damage_is_no_test_data(const struct np_damage *damage, uint64_t checked, uint64_t passes);

/*
 * How the user can read them if none of the @checked sectors is as expected, and all stale ones
 * were written in one other way: "was written with --fill=lba: ..."; else NULL.
 */
const char *np_damage_hint(const struct np_damage *damage, uint64_t checked, uint64_t passes);

/*
 * Adds "errors_sectors" and "errors" by class; if there are any, the list "damage" {lba, sectors,
 * class, found}, and "damage_unlisted" when the list is incomplete.
 */
void np_record_damage(struct np_record *record, const struct np_damage *damage);

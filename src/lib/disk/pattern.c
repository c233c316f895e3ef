// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* pattern: writes sectors of test data, checks them, and classifies bad ones. */
#include <endian.h>
#include <netperf/pattern.h>
#include <netperf/report.h>
#include <string.h>

#define SECTOR_WORDS (NP_PATTERN_SECTOR_BYTES / sizeof(uint64_t))
#define LAST_WORD    (SECTOR_WORDS - 1)
#define FLIPPED_MAX  8
#define PASSES_APART (UINT64_C(1) << 20)

/* The odd number next to 2^64 / the golden ratio: the step of splitmix64. */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

static const char *const class_names[NP_PATTERN_CLASSES] = {
	[NP_PATTERN_GOOD] = "good",	      [NP_PATTERN_ALL_ZERO] = "zero",
	[NP_PATTERN_MISPLACED] = "misplaced", [NP_PATTERN_STALE] = "stale",
	[NP_PATTERN_FLIPPED] = "flipped",     [NP_PATTERN_TORN] = "torn",
	[NP_PATTERN_FOREIGN] = "foreign",
};

const char *np_pattern_class_name(enum np_pattern_class class)
{
	return (unsigned int)class < NP_PATTERN_CLASSES ? class_names[class] : "unknown";
}

/* Sectors may be unaligned, for example at byte 36 of an AoE frame. */
static inline uint64_t load_word(const uint8_t *sector, size_t i)
{
	uint64_t word;

	memcpy(&word, sector + i * sizeof(word), sizeof(word));
	return le64toh(word);
}

static inline void store_word(uint8_t *sector, size_t i, uint64_t word)
{
	word = htole64(word);
	memcpy(sector + i * sizeof(word), &word, sizeof(word));
}

/* The @n-th number that splitmix64 produces from @seed; for one seed no two are equal. */
static inline uint64_t splitmix64(uint64_t seed, uint64_t n)
{
	uint64_t z = seed + (n + 1) * GOLDEN;

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/*
 * The seed from which splitmix64() produces @code as the @n-th number: each of its steps is
 * invertible.
 */
static uint64_t seed_of(uint64_t code, uint64_t n)
{
	uint64_t z = code ^ (code >> 31) ^ (code >> 62);

	z *= UINT64_C(0x319642b2d24d8ec3);
	z ^= z >> 27 ^ z >> 54;
	z *= UINT64_C(0x96de1b173f119089);
	z ^= z >> 30 ^ z >> 60;
	return z - (n + 1) * GOLDEN;
}

uint64_t np_pattern_seed(const void *sector, uint64_t lba)
{
	return seed_of(load_word(sector, 1), lba);
}

/* Word @i of a sector with NP_PATTERN_LBA; @base is splitmix64(0, lba). */
static inline uint64_t lba_word(uint64_t base, size_t i)
{
	return base + i * GOLDEN;
}

static void write_sector(const struct np_pattern *pattern, uint8_t *sector, uint64_t lba)
{
	if (pattern->fill == NP_PATTERN_LBA) {
		const uint64_t base = splitmix64(0, lba);

		for (size_t i = 1; i < LAST_WORD; i++)
			store_word(sector, i, lba_word(base, i));
	} else {
		memset(sector, 0, NP_PATTERN_SECTOR_BYTES);
		if (pattern->fill == NP_PATTERN_CODE)
			store_word(sector, 1, splitmix64(pattern->seed, lba));
	}
	store_word(sector, 0, lba);
	store_word(sector, LAST_WORD, lba);
}

void np_pattern_write(const struct np_pattern *pattern, void *data, uint64_t lba, size_t sectors)
{
	uint8_t *sector = data;

	for (size_t i = 0; i < sectors; i++, sector += NP_PATTERN_SECTOR_BYTES)
		write_sector(pattern, sector, lba + i);
}

void np_pattern_stamp(void *data, uint64_t lba, size_t sectors)
{
	uint8_t *sector = data;

	for (size_t i = 0; i < sectors; i++, sector += NP_PATTERN_SECTOR_BYTES) {
		store_word(sector, 0, lba + i);
		store_word(sector, LAST_WORD, lba + i);
	}
}

/* True when the words from @from to the last but one are zero. */
static bool zero_from(const uint8_t *sector, size_t from)
{
	uint64_t any = 0;

	for (size_t i = from; i < LAST_WORD; i++)
		any |= load_word(sector, i);
	return !any;
}

static bool filled_from_lba(const uint8_t *sector, uint64_t lba)
{
	const uint64_t base = splitmix64(0, lba);
	uint64_t wrong = 0;

	for (size_t i = 1; i < LAST_WORD; i++)
		wrong |= load_word(sector, i) ^ lba_word(base, i);
	return !wrong;
}

static inline bool stamped(const uint8_t *sector, uint64_t lba)
{
	return load_word(sector, 0) == lba && load_word(sector, LAST_WORD) == lba;
}

static inline bool good(const struct np_pattern *pattern, const uint8_t *sector, uint64_t lba)
{
	if (!stamped(sector, lba) || !pattern->full)
		return stamped(sector, lba);
	if (pattern->fill == NP_PATTERN_LBA)
		return filled_from_lba(sector, lba);

	const uint64_t code = pattern->fill == NP_PATTERN_CODE ? splitmix64(pattern->seed, lba) : 0;

	return load_word(sector, 1) == code && zero_from(sector, 2);
}

static bool all_zero(const uint8_t *sector)
{
	return stamped(sector, 0) && zero_from(sector, 1);
}

/* Classifies a sector that is not good. */
static enum np_pattern_class classify_bad(const struct np_pattern *pattern, const uint8_t *sector,
					  uint64_t lba)
{
	const uint64_t begin = load_word(sector, 0);
	const uint64_t end = load_word(sector, LAST_WORD);
	const bool both_numbers = begin < NP_PATTERN_LBA_LIMIT && end < NP_PATTERN_LBA_LIMIT;
	uint8_t expected[NP_PATTERN_SECTOR_BYTES];
	int wrong_bits = 0;

	if (all_zero(sector))
		return NP_PATTERN_ALL_ZERO;
	if (begin == end && begin != lba && both_numbers)
		return NP_PATTERN_MISPLACED;
	/* Between the stamps: of any pattern for @lba. */
	if (stamped(sector, lba) && (zero_from(sector, 2) || filled_from_lba(sector, lba)))
		return NP_PATTERN_STALE;
	write_sector(pattern, expected, lba);
	for (size_t i = 0; i < SECTOR_WORDS; i += pattern->full ? 1 : LAST_WORD)
		wrong_bits += __builtin_popcountll(load_word(sector, i) ^ load_word(expected, i));
	if (wrong_bits <= FLIPPED_MAX)
		return NP_PATTERN_FLIPPED;
	if (begin != end && (both_numbers || begin == lba || end == lba))
		return NP_PATTERN_TORN;
	return NP_PATTERN_FOREIGN;
}

/* Whether they are of one class, and overlap or meet. */
static bool joins(const struct np_damage_run *a, const struct np_damage_run *b)
{
	return a->kind == b->kind && a->lba <= b->lba + b->sectors && b->lba <= a->lba + a->sectors;
}

static void take_in(struct np_damage_run *run, const struct np_damage_run *more)
{
	const uint64_t end = run->lba + run->sectors, after = more->lba + more->sectors;

	if (more->lba < run->lba) {
		run->lba = more->lba;
		run->found = more->found;
	}
	run->sectors = (after > end ? after : end) - run->lba;
}

/* Extends or joins the runs that it touches, in any order of arrival: two at most. */
static void add_damage(struct np_damage *damage, uint64_t lba, enum np_pattern_class class,
		       uint64_t found)
{
	const struct np_damage_run one = {lba, 1, found, class};
	struct np_damage_run *grown = NULL, *unlisted = &damage->run[NP_DAMAGE_RUNS];

	damage->total++;
	damage->sectors[class]++;
	for (struct np_damage_run *run = damage->run; run < damage->run + damage->runs; run++) {
		if (grown && joins(grown, run)) {
			take_in(grown, run);
			*run = damage->run[--damage->runs];
			return;
		}
		if (!grown && joins(run, &one)) {
			take_in(run, &one);
			grown = run;
		}
	}
	if (grown)
		return;
	/* The last one is not listed, but may go on. */
	if (damage->runs_unlisted && joins(unlisted, &one)) {
		take_in(unlisted, &one);
		return;
	}
	damage->run[damage->runs] = one;
	if (damage->runs < NP_DAMAGE_RUNS)
		damage->runs++;
	else
		damage->runs_unlisted++;
}

size_t np_pattern_check(const struct np_pattern *pattern, const void *data, uint64_t lba,
			size_t sectors, struct np_damage *damage)
{
	const uint8_t *sector = data;
	enum np_pattern_class class;
	size_t bad = 0;

	for (size_t i = 0; i < sectors; i++, sector += NP_PATTERN_SECTOR_BYTES) {
		if (__builtin_expect(good(pattern, sector, lba + i), 1))
			continue;
		class = classify_bad(pattern, sector, lba + i);
		if (class == NP_PATTERN_STALE)
			damage->stale[!zero_from(sector, 2)  ? NP_PATTERN_LBA
				      : zero_from(sector, 1) ? NP_PATTERN_ZERO
							     : NP_PATTERN_CODE]++;
		add_damage(damage, lba + i, class, load_word(sector, 0));
		bad++;
	}
	return bad;
}

/*
 * Judges sector 0, with @more bytes after it. Its stamps are zero, and every word is a verification
 * code of some seed. One of another's, with nothing but zeros around it, is that of a seed that is
 * drawn with a probability of 2^-24. Beyond those the code in sector 1 must be of a pass of the
 * same run, which a word has, beside such a sector 1, with 2^-43.
 */
static bool first_ours(const uint8_t *sector, size_t more)
{
	const uint8_t *next = sector + NP_PATTERN_SECTOR_BYTES;
	uint64_t apart;

	if (zero_from(sector, 1) || filled_from_lba(sector, 0))
		return true;
	if (!zero_from(sector, 2))
		return false;
	if (np_pattern_seed(sector, 0) < NP_PATTERN_SEEDS)
		return true;
	if (more < NP_PATTERN_SECTOR_BYTES || !stamped(next, 1) || !zero_from(next, 2))
		return false;
	apart = seed_of(load_word(sector, 1), 0) - seed_of(load_word(next, 1), 1);
	return apart <= PASSES_APART || -apart <= PASSES_APART;
}

size_t np_pattern_ours(const void *data, uint64_t lba, size_t bytes)
{
	const size_t whole = bytes - bytes % NP_PATTERN_SECTOR_BYTES;
	const uint8_t *first = data;

	if (!lba && whole && stamped(first, 0) &&
	    !first_ours(first, bytes - NP_PATTERN_SECTOR_BYTES))
		return 0;
	for (size_t at = 0; at < whole; at += NP_PATTERN_SECTOR_BYTES, lba++) {
		if (!all_zero(first + at) && !stamped(first + at, lba))
			return at;
	}
	for (size_t at = whole; at < bytes; at++) {
		if (first[at])
			return whole;
	}
	return bytes;
}

bool np_damage_is_no_test_data(const struct np_damage *damage, uint64_t checked, uint64_t passes)
{
	const uint64_t *sectors = damage->sectors;
	/* A file system has some, as small numbers are in both. */
	const uint64_t resembling = sectors[NP_PATTERN_MISPLACED] + sectors[NP_PATTERN_FLIPPED] +
				    sectors[NP_PATTERN_TORN];

	return damage->total > 0 && !sectors[NP_PATTERN_STALE] &&
	       resembling <= damage->total / 100 && checked - damage->total <= passes;
}

const char *np_damage_hint(const struct np_damage *damage, uint64_t checked, uint64_t passes)
{
	static const char *const hint[] = {
		[NP_PATTERN_ZERO] = "was written without --fill=lba: read it without, too",
		[NP_PATTERN_LBA] = "was written with --fill=lba: read it with that option, too",
		[NP_PATTERN_CODE] = "was written by a verified-write: read it with --check=stamps",
	};

	for (size_t fill = 0; fill < sizeof(hint) / sizeof(*hint); fill++) {
		if (damage->stale[fill] && checked - damage->total <= passes &&
		    damage->stale[fill] == damage->sectors[NP_PATTERN_STALE])
			return hint[fill];
	}
	return NULL;
}

void np_record_damage(struct np_record *record, const struct np_damage *damage)
{
	np_record_count(record, "errors_sectors", damage->total);

	struct np_record *errors = np_record_object(record, "errors");

	for (int class = NP_PATTERN_GOOD + 1; class < NP_PATTERN_CLASSES; class ++)
		np_record_count(errors, np_pattern_class_name((enum np_pattern_class) class),
				damage->sectors[class]);
	for (size_t i = 0; i < damage->runs; i++) {
		const struct np_damage_run *run = &damage->run[i];
		struct np_record *one = np_record_append(record, "damage");

		np_record_count(one, "lba", run->lba);
		np_record_count(one, "sectors", run->sectors);
		np_record_text(one, "class", np_pattern_class_name(run->kind));
		np_record_count(one, "found", run->found);
	}
	if (damage->runs_unlisted)
		np_record_count(record, "damage_unlisted", damage->runs_unlisted);
}

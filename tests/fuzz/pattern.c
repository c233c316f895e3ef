// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Fuzz target of the sector check. The first 17 bytes say the pattern and the LBA, the rest are
 * bytes laid over a sector written right: what is checked is bad unless it is equal to what was
 * written.
 */
#include <endian.h>
#include <netperf/pattern.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD   17
#define SECTOR NP_PATTERN_SECTOR_BYTES

static void must(bool holds)
{
	if (!holds)
		abort();
}

static uint64_t get_number(const uint8_t *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return le64toh(number);
}

static void check(const struct np_pattern *pattern, const uint8_t *sector, uint64_t lba,
		  const uint8_t *written)
{
	struct np_damage damage = {0};
	const size_t bad = np_pattern_check(pattern, sector, lba, 1, &damage);
	const enum np_pattern_class class = damage.run[0].kind;
	const bool same = !memcmp(sector, written, SECTOR);
	const bool stamps_same =
		!memcmp(sector, written, 8) && !memcmp(sector + 504, written + 504, 8);

	must((bad == 0) == (pattern->full ? same : stamps_same));
	must(damage.total == bad && damage.sectors[class] == bad && damage.runs == bad);
	if (bad)
		must(class != NP_PATTERN_GOOD && damage.run[0].lba == lba &&
		     damage.run[0].found == get_number(sector));
	if (np_pattern_ours(sector, 0, SECTOR) == SECTOR)
		must(!get_number(sector) && !get_number(sector + 504));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD || size > HEAD + SECTOR)
		return 0;

	const struct np_pattern pattern = {
		.fill = (enum np_pattern_fill)(data[0] % 3),
		.full = data[0] & 0x80,
		.seed = get_number(data + 1),
	};
	const uint64_t lba = get_number(data + 9);
	/* On the heap and of the exact length, so that a read beyond it is seen. */
	uint8_t *sector = malloc(SECTOR);
	uint8_t written[SECTOR];

	if (!sector)
		return 0;
	np_pattern_write(&pattern, written, lba, 1);
	memcpy(sector, written, SECTOR);
	must(!np_pattern_check(&pattern, sector, lba, 1, &(struct np_damage){0}));
	memcpy(sector, data + HEAD, size - HEAD);
	check(&pattern, sector, lba, written);
	free(sector);
	return 0;
}

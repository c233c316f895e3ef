// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of pattern: the bytes of a sector, each class of damage, and the order of classes. */
#include "support/unit.h"

#include <netperf/pattern.h>

#define SECTOR NP_PATTERN_SECTOR_BYTES
#define LBA    UINT64_C(0x123456)

static const struct np_pattern zero = {.fill = NP_PATTERN_ZERO};
static const struct np_pattern zero_full = {.fill = NP_PATTERN_ZERO, .full = true};
static const struct np_pattern lba_full = {.fill = NP_PATTERN_LBA, .full = true};
static const struct np_pattern code_full = {.fill = NP_PATTERN_CODE, .full = true, .seed = 42};
static const struct np_pattern other_code = {.fill = NP_PATTERN_CODE, .full = true, .seed = 43};

static const struct np_pattern *const all_patterns[] = {&zero, &zero_full, &lba_full, &code_full};

#define PATTERNS (sizeof(all_patterns) / sizeof(all_patterns[0]))

static void put_number(uint8_t *at, uint64_t number)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(number >> 8 * i);
}

static void stamp(uint8_t *sector, uint64_t begin, uint64_t end)
{
	put_number(sector, begin);
	put_number(sector + 504, end);
}

static void flip(uint8_t *sector, size_t bit)
{
	sector[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void check_class(const struct np_pattern *pattern, const uint8_t *sector, uint64_t lba,
			enum np_pattern_class class)
{
	struct np_damage damage = {0};
	const size_t bad = np_pattern_check(pattern, sector, lba, 1, &damage);

	assert_string_equal(np_pattern_class_name(damage.run[0].kind),
			    np_pattern_class_name(class));
	assert_int_equal(bad, class != NP_PATTERN_GOOD);
	assert_int_equal(damage.total, bad);
	assert_int_equal(damage.sectors[class], bad);
}

TEST(sectors_are_laid_out_as_documented)
{
	static const uint8_t number[8] = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03};
	uint8_t expected[SECTOR] = {0};
	uint8_t sector[SECTOR];

	memcpy(expected, number, 8);
	memcpy(expected + 504, number, 8);
	memset(sector, 0xaa, SECTOR);
	np_pattern_write(&zero, sector, UINT64_C(0x030405060708), 1);
	assert_memory_equal(sector, expected, SECTOR);

	/* splitmix64 seeded with 0 gives e220a8397b1dcdaf first, 6e789e6aa1b965f4 second. */
	const struct np_pattern seedless = {.fill = NP_PATTERN_CODE};

	memset(expected, 0, SECTOR);
	put_number(expected + 8, UINT64_C(0xe220a8397b1dcdaf));
	memset(sector, 0xaa, SECTOR);
	np_pattern_write(&seedless, sector, 0, 1);
	assert_memory_equal(sector, expected, SECTOR);
	stamp(expected, 1, 1);
	put_number(expected + 8, UINT64_C(0x6e789e6aa1b965f4));
	np_pattern_write(&seedless, sector, 1, 1);
	assert_memory_equal(sector, expected, SECTOR);

	/* Word i is splitmix64's first output for number 0, plus i times the golden step. */
	memset(sector, 0xaa, SECTOR);
	np_pattern_write(&lba_full, sector, 0, 1);
	for (size_t i = 1; i < 63; i++)
		put_number(expected + 8 * i,
			   UINT64_C(0xe220a8397b1dcdaf) + i * UINT64_C(0x9e3779b97f4a7c15));
	stamp(expected, 0, 0);
	assert_memory_equal(sector, expected, SECTOR);
}

TEST(what_is_written_is_good)
{
	static const uint64_t starts[] = {0, 1, LBA, NP_PATTERN_LBA_LIMIT - 3};
	uint8_t room[1 + 5 * SECTOR + 1];

	for (size_t p = 0; p < PATTERNS; p++) {
		for (size_t i = 0; i < 4; i++) {
			struct np_damage damage = {0};

			memset(room, 0xaa, sizeof(room));
			np_pattern_write(all_patterns[p], room + 1, starts[i], 5);
			assert_int_equal(room[0], 0xaa);
			assert_int_equal(room[sizeof(room) - 1], 0xaa);
			assert_int_equal(
				np_pattern_check(all_patterns[p], room + 1, starts[i], 5, &damage),
				0);
			assert_int_equal(damage.total, 0);
		}
	}
}

TEST(without_full_any_fill_reads_clean)
{
	uint8_t sector[SECTOR];

	np_pattern_write(&code_full, sector, LBA, 1);
	check_class(&zero, sector, LBA, NP_PATTERN_GOOD);
	np_pattern_write(&lba_full, sector, LBA, 1);
	flip(sector, 8 * 100);
	check_class(&zero, sector, LBA, NP_PATTERN_GOOD);
}

TEST(zeros)
{
	const uint8_t sector[SECTOR] = {0};

	for (size_t p = 0; p < PATTERNS; p++)
		check_class(all_patterns[p], sector, LBA, NP_PATTERN_ALL_ZERO);
	check_class(&zero, sector, 0, NP_PATTERN_GOOD);
	check_class(&zero_full, sector, 0, NP_PATTERN_GOOD);
	check_class(&code_full, sector, 0, NP_PATTERN_ALL_ZERO);
	check_class(&lba_full, sector, 0, NP_PATTERN_ALL_ZERO);
	/* One bit off from zero: not flipped, for that is the zero it was, too. */
	check_class(&zero, sector, 1, NP_PATTERN_ALL_ZERO);
}

TEST(misplaced)
{
	uint8_t sector[SECTOR];

	for (size_t p = 0; p < PATTERNS; p++) {
		np_pattern_write(all_patterns[p], sector, LBA + 1, 1);
		check_class(all_patterns[p], sector, LBA, NP_PATTERN_MISPLACED);
	}
	/* One bit flipped alike in both stamps cannot be told from another sector. */
	np_pattern_write(&zero, sector, LBA, 1);
	flip(sector, 20);
	flip(sector, 504 * 8 + 20);
	check_class(&zero, sector, LBA, NP_PATTERN_MISPLACED);
	/* Unless no disk has such a sector. */
	np_pattern_write(&zero, sector, LBA, 1);
	flip(sector, 50);
	flip(sector, 504 * 8 + 50);
	check_class(&zero, sector, LBA, NP_PATTERN_FLIPPED);
	/* Sector 0 in the place of another, with a code: not zero. */
	np_pattern_write(&code_full, sector, 0, 1);
	check_class(&code_full, sector, LBA, NP_PATTERN_MISPLACED);
}

TEST(stale)
{
	static const struct {
		const struct np_pattern *written, *wanted;
	} cases[] = {
		{&other_code, &code_full}, {&other_code, &zero_full}, {&other_code, &lba_full},
		{&zero, &code_full},	   {&zero, &lba_full},	      {&lba_full, &code_full},
		{&lba_full, &zero_full},
	};
	uint8_t sector[SECTOR];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		np_pattern_write(cases[i].written, sector, LBA, 1);
		check_class(cases[i].wanted, sector, LBA, NP_PATTERN_STALE);
	}
	/* By the order a flip in the code counts as another code. */
	np_pattern_write(&code_full, sector, LBA, 1);
	flip(sector, 8 * 8);
	check_class(&code_full, sector, LBA, NP_PATTERN_STALE);
}

static void check_flips(const struct np_pattern *pattern, size_t from, size_t to)
{
	uint8_t sector[SECTOR];

	for (size_t bit = from; bit < to; bit++) {
		np_pattern_write(pattern, sector, LBA, 1);
		flip(sector, bit);
		check_class(pattern, sector, LBA, NP_PATTERN_FLIPPED);
	}
}

TEST(flipped)
{
	for (size_t p = 0; p < PATTERNS; p++) {
		check_flips(all_patterns[p], 0, 64);
		check_flips(all_patterns[p], 504 * 8, 512 * 8);
	}
	check_flips(&code_full, 16 * 8, 504 * 8);
	check_flips(&lba_full, 8 * 8, 504 * 8);
}

TEST(eight_bits_are_flipped_and_nine_are_not)
{
	uint8_t sector[SECTOR];

	np_pattern_write(&lba_full, sector, LBA, 1);
	for (size_t bit = 0; bit < 8; bit++)
		flip(sector, 1000 + 7 * bit);
	check_class(&lba_full, sector, LBA, NP_PATTERN_FLIPPED);
	flip(sector, 2000);
	check_class(&lba_full, sector, LBA, NP_PATTERN_FOREIGN);

	/* Without full, bits outside the stamps do not count. */
	np_pattern_write(&zero, sector, LBA, 1);
	memset(sector + 8, 0xff, 496);
	for (size_t bit = 0; bit < 8; bit++)
		flip(sector, 5 * bit);
	check_class(&zero, sector, LBA, NP_PATTERN_FLIPPED);
	check_class(&zero_full, sector, LBA, NP_PATTERN_TORN);
	flip(sector, 63);
	check_class(&zero, sector, LBA, NP_PATTERN_TORN);
}

TEST(torn)
{
	/* Far enough apart to be no flips: 0x123456 has nine bits. */
	static const uint64_t stamps[][2] = {{LBA, 0xedcba9},
					     {0xedcba9, LBA},
					     {LBA, 0},
					     {LBA, UINT64_MAX},
					     {0xedcba9, 0xedcba8}};
	uint8_t sector[SECTOR] = {0};

	for (size_t i = 0; i < sizeof(stamps) / sizeof(*stamps); i++) {
		stamp(sector, stamps[i][0], stamps[i][1]);
		check_class(&zero, sector, LBA, NP_PATTERN_TORN);
	}
	/* By the order a neighbour's end a bit or two away counts as flipped. */
	stamp(sector, LBA, LBA + 1);
	check_class(&zero, sector, LBA, NP_PATTERN_FLIPPED);
}

TEST(foreign)
{
	uint8_t sector[SECTOR];

	for (size_t p = 0; p < PATTERNS; p++) {
		memset(sector, 0xff, SECTOR);
		check_class(all_patterns[p], sector, LBA, NP_PATTERN_FOREIGN);
		memset(sector, '\n', SECTOR);
		memcpy(sector, "root:x:0:0:root:/root:/bin/bash", 31);
		check_class(all_patterns[p], sector, LBA, NP_PATTERN_FOREIGN);
	}
	np_pattern_write(&lba_full, sector, LBA, 1);
	memset(sector + 100, 0, 100);
	check_class(&lba_full, sector, LBA, NP_PATTERN_FOREIGN);
	check_class(&code_full, sector, LBA, NP_PATTERN_FOREIGN);
}

TEST(check_lists_what_it_finds)
{
	static const struct np_damage_run runs[] = {{102, 2, 7000, NP_PATTERN_MISPLACED},
						    {104, 1, 0, NP_PATTERN_ALL_ZERO},
						    {109, 1, 0x55, NP_PATTERN_MISPLACED}};
	uint8_t data[10 * SECTOR];
	struct np_damage damage = {0};

	np_pattern_write(&zero, data, 100, 10);
	np_pattern_write(&zero, data + 2 * SECTOR, 7000, 2); /* 102, 103: misplaced */
	memset(data + 4 * SECTOR, 0, SECTOR);		     /* 104: zero */
	np_pattern_write(&zero, data + 9 * SECTOR, 0x55, 1); /* 109: misplaced */
	assert_int_equal(np_pattern_check(&zero, data, 100, 10, &damage), 4);
	assert_int_equal(damage.total, 4);
	assert_int_equal(damage.sectors[NP_PATTERN_MISPLACED], 3);
	assert_int_equal(damage.sectors[NP_PATTERN_ALL_ZERO], 1);
	assert_int_equal(damage.runs, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(damage.run[i].lba, runs[i].lba);
		assert_int_equal(damage.run[i].sectors, runs[i].sectors);
		assert_int_equal(damage.run[i].found, runs[i].found);
		assert_int_equal(damage.run[i].kind, runs[i].kind);
	}

	/* The next pass counts again and lists nothing new. */
	assert_int_equal(np_pattern_check(&zero, data, 100, 10, &damage), 4);
	assert_int_equal(damage.total, 8);
	assert_int_equal(damage.runs, 3);
	assert_int_equal(damage.run[0].sectors, 2);
}

/* A sector that begins with another number, far off, and ends with its own. */
static void find_torn(struct np_damage *damage, uint64_t lba)
{
	uint8_t sector[SECTOR] = {0};

	stamp(sector, lba + 0xffff00, lba);
	assert_int_equal(np_pattern_check(&zero, sector, lba, 1, damage), 1);
}

static void find_foreign(struct np_damage *damage, uint64_t lba)
{
	uint8_t sector[SECTOR];

	memset(sector, '\n', SECTOR);
	assert_int_equal(np_pattern_check(&zero, sector, lba, 1, damage), 1);
}

TEST(runs_join_in_any_order)
{
	static const uint64_t order[] = {10, 14, 12, 11, 16, 15, 13, 9};
	struct np_damage damage = {0};

	for (size_t i = 0; i < 8; i++)
		find_torn(&damage, order[i]);
	assert_int_equal(damage.runs, 1);
	assert_int_equal(damage.run[0].lba, 9);
	assert_int_equal(damage.run[0].sectors, 8);
	assert_int_equal(damage.run[0].found, 9 + 0xffff00);
	/* A neighbour of another class is another run. */
	find_foreign(&damage, 17);
	assert_int_equal(damage.runs, 2);
	assert_int_equal(damage.run[0].sectors, 8);
}

TEST(more_runs_than_room_are_counted)
{
	struct np_damage damage = {0};

	for (uint64_t i = 0; i < NP_DAMAGE_RUNS + 3; i++) {
		find_foreign(&damage, 10 * i);
		find_foreign(&damage, 10 * i + 1);
	}
	assert_int_equal(damage.runs, NP_DAMAGE_RUNS);
	assert_int_equal(damage.runs_unlisted, 3);
	assert_int_equal(damage.total, 2 * (NP_DAMAGE_RUNS + 3));
	assert_int_equal(damage.run[NP_DAMAGE_RUNS - 1].lba, 10 * (NP_DAMAGE_RUNS - 1));
}

/* Whether all of it is. */
static bool ours(const uint8_t *data, uint64_t lba, size_t bytes)
{
	return np_pattern_ours(data, lba, bytes) == bytes;
}

TEST(ours_are_blank_and_stamped_sectors)
{
	uint8_t data[4 * SECTOR + 3] = {0};

	assert_true(ours(data, 0, sizeof(data)));
	assert_true(ours(data, 0, 0));
	data[4 * SECTOR + 2] = 1;
	assert_false(ours(data, 0, sizeof(data)));
	assert_true(ours(data, 0, 4 * SECTOR));
	for (size_t p = 0; p < PATTERNS; p++) {
		np_pattern_write(all_patterns[p], data, 0, 4);
		assert_true(ours(data, 0, 4 * SECTOR));
		memset(data + 2 * SECTOR, 0, SECTOR);
		assert_true(ours(data, 0, 4 * SECTOR));
	}
	np_pattern_write(&zero, data, 1, 4); /* shifted by one */
	assert_false(ours(data, 0, 4 * SECTOR));
	assert_true(ours(data, 1, 4 * SECTOR));
	np_pattern_write(&zero, data, 0, 4);
	flip(data, 3 * SECTOR * 8 + 504 * 8);
	assert_false(ours(data, 0, 4 * SECTOR));
	/* Sector 0 with zeros at both ends may be anybody's. */
	np_pattern_write(&zero, data, 0, 4);
	memcpy(data + 100, "GRUB", 4);
	assert_false(ours(data, 0, 4 * SECTOR));
}

/* Whatever is beside it: another run may have written that, or nobody. */
TEST(a_code_of_a_drawn_seed_in_sector_0_is_ours_alone)
{
	static const uint64_t seeds[] = {0, 1, 12345, NP_PATTERN_SEEDS - 1};
	struct np_pattern run = {.fill = NP_PATTERN_CODE};
	uint8_t data[2 * SECTOR] = {0};

	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		run.seed = seeds[i];
		np_pattern_write(&run, data, 0, 1);
		memset(data + SECTOR, 0, SECTOR);
		assert_true(ours(data, 0, SECTOR));
		assert_true(ours(data, 0, sizeof(data)));
		np_pattern_write(&zero, data + SECTOR, 1, 1);
		assert_true(ours(data, 0, sizeof(data)));
		np_pattern_write(&other_code, data + SECTOR, 1, 1);
		assert_true(ours(data, 0, sizeof(data)));
		/* Nothing else may be in the sector. */
		flip(data, 16 * 8);
		assert_false(ours(data, 0, sizeof(data)));
	}
	run.seed = NP_PATTERN_SEEDS;
	np_pattern_write(&run, data, 0, 1);
	assert_false(ours(data, 0, SECTOR));
}

/* What others have there: small numbers, powers of two, of either order of bytes, and text. */
TEST(no_usual_word_is_the_code_of_a_drawn_seed)
{
	uint8_t sector[SECTOR] = {0};

	for (uint64_t word = 1; word < 100000; word++) {
		put_number(sector + 8, word);
		assert_false(ours(sector, 0, SECTOR));
		put_number(sector + 8, __builtin_bswap64(word));
		assert_false(ours(sector, 0, SECTOR));
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		put_number(sector + 8, UINT64_C(1) << bit);
		assert_false(ours(sector, 0, SECTOR));
		put_number(sector + 8, (UINT64_C(1) << bit) - 1 + !bit);
		assert_false(ours(sector, 0, SECTOR));
	}
	memcpy(sector + 8, "MYDATA!!", 8);
	assert_false(ours(sector, 0, SECTOR));
}

/* Any word is a code of some seed: that of sector 1 has to be of the same run, of any pass. */
TEST(a_code_of_a_large_seed_in_sector_0_needs_that_of_sector_1)
{
	struct np_pattern run = {.fill = NP_PATTERN_CODE};
	static const uint64_t seeds[] = {NP_PATTERN_SEEDS + 3, UINT64_C(1) << 52,
					 UINT64_MAX - 3 - NP_PATTERN_SEEDS, UINT64_C(1) << 63};
	uint8_t data[2 * SECTOR];

	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		for (int64_t pass = -3; pass <= 3; pass++) {
			run.seed = seeds[i];
			np_pattern_write(&run, data, 0, 2);
			run.seed += (uint64_t)pass;
			np_pattern_write(&run, data, 0, 1);
			assert_true(ours(data, 0, sizeof(data)));
		}
		assert_false(ours(data, 0, SECTOR));
		memcpy(data + 8, "MYDATA!!", 8);
		assert_false(ours(data, 0, sizeof(data)));
		np_pattern_write(&run, data, 0, 2);
		flip(data, 8 * SECTOR);
		assert_false(ours(data, 0, sizeof(data)));
		np_pattern_write(&run, data, 0, 2);
		memset(data + SECTOR, 0, SECTOR);
		assert_false(ours(data, 0, sizeof(data)));
	}
}

TEST(classes_have_their_names)
{
	static const char *const names[] = {"good",    "zero", "misplaced", "stale",
					    "flipped", "torn", "foreign"};

	for (int class = 0; class < NP_PATTERN_CLASSES; class ++)
		assert_string_equal(np_pattern_class_name((enum np_pattern_class) class),
				    names[class]);
	assert_string_equal(np_pattern_class_name(NP_PATTERN_CLASSES), "unknown");
}

TEST(stamps_alone_renew_a_zero_filled_buffer)
{
	struct np_pattern pattern = {.fill = NP_PATTERN_ZERO};
	uint8_t once[4 * 512], again[4 * 512] = {0};

	np_pattern_stamp(again, UINT64_MAX - 9, 4);
	np_pattern_stamp(again, 1000, 4);
	np_pattern_write(&pattern, once, 1000, 4);
	assert_memory_equal(once, again, sizeof(once));
}

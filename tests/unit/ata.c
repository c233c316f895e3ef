// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of ata: transfer commands at their limits, and IDENTIFY as vblade 25 answers it. */
#include "ata_identity.h"
#include "support/unit.h"

/* The answer of vblade 25 for e4.1 of 2 MiB on a host named vb: all words that are not zero. */
static void make_vblade_block(uint8_t block[512])
{
	static const struct {
		uint8_t word;
		uint16_t value;
	} rest[] = {
		{47, 0x8000}, {49, 0x0200}, {50, 0x4000}, {60, 0x1000}, {83, 0x5400},
		{84, 0x4000}, {86, 0x1400}, {87, 0x4000}, {93, 0x400b}, {100, 0x1000},
	};

	memset(block, 0, 512);
	/* Each word's characters are swapped: serial, firmware, model. */
	memcpy(block + 20, ".4:1bv              ", 20);
	memcpy(block + 46, "2V 5    ", 8);
	memcpy(block + 54, "oCardiE htrerDvi ebvaled                ", 40);
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		ata_put(block, rest[i].word, 1, rest[i].value);
}

static void check_equal(const struct np_ata_identity *a, const struct np_ata_identity *b)
{
	assert_string_equal(a->serial, b->serial);
	assert_string_equal(a->firmware, b->firmware);
	assert_string_equal(a->model, b->model);
	assert_true(a->sectors == b->sectors);
	assert_int_equal(a->extended, b->extended);
}

TEST(vblades_identity_is_read)
{
	static const struct np_ata_identity expected = {
		.serial = "4.1:vb",
		.firmware = "V25",
		.model = "Coraid EtherDrive vblade",
		.sectors = 4096,
		.extended = true,
	};
	struct np_ata_identity identity;
	uint8_t block[512];

	make_vblade_block(block);
	np_ata_identity_decode(block, &identity);
	check_equal(&identity, &expected);
}

TEST(an_identity_comes_back)
{
	static const struct np_ata_identity identities[] = {
		{"4.1:vb", "V25", "Coraid EtherDrive vblade", 20480, true},
		{"", "", "", 0, false},
		{"01234567890123456789", "01234567", "0123456789012345678901234567890123456789",
		 NP_AOE_LBA48_LIMIT - 1, true},
		{"s", "f", "two  words", NP_AOE_LBA28_LIMIT - 1, false},
		{"s", "f", "m", NP_AOE_LBA28_LIMIT, true},
	};

	for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
		struct np_ata_identity back;
		uint8_t block[512];

		memset(block, 0xff, sizeof(block));
		ata_identity_encode(block, &identities[i]);
		np_ata_identity_decode(block, &back);
		check_equal(&back, &identities[i]);
	}
}

TEST(either_word_says_48_bits)
{
	uint8_t block[512];

	for (size_t word = 83; word <= 86; word += 3) {
		struct np_ata_identity identity;

		memset(block, 0, sizeof(block));
		ata_put(block, 60, 1, 7);
		ata_put(block, 101, 1, 1);
		np_ata_identity_decode(block, &identity);
		assert_false(identity.extended);
		assert_int_equal(identity.sectors, 7);
		ata_put(block, word, 1, 1 << 10);
		np_ata_identity_decode(block, &identity);
		assert_true(identity.extended);
		assert_int_equal(identity.sectors, 65536);
	}
}

TEST(hostile_blocks_are_tamed)
{
	struct np_ata_identity identity;
	uint8_t block[512];

	memset(block, 0xff, sizeof(block));
	np_ata_identity_decode(block, &identity);
	assert_string_equal(identity.serial, "");
	assert_string_equal(identity.model, "");
	assert_true(identity.sectors == NP_AOE_LBA48_LIMIT - 1);
	ata_put(block, 83, 1, 0);
	ata_put(block, 86, 1, 0);
	np_ata_identity_decode(block, &identity);
	assert_true(identity.sectors == NP_AOE_LBA28_LIMIT - 1);
	/* Control characters within a name, and blanks before it. */
	memset(block, 0, sizeof(block));
	ata_put(block, 27, 1, ' ' << 8 | 'a');
	ata_put(block, 28, 1, 0x1b << 8 | '[');
	ata_put(block, 29, 1, 0x7f << 8 | '~');
	np_ata_identity_decode(block, &identity);
	assert_string_equal(identity.model, "a [ ~");
	memset(block, 'x', sizeof(block));
	np_ata_identity_decode(block, &identity);
	assert_int_equal(strlen(identity.serial), 20);
	assert_int_equal(strlen(identity.firmware), 8);
	assert_int_equal(strlen(identity.model), 40);
}

TEST(transfers_have_their_commands)
{
	static const struct {
		bool write;
		bool extended;
		uint8_t flags;
		uint8_t command;
		uint64_t lba;
	} cases[] = {
		{false, false, 0x00, 0x20, UINT64_C(0xe1234567)},
		{false, true, 0x40, 0x24, UINT64_C(0x01234567)},
		{true, false, 0x01, 0x30, UINT64_C(0xe1234567)},
		{true, true, 0x41, 0x34, UINT64_C(0x01234567)},
	};

	for (size_t i = 0; i < 4; i++) {
		struct np_aoe_ata ata;

		assert_int_equal(
			np_aoe_ata_transfer(&ata, cases[i].write, cases[i].extended, 0x1234567, 17),
			0);
		assert_int_equal(ata.flags, cases[i].flags);
		assert_int_equal(ata.command, cases[i].command);
		assert_true(ata.lba == cases[i].lba);
		assert_int_equal(ata.count, 17);
		assert_int_equal(ata.feature, 0);
		assert_null(ata.data);
		assert_int_equal(ata.data_bytes, 0);
	}
}

TEST(transfers_end_with_the_address)
{
	const uint64_t limits[2] = {NP_AOE_LBA28_LIMIT, NP_AOE_LBA48_LIMIT};
	struct np_aoe_ata ata;

	for (int extended = 0; extended < 2; extended++) {
		const uint64_t limit = limits[extended];

		assert_int_equal(np_aoe_ata_transfer(&ata, false, extended, limit - 2, 2), 0);
		assert_int_equal(np_aoe_ata_transfer(&ata, false, extended, limit - 2, 3), -ERANGE);
		assert_int_equal(np_aoe_ata_transfer(&ata, false, extended, limit, 0), -ERANGE);
		assert_int_equal(np_aoe_ata_transfer(&ata, true, extended, UINT64_MAX, 255),
				 -ERANGE);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ata: makes the transfer commands and decodes the IDENTIFY block (ATA8-ACS, IDENTIFY DEVICE). */
#include <errno.h>
#include <netperf/aoe.h>
#include <string.h>

#define IDENTIFY_BYTES 512

/* Words of the block. */
#define WORD_SERIAL   10
#define WORD_FIRMWARE 23
#define WORD_MODEL    27
#define WORD_LBA28    60
#define WORD_SUPPORTS 83
#define WORD_ENABLED  86
#define WORD_LBA48    100

#define LBA48_BIT     (1u << 10)

/* The most sectors that a disk can report. */
#define LBA28_MAX (NP_AOE_LBA28_LIMIT - 1)
#define LBA48_MAX (NP_AOE_LBA48_LIMIT - 1)

/*
 * In the 28-bit form, byte 3 of the address is the device register: LBA mode, and two obsolete bits
 * that are always set.
 */
#define DEVICE_LBA UINT64_C(0xe0)

int np_aoe_ata_transfer(struct np_aoe_ata *ata, bool write, bool extended, uint64_t lba,
			uint8_t count)
{
	const uint64_t limit = extended ? NP_AOE_LBA48_LIMIT : NP_AOE_LBA28_LIMIT;

	if (lba >= limit || count > limit - lba)
		return -ERANGE;

	static const uint8_t commands[2][2] = {
		{NP_ATA_READ, NP_ATA_READ_EXT},
		{NP_ATA_WRITE, NP_ATA_WRITE_EXT},
	};

	*ata = (struct np_aoe_ata){
		.flags = (uint8_t)((write ? NP_AOE_ATA_WRITE : 0) |
				   (extended ? NP_AOE_ATA_EXTENDED : 0)),
		.count = count,
		.command = commands[write][extended],
		.lba = extended ? lba : lba | DEVICE_LBA << 24,
	};
	return 0;
}

static uint16_t get_word(const uint8_t *block, size_t word)
{
	return (uint16_t)(block[2 * word] | block[2 * word + 1] << 8);
}

/* A number of @words words, the lowest first. */
static uint64_t get_number(const uint8_t *block, size_t word, size_t words)
{
	uint64_t number = 0;

	while (words--)
		number = number << 16 | get_word(block, word + words);
	return number;
}

static uint64_t at_most(uint64_t number, uint64_t most)
{
	return number < most ? number : most;
}

/* The first character of a string is in the high byte of its first word. */
static void get_string(const uint8_t *block, size_t word, char *string, size_t bytes)
{
	size_t first = 0;

	for (size_t i = 0; i < bytes; i++) {
		const uint8_t c = block[2 * word + (i ^ 1)];

		string[i] = ' ';
		if (c > ' ' && c < 0x7f)
			string[i] = (char)c;
	}
	while (bytes && string[bytes - 1] == ' ')
		bytes--;
	while (first < bytes && string[first] == ' ')
		first++;
	memmove(string, string + first, bytes - first);
	string[bytes - first] = '\0';
}

void np_ata_identity_decode(const uint8_t block[IDENTIFY_BYTES], struct np_ata_identity *identity)
{
	get_string(block, WORD_SERIAL, identity->serial, sizeof(identity->serial) - 1);
	get_string(block, WORD_FIRMWARE, identity->firmware, sizeof(identity->firmware) - 1);
	get_string(block, WORD_MODEL, identity->model, sizeof(identity->model) - 1);
	identity->extended =
		(get_word(block, WORD_SUPPORTS) | get_word(block, WORD_ENABLED)) & LBA48_BIT;
	if (identity->extended)
		identity->sectors = at_most(get_number(block, WORD_LBA48, 4), LBA48_MAX);
	else
		identity->sectors = at_most(get_number(block, WORD_LBA28, 2), LBA28_MAX);
}

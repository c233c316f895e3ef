// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe: encodes and decodes ATA over Ethernet frames (AoEr11 sections 2 to 6); makes the transfer
 * commands and decodes the IDENTIFY block (ATA8-ACS, IDENTIFY DEVICE).
 */
#include <errno.h>
#include <netperf/aoe.h>
#include <netperf/field.h>
#include <netperf/units.h>

#define ETHERTYPE_END 14
#define LBA_BYTES     6
#define MAC_BYTES     6
#define DATA_MAX      (UINT8_MAX * NP_AOE_SECTOR_BYTES) /* the most that a count can request */

int np_aoe_header_decode(const uint8_t *frame, size_t length, struct np_aoe_header *header)
{
	if (length >= ETHERTYPE_END && np_field_get16(frame + 12) != NP_AOE_ETHERTYPE)
		return -EPROTO;
	if (length < NP_AOE_HEADER_BYTES)
		return -EMSGSIZE;
	memcpy(header->destination, frame, MAC_BYTES);
	memcpy(header->source, frame + 6, MAC_BYTES);
	header->version = frame[14] >> 4;
	header->flags = frame[14] & 0xf;
	header->error = frame[15];
	header->shelf = np_field_get16(frame + 16);
	header->slot = frame[18];
	header->command = frame[19];
	header->tag = np_field_get32(frame + 20);
	return 0;
}

/* Writes the header of a frame of @command with @bytes in total. Returns 0 or -errno. */
static int begin_frame(uint8_t *frame, size_t room, const struct np_aoe_header *header,
		       enum np_aoe_command command, size_t bytes)
{
	if (header->version > 0xf || header->flags > 0xf)
		return -EINVAL;
	if (room < bytes)
		return -EMSGSIZE;
	memcpy(frame, header->destination, MAC_BYTES);
	memcpy(frame + 6, header->source, MAC_BYTES);
	np_field_put16(frame + 12, NP_AOE_ETHERTYPE);
	frame[14] = (uint8_t)(header->version << 4 | header->flags);
	frame[15] = header->error;
	np_field_put16(frame + 16, header->shelf);
	frame[18] = header->slot;
	frame[19] = (uint8_t)command;
	np_field_put32(frame + 20, header->tag);
	return 0;
}

int np_aoe_ata_encode(uint8_t *frame, size_t room, const struct np_aoe_header *header,
		      const struct np_aoe_ata *ata)
{
	if (ata->lba >= NP_AOE_LBA48_LIMIT || (ata->data_bytes && !ata->data) ||
	    ata->data_bytes > DATA_MAX)
		return -EINVAL;

	const size_t bytes = NP_AOE_ATA_BYTES + ata->data_bytes;
	const int error = begin_frame(frame, room, header, NP_AOE_ATA, bytes);

	if (error)
		return error;
	frame[24] = ata->flags;
	frame[25] = ata->feature;
	frame[26] = ata->count;
	frame[27] = ata->command;
	for (int i = 0; i < LBA_BYTES; i++)
		frame[28 + i] = (uint8_t)(ata->lba >> 8 * i);
	frame[34] = 0;
	frame[35] = 0;
	if (ata->data_bytes)
		memcpy(frame + NP_AOE_ATA_BYTES, ata->data, ata->data_bytes);
	return (int)bytes;
}

int np_aoe_ata_decode(const uint8_t *frame, size_t length, struct np_aoe_ata *ata)
{
	if (length < NP_AOE_ATA_BYTES)
		return -EMSGSIZE;
	ata->flags = frame[24];
	ata->feature = frame[25];
	ata->count = frame[26];
	ata->command = frame[27];
	ata->lba = 0;
	for (int i = LBA_BYTES - 1; i >= 0; i--)
		ata->lba = ata->lba << 8 | frame[28 + i];
	ata->data_bytes = length - NP_AOE_ATA_BYTES;
	ata->data = ata->data_bytes ? frame + NP_AOE_ATA_BYTES : NULL;
	return 0;
}

int np_aoe_config_encode(uint8_t *frame, size_t room, const struct np_aoe_header *header,
			 const struct np_aoe_config *config)
{
	if (config->version > 0xf || config->command > 0xf ||
	    config->string_bytes > NP_AOE_STRING_MAX || (config->string_bytes && !config->string))
		return -EINVAL;

	const size_t bytes = NP_AOE_CONFIG_BYTES + (size_t)config->string_bytes;
	const int error = begin_frame(frame, room, header, NP_AOE_CONFIG, bytes);

	if (error)
		return error;
	np_field_put16(frame + 24, config->buffer_count);
	np_field_put16(frame + 26, config->firmware);
	frame[28] = config->sector_count;
	frame[29] = (uint8_t)(config->version << 4 | config->command);
	np_field_put16(frame + 30, config->string_bytes);
	if (config->string_bytes)
		memcpy(frame + NP_AOE_CONFIG_BYTES, config->string, config->string_bytes);
	return (int)bytes;
}

int np_aoe_config_decode(const uint8_t *frame, size_t length, struct np_aoe_config *config)
{
	if (length < NP_AOE_CONFIG_BYTES)
		return -EMSGSIZE;

	const uint16_t string_bytes = np_field_get16(frame + 30);

	if (string_bytes > NP_AOE_STRING_MAX)
		return -EPROTO;
	if (string_bytes > length - NP_AOE_CONFIG_BYTES)
		return -EMSGSIZE;
	config->buffer_count = np_field_get16(frame + 24);
	config->firmware = np_field_get16(frame + 26);
	config->sector_count = frame[28];
	config->version = frame[29] >> 4;
	config->command = frame[29] & 0xf;
	config->string = string_bytes ? frame + NP_AOE_CONFIG_BYTES : NULL;
	config->string_bytes = string_bytes;
	return 0;
}

const char *np_aoe_error_text(uint8_t error)
{
	static const char *const texts[] = {
		"no error",	      "unknown command",       "bad argument",
		"device unavailable", "config string present", "unsupported version",
		"target is reserved",
	};

	return error < sizeof(texts) / sizeof(texts[0]) ? texts[error] : "unknown error";
}

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

/* A number of @words words, the lowest first. */
static uint64_t get_number(const uint8_t *block, size_t word, size_t words)
{
	uint64_t number = 0;

	for (size_t i = 2 * words; i--;)
		number = number << 8 | block[2 * word + i];
	return number;
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
		(get_number(block, WORD_SUPPORTS, 1) | get_number(block, WORD_ENABLED, 1)) &
		LBA48_BIT;
	if (identity->extended)
		identity->sectors = np_least(get_number(block, WORD_LBA48, 4), LBA48_MAX);
	else
		identity->sectors = np_least(get_number(block, WORD_LBA28, 2), LBA28_MAX);
}

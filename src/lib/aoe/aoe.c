// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe: encodes and decodes ATA over Ethernet frames (AoEr11 sections 2 to 6). */
#include <errno.h>
#include <netperf/aoe.h>
#include <netperf/field.h>
#include <string.h>

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

int np_aoe_header_encode(uint8_t *frame, size_t room, const struct np_aoe_header *header)
{
	if (header->version > 0xf || header->flags > 0xf)
		return -EINVAL;
	if (room < NP_AOE_HEADER_BYTES)
		return -EMSGSIZE;
	memcpy(frame, header->destination, MAC_BYTES);
	memcpy(frame + 6, header->source, MAC_BYTES);
	np_field_put16(frame + 12, NP_AOE_ETHERTYPE);
	frame[14] = (uint8_t)(header->version << 4 | header->flags);
	frame[15] = header->error;
	np_field_put16(frame + 16, header->shelf);
	frame[18] = header->slot;
	frame[19] = header->command;
	np_field_put32(frame + 20, header->tag);
	return NP_AOE_HEADER_BYTES;
}

/* Returns 0 when @frame has @command and the @bytes of headers that belong to it. */
static int check_frame(const uint8_t *frame, size_t length, enum np_aoe_command command,
		       size_t bytes)
{
	struct np_aoe_header header;
	const int error = np_aoe_header_decode(frame, length, &header);

	if (error)
		return error;
	if (header.command != command)
		return -EPROTO;
	return length < bytes ? -EMSGSIZE : 0;
}

/* Writes the header of a frame of @command with @bytes in total. Returns 0 or -errno. */
static int begin_frame(uint8_t *frame, size_t room, const struct np_aoe_header *header,
		       enum np_aoe_command command, size_t bytes)
{
	struct np_aoe_header own = *header;

	own.command = (uint8_t)command;

	const int length = np_aoe_header_encode(frame, room, &own);

	if (length < 0)
		return length;
	return room < bytes ? -EMSGSIZE : 0;
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
	const int error = check_frame(frame, length, NP_AOE_ATA, NP_AOE_ATA_BYTES);

	if (error)
		return error;
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
	const int error = check_frame(frame, length, NP_AOE_CONFIG, NP_AOE_CONFIG_BYTES);

	if (error)
		return error;

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
		[0] = "no error",
		[NP_AOE_UNKNOWN_COMMAND] = "unknown command",
		[NP_AOE_BAD_ARGUMENT] = "bad argument",
		[NP_AOE_UNAVAILABLE] = "device unavailable",
		[NP_AOE_CONFIG_PRESENT] = "config string present",
		[NP_AOE_BAD_VERSION] = "unsupported version",
		[NP_AOE_TARGET_RESERVED] = "target is reserved",
	};

	return error < sizeof(texts) / sizeof(texts[0]) ? texts[error] : "unknown error";
}

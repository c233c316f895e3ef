// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Fuzz target of the AoE decoders: any bytes as a frame; what decodes encodes again, and that
 * decodes to the same and encodes to the same bytes.
 */
#include <netperf/aoe.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Room for the longest frame of each kind. */
#define ROOM (NP_AOE_ATA_BYTES + 255 * NP_AOE_SECTOR_BYTES)

static void must(bool holds)
{
	if (!holds)
		abort();
}

union body {
	struct np_aoe_ata ata;
	struct np_aoe_config config;
};

static int decode(enum np_aoe_command command, const uint8_t *frame, size_t length,
		  union body *body)
{
	return command == NP_AOE_ATA ? np_aoe_ata_decode(frame, length, &body->ata)
				     : np_aoe_config_decode(frame, length, &body->config);
}

static int encode(enum np_aoe_command command, uint8_t *frame, size_t room,
		  const struct np_aoe_header *header, const union body *body)
{
	return command == NP_AOE_ATA ? np_aoe_ata_encode(frame, room, header, &body->ata)
				     : np_aoe_config_encode(frame, room, header, &body->config);
}

/* Field by field, since there are pointers. */
static bool equal(enum np_aoe_command command, const union body *a, const union body *b)
{
	if (command == NP_AOE_ATA)
		return a->ata.flags == b->ata.flags && a->ata.feature == b->ata.feature &&
		       a->ata.count == b->ata.count && a->ata.command == b->ata.command &&
		       a->ata.lba == b->ata.lba && a->ata.data_bytes == b->ata.data_bytes &&
		       (!a->ata.data_bytes || !memcmp(a->ata.data, b->ata.data, a->ata.data_bytes));
	return a->config.buffer_count == b->config.buffer_count &&
	       a->config.firmware == b->config.firmware &&
	       a->config.sector_count == b->config.sector_count &&
	       a->config.version == b->config.version && a->config.command == b->config.command &&
	       a->config.string_bytes == b->config.string_bytes &&
	       (!a->config.string_bytes ||
		!memcmp(a->config.string, b->config.string, a->config.string_bytes));
}

static void try_body(enum np_aoe_command command, const uint8_t *data, size_t size,
		     const struct np_aoe_header *header)
{
	static uint8_t frame[2][ROOM];
	union body first, second;

	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	if (header->command != command || decode(command, data, size, &first))
		return;

	const int length = encode(command, frame[0], ROOM, header, &first);

	must(length > 0 && (size_t)length <= size);
	must(encode(command, frame[1], (size_t)length - 1, header, &first) < 0);
	must(!decode(command, frame[0], (size_t)length, &second));
	must(equal(command, &first, &second));
	must(encode(command, frame[1], (size_t)length, header, &second) == length);
	must(!memcmp(frame[0], frame[1], (size_t)length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct np_aoe_header header;

	memset(&header, 0, sizeof(header));
	if (size <= ROOM && !np_aoe_header_decode(data, size, &header))
		must(np_aoe_error_text(header.error) != NULL);
	if (size <= ROOM) {
		try_body(NP_AOE_ATA, data, size, &header);
		try_body(NP_AOE_CONFIG, data, size, &header);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of aoe: frames that went between a client and vblade 25 on lo, and bent ones. */
#include "support/unit.h"

#include <netperf/aoe.h>

static const uint8_t config_request[] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x88, 0xa2, 0x10, 0x00, 0x00, 0x04, 0x01, 0x01, 0x80, 0x00,
	0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00,
};

static const uint8_t config_conflict[] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x88,
	0xa2, 0x1c, 0x04, 0x00, 0x04, 0x01, 0x01, 0x80, 0x00, 0x00, 0x03, 0x00, 0x10,
	0x40, 0x19, 0x7f, 0x13, 0x00, 0x05, 0x68, 0x65, 0x6c, 0x6c, 0x6f,
};

static const uint8_t read_request[36] = {
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x88, 0xa2, 0x10,
	0x00, 0x00, 0x04, 0x01, 0x00, 0x80, 0x00, 0x00, 0x06, 0x40, 0x00, 0x02, 0x24, 0x05,
};

static const uint8_t read_refused[36] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x88, 0xa2, 0x18,
	0x00, 0x00, 0x04, 0x01, 0x00, 0x80, 0x00, 0x00, 0x09, 0x40, 0x10, 0x02, 0x41, 0xff, 0x0f,
};

static const uint8_t too_many_sectors[] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x88, 0xa2, 0x1c,
	0x02, 0x00, 0x04, 0x01, 0x00, 0x80, 0x00, 0x00, 0x0b, 0x40, 0x00, 0xc8, 0x24, 0x00, 0x00,
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
};

static const uint8_t target_reserved[] = {
	0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	0x00, 0x88, 0xa2, 0x1c, 0x06, 0x00, 0x04, 0x01, 0x03, 0x80, 0x00,
	0x00, 0x17, 0x01, 0x01, 0x02, 0xaa, 0xbb, 0xcc, 0xdd, 0x01,
};

static const struct np_aoe_ata nothing;

TEST(headers_have_their_fields_in_place)
{
	static const uint8_t wire[] = {
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, /* destination */
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, /* source */
		0x88, 0xa2,			    /* type */
		0x1c,				    /* version 1, response, error */
		0x03, 0x12, 0x34, 0x56, 0x00,	    /* error, shelf, slot, command */
		0x89, 0xab, 0xcd, 0xef,		    /* tag */
	};
	const struct np_aoe_header header = {
		.destination = {1, 2, 3, 4, 5, 6},
		.source = {0x11, 0x12, 0x13, 0x14, 0x15, 0x16},
		.version = 1,
		.flags = NP_AOE_FLAG_RESPONSE | NP_AOE_FLAG_ERROR,
		.error = 3,
		.shelf = 0x1234,
		.slot = 0x56,
		.command = 0x99,
		.tag = 0x89abcdef,
	};
	struct np_aoe_header decoded;
	uint8_t frame[36];

	/* The encoder sets the command. */
	assert_int_equal(np_aoe_ata_encode(frame, sizeof(frame), &header, &nothing), 36);
	assert_memory_equal(frame, wire, sizeof(wire));
	memset(&decoded, 0, sizeof(decoded));
	assert_int_equal(np_aoe_header_decode(wire, sizeof(wire), &decoded), 0);
	assert_int_equal(decoded.command, NP_AOE_ATA);
	decoded.command = header.command;
	assert_memory_equal(&decoded, &header, sizeof(header));
}

TEST(headers_are_refused)
{
	struct np_aoe_header header = {.version = 1};
	uint8_t frame[36];

	for (size_t length = 0; length < 24; length++)
		assert_int_equal(np_aoe_header_decode(config_request, length, &header), -EMSGSIZE);
	memcpy(frame, config_request, 24);
	frame[12] = 0x08;
	assert_int_equal(np_aoe_header_decode(frame, 24, &header), -EPROTO);
	assert_int_equal(np_aoe_header_decode(frame, 14, &header), -EPROTO);
	header.version = 16;
	assert_int_equal(np_aoe_ata_encode(frame, 36, &header, &nothing), -EINVAL);
	header.version = 1;
	header.flags = 16;
	assert_int_equal(np_aoe_ata_encode(frame, 36, &header, &nothing), -EINVAL);
	/* Four bits each, and all of them. */
	header.version = header.flags = 15;
	assert_int_equal(np_aoe_ata_encode(frame, 36, &header, &nothing), 36);
	assert_int_equal(frame[14], 0xff);
}

/* A request to e4.1 with the tag's low byte, as the frames above were sent. */
static struct np_aoe_header request(uint8_t tag)
{
	return (struct np_aoe_header){
		.destination = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		.version = 1,
		.shelf = 4,
		.slot = 1,
		.command = 0xee, /* for the encoder to set */
		.tag = NP_AOE_TAG_USER | tag,
	};
}

TEST(an_ata_request_is_made)
{
	const struct np_aoe_header header = request(6);
	struct np_aoe_ata ata;
	uint8_t frame[36];

	assert_int_equal(np_aoe_ata_transfer(&ata, false, true, 5, 2), 0);
	for (size_t room = 0; room < 36; room++)
		assert_int_equal(np_aoe_ata_encode(frame, room, &header, &ata), -EMSGSIZE);
	assert_int_equal(np_aoe_ata_encode(frame, sizeof(frame), &header, &ata), 36);
	assert_memory_equal(frame, read_request, sizeof(frame));
}

TEST(ata_data_goes_behind)
{
	const struct np_aoe_header header = request(7);
	struct np_aoe_ata ata = {.flags = 0x41,
				 .feature = 0x42,
				 .count = 0x43,
				 .command = 0x44,
				 .lba = 0x060504030201};
	struct np_aoe_ata decoded;
	uint8_t data[512];
	uint8_t frame[600];

	memset(data, 0x5a, sizeof(data));
	ata.data = data;
	ata.data_bytes = sizeof(data);
	assert_int_equal(np_aoe_ata_encode(frame, 547, &header, &ata), -EMSGSIZE);
	assert_int_equal(np_aoe_ata_encode(frame, 548, &header, &ata), 548);
	assert_memory_equal(frame + 24, "\x41\x42\x43\x44\1\2\3\4\5\6\0\0", 12);
	assert_memory_equal(frame + 36, data, 512);
	assert_int_equal(np_aoe_ata_decode(frame, 548, &decoded), 0);
	assert_true(decoded.lba == ata.lba);
	assert_ptr_equal(decoded.data, frame + 36);
	assert_int_equal(decoded.data_bytes, 512);
	/* What is reserved is no part of the address. */
	memset(frame + 34, 0xff, 2);
	assert_int_equal(np_aoe_ata_decode(frame, 548, &decoded), 0);
	assert_true(decoded.lba == ata.lba);

	ata.data = NULL;
	assert_int_equal(np_aoe_ata_encode(frame, 600, &header, &ata), -EINVAL);
	ata.data = data;
	ata.data_bytes = 255 * 512 + 1;
	assert_int_equal(np_aoe_ata_encode(frame, 600, &header, &ata), -EINVAL);
	ata.data_bytes = 0;
	ata.lba = NP_AOE_LBA48_LIMIT;
	assert_int_equal(np_aoe_ata_encode(frame, 600, &header, &ata), -EINVAL);
}

TEST(the_longest_ata_data_is_255_sectors)
{
	static uint8_t data[255 * 512], frame[36 + sizeof(data)];
	const struct np_aoe_header header = request(7);
	const struct np_aoe_ata ata = {.data = data, .data_bytes = sizeof(data)};

	assert_int_equal(np_aoe_ata_encode(frame, sizeof(frame), &header, &ata), sizeof(frame));
}

TEST(refused_reads_are_told)
{
	struct np_aoe_header header;
	struct np_aoe_ata ata;

	/* Beyond the end: no E, but status and error registers; 36 bytes, not padded. */
	assert_int_equal(np_aoe_header_decode(read_refused, sizeof(read_refused), &header), 0);
	assert_int_equal(header.flags, NP_AOE_FLAG_RESPONSE);
	assert_int_equal(np_aoe_ata_decode(read_refused, sizeof(read_refused), &ata), 0);
	assert_int_equal(ata.flags, NP_AOE_ATA_EXTENDED);
	assert_int_equal(ata.feature, 0x10);
	assert_int_equal(ata.command, 0x41);
	assert_true(ata.command & NP_ATA_STATUS_BAD);
	assert_int_equal(ata.count, 2);
	assert_int_equal(ata.lba, 4095);
	assert_null(ata.data);
	assert_int_equal(ata.data_bytes, 0);

	/* More sectors than a frame: E; the command is still in the status register's place. */
	assert_int_equal(np_aoe_header_decode(too_many_sectors, 60, &header), 0);
	assert_int_equal(header.flags, NP_AOE_FLAG_RESPONSE | NP_AOE_FLAG_ERROR);
	assert_int_equal(header.error, 2);
	assert_int_equal(np_aoe_ata_decode(too_many_sectors, 60, &ata), 0);
	assert_int_equal(ata.command, NP_ATA_READ_EXT);
	assert_int_equal(ata.count, 200);
	assert_int_equal(ata.data_bytes, 24); /* stale bytes of the sender's buffer */
}

TEST(ata_frames_cut_short_are_refused)
{
	struct np_aoe_ata ata;

	for (size_t length = 0; length < 36; length++)
		assert_int_equal(np_aoe_ata_decode(read_request, length, &ata), -EMSGSIZE);
}

TEST(a_config_query_is_made)
{
	const struct np_aoe_header header = request(1);
	struct np_aoe_config config = {.version = 1};
	uint8_t frame[32 + NP_AOE_STRING_MAX + 1];

	for (size_t room = 0; room < 32; room++)
		assert_int_equal(np_aoe_config_encode(frame, room, &header, &config), -EMSGSIZE);
	assert_int_equal(np_aoe_config_encode(frame, 32, &header, &config), 32);
	assert_memory_equal(frame, config_request, 32);

	static const uint8_t string[NP_AOE_STRING_MAX + 1] = "x";

	config.string_bytes = NP_AOE_STRING_MAX;
	assert_int_equal(np_aoe_config_encode(frame, sizeof(frame), &header, &config), -EINVAL);
	config.string = string;
	assert_int_equal(np_aoe_config_encode(frame, sizeof(frame), &header, &config), 1056);
	assert_int_equal(np_aoe_config_encode(frame, 1055, &header, &config), -EMSGSIZE);
	config.string_bytes = NP_AOE_STRING_MAX + 1;
	assert_int_equal(np_aoe_config_encode(frame, sizeof(frame), &header, &config), -EINVAL);
	config.string_bytes = 0;
	config.command = 16;
	assert_int_equal(np_aoe_config_encode(frame, sizeof(frame), &header, &config), -EINVAL);
	config.command = 15;
	config.version = 15;
	assert_int_equal(np_aoe_config_encode(frame, sizeof(frame), &header, &config), 32);
	assert_int_equal(frame[29], 0xff);
}

TEST(a_config_string_goes_both_ways)
{
	const struct np_aoe_header header = request(1);
	const struct np_aoe_config config = {
		.version = 1, .command = 3, .string = (const uint8_t *)"hello", .string_bytes = 5};
	struct np_aoe_config decoded;
	uint8_t frame[60] = {0};

	assert_int_equal(np_aoe_config_encode(frame, sizeof(frame), &header, &config), 37);
	assert_int_equal(np_aoe_config_decode(frame, 37, &decoded), 0);
	assert_int_equal(decoded.string_bytes, 5);
	assert_memory_equal(decoded.string, "hello", 5);
}

TEST(a_config_answer_is_read)
{
	struct np_aoe_header header;
	struct np_aoe_config config;
	uint8_t frame[2000];

	/* Set to another string than the one there: E, 4, and the one there. */
	assert_int_equal(np_aoe_header_decode(config_conflict, sizeof(config_conflict), &header),
			 0);
	assert_int_equal(header.error, 4);
	assert_int_equal(np_aoe_config_decode(config_conflict, sizeof(config_conflict), &config),
			 0);
	assert_int_equal(config.buffer_count, 16);
	assert_int_equal(config.firmware, 0x4019);
	assert_int_equal(config.sector_count, 127);
	assert_int_equal(config.version, 1);
	assert_int_equal(config.command, 3);
	assert_int_equal(config.string_bytes, 5);
	assert_memory_equal(config.string, "hello", 5);
	for (size_t length = 0; length < sizeof(config_conflict); length++)
		assert_int_equal(np_aoe_config_decode(config_conflict, length, &config), -EMSGSIZE);

	/* Padded to the shortest Ethernet frame, and with no string. */
	memset(frame, 0xee, sizeof(frame));
	memcpy(frame, config_request, 32);
	assert_int_equal(np_aoe_config_decode(frame, 60, &config), 0);
	assert_int_equal(config.string_bytes, 0);
	assert_null(config.string);
	/* 1025 is too many though they are there. */
	frame[30] = 0x04;
	frame[31] = 0x01;
	assert_int_equal(np_aoe_config_decode(frame, sizeof(frame), &config), -EPROTO);
	frame[31] = 0x00;
	assert_int_equal(np_aoe_config_decode(frame, 32 + 1023, &config), -EMSGSIZE);
	assert_int_equal(np_aoe_config_decode(frame, 32 + 1024, &config), 0);
	assert_int_equal(config.string_bytes, 1024);
}

TEST(every_error_has_words)
{
	struct np_aoe_header header;

	assert_int_equal(np_aoe_header_decode(target_reserved, sizeof(target_reserved), &header),
			 0);
	assert_int_equal(header.error, 6);
	assert_string_equal(np_aoe_error_text(1), "unknown command");
	assert_string_equal(np_aoe_error_text(6), "target is reserved");
	for (unsigned int error = 0; error < 256; error++)
		assert_non_null(np_aoe_error_text((uint8_t)error));
	assert_string_equal(np_aoe_error_text(7), "unknown error");
}

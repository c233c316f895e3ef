/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * aoe: ATA over Ethernet frames, both ways: header, ATA command, Config/Query; and
 * what an ATA IDENTIFY block says.
 *
 * Sources: AoEr11 (header section 2, ATA 3, Config/Query 4), ATA8-ACS
 * (IDENTIFY DEVICE). Header fields are big-endian on the wire, LBA and IDENTIFY words
 * little-endian. All functions are pure and thread-safe, and accept NULL only where stated.
 *
 * Encoders return the frame's length in bytes, or -EMSGSIZE when @room is too small, -EINVAL when a
 * field cannot be encoded. They write the Ethernet header too; they do not pad. Decoders read no
 * byte beyond @length, accept padded frames, and return 0, -EPROTO when the frame is of another
 * kind, or -EMSGSIZE when it is truncated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NP_AOE_ETHERTYPE    0x88a2
#define NP_AOE_HEADER_BYTES 24
#define NP_AOE_ATA_BYTES    36 /* headers before the sector data */
#define NP_AOE_CONFIG_BYTES 32 /* headers before the config string */
#define NP_AOE_SECTOR_BYTES 512
#define NP_AOE_STRING_MAX   1024
#define NP_AOE_SHELF_ALL    0xffff
#define NP_AOE_SLOT_ALL	    0xff
#define NP_AOE_LBA28_LIMIT  (UINT64_C(1) << 28)
#define NP_AOE_LBA48_LIMIT  (UINT64_C(1) << 48)

/* Tags with this bit are free for programs: the Linux driver keeps it clear. */
#define NP_AOE_TAG_USER 0x80000000u

enum np_aoe_flag { NP_AOE_FLAG_ERROR = 0x4, NP_AOE_FLAG_RESPONSE = 0x8 };

enum np_aoe_command {
	NP_AOE_ATA = 0,
	NP_AOE_CONFIG = 1,
};

struct np_aoe_header {
	uint8_t destination[6];
	uint8_t source[6];
	uint8_t version; /* 1 */
	uint8_t flags;	 /* enum np_aoe_flag */
	uint8_t error;	 /* valid only with NP_AOE_FLAG_ERROR */
	uint16_t shelf;	 /* "major" */
	uint8_t slot;	 /* "minor" */
	uint8_t command; /* enum np_aoe_command or vendor (240..255) */
	uint32_t tag;
};

enum np_ata_command {
	NP_ATA_READ = 0x20,
	NP_ATA_READ_EXT = 0x24,
	NP_ATA_WRITE = 0x30,
	NP_ATA_WRITE_EXT = 0x34,
	NP_ATA_IDENTIFY = 0xec,
};

enum np_aoe_ata_flag {
	NP_AOE_ATA_WRITE = 0x01,
	NP_AOE_ATA_EXTENDED = 0x40,
};

/*
 * A command failed if any of these status bits is set: BSY, DF, DRQ, ERR (as the Linux driver
 * judges).
 */
#define NP_ATA_STATUS_BAD 0xa9

struct np_aoe_ata {
	uint8_t flags;	     /* enum np_aoe_ata_flag */
	uint8_t feature;     /* in an answer: the ATA error register */
	uint8_t count;	     /* sectors requested; in an answer: sectors not transferred */
	uint8_t command;     /* in an answer: the ATA status register */
	uint64_t lba;	     /* 48 bits */
	const uint8_t *data; /* after the headers; NULL when none. Decoded: points into the frame */
	size_t data_bytes;
};

struct np_aoe_config {
	uint16_t buffer_count; /* requests the target can queue */
	uint16_t firmware;
	uint8_t sector_count; /* most sectors in a request; 0 means 2 */
	uint8_t version;
	uint8_t command;       /* 0 read, 1 test, 2 prefix test, 3 set, 4 force set */
	const uint8_t *string; /* decoded: points into the frame */
	uint16_t string_bytes;
};

/* Decodes only the 24 bytes of the header; the frame's @length may be larger. */
int np_aoe_header_decode(const uint8_t *frame, size_t length, struct np_aoe_header *header);

/*
 * The bodies. Encoders take the header to put before the body, and set its @command themselves.
 * Decoders take a frame whose header has that command, which they do not check.
 *
 * ATA: @count * 512 bytes of data follow a write request and a successful read answer; the decoder
 * returns all bytes after byte 36, and the caller checks that they are enough. A config string
 * longer than NP_AOE_STRING_MAX bytes is malformed (-EPROTO).
 */
int np_aoe_ata_encode(uint8_t *frame, size_t room, const struct np_aoe_header *header,
		      const struct np_aoe_ata *ata);
int np_aoe_ata_decode(const uint8_t *frame, size_t length, struct np_aoe_ata *ata);
int np_aoe_config_encode(uint8_t *frame, size_t room, const struct np_aoe_header *header,
			 const struct np_aoe_config *config);
int np_aoe_config_decode(const uint8_t *frame, size_t length, struct np_aoe_config *config);

/*
 * Makes the read or write command for @count sectors at @lba: 48-bit form when @extended, else
 * 28-bit. Fills all of @ata, without data. In the 28-bit form @ata->lba has the device register's
 * LBA bits (0xe0) in its fourth byte, as the Linux driver sends it. Returns 0, or -ERANGE when the
 * form cannot address the last sector.
 */
int np_aoe_ata_transfer(struct np_aoe_ata *ata, bool write, bool extended, uint64_t lba,
			uint8_t count);

/* Describes the error code of an answer; never NULL. */
const char *np_aoe_error_text(uint8_t error);

/* The content of an IDENTIFY block. Strings are printable ASCII, trimmed, NUL-terminated. */
struct np_ata_identity {
	char serial[21];
	char firmware[9];
	char model[41];
	/*
	 * sectors of 512 bytes: the LBA48 count where supported, else LBA28; limited to what
	 * commands can address
	 */
	uint64_t sectors;
	bool extended; /* LBA48 commands are supported (word 83 or 86, bit 10) */
};

/*
 * @block is the 512 bytes as received. Any content decodes, and nothing in it is trusted:
 * unprintable characters become spaces, and sizes are limited to what a command can address.
 */
void np_ata_identity_decode(const uint8_t block[512], struct np_ata_identity *identity);

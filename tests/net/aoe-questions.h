/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * The questions of aoe-probe: everything a target has to answer or to keep silent about, and what
 * it should refuse. The order matters: config strings and reservations last until the next one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ATA_READ = 0x24, ATA_WRITE = 0x34, ATA_IDENTIFY = 0xec, ATA_FLUSH = 0xe7 };
enum address { TARGET, ALL, OTHER_SLOT, OTHER_SHELF };
enum mac { TO_TARGET, TO_ALL, TO_STRANGER, FROM_STRANGER };

struct question {
	const char *name;
	uint8_t command; // of AoE
	uint8_t twist;	 // bits of the version and flags byte to turn over
	enum address address;
	enum mac mac;
	uint8_t head[12]; // ATA registers or config header
	uint8_t head_len;
	bool at_end; // the LBA counts from the size of the target
	int64_t lba;
	const char *tail; // bytes behind the head
	size_t tail_len;
	uint16_t fill; // 0xa5 so many times behind that
	uint16_t cut;  // send so many bytes only; 0: all
};

#define BYTES(text)    .tail = (text), .tail_len = sizeof(text) - 1
#define RAW(cmd, text) .command = (cmd), BYTES(text)
#define CONFIG_LEN(ccmd, text, len)                                                                \
	.command = 1, .head = {0, 0, 0, 0, 0, 0x10 | (ccmd), (len) >> 8, (len)&0xff},              \
	.head_len = 8, BYTES(text)
#define CONFIG(ccmd, text)	CONFIG_LEN(ccmd, text, sizeof(text) - 1)
#define ATA(cmd, count, aflags) .head = {aflags, 0, count, cmd}, .head_len = 12
#define STRANGER		"\2\0\0\0\0\x77"

static const struct question questions[] = {
	{"config to everybody", CONFIG(0, ""), .address = ALL, .mac = TO_ALL},
	{"config", CONFIG(0, "")},
	{"config, other slot", CONFIG(0, ""), .address = OTHER_SLOT},
	{"config, other shelf", CONFIG(0, ""), .address = OTHER_SHELF},
	{"config, stranger's destination", CONFIG(0, ""), .mac = TO_STRANGER},
	{"config, stranger's source", CONFIG(0, ""), .mac = FROM_STRANGER},
	{"config, version 0", CONFIG(0, ""), .twist = 0x10},
	{"config, version 2", CONFIG(0, ""), .twist = 0x30},
	{"config, response flag", CONFIG(0, ""), .twist = 0x08},
	{"config, error flag", CONFIG(0, ""), .twist = 0x04},
	{"config, 31 bytes", CONFIG(0, ""), .cut = 31},
	{"config read, length wrong", CONFIG_LEN(0, "", 500)},
	{"config set abc", CONFIG(3, "abc")},
	{"config set abc again", CONFIG(3, "abc")},
	{"config set xyz over abc", CONFIG(3, "xyz")},
	{"config test abc", CONFIG(1, "abc")},
	{"config test ab", CONFIG(1, "ab")},
	{"config prefix ab", CONFIG(2, "ab")},
	{"config prefix abcd", CONFIG(2, "abcd")},
	{"config force longer", CONFIG(4, "longer")},
	{"config force, length beyond frame", CONFIG_LEN(4, "xy", 500)},
	{"config force, length beyond 1024", CONFIG_LEN(4, "xy", 1025), .fill = 1200},
	{"config force nothing", CONFIG(4, "")},
	{"config, subcommand 9", CONFIG(9, "")},
	{"runt of 20 bytes", RAW(0, ""), .cut = 20},
	{"header alone, ATA", RAW(0, "")},
	{"header alone, config", RAW(1, "")},
	{"header alone, mask", RAW(2, "")},
	{"header alone, reserve", RAW(3, "")},
	{"AoE command 7", RAW(7, "what?"), .fill = 31},
	{"AoE command 240", RAW(0xf0, ""), .fill = 100},
	{"ATA, 35 bytes", ATA(ATA_READ, 1, 0x40), .cut = 35},
	{"identify", ATA(ATA_IDENTIFY, 1, 0)},
	{"identify, count 0", ATA(ATA_IDENTIFY, 0, 0)},
	{"identify, count 2", ATA(ATA_IDENTIFY, 2, 0)},
	{"identify to everybody", ATA(ATA_IDENTIFY, 1, 0), .address = ALL, .mac = TO_ALL},
	{"read ext 2", ATA(ATA_READ, 2, 0x40)},
	{"read ext 1 at 7", ATA(ATA_READ, 1, 0x40), .lba = 7},
	{"read 2, 28 bit", ATA(0x20, 2, 0), .lba = 0xe0000003},
	{"read ext 2, no E flag", ATA(ATA_READ, 2, 0)},
	{"read 0", ATA(ATA_READ, 0, 0x40)},
	{"read 3", ATA(ATA_READ, 3, 0x40)},
	{"read 17", ATA(ATA_READ, 17, 0x40)},
	{"read 255", ATA(ATA_READ, 255, 0x40)},
	{"read the last", ATA(ATA_READ, 1, 0x40), .at_end = true, .lba = -1},
	{"read the last two", ATA(ATA_READ, 2, 0x40), .at_end = true, .lba = -2},
	{"read over the end", ATA(ATA_READ, 2, 0x40), .at_end = true, .lba = -1},
	{"read behind the end", ATA(ATA_READ, 1, 0x40), .at_end = true},
	{"read at 2^48-1", ATA(ATA_READ, 1, 0x40), .lba = 0xffffffffffff},
	{"read with W flag", ATA(ATA_READ, 2, 0x41)},
	{"write ext 2", ATA(ATA_WRITE, 2, 0x41), .lba = 16, .fill = 1024},
	{"write 1, 28 bit", ATA(0x30, 1, 0x01), .lba = 20, .fill = 512},
	{"write, no W flag", ATA(ATA_WRITE, 2, 0x40), .lba = 24, .fill = 1024},
	{"write, async", ATA(ATA_WRITE, 1, 0x43), .lba = 28, .fill = 512},
	{"write, data short", ATA(ATA_WRITE, 2, 0x41), .lba = 32, .fill = 1000},
	{"write, data long", ATA(ATA_WRITE, 1, 0x41), .lba = 36, .fill = 1024},
	{"write 0", ATA(ATA_WRITE, 0, 0x41), .lba = 40},
	{"write 3", ATA(ATA_WRITE, 3, 0x41), .lba = 44, .fill = 1400},
	{"write the last", ATA(ATA_WRITE, 1, 0x41), .at_end = true, .lba = -1, .fill = 512},
	{"write over the end", ATA(ATA_WRITE, 2, 0x41), .at_end = true, .lba = -1, .fill = 1024},
	{"write behind the end", ATA(ATA_WRITE, 1, 0x41), .at_end = true, .fill = 512},
	{"read what was written", ATA(ATA_READ, 2, 0x40), .lba = 16},
	{"read DMA ext", ATA(0x25, 2, 0x40)},
	{"read DMA ext, count 0", ATA(0x25, 0, 0x40)},
	{"write DMA ext", ATA(0x35, 1, 0x41), .fill = 512},
	{"SMART", ATA(0xb0, 1, 0)},
	{"flush", ATA(ATA_FLUSH, 0, 0)},
	{"flush ext", ATA(0xea, 0, 0x40)},
	{"check power", ATA(0xe5, 0, 0)},
	{"reserve, 25 bytes", RAW(3, "\0"), .cut = 25},
	{"reserve read", RAW(3, "\0\0")},
	{"reserve, subcommand 9", RAW(3, "\11\0")},
	{"reserve, addresses missing", RAW(3, "\1\2" STRANGER)},
	{"reserve for a stranger", RAW(3, "\1\1" STRANGER)},
	{"read while reserved", ATA(ATA_READ, 1, 0x40)},
	{"write while reserved", ATA(ATA_WRITE, 1, 0x41), .lba = 48, .fill = 512},
	{"identify while reserved", ATA(ATA_IDENTIFY, 1, 0)},
	{"reserve, not the owner", RAW(3, "\1\0")},
	{"read, the owner", ATA(ATA_READ, 1, 0x40), .mac = FROM_STRANGER},
	{"reserve, forced free", RAW(3, "\2\0")},
	{"mask, 27 bytes", RAW(2, "\0\0\0"), .cut = 27},
	{"mask read", RAW(2, "\0\0\0\0")},
	{"mask, subcommand 9", RAW(2, "\0\11\0\0")},
	{"mask, directive 9", RAW(2, "\0\1\0\1\0\11" STRANGER)},
	{"mask, delete what is not there", RAW(2, "\0\1\0\1\0\2" STRANGER)},
};

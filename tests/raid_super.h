/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * raid_super: what mdadm(8) writes to a member of an array, for tests: the superblocks of md(4)
 * with all their fields and checksums, as in linux/raid/md_p.h.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#define RAID_SUPER_BYTES 4096
#define RAID_MAGIC	 UINT32_C(0xa92b4efc)
#define RAID_DISKS	 2

static inline void raid_put(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

/* The sum of the words, the carries added to it. */
static inline uint32_t raid_sum(const uint8_t *super, unsigned bytes)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < bytes; i += 4)
		sum += super[i] | (uint32_t)super[i + 1] << 8 | (uint32_t)super[i + 2] << 16 |
		       (uint32_t)super[i + 3] << 24;
	return (uint32_t)sum + (uint32_t)(sum >> 32);
}

/* Metadata 0.90: in the last 64 KiB that begin on such a boundary and are whole. */
static inline uint64_t raid_super_0(uint8_t super[RAID_SUPER_BYTES], uint64_t disk_bytes)
{
	const uint64_t at = (disk_bytes & ~UINT64_C(65535)) - 65536;

	memset(super, 0, RAID_SUPER_BYTES);
	raid_put(super, RAID_MAGIC, 4);
	raid_put(super + 8, 90, 4);
	raid_put(super + 20, 0x6e657470, 4); /* UUID, in four words */
	raid_put(super + 24, 1000000000, 4); /* made then */
	raid_put(super + 28, 1, 4);	     /* level */
	raid_put(super + 32, at >> 10, 4);   /* KiB */
	raid_put(super + 36, RAID_DISKS, 4);
	raid_put(super + 40, RAID_DISKS, 4);
	raid_put(super + 52, 0x65726620, 4);
	raid_put(super + 56, 0x72616964, 4);
	raid_put(super + 60, 0x74657374, 4);
	raid_put(super + 128, 1000000000, 4); /* updated then */
	raid_put(super + 132, 1, 4);	      /* clean */
	raid_put(super + 136, RAID_DISKS, 4); /* active */
	raid_put(super + 140, RAID_DISKS, 4); /* working */
	raid_put(super + 156, 1, 4);	      /* events */
	for (unsigned i = 0; i < RAID_DISKS; i++) {
		uint8_t *disk = super + 512 + 128 * i;

		raid_put(disk, i, 4);
		raid_put(disk + 4, 7, 4);
		raid_put(disk + 8, i, 4);
		raid_put(disk + 12, i, 4);
		raid_put(disk + 16, 6, 4); /* active and in sync */
	}
	memcpy(super + RAID_SUPER_BYTES - 128, super + 512, 128); /* this is the first disk */
	raid_put(super + 152, raid_sum(super, RAID_SUPER_BYTES), 4);
	return at;
}

/* Metadata 1.0, 1.1 or 1.2: 8 KiB before the end, at the beginning, or 4 KiB behind it. */
static inline uint64_t raid_super_1(uint8_t super[RAID_SUPER_BYTES], unsigned minor,
				    uint64_t disk_bytes)
{
	const uint64_t sectors = disk_bytes >> 9;
	const uint64_t place[] = {(sectors - 16) & ~UINT64_C(7), 0, 8};
	const uint64_t data = minor == 0 ? 0 : 2048;

	memset(super, 0, RAID_SUPER_BYTES);
	raid_put(super, RAID_MAGIC, 4);
	raid_put(super + 4, 1, 4);
	memcpy(super + 16, "netperf raidtest", 16);
	memcpy(super + 32, "host:0", 6);
	raid_put(super + 64, 1000000000, 8);
	raid_put(super + 72, 1, 4); /* level */
	raid_put(super + 80, sectors - 4096, 8);
	raid_put(super + 92, RAID_DISKS, 4);
	raid_put(super + 128, data, 8);
	raid_put(super + 136, sectors - 4096, 8);
	raid_put(super + 144, place[minor], 8);
	memcpy(super + 168, "the first device", 16);
	raid_put(super + 192, 1000000000, 8);
	raid_put(super + 200, 1, 8);	      /* events */
	raid_put(super + 208, UINT64_MAX, 8); /* in sync to the end */
	raid_put(super + 220, RAID_DISKS, 4);
	for (unsigned i = 0; i < RAID_DISKS; i++)
		raid_put(super + 256 + 2 * i, i, 2);
	raid_put(super + 216, raid_sum(super, 256 + 2 * RAID_DISKS), 4);
	return place[minor] << 9;
}

/* @version: 90 for 0.90, else 10, 11 or 12. Returns where on a disk of @disk_bytes it belongs. */
static inline uint64_t raid_super(uint8_t super[RAID_SUPER_BYTES], unsigned version,
				  uint64_t disk_bytes)
{
	return version == 90 ? raid_super_0(super, disk_bytes)
			     : raid_super_1(super, version - 10, disk_bytes);
}

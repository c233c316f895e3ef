/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* disk_most: the most space that a file was seen to occupy; writes alone never reduce it. */
#ifndef DISK_MOST_H
#define DISK_MOST_H

#include <netperf/disk.h>

enum disk_shrinks { DISK_UNKNOWN, DISK_ONLY_WHEN_CUT, DISK_AT_WILL };

struct np_disk_most {
	uint64_t bytes;
	/* Some file systems free blocks when they compress or copy what is written. */
	enum disk_shrinks shrinks;
};

struct np_disk_most *disk_most(struct np_disk *disk);

#endif

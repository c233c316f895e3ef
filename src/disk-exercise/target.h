/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * target: the disk under test, judged before it is used, and the region of it that the test covers.
 */
#ifndef TARGET_H
#define TARGET_H

#include "options.h"

struct target {
	const char *path;
	struct np_disk *disk;
	struct np_guard_verdict verdict; /* FREE when the target is only read */
	uint64_t begin_bytes;		 /* the region: multiples of 512 and, in direct mode, */
	uint64_t length_bytes;		 /* of the logical block */
	uint64_t step_bytes;		 /* an I/O must start and end at multiples of it */
};

/*
 * Opens the target, asks the guard if it is to be written, and computes the region. Returns 0, or
 * exit status 2 after logging the reason; the caller frees the disk in any case.
 */
int target_open(struct target *target, const struct options *options, const struct np_log *log);

/* Logs what will be exercised. */
void target_introduce(const struct target *target, const struct options *options,
		      const struct np_log *log);

#endif

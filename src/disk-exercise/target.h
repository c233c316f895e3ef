/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* target: the disk under test, once it may be used, and the region of it that is. */
#ifndef TARGET_H
#define TARGET_H

#include "options.h"

struct target {
	const char *path;
	struct np_disk *disk;
	struct np_guard_verdict verdict; /* FREE when only read */
	uint64_t begin_bytes;		 /* the region: multiples of 512 and, in direct mode, */
	uint64_t length_bytes;		 /* of the logical block */
	uint64_t step_bytes;		 /* an I/O may begin and end at multiples of it */
};

/*
 * Opens it, asks the guard when it is to be written and finds the region. Returns 0, or exit status
 * 2 after logging why not. Close in any case.
 */
int target_open(struct target *target, const struct options *options, const struct np_log *log);

/* Tells on the log what it is that will be exercised. */
void target_introduce(const struct target *target, const struct options *options,
		      const struct np_log *log);

void target_close(struct target *target);

#endif

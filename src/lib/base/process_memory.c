// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* process_memory: makes the GNU C library return large blocks to the kernel when they are freed. */
#include <netperf/process.h>

#include <limits.h>
#include <malloc.h>

void np_process_map_blocks(size_t bytes)
{
	(void)mallopt(M_MMAP_THRESHOLD, bytes < INT_MAX ? (int)bytes : INT_MAX);
}

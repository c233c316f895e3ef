// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* process_memory: tells the GNU C library which blocks go back to the kernel by themselves. */
#include <netperf/process.h>

#include <limits.h>
#include <malloc.h>

void np_process_give_back(size_t bytes)
{
	(void)mallopt(M_MMAP_THRESHOLD, bytes < INT_MAX ? (int)bytes : INT_MAX);
}

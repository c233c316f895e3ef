// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* process_memory_none: replaces process_memory: other C libraries return them anyway. */
#include <netperf/process.h>

void np_process_map_blocks(size_t bytes)
{
	(void)bytes;
}

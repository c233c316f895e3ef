// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* process_memory_none: in the place of process_memory: other C libraries need not be told. */
#include <netperf/process.h>

void np_process_give_back(size_t bytes)
{
	(void)bytes;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp_read: judges, every few milliseconds of a fast stream, how much to read at a time. */
#include "tcp_read.h"

#define ENOUGH_BYTES (UINT64_C(32) << 20)
/*
 * If less than this is read between two sleeps, the sender runs at the same time. With 1 MiB reads
 * that is 1 MiB; on one processor it is all that the socket's buffers hold, 4 MiB by default.
 */
#define APART_BYTES (UINT64_C(2) << 20)

bool tcp_read_count(struct tcp_read *read, size_t bytes)
{
	read->received += bytes;
	return !read->counted || read->received >= ENOUGH_BYTES;
}

void tcp_read_judge(struct tcp_read *read, uint64_t sleeps)
{
	if (read->counted)
		read->large = (sleeps - read->sleeps) * APART_BYTES > read->received;
	read->counted = true;
	read->sleeps = sleeps;
	read->received = 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * no-memory: preloaded, it makes every third allocation of NO_MEMORY_FROM to NO_MEMORY_TO bytes
 * fail, after the first ten of them, or NO_MEMORY_SPARED.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static size_t from, to;
static unsigned spared = 10;

__attribute__((constructor)) static void begin(void)
{
	const char *least = getenv("NO_MEMORY_FROM"), *most = getenv("NO_MEMORY_TO"),
		   *first = getenv("NO_MEMORY_SPARED");

	from = least ? (size_t)atol(least) : 0;
	to = most ? (size_t)atol(most) : 0;
	spared = first ? (unsigned)atol(first) : spared;
}

static bool fails(size_t bytes)
{
	static atomic_uint asked;
	unsigned n;

	if (!to || bytes < from || bytes > to)
		return false;
	n = atomic_fetch_add(&asked, 1);
	if (n < spared || (n - spared) % 3 != 0)
		return false;
	errno = ENOMEM;
	return true;
}

/* The C library's own, which need no look-up that allocates. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);

void *malloc(size_t bytes)
{
	return fails(bytes) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return fails(count * bytes) ? NULL : __libc_calloc(count, bytes);
}

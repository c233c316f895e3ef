// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * no-memory: preloaded, it makes every third allocation of NO_MEMORY_FROM to NO_MEMORY_TO bytes
 * fail, after the first ten of them.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SPARED 10

static size_t from, to;

__attribute__((constructor)) static void begin(void)
{
	const char *least = getenv("NO_MEMORY_FROM"), *most = getenv("NO_MEMORY_TO");

	from = least ? (size_t)atol(least) : 0;
	to = most ? (size_t)atol(most) : 0;
}

/* The C library's own, which needs no look-up that allocates. */
void *__libc_malloc(size_t bytes);

void *malloc(size_t bytes)
{
	static atomic_uint asked;

	if (bytes >= from && bytes <= to && to) {
		const unsigned n = atomic_fetch_add(&asked, 1);

		if (n >= SPARED && n % 3 == 0) {
			errno = ENOMEM;
			return NULL;
		}
	}
	return __libc_malloc(bytes);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* hash: the hash function of HyperCast 4. */
#include "hash.h"

#include <string.h>

static uint32_t hash_on(uint32_t hash, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++) {
		const uint32_t t = (hash >> 24 ^ at[i]) & 0xff;

		hash = hash << ((t & 7) + 1) ^ t;
	}
	return hash;
}

uint32_t overlay_hash(const void *data, size_t bytes)
{
	return hash_on(0, data, bytes);
}

uint16_t overlay_hash_realm(const char *realm, const char *kind)
{
	const uint32_t hash = hash_on(hash_on(0, realm, strlen(realm)), kind, strlen(kind));
	const uint32_t high = (hash >> 24 ^ hash >> 16) & 0xff, low = (hash >> 8 ^ hash) & 0xff;

	return (uint16_t)(high << 8 | low);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* siphash: the vectors of its authors, and what the key and each word change. */
#include "support/unit.h"

#include <netperf/field.h>

/* The bytes 0, 1, 2 ... */
static const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};

static uint64_t hash_of(enum np_siphash which, unsigned bytes)
{
	const uint64_t words[] = {key[0], key[1], 0};
	uint64_t input[3] = {words[0], words[1], words[2]};
	const unsigned last = bytes / 8;

	input[last] &= (UINT64_C(1) << bytes % 8 * 8) - 1;
	input[last] |= (uint64_t)bytes << 56;
	return np_siphash(which, key, input, last + 1);
}

/* Of the input 0, 1, 2 ... under the key 0, 1, 2 ...: appendix A of the paper has 15 bytes. */
TEST(vectors)
{
	assert_true(hash_of(NP_SIPHASH_2_4, 0) == UINT64_C(0x726fdb47dd0e0e31));
	assert_true(hash_of(NP_SIPHASH_2_4, 8) == UINT64_C(0x93f5f5799a932462));
	assert_true(hash_of(NP_SIPHASH_2_4, 15) == UINT64_C(0xa129ca6149be45e5));
	assert_true(hash_of(NP_SIPHASH_2_4, 16) == UINT64_C(0x3f2acc7f57c29bdb));
	assert_true(hash_of(NP_SIPHASH_1_3, 0) == UINT64_C(0xabac0158050fc4dc));
	assert_true(hash_of(NP_SIPHASH_1_3, 8) == UINT64_C(0x369095118d299a8e));
	assert_true(hash_of(NP_SIPHASH_1_3, 15) == UINT64_C(0xd320d86d2a519956));
	assert_true(hash_of(NP_SIPHASH_1_3, 16) == UINT64_C(0xcc4fdd1a7d908b66));
}

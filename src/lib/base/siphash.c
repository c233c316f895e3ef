// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* siphash: SipHash-1-3 and SipHash-2-4 of whole words. */
#include <netperf/field.h>

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void round_of(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] = rotate(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] = rotate(v[2], 32);
}

uint64_t np_siphash(enum np_siphash which, const uint64_t key[2], const uint64_t *words,
		    size_t count)
{
	const unsigned rounds = which == NP_SIPHASH_2_4 ? 2 : 1;
	uint64_t v[4] = {
		key[0] ^ UINT64_C(0x736f6d6570736575),
		key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261),
		key[1] ^ UINT64_C(0x7465646279746573),
	};

	for (size_t i = 0; i < count; i++) {
		v[3] ^= words[i];
		for (unsigned j = 0; j < rounds; j++)
			round_of(v);
		v[0] ^= words[i];
	}
	v[2] ^= 0xFF;
	for (unsigned j = 0; j < rounds + 2; j++)
		round_of(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

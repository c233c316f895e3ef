// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* proof: SipHash-2-4 (Aumasson, Bernstein 2012) of the host and the session. */
#include "proof.h"

#include <netinet/in.h>
#include <string.h>

static uint64_t turn(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void round_of(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = turn(v[1], 13) ^ v[0];
	v[3] = turn(v[3], 16) ^ v[2];
	v[0] = turn(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = turn(v[1], 17) ^ v[2];
	v[3] = turn(v[3], 21) ^ v[0];
	v[2] = turn(v[2], 32);
}

static uint64_t siphash(const struct proof_secret *secret, const uint64_t *word, unsigned count)
{
	const uint64_t k0 = secret->word[0], k1 = secret->word[1];
	uint64_t v[] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
			k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};

	for (unsigned i = 0; i <= count; i++) {
		/* The last block contains only the length. */
		const uint64_t block = i < count ? word[i] : (uint64_t)(count * 8) << 56;

		v[3] ^= block;
		round_of(v);
		round_of(v);
		v[0] ^= block;
	}
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 4; i++)
		round_of(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint32_t proof_of(const struct proof_secret *secret, const struct np_address *from,
		  uint32_t session)
{
	const struct sockaddr_in6 *six = (const void *)&from->storage;
	const struct sockaddr_in *four = (const void *)&from->storage;
	uint64_t word[] = {session, 0, 0};
	uint64_t hash;

	if (from->any.sa_family == AF_INET6)
		memcpy(&word[1], &six->sin6_addr, sizeof(six->sin6_addr));
	else
		memcpy(&word[1], &four->sin_addr, sizeof(four->sin_addr));
	hash = siphash(secret, word, sizeof(word) / sizeof(*word));
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

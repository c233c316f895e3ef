// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* proof: SipHash-2-4 of the host and the session. */
#include "proof.h"

#include <netinet/in.h>
#include <netperf/siphash.h>
#include <string.h>

uint32_t proof_of(const struct proof_secret *secret, const struct np_address *from,
		  uint32_t session)
{
	const struct sockaddr_in6 *six = (const void *)&from->storage;
	const struct sockaddr_in *four = (const void *)&from->storage;
	/* 24 bytes. */
	uint64_t word[] = {session, 0, 0, UINT64_C(24) << 56};
	uint64_t hash;

	if (from->any.sa_family == AF_INET6)
		memcpy(&word[1], &six->sin6_addr, sizeof(six->sin6_addr));
	else
		memcpy(&word[1], &four->sin_addr, sizeof(four->sin_addr));
	hash = np_siphash(NP_SIPHASH_2_4, secret->word, word, sizeof(word) / sizeof(*word));
	return (uint32_t)hash ? (uint32_t)hash : 1;
}

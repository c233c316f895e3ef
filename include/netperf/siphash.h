/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * siphash: a hash that nobody can predict without the key, of a few words: SipHash-c-d (Aumasson,
 * Bernstein, "SipHash: a fast short-input PRF", 2012). With a secret key, SipHash-1-3 keeps
 * strangers from filling one bucket of a table, and SipHash-2-4 proves to us that we computed it.
 */
#ifndef NETPERF_SIPHASH_H
#define NETPERF_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/* The rounds for each word and those at the end. */
enum np_siphash { NP_SIPHASH_1_3, NP_SIPHASH_2_4 };

/*
 * The hash of @words[@count] under @key. As in the definition, the most significant byte of the
 * last word is the length of the input in bytes, modulo 256, and the words are the input read as
 * little-endian. Pure, thread-safe.
 */
uint64_t np_siphash(enum np_siphash which, const uint64_t key[2], const uint64_t *words,
		    size_t count);

#include <netperf/bits/end.h>
#endif

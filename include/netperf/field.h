/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * field: big-endian fields of messages at any address, and a check value over a run of them.
 * Inline, since the hot loops of the programs stand on them. Pure and thread-safe.
 */
#ifndef NETPERF_FIELD_H
#define NETPERF_FIELD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t np_field_get16(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t np_field_get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value : __builtin_bswap32(value);
}

static inline uint64_t np_field_get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? value : __builtin_bswap64(value);
}

static inline void np_field_put16(uint8_t *at, uint16_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void np_field_put32(uint8_t *at, uint32_t value)
{
	if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
		value = __builtin_bswap32(value);
	memcpy(at, &value, sizeof(value));
}

static inline void np_field_put64(uint8_t *at, uint64_t value)
{
	if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__)
		value = __builtin_bswap64(value);
	memcpy(at, &value, sizeof(value));
}

/*
 * The check value: each word is a bijection of the sum so far (xor, an odd multiplier, a rotation),
 * so that damage within one word always changes the 64-bit sum, of which 32 bits go on the wire.
 * The multiplier is the golden ratio's (2^64 / phi, odd); the begin is the first 64 bits of pi's
 * fraction. Against chance, not against forgers.
 */
#define NP_FIELD_SUM_BEGIN    UINT64_C(0x243f6a8885a308d3)
#define NP_FIELD_SUM_MULTIPLE UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t np_field_sum_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * NP_FIELD_SUM_MULTIPLE;
	return sum << 31 | sum >> 33;
}

/* @words of 8 bytes from @at on. */
static inline uint64_t np_field_sum(uint64_t sum, const uint8_t *at, size_t words)
{
	for (; words; words--, at += 8)
		sum = np_field_sum_word(sum, np_field_get64(at));
	return sum;
}

static inline uint32_t np_field_sum_end(uint64_t sum)
{
	sum ^= sum >> 32;
	return (uint32_t)(sum * NP_FIELD_SUM_MULTIPLE >> 32);
}

#endif

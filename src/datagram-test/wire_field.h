/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire_field: big-endian fields at any address, and the check value over a run of them. */
#ifndef DATAGRAM_TEST_WIRE_FIELD_H
#define DATAGRAM_TEST_WIRE_FIELD_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WIRE_CONTROL_MAGIC 0x6e706474u /* "npdt" */

static inline uint16_t wire_get16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return be16toh(value);
}

static inline uint32_t wire_get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return be32toh(value);
}

static inline uint64_t wire_get64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return be64toh(value);
}

static inline void wire_put16(uint8_t *at, uint16_t value)
{
	value = htobe16(value);
	memcpy(at, &value, sizeof(value));
}

static inline void wire_put32(uint8_t *at, uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
}

static inline void wire_put64(uint8_t *at, uint64_t value)
{
	value = htobe64(value);
	memcpy(at, &value, sizeof(value));
}

/*
 * The check value: each word is a bijection of the sum so far (xor, an odd multiplier, a rotation),
 * so that damage within one word always changes the 64-bit sum, of which 32 bits go on the wire.
 * The multiplier is the golden ratio's (2^64 / phi, odd); the begin is the first 64 bits of pi's
 * fraction.
 */
#define WIRE_SUM_BEGIN	  UINT64_C(0x243f6a8885a308d3)
#define WIRE_SUM_MULTIPLE UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t wire_sum_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * WIRE_SUM_MULTIPLE;
	return sum << 31 | sum >> 33;
}

/* @words of 8 bytes from @at on. */
static inline uint64_t wire_sum(uint64_t sum, const uint8_t *at, size_t words)
{
	for (; words; words--, at += 8)
		sum = wire_sum_word(sum, wire_get64(at));
	return sum;
}

static inline uint32_t wire_sum_end(uint64_t sum)
{
	sum ^= sum >> 32;
	return (uint32_t)(sum * WIRE_SUM_MULTIPLE >> 32);
}

#endif

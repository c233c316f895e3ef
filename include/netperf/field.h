/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * field: big-endian fields of messages, at any address, aligned or not; a cursor that reads them in
 * order and never beyond the end of the message; lists of them, which are both written and read;
 * and a check value over a sequence of words. All of it is inline, since the hot
 * loops of the programs use it, and pure and thread-safe. No function fails: the caller of a get or
 * put function has checked that the 2, 4 or 8 bytes from @at on exist, and a cursor remembers that
 * bytes were missing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Reads the 2, 4 or 8 bytes from @at on as a number. */
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

/* Writes @value to the 2, 4 or 8 bytes from @at on. */
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
 * The unread rest of a message, whose bytes belong to the caller and must outlive the cursor.
 * Starts as {message, its length, false}. A read of more bytes than are left sets @bad and leaves
 * nothing to read: it and all later reads return zeros, so that checking @bad once, before the
 * values are used, is enough.
 */
struct np_field_cursor {
	const uint8_t *at;
	size_t left;
	bool bad;
};

/* Advances by @bytes and returns where they were; NULL: fewer are left. */
static inline const uint8_t *np_field_take(struct np_field_cursor *cursor, size_t bytes)
{
	const uint8_t *at = cursor->at;

	if (bytes > cursor->left) {
		cursor->left = 0;
		cursor->bad = true;
		return NULL;
	}
	cursor->at += bytes;
	cursor->left -= bytes;
	return at;
}

/* The next byte, or 0. */
static inline uint8_t np_field_take8(struct np_field_cursor *cursor)
{
	const uint8_t *at = np_field_take(cursor, 1);

	return at ? *at : 0;
}

/*
 * A message as the list of its fields: the same function writes them and reads them, in order. The
 * room to write to is not checked.
 */
struct np_field_list {
	uint8_t *out;		   /* where the next field is written; NULL: fields are read */
	struct np_field_cursor in; /* from here; @in.bad also if one was out of range */
};

static inline void np_field_list_put(struct np_field_list *list, unsigned bytes, uint64_t value)
{
	for (; bytes; bytes--)
		*list->out++ = (uint8_t)(value >> 8 * (bytes - 1));
}

/* A number of at most @most; 0 when the message is bad. */
static inline uint64_t np_field_list_get(struct np_field_list *list, unsigned bytes, uint64_t most)
{
	const uint8_t *at = np_field_take(&list->in, bytes);
	uint64_t value = 0;

	for (; at && bytes; bytes--)
		value = value << 8 | *at++;
	list->in.bad |= value > most;
	return list->in.bad ? 0 : value;
}

/*
 * Write or read the lvalue @field: a number of so many @bytes in the message, and one of its own
 * size with any value. Nothing is stored when it is written.
 */
#define NP_FIELD_NUMBER(list, field, bytes, most)                                                  \
	do {                                                                                       \
		if ((list)->out)                                                                   \
			np_field_list_put(list, bytes, (uint64_t)(field));                         \
		else                                                                               \
			(field) = (__typeof__(field))np_field_list_get(list, bytes, most);         \
	} while (0)
#define NP_FIELD(list, field) NP_FIELD_NUMBER(list, field, sizeof(field), UINT64_MAX)

/* The same for bytes as they are. */
static inline void np_field_list_bytes(struct np_field_list *list, void *memory, size_t bytes)
{
	const uint8_t *at = list->out ? NULL : np_field_take(&list->in, bytes);

	if (list->out)
		list->out = (uint8_t *)memcpy(list->out, memory, bytes) + bytes;
	else if (at)
		memcpy(memory, at, bytes);
}

/*
 * The check value: each word changes the sum so far by a bijection (xor, multiplication by an odd
 * number, rotation), so that damage within one word always changes the 64-bit sum, of which 32 bits
 * are transmitted. Starts as NP_FIELD_SUM_BEGIN, ends with np_field_sum_end. The multiplier is 2^64
 * over the golden ratio, made odd; the initial value is the first 64 bits of the fraction of pi.
 * It detects accidents, not forgery.
 */
#define NP_FIELD_SUM_BEGIN    UINT64_C(0x243f6a8885a308d3)
#define NP_FIELD_SUM_MULTIPLE UINT64_C(0x9e3779b97f4a7c15)

/* @sum with one more word. */
static inline uint64_t np_field_sum_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * NP_FIELD_SUM_MULTIPLE;
	return sum << 31 | sum >> 33;
}

/* @sum with @words of 8 bytes from @at on. */
static inline uint64_t np_field_sum(uint64_t sum, const uint8_t *at, size_t words)
{
	for (; words; words--, at += 8)
		sum = np_field_sum_word(sum, np_field_get64(at));
	return sum;
}

/* The 32 bits to transmit. */
static inline uint32_t np_field_sum_end(uint64_t sum)
{
	sum ^= sum >> 32;
	return (uint32_t)(sum * NP_FIELD_SUM_MULTIPLE >> 32);
}

/*
 * A hash that nobody can predict without the key, of a few words: SipHash-c-d (Aumasson, Bernstein,
 * "SipHash: a fast short-input PRF", 2012). With a secret key, SipHash-1-3 keeps strangers from
 * filling one bucket of a table, and SipHash-2-4 proves to us that we computed it.
 */

/* The rounds for each word and those at the end. */
enum np_siphash { NP_SIPHASH_1_3, NP_SIPHASH_2_4 };

/*
 * The hash of @words[@count] under @key. As in the definition, the most significant byte of the
 * last word is the length of the input in bytes, modulo 256, and the words are the input read as
 * little-endian. Pure.
 */
uint64_t np_siphash(enum np_siphash which, const uint64_t key[2], const uint64_t *words,
		    size_t count);

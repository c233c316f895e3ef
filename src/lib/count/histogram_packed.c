// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * histogram_packed: the counts of those buckets that have counted. 64 buckets have a block: a bit
 * for each, and its counts in their order, 1, 2 or 4 bytes each. 16 blocks have a row.
 */
#include "histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_MOST 2
#define ROW_BYTES  (HISTOGRAM_ROW / HISTOGRAM_BLOCK * sizeof(struct histogram_block *))
#define BYTES_MOST ((size_t)131072) /* from there on all buckets take little more */

struct histogram_block {
	uint64_t bits;
	uint8_t width; /* of a count: 1 << width bytes */
	uint8_t room;  /* for so many counts */
	uint8_t counts[];
};

static uint64_t get_count(const struct histogram_block *block, unsigned rank)
{
	const uint8_t *at = block->counts + (rank << block->width);
	uint16_t two;
	uint32_t four;

	switch (block->width) {
	case 0: return *at;
	case 1: memcpy(&two, at, sizeof(two)); return two;
	default: memcpy(&four, at, sizeof(four)); return four;
	}
}

static void set_count(struct histogram_block *block, unsigned rank, uint64_t count)
{
	uint8_t *at = block->counts + (rank << block->width);
	const uint16_t two = (uint16_t)count;
	const uint32_t four = (uint32_t)count;

	switch (block->width) {
	case 0: *at = (uint8_t)count; break;
	case 1: memcpy(at, &two, sizeof(two)); break;
	default: memcpy(at, &four, sizeof(four)); break;
	}
}

static uint64_t most_of(unsigned width)
{
	return (UINT64_C(1) << (8u << width)) - 1;
}

/* Inline: without the processor's own instruction the compiler's way is a call. */
static inline unsigned count_bits(uint64_t bits)
{
	bits -= bits >> 1 & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* How many bits there are below @bit. */
static inline unsigned rank_of(uint64_t bits, unsigned bit)
{
	return count_bits(bits & ((UINT64_C(1) << bit) - 1));
}

static bool has_count(const struct histogram_block *block, unsigned bit)
{
	return block && block->bits >> bit & 1;
}

/* Of a block for so many counts, and as many more as malloc(3) rounds up to. */
static size_t bytes_of(unsigned counts, unsigned width)
{
	const size_t bytes = offsetof(struct histogram_block, counts) + ((size_t)counts << width);

	return (bytes + 7) / 16 * 16 + 8;
}

/* The block has room for this count. */
static void insert(struct histogram_block *block, unsigned bit, uint64_t count)
{
	const unsigned rank = rank_of(block->bits, bit);
	uint8_t *at = block->counts + (rank << block->width);

	memmove(at + (1u << block->width), at,
		(size_t)(count_bits(block->bits) - rank) << block->width);
	block->bits |= UINT64_C(1) << bit;
	set_count(block, rank, count);
}

/* Puts a block with this count in place of the present one, which has none, or too narrow ones. */
static int replace(struct histogram_packed *p, struct histogram_block **place, unsigned bit,
		   uint64_t count)
{
	struct histogram_block *old = *place, *block;
	unsigned width = old ? old->width : 0, from = 0, to = 0;
	const uint64_t bits = (old ? old->bits : 0) | UINT64_C(1) << bit;
	size_t freed, bytes;

	while (width < WIDTH_MOST && count > most_of(width))
		width++;
	freed = old ? bytes_of(old->room, old->width) : 0;
	bytes = bytes_of(count_bits(bits), width);
	if (count > most_of(width) || p->bytes - freed + bytes > BYTES_MOST)
		return -EOVERFLOW;
	block = malloc(bytes);
	if (!block)
		return -ENOMEM;
	block->bits = bits;
	block->width = (uint8_t)width;
	block->room = (uint8_t)((bytes - offsetof(struct histogram_block, counts)) >> width);
	for (unsigned i = 0; i < HISTOGRAM_BLOCK; i++) {
		if (!has_count(block, i))
			continue;
		set_count(block, to++, i == bit || !old ? count : get_count(old, from));
		from += has_count(old, i);
	}
	p->bytes += bytes - freed;
	free(old);
	*place = block;
	return 0;
}

int histogram_packed_add(struct histogram_packed *packed, size_t bucket, uint64_t times)
{
	struct histogram_block ***row = &packed->row[bucket / HISTOGRAM_ROW], **place, *block;
	const unsigned bit = bucket % HISTOGRAM_BLOCK;
	uint64_t count = times;
	unsigned rank;

	if (times > most_of(WIDTH_MOST))
		return -EOVERFLOW;
	if (!*row) {
		if (packed->bytes + ROW_BYTES > BYTES_MOST)
			return -EOVERFLOW;
		*row = calloc(1, ROW_BYTES);
		if (!*row)
			return -ENOMEM;
		packed->bytes += ROW_BYTES;
	}
	place = &(*row)[bucket % HISTOGRAM_ROW / HISTOGRAM_BLOCK];
	block = *place;
	if (has_count(block, bit)) {
		rank = rank_of(block->bits, bit);
		count += get_count(block, rank);
		if (count <= most_of(block->width)) {
			set_count(block, rank, count);
			return 0;
		}
	}
	if (block && !has_count(block, bit) && count <= most_of(block->width) &&
	    count_bits(block->bits) < block->room) {
		insert(block, bit, count);
		return 0;
	}
	return replace(packed, place, bit, count);
}

bool histogram_packed_next(const struct histogram_packed *packed, size_t from, size_t *bucket,
			   uint64_t *count)
{
	for (size_t at = from; at < HISTOGRAM_BUCKETS;
	     at = (at / HISTOGRAM_BLOCK + 1) * HISTOGRAM_BLOCK) {
		struct histogram_block *const *row = packed->row[at / HISTOGRAM_ROW];
		const struct histogram_block *block =
			row ? row[at % HISTOGRAM_ROW / HISTOGRAM_BLOCK] : NULL;
		const uint64_t bits =
			block ? block->bits & ~UINT64_C(0) << at % HISTOGRAM_BLOCK : 0;

		if (!bits)
			continue;
		*bucket = at / HISTOGRAM_BLOCK * HISTOGRAM_BLOCK + (size_t)__builtin_ctzll(bits);
		*count = get_count(block, rank_of(block->bits, *bucket % HISTOGRAM_BLOCK));
		return true;
	}
	return false;
}

void histogram_packed_clear(struct histogram_packed *packed)
{
	for (size_t i = 0; i < HISTOGRAM_ROWS; i++) {
		struct histogram_block **row = packed->row[i];

		for (size_t j = 0; row && j < HISTOGRAM_ROW / HISTOGRAM_BLOCK; j++)
			free(row[j]);
		free(row);
	}
	*packed = (struct histogram_packed){0};
}

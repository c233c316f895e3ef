// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * histogram_packed: the counts of those buckets that have counted. 64 buckets have a block: a bit
 * for each, its counts in their order, 1, 2 or 4 bytes each. 16 blocks have a row of places. All of
 * it is in one piece of memory, in units of 8 bytes; a place is the number of the first of them.
 */
#include "histogram.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BUCKETS 64
#define ROW_BLOCKS    (HISTOGRAM_ROW / BLOCK_BUCKETS)
#define ROW_UNITS     (ROW_BLOCKS * sizeof(uint16_t) / sizeof(uint64_t))
#define WIDTH_MOST    2
#define UNITS_LEAST   16
#define UNITS_MOST    16384 /* 128 KiB: from there on all buckets take little more */

/* Behind the word of bits, before the counts. */
struct head {
	uint8_t width; /* of a count: 1 << width bytes */
	uint8_t units;
};

#define COUNTS_AT (sizeof(uint64_t) + sizeof(struct head))

static uint8_t *bytes_at(const struct histogram_packed *p, unsigned place)
{
	return (uint8_t *)(p->unit + place);
}

static uint16_t get_place(const struct histogram_packed *p, unsigned row, unsigned block)
{
	uint16_t place;

	memcpy(&place, bytes_at(p, row) + block * sizeof(place), sizeof(place));
	return place;
}

static void set_place(struct histogram_packed *p, unsigned row, unsigned block, uint16_t place)
{
	memcpy(bytes_at(p, row) + block * sizeof(place), &place, sizeof(place));
}

static struct head get_head(const struct histogram_packed *p, unsigned place)
{
	struct head head;

	memcpy(&head, bytes_at(p, place + 1), sizeof(head));
	return head;
}

/* The count of that rank in a block. */
static uint64_t get_count(const struct histogram_packed *p, unsigned place, unsigned width,
			  unsigned rank)
{
	const uint8_t *at = bytes_at(p, place) + COUNTS_AT + (rank << width);
	uint16_t two;
	uint32_t four;

	switch (width) {
	case 0: return *at;
	case 1: memcpy(&two, at, sizeof(two)); return two;
	default: memcpy(&four, at, sizeof(four)); return four;
	}
}

static void set_count(struct histogram_packed *p, unsigned place, unsigned width, unsigned rank,
		      uint64_t count)
{
	uint8_t *at = bytes_at(p, place) + COUNTS_AT + (rank << width);
	const uint16_t two = (uint16_t)count;
	const uint32_t four = (uint32_t)count;

	switch (width) {
	case 0: *at = (uint8_t)count; break;
	case 1: memcpy(at, &two, sizeof(two)); break;
	default: memcpy(at, &four, sizeof(four)); break;
	}
}

static uint64_t most_of(unsigned width)
{
	return (UINT64_C(1) << (8u << width)) - 1;
}

static unsigned units_of(unsigned counts, unsigned width)
{
	return (unsigned)((COUNTS_AT + ((size_t)counts << width) + sizeof(uint64_t) - 1) /
			  sizeof(uint64_t));
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

/* The block of the bucket; 0: there is none. */
static unsigned block_of(const struct histogram_packed *p, size_t bucket)
{
	const unsigned row = p->row[bucket / HISTOGRAM_ROW];

	return row ? get_place(p, row, (unsigned)(bucket % HISTOGRAM_ROW / BLOCK_BUCKETS)) : 0;
}

static bool has_count(const struct histogram_packed *p, unsigned place, unsigned bit)
{
	return place && p->unit[place] >> bit & 1;
}

/* Copies @units from @from to the end of @to. Returns their place there. */
static unsigned move_units(const struct histogram_packed *from, unsigned place, unsigned units,
			   struct histogram_packed *to)
{
	const unsigned moved = (unsigned)to->used;

	memcpy(to->unit + moved, from->unit + place, units * sizeof(*to->unit));
	to->used += units;
	return moved;
}

static void move_row(const struct histogram_packed *from, unsigned index,
		     struct histogram_packed *to)
{
	const unsigned row = from->row[index], moved = move_units(from, row, ROW_UNITS, to);
	unsigned place;

	to->row[index] = (uint16_t)moved;
	for (unsigned i = 0; i < ROW_BLOCKS; i++) {
		place = get_place(from, row, i);
		if (place)
			place = move_units(from, place, get_head(from, place).units, to);
		set_place(to, moved, i, (uint16_t)place);
	}
}

/* Moves all that is in use into a new piece of memory, with room for @more behind it. */
static int make_space(struct histogram_packed *p, unsigned more)
{
	const size_t kept = p->used > p->unused ? p->used - p->unused : 1;
	struct histogram_packed moved = {.used = 1, .room = kept + more + kept / 8 + UNITS_LEAST};

	if (moved.room > UNITS_MOST)
		return -EOVERFLOW;
	moved.unit = malloc(moved.room * sizeof(*moved.unit));
	if (!moved.unit)
		return -ENOMEM;
	for (unsigned i = 0; i < HISTOGRAM_ROWS; i++) {
		if (p->row[i])
			move_row(p, i, &moved);
	}
	free(p->unit);
	*p = moved;
	return 0;
}

/* The row of places, made if there is none; there is space for it. */
static unsigned row_of(struct histogram_packed *p, size_t bucket)
{
	uint16_t *row = &p->row[bucket / HISTOGRAM_ROW];

	if (!*row) {
		*row = (uint16_t)p->used;
		memset(p->unit + *row, 0, ROW_UNITS * sizeof(*p->unit));
		p->used += ROW_UNITS;
	}
	return *row;
}

/* Puts a count of 0 at @rank among the @counts of the block, which has room for it. */
static void insert(struct histogram_packed *p, unsigned place, unsigned width, unsigned rank,
		   unsigned counts)
{
	uint8_t *at = bytes_at(p, place) + COUNTS_AT + (rank << width);

	memmove(at + (1u << width), at, (size_t)(counts - rank) << width);
	set_count(p, place, width, rank, 0);
}

/* Copies the counts of the block at @place, if there is one, into a new one; there is space. */
static unsigned move_block(struct histogram_packed *p, unsigned place, unsigned units,
			   unsigned width)
{
	const unsigned moved = (unsigned)p->used;
	const struct head head = {.width = (uint8_t)width, .units = (uint8_t)units};
	const uint64_t bits = place ? p->unit[place] : 0;
	const struct head old = place ? get_head(p, place) : head;

	p->used += units;
	p->unit[moved] = bits;
	memcpy(bytes_at(p, moved + 1), &head, sizeof(head));
	if (!place)
		return moved;
	p->unused += old.units;
	if (old.width == width)
		memcpy(bytes_at(p, moved) + COUNTS_AT, bytes_at(p, place) + COUNTS_AT,
		       (size_t)count_bits(bits) << width);
	for (unsigned i = 0; old.width != width && i < count_bits(bits); i++)
		set_count(p, moved, width, i, get_count(p, place, old.width, i));
	return moved;
}

/* Gives the bucket a count of that width, if need be one of 0; there is space. */
static void widen(struct histogram_packed *p, size_t bucket, unsigned units, unsigned width)
{
	const unsigned block = (unsigned)(bucket % HISTOGRAM_ROW / BLOCK_BUCKETS);
	const unsigned row = row_of(p, bucket), bit = bucket % BLOCK_BUCKETS;
	unsigned place = get_place(p, row, block);

	if (!place || get_head(p, place).units != units || get_head(p, place).width != width) {
		place = move_block(p, place, units, width);
		set_place(p, row, block, (uint16_t)place);
	}
	if (has_count(p, place, bit))
		return;
	insert(p, place, width, rank_of(p->unit[place], bit), count_bits(p->unit[place]));
	p->unit[place] |= UINT64_C(1) << bit;
}

/* The bucket has no count yet, or one that is too narrow for @count. */
static int make_room(struct histogram_packed *p, size_t bucket, uint64_t count)
{
	const unsigned place = block_of(p, bucket);
	uint64_t bits = UINT64_C(1) << bucket % BLOCK_BUCKETS;
	unsigned width = 0, units;
	int rc;

	if (place) {
		width = get_head(p, place).width;
		bits |= p->unit[place];
	}
	while (width < WIDTH_MOST && count > most_of(width))
		width++;
	if (count > most_of(width))
		return -EOVERFLOW;
	units = units_of(count_bits(bits), width);
	if (p->used + ROW_UNITS + units > p->room) {
		rc = make_space(p, ROW_UNITS + units);
		if (rc)
			return rc;
	}
	widen(p, bucket, units, width);
	return 0;
}

int histogram_packed_add(struct histogram_packed *packed, size_t bucket, uint64_t times)
{
	const unsigned bit = bucket % BLOCK_BUCKETS;
	unsigned place = block_of(packed, bucket), width, rank;
	uint64_t count = times;
	int rc;

	if (times > most_of(WIDTH_MOST))
		return -EOVERFLOW;
	if (has_count(packed, place, bit)) {
		width = get_head(packed, place).width;
		rank = rank_of(packed->unit[place], bit);
		count += get_count(packed, place, width, rank);
		if (count <= most_of(width)) {
			set_count(packed, place, width, rank, count);
			return 0;
		}
	}
	rc = make_room(packed, bucket, count);
	if (rc)
		return rc;
	place = block_of(packed, bucket);
	set_count(packed, place, get_head(packed, place).width, rank_of(packed->unit[place], bit),
		  count);
	return 0;
}

/* The same within a block. */
static bool next_of_block(const struct histogram_packed *p, unsigned place, size_t from,
			  size_t *bucket, uint64_t *count)
{
	const unsigned width = get_head(p, place).width;
	const uint64_t bits = p->unit[place] & (~UINT64_C(0) << from % BLOCK_BUCKETS);
	unsigned bit;

	if (!bits)
		return false;
	bit = (unsigned)__builtin_ctzll(bits);
	*bucket = from / BLOCK_BUCKETS * BLOCK_BUCKETS + bit;
	*count = get_count(p, place, width, rank_of(p->unit[place], bit));
	return true;
}

bool histogram_packed_next(const struct histogram_packed *packed, size_t from, size_t *bucket,
			   uint64_t *count)
{
	size_t at = from;

	while (at < HISTOGRAM_BUCKETS) {
		const unsigned place = block_of(packed, at);

		if (place && next_of_block(packed, place, at, bucket, count))
			return true;
		at = (at / BLOCK_BUCKETS + 1) * BLOCK_BUCKETS;
	}
	return false;
}

void histogram_packed_clear(struct histogram_packed *packed)
{
	free(packed->unit);
	*packed = (struct histogram_packed){0};
}

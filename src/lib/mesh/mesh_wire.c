// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_wire: pairs as bytes, which a rank sends to rank 0; all integers are big-endian. */
#include "mesh_state.h"

#include <errno.h>
#include <netperf/field.h>
#include <string.h>

/* Larger numbers are refused, so that no sum can overflow. */
#define COUNT_MAX  (UINT64_C(1) << 50)
#define COUNTS	   16 /* where they begin */
#define AT(member) offsetof(struct np_mesh_pair, member)

/* What is known to the packet. */
enum {
	EXACT = 1,
	FROM_KNOWN = 2,
	FROM_EXACT = 4,
	TO_KNOWN = 8,
	TO_EXACT = 16,
	FLAGS = 31,
};

struct column {
	size_t offset;
	/*
	 * Delays may be negative by as much as two clocks' comparison is wrong, and arrivals where
	 * others began earlier.
	 */
	bool negative;
};

/* The counts and times of a pair, 8 bytes each. */
static const struct column columns[] = {
	{AT(sent), false},
	{AT(unsent), false},
	{AT(received), false},
	{AT(lost), false},
	{AT(duplicates), false},
	{AT(reordered), false},
	{AT(bytes), false},
	{AT(elapsed), false},
	{AT(delay_p50), true},
	{AT(delay_p99), true},
	{AT(delay_max), true},
	{AT(delay_bound), false},
	{AT(delay_count), false},
	{AT(dropped_from.packets), false},
	{AT(dropped_to.packets), false},
	{AT(first), true},
	{AT(last), true},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

_Static_assert(COUNTS + 8 * COLUMNS == NP_MESH_PAIR_BYTES, "a pair's length");

static void pack_one(const struct np_mesh_pair *p, uint8_t *at)
{
	uint64_t count;

	np_field_put32(at, p->from);
	np_field_put32(at + 4, p->to);
	np_field_put32(at + 8, p->parts);
	np_field_put32(at + 12, (p->exact ? EXACT : 0) | (p->dropped_from.known ? FROM_KNOWN : 0) |
					(p->dropped_from.exact ? FROM_EXACT : 0) |
					(p->dropped_to.known ? TO_KNOWN : 0) |
					(p->dropped_to.exact ? TO_EXACT : 0));
	for (size_t i = 0; i < COLUMNS; i++) {
		memcpy(&count, (const char *)p + columns[i].offset, sizeof(count));
		np_field_put64(at + COUNTS + 8 * i, count);
	}
}

size_t np_mesh_pack(const struct np_mesh_pair *pairs, size_t count, void *piece)
{
	for (size_t i = 0; i < count; i++)
		pack_one(&pairs[i], (uint8_t *)piece + i * NP_MESH_PAIR_BYTES);
	return count * NP_MESH_PAIR_BYTES;
}

static int unpack_one(const uint8_t *at, struct np_mesh_pair *pair)
{
	const uint32_t flags = np_field_get32(at + 12);
	uint64_t count;

	if (flags > FLAGS)
		return -EBADMSG;
	*pair = (struct np_mesh_pair){
		.from = np_field_get32(at),
		.to = np_field_get32(at + 4),
		.parts = np_field_get32(at + 8),
		.exact = flags & EXACT,
		.dropped_from = {flags & FROM_KNOWN, flags & FROM_EXACT, 0},
		.dropped_to = {flags & TO_KNOWN, flags & TO_EXACT, 0},
	};
	for (size_t i = 0; i < COLUMNS; i++) {
		count = np_field_get64(at + COUNTS + 8 * i);
		if (count > COUNT_MAX &&
		    !(columns[i].negative && count >= (uint64_t) - (int64_t)COUNT_MAX))
			return -EBADMSG;
		memcpy((char *)pair + columns[i].offset, &count, sizeof(count));
	}
	return 0;
}

/* A rank reports what it sent, or what it received. */
static bool may_report(uint32_t rank, const struct np_mesh_pair *pair)
{
	if (!pair->parts || pair->parts & ~(unsigned)(NP_MESH_FROM | NP_MESH_TO | NP_MESH_CUT))
		return false;
	if (pair->parts & NP_MESH_CUT && !(pair->parts & NP_MESH_TO))
		return false;
	if (pair->parts & NP_MESH_FROM && pair->from != rank)
		return false;
	return !(pair->parts & NP_MESH_TO) || pair->to == rank;
}

int np_mesh_take(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	struct np_mesh *mesh = context;
	const uint8_t *at = piece;
	struct np_mesh_pair pair;
	int rc = bytes % NP_MESH_PAIR_BYTES ? -EBADMSG : 0;

	if (np_mesh_is_dropped(piece, bytes))
		return mesh_dropped_unpack(mesh, rank, piece, bytes);
	for (size_t i = 0; !rc && i < bytes / NP_MESH_PAIR_BYTES; i++) {
		rc = unpack_one(at + i * NP_MESH_PAIR_BYTES, &pair);
		if (!rc && (!may_report(rank, &pair) || !mesh_has(mesh, pair.from, pair.to)))
			rc = -EBADMSG;
		if (!rc)
			rc = np_mesh_add(mesh, &pair);
	}
	return rc;
}

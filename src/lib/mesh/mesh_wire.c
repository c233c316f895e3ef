// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_wire: pairs as bytes, which a rank sends to rank 0; all integers are big-endian. */
#include "mesh_state.h"

#include <errno.h>
#include <netperf/field.h>

/* Larger numbers are refused, so that no sum can overflow. */
#define COUNT_MAX (UINT64_C(1) << 50)
#define COUNTS	  17

/* What is known to the packet. */
enum {
	EXACT = 1,
	FROM_KNOWN = 2,
	FROM_EXACT = 4,
	TO_KNOWN = 8,
	TO_EXACT = 16,
	FLAGS = 31,
};

static void pack_one(const struct np_mesh_pair *p, uint8_t *at)
{
	const uint64_t counts[COUNTS] = {
		p->sent,
		p->unsent,
		p->received,
		p->lost,
		p->duplicates,
		p->reordered,
		p->bytes,
		(uint64_t)p->elapsed,
		(uint64_t)p->delay_p50,
		(uint64_t)p->delay_p99,
		(uint64_t)p->delay_max,
		(uint64_t)p->delay_bound,
		p->delay_count,
		p->dropped_from.packets,
		p->dropped_to.packets,
		(uint64_t)p->first,
		(uint64_t)p->last,
	};

	np_field_put32(at, p->from);
	np_field_put32(at + 4, p->to);
	np_field_put32(at + 8, p->parts);
	np_field_put32(at + 12, (p->exact ? EXACT : 0) | (p->dropped_from.known ? FROM_KNOWN : 0) |
					(p->dropped_from.exact ? FROM_EXACT : 0) |
					(p->dropped_to.known ? TO_KNOWN : 0) |
					(p->dropped_to.exact ? TO_EXACT : 0));
	for (unsigned i = 0; i < COUNTS; i++)
		np_field_put64(at + 16 + 8 * (size_t)i, counts[i]);
}

size_t np_mesh_pack(const struct np_mesh_pair *pairs, size_t count, void *piece)
{
	for (size_t i = 0; i < count; i++)
		pack_one(&pairs[i], (uint8_t *)piece + i * NP_MESH_PAIR_BYTES);
	return count * NP_MESH_PAIR_BYTES;
}

/*
 * Delays may be negative by as much as two clocks' comparison is wrong, and arrivals where others
 * began earlier.
 */
static bool read_counts(const uint8_t *at, uint64_t counts[COUNTS])
{
	for (unsigned i = 0; i < COUNTS; i++) {
		const bool time = (i >= 8 && i < 11) || i >= 15;

		counts[i] = np_field_get64(at + 8 * (size_t)i);
		if (counts[i] > COUNT_MAX &&
		    !(time && counts[i] >= (uint64_t) - (int64_t)COUNT_MAX))
			return false;
	}
	return true;
}

static int unpack_one(const uint8_t *at, struct np_mesh_pair *pair)
{
	uint64_t counts[COUNTS];
	const uint32_t flags = np_field_get32(at + 12);

	if (flags > FLAGS || !read_counts(at + 16, counts))
		return -EBADMSG;
	*pair = (struct np_mesh_pair){
		.from = np_field_get32(at),
		.to = np_field_get32(at + 4),
		.parts = np_field_get32(at + 8),
		.exact = flags & EXACT,
		.sent = counts[0],
		.unsent = counts[1],
		.received = counts[2],
		.lost = counts[3],
		.duplicates = counts[4],
		.reordered = counts[5],
		.bytes = counts[6],
		.elapsed = (np_time)counts[7],
		.delay_p50 = (np_time)counts[8],
		.delay_p99 = (np_time)counts[9],
		.delay_max = (np_time)counts[10],
		.delay_bound = (np_time)counts[11],
		.delay_count = counts[12],
		.dropped_from = {flags & FROM_KNOWN, flags & FROM_EXACT, counts[13]},
		.dropped_to = {flags & TO_KNOWN, flags & TO_EXACT, counts[14]},
		.first = (np_time)counts[15],
		.last = (np_time)counts[16],
	};
	return 0;
}

/* A rank tells what it sent, or what it received; of the outside both. */
static bool may_tell(uint32_t rank, const struct np_mesh_pair *pair)
{
	if (!pair->parts || pair->parts & ~(unsigned)(NP_MESH_FROM | NP_MESH_TO | NP_MESH_CUT))
		return false;
	if (pair->parts & NP_MESH_CUT && !(pair->parts & NP_MESH_TO))
		return false;
	if (pair->parts & NP_MESH_FROM && pair->from != rank)
		return false;
	if (pair->to == NP_MESH_OUTSIDE)
		return pair->from == rank;
	return !(pair->parts & NP_MESH_TO) || pair->to == rank;
}

int np_mesh_unpack(struct np_mesh *mesh, uint32_t rank, const void *piece, size_t bytes)
{
	const uint8_t *at = piece;
	struct np_mesh_pair pair;
	int rc = bytes % NP_MESH_PAIR_BYTES ? -EBADMSG : 0;

	if (np_mesh_is_dropped(piece, bytes))
		return mesh_dropped_unpack(mesh, rank, piece, bytes);
	for (size_t i = 0; !rc && i < bytes / NP_MESH_PAIR_BYTES; i++) {
		rc = unpack_one(at + i * NP_MESH_PAIR_BYTES, &pair);
		if (!rc && (!may_tell(rank, &pair) || !mesh_has(mesh, pair.from, pair.to)))
			rc = -EBADMSG;
		if (!rc)
			rc = np_mesh_add(mesh, &pair);
	}
	return rc;
}

int np_mesh_take(void *mesh, uint32_t rank, const void *piece, size_t bytes)
{
	return np_mesh_unpack(mesh, rank, piece, bytes);
}

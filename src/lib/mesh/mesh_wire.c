// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh_wire: what a rank sends to rank 0 as bytes: pairs, and what its host dropped. All integers
 * are big-endian.
 */
#include "mesh_state.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
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

size_t np_mesh_pack(const struct np_mesh_pair *pairs, size_t count, void *piece)
{
	uint8_t *at = piece;
	uint64_t value;

	for (const struct np_mesh_pair *p = pairs; p < pairs + count; p++) {
		np_field_put32(at, p->from);
		np_field_put32(at + 4, p->to);
		np_field_put32(at + 8, p->parts);
		np_field_put32(at + 12, (p->exact ? EXACT : 0) |
						(p->dropped_from.known ? FROM_KNOWN : 0) |
						(p->dropped_from.exact ? FROM_EXACT : 0) |
						(p->dropped_to.known ? TO_KNOWN : 0) |
						(p->dropped_to.exact ? TO_EXACT : 0));
		for (size_t i = 0; i < COLUMNS; i++) {
			memcpy(&value, (const char *)p + columns[i].offset, sizeof(value));
			np_field_put64(at + COUNTS + 8 * i, value);
		}
		at += NP_MESH_PAIR_BYTES;
	}
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

/*
 * A piece of what a host dropped: MARK where a pair has its sender, which is none; flags; those
 * of other reasons; words, which say what is in doubt, or why nothing is known; then for each
 * reason its direction, packets, name and place. Texts are filled up with zeros.
 */
#define MARK	    UINT32_MAX
#define WORDS	    (4 + 4 + 8)
#define ENTRIES	    (WORDS + NP_DROPS_WHY)
#define REASON	    (4 + 8)
#define PLACE	    (REASON + REASON_TEXT)
#define ENTRY_BYTES (PLACE + PLACE_TEXT)
#define REASON_TEXT sizeof(((struct np_drops_entry *)NULL)->reason)
#define PLACE_TEXT  sizeof(((struct np_drops_entry *)NULL)->place)

_Static_assert(ENTRIES + NP_DROPS_ENTRIES * ENTRY_BYTES == NP_MESH_DROPPED_BYTES,
	       "the longest piece");

/* What is known to the packet. */
enum { DROPS_KNOWN = 1, DROPS_EXACT = 2, DROPS_FLAGS = 3 };

/* What does not fit is left out. */
static void put_text(uint8_t *at, const char *text, size_t room)
{
	const size_t length = text ? strnlen(text, room - 1) : 0;

	memset(at, 0, room);
	memcpy(at, length ? text : "", length);
}

/* Printable ASCII and zeros behind it. */
static bool is_text(const uint8_t *at, size_t room)
{
	const size_t length = strnlen((const char *)at, room);

	for (size_t i = 0; i < room; i++) {
		if (i < length ? at[i] < ' ' || at[i] > '~' : at[i])
			return false;
	}
	return length < room;
}

size_t np_mesh_pack_dropped(const struct np_drops_counts *counts, void *piece)
{
	uint8_t *at = piece;

	np_field_put32(at, MARK);
	np_field_put32(at + 4,
		       (counts->known ? DROPS_KNOWN : 0) | (counts->exact ? DROPS_EXACT : 0));
	np_field_put64(at + 8, counts->others);
	put_text(at + WORDS, counts->known ? counts->doubt : counts->why, NP_DROPS_WHY);
	at += ENTRIES;
	for (unsigned i = 0; i < counts->entries; i++) {
		const struct np_drops_entry *entry = &counts->entry[i];

		np_field_put32(at, entry->direction);
		np_field_put64(at + 4, entry->packets);
		put_text(at + REASON, entry->reason, REASON_TEXT);
		put_text(at + PLACE, entry->place, PLACE_TEXT);
		at += ENTRY_BYTES;
	}
	return (size_t)(at - (uint8_t *)piece);
}

bool mesh_dropped_read(const uint8_t *piece, size_t bytes, struct np_drops_counts *counts)
{
	const char *words = (const char *)piece + WORDS;
	const size_t entries = bytes < ENTRIES ? 0 : (bytes - ENTRIES) / ENTRY_BYTES;
	uint32_t flags;

	if (bytes != ENTRIES + entries * ENTRY_BYTES || entries > NP_DROPS_ENTRIES ||
	    !is_text(piece + WORDS, NP_DROPS_WHY))
		return false;
	flags = np_field_get32(piece + 4);
	*counts = (struct np_drops_counts){
		.known = flags & DROPS_KNOWN,
		.exact = flags & DROPS_EXACT,
		.others = np_field_get64(piece + 8),
		.packets = np_field_get64(piece + 8),
		.entries = (unsigned)entries,
	};
	if (counts->known)
		memcpy(counts->doubt, words, sizeof(counts->doubt));
	else
		counts->why = words;
	/* What is unknown has no counts, and what is exact is in no doubt. */
	if (flags > DROPS_FLAGS || counts->others > COUNT_MAX || (counts->exact && *words) ||
	    (!counts->known && (flags || counts->others || entries)))
		return false;
	for (unsigned i = 0; i < entries; i++) {
		const uint8_t *at = piece + ENTRIES + i * ENTRY_BYTES;
		struct np_drops_entry *entry = &counts->entry[i];

		entry->direction = np_field_get32(at) ? NP_DROPS_OUT : NP_DROPS_IN;
		entry->packets = np_field_get64(at + 4);
		memcpy(entry->reason, at + REASON, REASON_TEXT);
		memcpy(entry->place, at + PLACE, PLACE_TEXT);
		if (np_field_get32(at) > 1 || !entry->packets || entry->packets > COUNT_MAX ||
		    !is_text(at + REASON, REASON_TEXT) || !is_text(at + PLACE, PLACE_TEXT))
			return false;
		counts->packets += entry->packets;
	}
	return true;
}

bool np_mesh_is_dropped(const void *piece, size_t bytes)
{
	return bytes >= sizeof(uint32_t) && np_field_get32(piece) == MARK;
}

static const struct mesh_host *find(const struct np_mesh *mesh, uint32_t rank)
{
	for (size_t i = 0; i < mesh->host_count; i++) {
		if (mesh->hosts[i].rank == rank)
			return &mesh->hosts[i];
	}
	return NULL;
}

/* Keeps a copy of the piece. Returns 0, -EINVAL or -ENOMEM. */
static int add_piece(struct np_mesh *mesh, uint32_t rank, const void *piece, size_t bytes)
{
	struct mesh_host host = {rank, NULL, bytes};

	if (rank >= mesh->plan.ranks || find(mesh, rank))
		return -EINVAL;
	if (mesh_grow((void **)&mesh->hosts, mesh->host_count, &mesh->host_room, sizeof(host)))
		return -ENOMEM;
	host.piece = malloc(bytes);
	if (!host.piece)
		return -ENOMEM;
	memcpy(host.piece, piece, bytes);
	mesh->hosts[mesh->host_count++] = host;
	mesh->settled = false;
	return 0;
}

int np_mesh_add_dropped(struct np_mesh *mesh, uint32_t rank, const struct np_drops_counts *counts)
{
	uint8_t piece[NP_MESH_DROPPED_BYTES];

	return add_piece(mesh, rank, piece, np_mesh_pack_dropped(counts, piece));
}

bool np_mesh_dropped(const struct np_mesh *mesh, uint32_t rank, struct np_drops_counts *counts)
{
	const struct mesh_host *host = find(mesh, rank);

	return host && mesh_dropped_read(host->piece, host->bytes, counts);
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
	struct np_drops_counts counts;
	struct np_mesh_pair pair;
	int rc = bytes % NP_MESH_PAIR_BYTES ? -EBADMSG : 0;

	if (np_mesh_is_dropped(piece, bytes)) {
		rc = mesh_dropped_read(piece, bytes, &counts) ? add_piece(mesh, rank, piece, bytes)
							      : -EBADMSG;
		return rc == -EINVAL ? -EBADMSG : rc;
	}
	for (size_t i = 0; !rc && i < bytes / NP_MESH_PAIR_BYTES; i++) {
		rc = unpack_one(at + i * NP_MESH_PAIR_BYTES, &pair);
		if (!rc && (!may_report(rank, &pair) || !mesh_has(mesh, pair.from, pair.to)))
			rc = -EBADMSG;
		if (!rc)
			rc = np_mesh_add(mesh, &pair);
	}
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_dropped: what the ranks' hosts dropped, by reasons: as bytes, as text and in records. */
#include "mesh_state.h"

#include <errno.h>
#include <netperf/field.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

/* More of anything than this is refused, so that sums make sense. */
#define COUNT_MAX (UINT64_C(1) << 50)

/*
 * A piece, all integers big-endian: MARK where a pair has its sender, which is none; flags; those
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
enum { KNOWN = 1, EXACT = 2, FLAGS = 3 };

/* Ranks whose hosts dropped packets, named one by one, at most. */
#define NAMED 8

/* What np_drops_format begins with: here it is not this host. */
#define THIS_HOST "lost in this host: "

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
	np_field_put32(at + 4, (counts->known ? KNOWN : 0) | (counts->exact ? EXACT : 0));
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

/* What a piece that is sound, or ours, says; @counts->why lies in it. */
static void read_counts(const uint8_t *piece, size_t bytes, struct np_drops_counts *counts)
{
	const uint32_t flags = np_field_get32(piece + 4);
	const char *words = (const char *)piece + WORDS;

	*counts = (struct np_drops_counts){
		.known = flags & KNOWN,
		.exact = flags & EXACT,
		.others = np_field_get64(piece + 8),
		.packets = np_field_get64(piece + 8),
		.entries = (unsigned)((bytes - ENTRIES) / ENTRY_BYTES),
	};
	if (counts->known)
		memcpy(counts->doubt, words, sizeof(counts->doubt));
	else
		counts->why = words;
	for (unsigned i = 0; i < counts->entries; i++) {
		const uint8_t *at = piece + ENTRIES + i * ENTRY_BYTES;
		struct np_drops_entry *entry = &counts->entry[i];

		entry->direction = np_field_get32(at) ? NP_DROPS_OUT : NP_DROPS_IN;
		entry->packets = np_field_get64(at + 4);
		memcpy(entry->reason, at + REASON, REASON_TEXT);
		memcpy(entry->place, at + PLACE, PLACE_TEXT);
		counts->packets += entry->packets;
	}
}

static bool is_sound(const uint8_t *piece, size_t bytes)
{
	const size_t entries = bytes < ENTRIES ? 0 : (bytes - ENTRIES) / ENTRY_BYTES;
	const uint32_t flags = bytes < ENTRIES ? FLAGS + 1 : np_field_get32(piece + 4);
	uint64_t others;

	if (flags > FLAGS || bytes != ENTRIES + entries * ENTRY_BYTES ||
	    entries > NP_DROPS_ENTRIES || !is_text(piece + WORDS, NP_DROPS_WHY))
		return false;
	others = np_field_get64(piece + 8);
	/* What is unknown has no counts, and what is exact is in no doubt. */
	if (others > COUNT_MAX || (!(flags & KNOWN) && (flags || others || entries)) ||
	    ((flags & EXACT) && piece[WORDS]))
		return false;
	for (size_t i = 0; i < entries; i++) {
		const uint8_t *at = piece + ENTRIES + i * ENTRY_BYTES;
		const uint64_t packets = np_field_get64(at + 4);

		if (np_field_get32(at) > 1 || !packets || packets > COUNT_MAX ||
		    !is_text(at + REASON, REASON_TEXT) || !is_text(at + PLACE, PLACE_TEXT))
			return false;
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
	struct mesh_host *larger;
	uint8_t *copy;

	if (rank >= mesh->plan.ranks || find(mesh, rank))
		return -EINVAL;
	if (mesh->host_count == mesh->host_room) {
		const size_t room = mesh->host_room ? 2 * mesh->host_room : 16;

		larger = reallocarray(mesh->hosts, room, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		mesh->hosts = larger;
		mesh->host_room = room;
	}
	copy = malloc(bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, piece, bytes);
	mesh->hosts[mesh->host_count++] = (struct mesh_host){rank, copy, bytes};
	mesh->settled = false;
	return 0;
}

int mesh_dropped_unpack(struct np_mesh *mesh, uint32_t rank, const void *piece, size_t bytes)
{
	const int rc = is_sound(piece, bytes) ? add_piece(mesh, rank, piece, bytes) : -EBADMSG;

	return rc == -EINVAL ? -EBADMSG : rc;
}

int np_mesh_add_dropped(struct np_mesh *mesh, uint32_t rank, const struct np_drops_counts *counts)
{
	uint8_t piece[NP_MESH_DROPPED_BYTES];

	return add_piece(mesh, rank, piece, np_mesh_pack_dropped(counts, piece));
}

void mesh_dropped_free(struct np_mesh *mesh)
{
	for (size_t i = 0; i < mesh->host_count; i++)
		free(mesh->hosts[i].piece);
	free(mesh->hosts);
}

bool np_mesh_dropped(const struct np_mesh *mesh, uint32_t rank, struct np_drops_counts *counts)
{
	const struct mesh_host *host = find(mesh, rank);

	if (host)
		read_counts(host->piece, host->bytes, counts);
	return host;
}

static int by_rank(const void *a, const void *b)
{
	const struct mesh_host *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

void mesh_dropped_sort(struct np_mesh *mesh)
{
	if (mesh->host_count)
		qsort(mesh->hosts, mesh->host_count, sizeof(*mesh->hosts), by_rank);
}

static void put_host(FILE *out, const struct np_launch *launch, uint32_t rank)
{
	const char *host = launch ? np_launch_host(launch, rank) : NULL;

	fprintf(out, "rank %u", (unsigned)rank);
	if (host)
		fprintf(out, " (%s)", host);
	fputs(": ", out);
}

void np_mesh_print_dropped(const struct np_mesh *mesh, const struct np_launch *launch, FILE *out)
{
	struct np_drops_counts counts, unknown = {.known = true};
	size_t named = 0, unknowns = 0;
	char text[NP_DROPS_TEXT];
	uint32_t first = 0;

	for (size_t i = 0; i < mesh->host_count; i++) {
		const struct mesh_host *host = &mesh->hosts[i];

		read_counts(host->piece, host->bytes, &counts);
		if (!counts.known && !unknowns++) {
			first = host->rank;
			unknown = counts;
		}
		if (!counts.known || !counts.packets || named++ >= NAMED)
			continue;
		fputs("dropped in the host of ", out);
		put_host(out, launch, host->rank);
		fprintf(out, "%s\n", np_drops_format(&counts, NULL, text) + strlen(THIS_HOST));
	}
	if (named > NAMED)
		fprintf(out, "dropped in the hosts of %zu more rank%s\n", named - NAMED,
			np_plural(named - NAMED));
	/* Without a loss the drops do not matter. */
	if (unknown.known || !np_mesh_lossiest(mesh))
		return;
	fprintf(out, "of the hosts of %zu rank%s it is not known what they dropped; ", unknowns,
		np_plural(unknowns));
	put_host(out, launch, first);
	fprintf(out, "%s\n", *unknown.why ? unknown.why : "not counted");
}

void mesh_dropped_write(const struct np_mesh *mesh, const struct np_launch *launch,
			struct np_report *report)
{
	for (size_t i = 0; i < mesh->host_count; i++) {
		const struct mesh_host *host = &mesh->hosts[i];
		struct np_record *record = np_record_new("rank");
		struct np_drops_counts counts;

		read_counts(host->piece, host->bytes, &counts);
		np_record_count(record, "rank", host->rank);
		if (launch)
			np_record_text(record, "host", np_launch_host(launch, host->rank));
		np_record_drops(record, &counts);
		(void)np_report_write(report, record);
	}
}

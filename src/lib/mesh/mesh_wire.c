// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh_wire: what a rank sends as bytes: pairs and what its host dropped, to rank 0; where it
 * receives, to others. All integers are big-endian.
 */
#include "mesh_state.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>

/* Larger numbers are refused, so that no sum can overflow. */
#define COUNT_MAX (UINT64_C(1) << 50)
/* What is known to the packet. */
enum {
	EXACT = 1,
	FROM_KNOWN = 2,
	FROM_EXACT = 4,
	TO_KNOWN = 8,
	TO_EXACT = 16,
	FLAGS = 31,
};

/* A count, or a length of time. */
#define COUNT(list, field) NP_FIELD_NUMBER(list, field, 8, COUNT_MAX)

/*
 * Delays may be negative by as much as two clocks' comparison is wrong, and arrivals where others
 * began earlier.
 */
static void moment(struct np_field_list *w, np_time *time)
{
	NP_FIELD(w, *time);
	w->in.bad |= *time > (np_time)COUNT_MAX || *time < -(np_time)COUNT_MAX;
}

static void pair_fields(struct np_field_list *w, struct np_mesh_pair *p)
{
	struct np_drops_total *from = &p->dropped_from, *to = &p->dropped_to;
	uint32_t flags = (p->exact ? EXACT : 0) | (from->known ? FROM_KNOWN : 0) |
			 (from->exact ? FROM_EXACT : 0) | (to->known ? TO_KNOWN : 0) |
			 (to->exact ? TO_EXACT : 0);

	NP_FIELD(w, p->from);
	NP_FIELD(w, p->to);
	NP_FIELD(w, p->parts);
	NP_FIELD_NUMBER(w, flags, 4, FLAGS);
	p->exact = flags & EXACT;
	*from = (struct np_drops_total){flags & FROM_KNOWN, flags & FROM_EXACT, from->packets};
	*to = (struct np_drops_total){flags & TO_KNOWN, flags & TO_EXACT, to->packets};
	COUNT(w, p->sent);
	COUNT(w, p->unsent);
	COUNT(w, p->received);
	COUNT(w, p->lost);
	COUNT(w, p->duplicates);
	COUNT(w, p->reordered);
	COUNT(w, p->bytes);
	COUNT(w, p->elapsed);
	moment(w, &p->delay.p50);
	moment(w, &p->delay.p99);
	moment(w, &p->delay.max);
	COUNT(w, p->delay_bound);
	COUNT(w, p->delay.count);
	COUNT(w, from->packets);
	COUNT(w, to->packets);
	moment(w, &p->first);
	moment(w, &p->last);
}

size_t mesh_pack(const struct np_mesh_pair *pairs, size_t count, void *piece)
{
	struct np_field_list w = {.out = piece};

	for (size_t i = 0; i < count; i++) {
		struct np_mesh_pair pair = pairs[i];

		pair_fields(&w, &pair);
	}
	return (size_t)(w.out - (uint8_t *)piece);
}

/* A count and ports, 2 bytes each, then the address as text. */
size_t mesh_place_write(const struct np_address *address, const uint16_t *ports, size_t count,
			uint8_t *out)
{
	const struct np_address_text literal = np_address_literal(address);
	const size_t length = strlen(literal.text);
	uint8_t *at = out + 2 + 2 * count;

	np_field_put16(out, (uint16_t)count);
	for (size_t i = 0; i < count; i++)
		np_field_put16(out + 2 + 2 * i, ports[i]);
	memcpy(at, literal.text, length);
	return (size_t)(at - out) + length;
}

int mesh_place_read(const void *data, size_t bytes, size_t slot, struct np_address *address)
{
	const uint8_t *at = data;
	char text[NP_ADDRESS_TEXT] = "";
	const size_t count = bytes < 2 ? 0 : np_field_get16(at), head = 2 + 2 * count;
	uint16_t port;

	if (bytes <= head || bytes - head >= sizeof(text))
		return -EBADMSG;
	if (count == 1)
		slot = 0;
	port = slot < count ? np_field_get16(at + 2 + 2 * slot) : 0;
	if (!port)
		return -ENOENT;
	/* A single literal address; names are not looked up. */
	memcpy(text, at + head, bytes - head);
	if (np_address_parse(address, text, 0, NP_ADDRESS_NUMERIC))
		return -EBADMSG;
	np_address_set_port(address, port);
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
#define ENTRY_BYTES (4 + 8 + REASON_TEXT + PLACE_TEXT)
#define REASON_TEXT sizeof(((struct np_drops_entry *)NULL)->reason)
#define PLACE_TEXT  sizeof(((struct np_drops_entry *)NULL)->place)

_Static_assert(ENTRIES + NP_DROPS_ENTRIES * ENTRY_BYTES == MESH_DROPPED_BYTES, "the longest piece");

/* What is known to the packet. */
enum { DROPS_KNOWN = 1, DROPS_EXACT = 2, DROPS_FLAGS = 3 };

/* Printable ASCII, filled up with zeros; what does not fit is left out. */
static void text_field(struct np_field_list *w, char *text, size_t room)
{
	const uint8_t *at = w->out ? NULL : np_field_take(&w->in, room);
	const size_t length = at ? strnlen((const char *)at, room) : 0;

	if (w->out) {
		memset(w->out, 0, room);
		memcpy(w->out, text, strnlen(text, room - 1));
		w->out += room;
	} else if (at) {
		memcpy(text, at, room);
		w->in.bad |= length == room;
		for (size_t i = 0; i < room; i++)
			w->in.bad |= i < length ? at[i] < ' ' || at[i] > '~' : at[i] != 0;
	}
}

/* When they are read, as many as @counts has entries. */
static void drops_fields(struct np_field_list *w, struct np_drops_counts *counts,
			 char words[NP_DROPS_WHY])
{
	uint32_t mark = MARK;
	uint32_t flags = (counts->known ? DROPS_KNOWN : 0) | (counts->exact ? DROPS_EXACT : 0);

	NP_FIELD(w, mark);
	NP_FIELD_NUMBER(w, flags, 4, DROPS_FLAGS);
	counts->known = flags & DROPS_KNOWN;
	counts->exact = flags & DROPS_EXACT;
	COUNT(w, counts->others);
	text_field(w, words, NP_DROPS_WHY);
	for (unsigned i = 0; i < counts->entries; i++) {
		struct np_drops_entry *entry = &counts->entry[i];
		uint32_t out = entry->direction == NP_DROPS_OUT;

		NP_FIELD_NUMBER(w, out, 4, 1);
		entry->direction = out ? NP_DROPS_OUT : NP_DROPS_IN;
		COUNT(w, entry->packets);
		text_field(w, entry->reason, REASON_TEXT);
		text_field(w, entry->place, PLACE_TEXT);
	}
}

size_t mesh_pack_dropped(const struct np_drops_counts *counts, void *piece)
{
	const char *text = counts->known ? counts->doubt : counts->why;
	struct np_field_list w = {.out = piece};
	struct np_drops_counts copy = *counts;
	char words[NP_DROPS_WHY];

	snprintf(words, sizeof(words), "%s", text ? text : "");
	drops_fields(&w, &copy, words);
	return (size_t)(w.out - (uint8_t *)piece);
}

/* What such a piece says; @counts->why lies in it. False: it is none. */
static bool read_dropped(const uint8_t *piece, size_t bytes, struct np_drops_counts *counts)
{
	const size_t entries = bytes < ENTRIES ? 0 : (bytes - ENTRIES) / ENTRY_BYTES;
	struct np_field_list r = {.in = {piece, bytes, false}};
	char words[NP_DROPS_WHY] = "";

	if (bytes != ENTRIES + entries * ENTRY_BYTES || entries > NP_DROPS_ENTRIES)
		return false;
	*counts = (struct np_drops_counts){.entries = (unsigned)entries};
	drops_fields(&r, counts, words);
	if (counts->known)
		memcpy(counts->doubt, words, sizeof(counts->doubt));
	else
		counts->why = (const char *)piece + WORDS;
	counts->packets = counts->others;
	for (size_t i = 0; i < entries; i++) {
		r.in.bad |= !counts->entry[i].packets;
		counts->packets += counts->entry[i].packets;
	}
	/* What is unknown has no counts, and what is exact is in no doubt. */
	return !r.in.bad && !(counts->exact && *words) &&
	       (counts->known || !(counts->exact || counts->packets || entries));
}

bool mesh_is_dropped(const void *piece, size_t bytes)
{
	return bytes >= sizeof(uint32_t) && np_field_get32(piece) == MARK;
}

int np_mesh_add_dropped(struct np_mesh *mesh, uint32_t rank, const struct np_drops_counts *counts)
{
	struct mesh_host *host;

	if (rank >= mesh->plan.ranks || mesh->hosts[rank])
		return -EINVAL;
	host = calloc(1, sizeof(*host));
	if (!host)
		return -ENOMEM;
	mesh->hosts[rank] = host;
	host->counts = *counts;
	host->counts.why = NULL;
	if (counts->known)
		return 0;
	snprintf(host->why, sizeof(host->why), "%s", counts->why ? counts->why : "");
	host->counts.why = host->why;
	return 0;
}

const struct np_drops_counts *np_mesh_dropped(const struct np_mesh *mesh, uint32_t rank)
{
	return rank < mesh->plan.ranks && mesh->hosts[rank] ? &mesh->hosts[rank]->counts : NULL;
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

int mesh_take(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	const bool dropped = mesh_is_dropped(piece, bytes);
	struct np_field_list r = {.in = {piece, bytes, false}};
	struct np_mesh *mesh = context;
	struct np_drops_counts counts;
	int rc = 0;

	if (dropped)
		rc = read_dropped(piece, bytes, &counts) ? np_mesh_add_dropped(mesh, rank, &counts)
							 : -EINVAL;
	while (!rc && !dropped && r.in.left) {
		struct np_mesh_pair pair = {0};

		pair_fields(&r, &pair);
		rc = r.in.bad || !may_report(rank, &pair) ? -EINVAL : np_mesh_add(mesh, &pair);
	}
	return rc == -EINVAL ? -EBADMSG : rc;
}

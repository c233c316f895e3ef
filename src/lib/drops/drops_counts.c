// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_counts: adds, subtracts and sorts what was dropped. Pure. */
#include "drops_variant.h"

#include <string.h>

static bool same_kind(const struct np_drops_entry *a, const struct np_drops_entry *b)
{
	return a->direction == b->direction && !strcmp(a->reason, b->reason) &&
	       !strcmp(a->place, b->place);
}

/* Whether @a is printed before @b: the order does not depend on that of arrival. */
static bool before(const struct np_drops_entry *a, const struct np_drops_entry *b)
{
	int order;

	if (a->packets != b->packets)
		return a->packets > b->packets;
	order = strcmp(a->reason, b->reason);
	if (!order)
		order = strcmp(a->place, b->place);
	return order ? order < 0 : a->direction < b->direction;
}

static void insert(struct np_drops_counts *counts, const struct np_drops_entry *entry)
{
	unsigned at = counts->entries;

	if (!entry->packets)
		return;
	while (at > 0 && before(entry, &counts->entry[at - 1]))
		at--;
	if (at == NP_DROPS_ENTRIES) {
		counts->others += entry->packets;
		return;
	}
	if (counts->entries == NP_DROPS_ENTRIES)
		counts->others += counts->entry[--counts->entries].packets;
	memmove(&counts->entry[at + 1], &counts->entry[at],
		(counts->entries - at) * sizeof(counts->entry[0]));
	counts->entry[at] = *entry;
	counts->entries++;
}

void drops_counts_enter(struct np_drops_counts *counts, const struct np_drops_entry *entry)
{
	struct np_drops_entry whole = *entry;

	counts->packets += entry->packets;
	for (unsigned i = 0; i < counts->entries; i++)
		if (same_kind(&counts->entry[i], entry)) {
			whole.packets += counts->entry[i].packets;
			counts->entries--;
			memmove(&counts->entry[i], &counts->entry[i + 1],
				(counts->entries - i) * sizeof(counts->entry[0]));
			break;
		}
	insert(counts, &whole);
}

void np_drops_add(struct np_drops_counts *sum, const struct np_drops_counts *more)
{
	/* What is unknown in either is unknown in both. */
	if (sum->known && !more->known)
		*sum = (struct np_drops_counts){.why = more->why};
	if (!sum->known)
		return;
	if (!sum->doubt[0])
		memcpy(sum->doubt, more->doubt, sizeof(sum->doubt));
	sum->exact = sum->exact && more->exact;
	sum->copies = sum->copies || more->copies;
	for (unsigned i = 0; i < more->entries; i++)
		drops_counts_enter(sum, &more->entry[i]);
	sum->others += more->others;
	sum->packets += more->others;
}

static uint64_t less(uint64_t now, uint64_t before_now)
{
	return now > before_now ? now - before_now : 0;
}

void np_drops_since(struct np_drops_counts *now, const struct np_drops_counts *before_now)
{
	struct np_drops_counts all = *now;
	uint64_t packets;

	/* Nothing was counted before, or nothing is now. */
	if (!before_now->known || !now->known)
		return;
	packets = less(all.packets, before_now->packets);
	now->entries = 0;
	now->others = 0;
	now->packets = 0;
	for (unsigned i = 0; i < all.entries; i++) {
		struct np_drops_entry entry = all.entry[i];

		for (unsigned k = 0; k < before_now->entries; k++)
			if (same_kind(&before_now->entry[k], &entry))
				entry.packets = less(entry.packets, before_now->entry[k].packets);
		drops_counts_enter(now, &entry);
	}
	/* Those that were not among the most frequent ones at either time. */
	now->others = less(packets, now->packets);
	now->packets += now->others;
}

/* What the path damaged is dropped here, but was lost there. */
static bool is_damage(const char *reason)
{
	const size_t length = strlen(reason);

	return length > 5 && !strcmp(reason + length - 5, "_CSUM");
}

struct np_drops_total np_drops_total(const struct np_drops_counts *counts)
{
	uint64_t damaged = 0;

	for (unsigned i = 0; i < counts->entries; i++) {
		if (is_damage(counts->entry[i].reason))
			damaged += counts->entry[i].packets;
	}
	return (struct np_drops_total){.known = counts->known,
				       .exact = counts->exact,
				       .packets = counts->copies ? 0 : counts->packets - damaged};
}

struct np_drops_total np_drops_unreported(const struct np_drops_total *dropped, uint64_t reported,
					  uint64_t perhaps)
{
	struct np_drops_total rest = *dropped;

	if (!rest.known || reported > rest.packets)
		return (struct np_drops_total){.known = rest.known};
	rest.packets -= reported;
	rest.exact = rest.exact && (!rest.packets || !perhaps);
	rest.packets -= perhaps < rest.packets ? perhaps : rest.packets;
	return rest;
}

bool np_drops_path(uint64_t lost, const struct np_drops_total *here,
		   const struct np_drops_total *there, uint64_t *path)
{
	if (!here->known || !there->known)
		return false;
	if (here->packets > lost || there->packets > lost - here->packets)
		return false;
	*path = lost - here->packets - there->packets;
	return !*path || (here->exact && there->exact);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops_counts: adds, subtracts and sorts what was dropped; as text for people and in a record.
 * Pure.
 */
#include "../base/record.h"
#include "drops_variant.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <stdio.h>
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

void drops_counts_enter(struct np_drops_counts *counts, const struct np_drops_entry *entry)
{
	struct np_drops_entry whole = *entry;
	unsigned at;

	counts->packets += entry->packets;
	for (unsigned i = 0; i < counts->entries; i++)
		if (same_kind(&counts->entry[i], entry)) {
			whole.packets += counts->entry[i].packets;
			counts->entries--;
			memmove(&counts->entry[i], &counts->entry[i + 1],
				(counts->entries - i) * sizeof(counts->entry[0]));
			break;
		}
	if (!whole.packets)
		return;
	at = counts->entries;
	while (at > 0 && before(&whole, &counts->entry[at - 1]))
		at--;
	if (at == NP_DROPS_ENTRIES) {
		counts->others += whole.packets;
		return;
	}
	if (counts->entries == NP_DROPS_ENTRIES)
		counts->others += counts->entry[--counts->entries].packets;
	memmove(&counts->entry[at + 1], &counts->entry[at],
		(counts->entries - at) * sizeof(counts->entry[0]));
	counts->entry[at] = whole;
	counts->entries++;
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

void np_drops_since(struct np_drops_counts *now, const struct np_drops_counts *before_now)
{
	struct np_drops_counts all = *now;
	uint64_t packets;

	/* Nothing was counted before, or nothing is now. */
	if (!before_now->known || !now->known)
		return;
	packets = all.packets - np_least(all.packets, before_now->packets);
	now->entries = 0;
	now->others = 0;
	now->packets = 0;
	for (unsigned i = 0; i < all.entries; i++) {
		struct np_drops_entry entry = all.entry[i];

		for (unsigned k = 0; k < before_now->entries; k++)
			if (same_kind(&before_now->entry[k], &entry))
				entry.packets -=
					np_least(entry.packets, before_now->entry[k].packets);
		drops_counts_enter(now, &entry);
	}
	/* Those that were not among the most frequent ones at either time. */
	now->others = packets - np_least(packets, now->packets);
	now->packets += now->others;
}

struct np_drops_total np_drops_total(const struct np_drops_counts *counts)
{
	uint64_t damaged = 0;

	/* What the path damaged is dropped here, but was lost there. */
	for (unsigned i = 0; i < counts->entries; i++) {
		if (strstr(counts->entry[i].reason, "_CSUM"))
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
	rest.packets -= np_least(perhaps, rest.packets);
	return rest;
}

/* What a reason means, where its name does not tell everyone. */
static const struct {
	const char *prefix; /* of the kernel's name */
	const char *words;
	bool place; /* there are several, so that the place says more */
} meanings[] = {
	{"SOCKET_RCVBUFF", "socket buffer", false},
	{"SOCKET_BACKLOG", "socket backlog", false},
	{"SOCKET_FILTER", "socket filter", false},
	{"PROTO_MEM", "socket memory", false},
	{"NO_SOCKET", "closed port", false},
	{"NETFILTER_DROP", "packet filter", true},
	{"BPF_CGROUP_EGRESS", "control group", false},
	{"IP_RPFILTER", "reverse-path check", false},
	{"IP_OUTNOROUTES", "no route", false},
	{"IP_INNOROUTES", "no route", false},
	{"NEIGH_", "neighbour", false},
	{"QDISC_", "queueing discipline", true},
	{"FQ_", "queueing discipline", true},
	{"TC_", "traffic control", true},
	{"CPU_BACKLOG", "backlog", false},
	{"FULL_RING", "full ring", true},
	{"XDP", "XDP program", false},
	{"UDP_CSUM", "wrong checksum", false},
	{"TCP_CSUM", "wrong checksum", false},
	{"IP_CSUM", "wrong checksum", false},
	{"SKB_CSUM", "wrong checksum", false},
	{"PACKET_SOCK_ERROR", "packet socket", false},
	{"QUEUE_PURGE", "not read", false},
	{"NOMEM", "no memory", true},
};

#define MEANINGS (sizeof(meanings) / sizeof(meanings[0]))

/* The row of @reason; MEANINGS: none. */
static size_t meaning_of(const char *reason)
{
	size_t i = 0;

	while (i < MEANINGS && strncmp(reason, meanings[i].prefix, strlen(meanings[i].prefix)) != 0)
		i++;
	return i;
}

/* One entry in place of those that differ only in a place that is not shown. */
static void merge(const struct np_drops_counts *counts, struct np_drops_counts *merged)
{
	*merged = (struct np_drops_counts){.known = true};
	for (unsigned i = 0; i < counts->entries; i++) {
		struct np_drops_entry one = counts->entry[i];
		size_t meaning = meaning_of(one.reason);

		if (meaning < MEANINGS && !meanings[meaning].place)
			one.place[0] = '\0';
		drops_counts_enter(merged, &one);
	}
}

char *np_drops_format(const struct np_drops_counts *counts, const struct np_drops_total *lost,
		      char out[NP_DROPS_TEXT])
{
	const bool less = lost && counts->known && np_drops_total(counts).packets != lost->packets;
	struct np_drops_counts merged;
	const char *comma = "";

	snprintf(out, NP_DROPS_TEXT, "%s in this host: ", less ? "dropped" : "lost");
	if (!counts->known) {
		np_text_append(out, NP_DROPS_TEXT, "unknown (%s)",
			       counts->why ? counts->why : "not counted");
		return out;
	}
	np_text_append(out, NP_DROPS_TEXT, "%s%s",
		       counts->exact ? "" : ">= ", counts->packets ? "" : "0");
	merge(counts, &merged);
	/* In the order of the table, from the socket down, so that reports of one run read alike.
	 */
	for (size_t meaning = 0; meaning <= MEANINGS; meaning++)
		for (unsigned i = 0; i < merged.entries; i++) {
			const struct np_drops_entry *entry = &merged.entry[i];

			if (meaning_of(entry->reason) != meaning)
				continue;
			np_text_append(out, NP_DROPS_TEXT, "%s%" PRIu64 " %s%s (%s%s%s)", comma,
				       entry->packets,
				       meaning < MEANINGS ? meanings[meaning].words : "kernel",
				       entry->direction == NP_DROPS_OUT ? ", outgoing" : "",
				       entry->reason, entry->place[0] ? ", " : "", entry->place);
			comma = ", ";
		}
	if (counts->others)
		np_text_append(out, NP_DROPS_TEXT, "%s%" PRIu64 " for other reasons", comma,
			       counts->others);
	if (less)
		np_text_append(out, NP_DROPS_TEXT, "; lost of these: %s%" PRIu64,
			       lost->exact ? "" : ">= ", lost->packets);
	return out;
}

char *np_drops_list(const struct np_drops_counts *counts, char out[NP_DROPS_TEXT])
{
	const char *least = counts->exact ? "" : ">= ", *comma = "";
	struct np_drops_counts merged;

	out[0] = '\0';
	merge(counts, &merged);
	for (unsigned i = 0; i < merged.entries; i++) {
		const struct np_drops_entry *entry = &merged.entry[i];

		np_text_append(out, NP_DROPS_TEXT, "%s%s%" PRIu64 " %s", comma, least,
			       entry->packets, entry->reason);
		if (entry->place[0])
			np_text_append(out, NP_DROPS_TEXT, " (%s)", entry->place);
		comma = ", ";
	}
	if (counts->others)
		np_text_append(out, NP_DROPS_TEXT, "%s%s%" PRIu64 " for other reasons", comma,
			       least, counts->others);
	return out;
}

void np_record_drops(struct np_record *record, const struct np_drops_counts *counts)
{
	struct np_record *dropped = np_record_object(record, "dropped_by_host");

	if (!counts->known) {
		np_record_text(dropped, "reasons_unknown",
			       counts->why ? counts->why : "not counted");
		return;
	}
	/* It is there even when it has no elements. */
	if (dropped && json_object_set_new(dropped->json, "reasons", json_array()))
		dropped->failed = true;
	for (unsigned i = 0; i < counts->entries; i++) {
		const struct np_drops_entry *entry = &counts->entry[i];
		struct np_record *r = np_record_append(dropped, "reasons");

		np_record_text(r, "reason", entry->reason);
		if (entry->place[0])
			np_record_text(r, "place", entry->place);
		np_record_text(r, "direction", entry->direction == NP_DROPS_OUT ? "out" : "in");
		np_record_count(r, "packets", entry->packets);
	}
	if (counts->others)
		np_record_count(dropped, "others", counts->others);
	np_record_flag(dropped, "exact", counts->exact);
	if (counts->doubt[0])
		np_record_text(dropped, "doubt", counts->doubt);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * drops: opens the variant that works here, and selects from what it saw; adds, subtracts and sorts
 * such counts, and has them as text for people and in a record.
 */
#include "../base/record.h"
#include "drops_variant.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

const char *const np_drops_modes[] = {"auto", "off", "require", NULL};

/* How to have what was not permitted; "" for other reasons. */
static const char *remedy(const char *why)
{
	return strncmp(why, "not permitted", 13) ? ""
						 : "; run it by sudo, or once: setcap "
						   "cap_bpf,cap_perfmon+ep PROGRAM, at both ends";
}

int np_drops_begin(struct np_drops **drops, enum np_drops_mode mode, const struct np_log *log)
{
	struct np_drops *d = calloc(1, drops_bpf_variant.bytes);
	int status = 0;

	*drops = NULL;
	if (!d) {
		np_log_error(log, "--drops=require", "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	if (mode == NP_DROPS_OFF)
		snprintf(d->why, sizeof(d->why), "--drops=off");
	else
		status = drops_bpf_variant.open(d);
	if (status < 0 && drops_bpf_variant.close)
		drops_bpf_variant.close(d);
	if (status < 0 && mode == NP_DROPS_REQUIRE) {
		np_log_error(log, "--drops=require", "%s%s", d->why, remedy(d->why));
		free(d);
		return status;
	}
	if (d->why[0])
		(void)np_log_say(log, status == -EMFILE ? NP_LOG_WARNING : NP_LOG_DETAIL, NULL,
				 "drops: not counted: %s%s", d->why, remedy(d->why));
	else
		np_log_detail(log, "drops: counted by kernel reason (bpf)");
	d->variant = d->why[0] ? NULL : &drops_bpf_variant;
	pthread_mutex_init(&d->lock, NULL);
	*drops = d;
	return 0;
}

void np_drops_free(struct np_drops *drops)
{
	if (!drops)
		return;
	if (drops->variant)
		drops->variant->close(drops);
	pthread_mutex_destroy(&drops->lock);
	free(drops);
}

const char *np_drops_why(const struct np_drops *drops)
{
	return drops->why;
}

void np_drops_mark(struct np_drops_packets *packets, const void *mark, size_t bytes)
{
	packets->payload_offset = 0;
	packets->payload_bytes = (uint8_t)bytes;
	memcpy(packets->payload_value, mark, bytes);
	memset(packets->payload_mask, 0xff, bytes);
}

int np_drops_watch(struct np_drops *drops, const struct np_drops_packets *packets)
{
	struct drops_rule rule;
	int status = drops ? drops_rule_of(&rule, packets) : -EBADF;

	if (status < 0 || !drops->variant)
		return status;
	pthread_mutex_lock(&drops->lock);
	/* Counts go by the number of the rule, which is the watch. */
	status = drops->rules == DROPS_RULES ? -ENOSPC
					     : drops->variant->watch(drops, &rule, drops->rules);
	if (status >= 0) {
		drops->rule[drops->rules] = rule;
		status = (int)drops->rules++;
	}
	pthread_mutex_unlock(&drops->lock);
	return status;
}

int np_drops_update(struct np_drops *drops)
{
	static const char *const texts[DROPS_DOUBTS] = {
		[DROPS_FULL] = "more kinds of drops than are counted",
		[DROPS_FRAGMENTS] = "fragments were dropped",
		[DROPS_UNREADABLE] = "headers could not be read",
		[DROPS_COPIES] = "this kernel does not report whose copy was dropped",
		[DROPS_TWICE] = "segmented buffers were dropped without a reason",
		[DROPS_MISSED] = "the kernel dropped faster than it reported: %" PRIu64 " missed",
		[DROPS_UNSEEN] =
			"the kernel handled packets %" PRIu64 " times without reporting drops",
	};

	int status;

	if (!drops || !drops->variant)
		return 0;
	pthread_mutex_lock(&drops->lock);
	status = drops->variant->update(drops);
	drops->failed = status < 0;
	drops->doubt[0] = '\0';
	/* The first of them counts. */
	for (unsigned i = DROPS_DOUBTS; i--;)
		if (drops->doubts[i])
			snprintf(drops->doubt, sizeof(drops->doubt), texts[i], drops->doubts[i]);
	pthread_mutex_unlock(&drops->lock);
	return status;
}

/* Port 0 in @like stands for any port of its host. */
static bool is_of_peer(const struct drops_key *key, const struct drops_key *like)
{
	return !memcmp(&key->peer, &like->peer, sizeof(key->peer)) &&
	       (!like->peer_port || key->peer_port == like->peer_port);
}

static void count(const struct np_drops *drops, int watch, const struct np_address *peer,
		  struct np_drops_counts *counts)
{
	struct drops_key like = {0};
	bool copies = false;

	if (peer && !drops_address_of(&peer->any, &like.peer, &like.peer_port))
		peer = NULL;
	memcpy(counts->doubt, drops->doubt, sizeof(counts->doubt));
	counts->copies = !drops->sockets && drops->doubts[DROPS_COPIES];
	for (unsigned i = 0; i < drops->seen_count; i++) {
		const struct drops_key *key = &drops->seen[i].key;
		const struct drops_rule *rule = &drops->rule[key->rule];
		struct np_drops_entry entry = {.packets = drops->seen[i].packets};

		/* What a rule counts may be of several watches. */
		if (key->rule >= drops->rules || (peer && !is_of_peer(key, &like)) ||
		    (watch == NP_DROPS_SENT ? !rule->out
					    : watch != NP_DROPS_ALL && watch != key->rule))
			continue;
		entry.direction = rule->out ? NP_DROPS_OUT : NP_DROPS_IN;
		drops->variant->name_kind(drops, key, &entry);
		/* Before Linux 6.11 only the place shows that a packet socket dropped its copy. */
		if (!drops->sockets && !rule->out &&
		    (!strncmp(entry.place, "packet_rcv", 10) ||
		     !strcmp(entry.place, "tpacket_rcv"))) {
			if (rule->protocol != DROPS_AOE)
				continue;
			copies = true;
		}
		copies |= entry.place[0] == '0';
		drops_counts_enter(counts, &entry);
	}
	if (!drops->sockets && copies) {
		snprintf(counts->doubt, sizeof(counts->doubt), "%s",
			 "this kernel does not report whose copy was dropped");
		counts->copies = true;
	}
	counts->exact = !counts->doubt[0];
}

void np_drops_count(struct np_drops *drops, int watch, const struct np_address *peer,
		    struct np_drops_counts *counts)
{
	*counts = (struct np_drops_counts){.known = false};
	if (drops)
		pthread_mutex_lock(&drops->lock);
	if (!drops || watch < 0)
		counts->why = "not watched";
	else if (drops->failed)
		counts->why = "the kernel's counts could not be read";
	else if (drops->why[0])
		counts->why = drops->why;
	counts->known = !counts->why;
	if (counts->known)
		count(drops, watch, peer, counts);
	if (drops)
		pthread_mutex_unlock(&drops->lock);
}

bool drops_address_of(const struct sockaddr *address, struct drops_address *out, uint16_t *port)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;

	switch (address->sa_family) {
	case AF_INET:
		*out = (struct drops_address){.byte = {[10] = 0xff, [11] = 0xff}};
		memcpy(out->byte + 12, &v4->sin_addr, 4);
		*port = v4->sin_port;
		return true;
	case AF_INET6:
		memcpy(out, &v6->sin6_addr, sizeof(*out));
		*port = v6->sin6_port;
		return true;
	default: return false;
	}
}

int drops_rule_of(struct drops_rule *rule, const struct np_drops_packets *packets)
{
	const struct np_address *local = packets->local, *peer = packets->peer;
	socklen_t length = sizeof(rule->cookie);

	*rule = (struct drops_rule){.out = packets->direction == NP_DROPS_OUT,
				    .payload_bytes = packets->payload_bytes,
				    .payload_offset = packets->payload_offset};
	if (packets->payload_bytes > NP_DROPS_PAYLOAD_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < packets->payload_bytes; i++) {
		rule->payload_mask[i] = packets->payload_mask[i];
		rule->payload_value[i] = packets->payload_value[i] & packets->payload_mask[i];
	}
	/* Without a cookie, as from an old kernel, the socket is known by its port. */
	if (!rule->out && packets->socket >= 0 &&
	    getsockopt(packets->socket, SOL_SOCKET, SO_COOKIE, &rule->cookie, &length))
		rule->cookie = 0;
	if (packets->protocol != NP_DROPS_AOE) {
		rule->protocol = packets->protocol == NP_DROPS_TCP ? DROPS_TCP : DROPS_UDP;
		if (!local || !drops_address_of(&local->any, &rule->local, &rule->local_port) ||
		    (peer && !drops_address_of(&peer->any, &rule->peer, &rule->peer_port)))
			return -EINVAL;
		if (np_address_is_wildcard(local))
			rule->flags |= DROPS_ANY_LOCAL;
		if (np_address_is_wildcard(local) && local->any.sa_family == AF_INET)
			rule->flags |= DROPS_ONLY_IPV4;
		if (!peer || np_address_is_wildcard(peer))
			rule->flags |= DROPS_ANY_PEER;
		return 0;
	}
	rule->protocol = DROPS_AOE;
	if (packets->local_mac)
		memcpy(rule->local.byte, packets->local_mac, 6);
	else
		rule->flags |= DROPS_ANY_LOCAL;
	if (packets->peer_mac)
		memcpy(rule->peer.byte, packets->peer_mac, 6);
	else
		rule->flags |= DROPS_ANY_PEER;
	return 0;
}

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

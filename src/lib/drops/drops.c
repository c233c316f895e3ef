// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops: opens the variant that works here, and selects from what it saw. */
#include "drops_variant.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const np_drops_modes[] = {"auto", "off", "require", NULL};

static int null_open(struct np_drops *drops)
{
	(void)drops;
	return 0;
}

static void null_close(struct np_drops *drops)
{
	(void)drops;
}

static int null_watch(struct np_drops *drops, const struct drops_rule *rule, unsigned number)
{
	(void)drops;
	(void)rule;
	(void)number;
	return 0;
}

static void null_look_up(struct np_drops *drops)
{
	(void)drops;
}

static void null_name(const struct np_drops *drops, const struct drops_key *key,
		      struct np_drops_entry *entry)
{
	(void)drops;
	(void)key;
	(void)entry;
}

const struct drops_variant drops_null_variant = {
	.name = "null",
	.open = null_open,
	.close = null_close,
	.watch = null_watch,
	.update = null_open,
	.look_up = null_look_up,
	.name_kind = null_name,
};

static int open_variant(struct np_drops *drops, const struct drops_variant *variant)
{
	int status;

	drops->variant = variant;
	drops->info.variant = variant->name;
	status = variant->open(drops);
	if (status < 0)
		variant->close(drops);
	return status;
}

int np_drops_open(struct np_drops **drops, enum np_drops_mode mode, char why[NP_DROPS_WHY])
{
	struct np_drops *d = calloc(1, sizeof(*d));
	int status = 0;

	*drops = NULL;
	if (why)
		why[0] = '\0';
	if (!d)
		return -ENOMEM;
	if (mode == NP_DROPS_OFF)
		snprintf(d->info.why, sizeof(d->info.why), "--drops=off");
	else
		status = open_variant(d, &drops_bpf_variant);
	if (status < 0 && mode == NP_DROPS_REQUIRE) {
		if (why)
			snprintf(why, NP_DROPS_WHY, "%s", d->info.why);
		free(d);
		return status;
	}
	if (status < 0 || mode == NP_DROPS_OFF)
		open_variant(d, &drops_null_variant);
	pthread_mutex_init(&d->lock, NULL);
	*drops = d;
	return 0;
}

/* How to have what was not permitted; "" for other reasons. */
static const char *remedy(const char *why)
{
	return strncmp(why, "not permitted", 13) ? ""
						 : "; run it by sudo, or once: setcap "
						   "cap_bpf,cap_perfmon,cap_syslog+ep PROGRAM, at "
						   "both ends";
}

int np_drops_begin(struct np_drops **drops, enum np_drops_mode mode, const struct np_log *log)
{
	char why[NP_DROPS_WHY];
	int status = np_drops_open(drops, mode, why);

	if (status < 0)
		np_log_error(log, "--drops=require", "%s%s", why[0] ? why : strerror(-status),
			     remedy(why));
	else if ((*drops)->info.why[0])
		np_log_detail(log, "drops: not counted: %s%s", (*drops)->info.why,
			      remedy((*drops)->info.why));
	else
		np_log_detail(log, "drops: counted by kernel reason (%s)", (*drops)->info.variant);
	return status;
}

void np_drops_free(struct np_drops *drops)
{
	if (!drops)
		return;
	drops->variant->close(drops);
	pthread_mutex_destroy(&drops->lock);
	free(drops);
}

const struct np_drops_info *np_drops_info(const struct np_drops *drops)
{
	return &drops->info;
}

void np_drops_mark(struct np_drops_packets *packets, const void *mark, size_t bytes)
{
	packets->payload_offset = 0;
	packets->payload_bytes = (uint8_t)bytes;
	memcpy(packets->payload_value, mark, bytes);
	memset(packets->payload_mask, 0xff, bytes);
}

static int add_rule(struct np_drops *drops, const struct drops_rule *rule)
{
	int status;

	if (drops->rules == DROPS_RULES)
		return -ENOSPC;
	status = drops->variant->watch(drops, rule, drops->rules);
	if (status < 0)
		return status;
	drops->rule[drops->rules] = *rule;
	return (int)drops->rules++;
}

int np_drops_watch(struct np_drops *drops, const struct np_drops_packets *packets)
{
	struct drops_rule rule;
	int status = drops ? drops_rule_of(&rule, packets) : -EBADF;

	if (status < 0 || drops->variant == &drops_null_variant)
		return status;
	pthread_mutex_lock(&drops->lock);
	status = add_rule(drops, &rule);
	pthread_mutex_unlock(&drops->lock);
	return status;
}

static void find_doubt(struct np_drops *drops)
{
	static const char *const texts[DROPS_DOUBTS] = {
		[DROPS_FULL] = "more kinds of drops than are counted",
		[DROPS_FRAGMENTS] = "fragments were dropped",
		[DROPS_UNREADABLE] = "headers could not be read",
		[DROPS_COPIES] = "this kernel does not report whose copy was dropped",
		[DROPS_TWICE] = "segmented buffers were dropped without a reason",
	};
	const uint64_t *doubts = drops->doubts;

	drops->doubt[0] = '\0';
	if (doubts[DROPS_MISSED])
		snprintf(drops->doubt, sizeof(drops->doubt),
			 "the kernel dropped faster than it reported: %" PRIu64 " missed",
			 doubts[DROPS_MISSED]);
	else if (doubts[DROPS_UNSEEN])
		snprintf(drops->doubt, sizeof(drops->doubt),
			 "the kernel handled packets %" PRIu64 " times without reporting drops",
			 doubts[DROPS_UNSEEN]);
	for (unsigned i = 0; i < DROPS_DOUBTS; i++)
		if (doubts[i] && texts[i]) {
			snprintf(drops->doubt, sizeof(drops->doubt), "%s", texts[i]);
			break;
		}
}

static int update(struct np_drops *drops, bool named)
{
	int status;

	if (!drops)
		return 0;
	pthread_mutex_lock(&drops->lock);
	status = drops->variant->update(drops);
	drops->failed = status < 0;
	find_doubt(drops);
	if (!status && named)
		drops->variant->look_up(drops);
	pthread_mutex_unlock(&drops->lock);
	return status;
}

int np_drops_peek(struct np_drops *drops)
{
	return update(drops, false);
}

int np_drops_update(struct np_drops *drops)
{
	return update(drops, true);
}

/* Before Linux 6.11 only the place shows that a packet socket dropped its copy. */
static bool is_packet_socket(const char *place)
{
	return !strcmp(place, "packet_rcv") || !strcmp(place, "tpacket_rcv") ||
	       !strcmp(place, "packet_rcv_spkt");
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

	if (peer && !drops_address_of(peer, &like.peer, &like.peer_port))
		peer = NULL;
	memcpy(counts->doubt, drops->doubt, sizeof(counts->doubt));
	counts->copies = !drops->info.sockets && drops->doubts[DROPS_COPIES];
	for (unsigned i = 0; i < drops->seen_count; i++) {
		const struct drops_key *key = &drops->seen[i].key;
		struct np_drops_entry entry = {.packets = drops->seen[i].packets};

		if (key->rule >= drops->rules || (watch != NP_DROPS_ALL && key->rule != watch))
			continue;
		if (peer && !is_of_peer(key, &like))
			continue;
		entry.direction = drops->rule[key->rule].out ? NP_DROPS_OUT : NP_DROPS_IN;
		drops->variant->name_kind(drops, key, &entry);
		if (!drops->info.sockets && !drops->rule[key->rule].out &&
		    is_packet_socket(entry.place)) {
			if (drops->rule[key->rule].protocol != DROPS_AOE)
				continue;
			copies = true;
		}
		copies |= !entry.place[0] || entry.place[0] == '0';
		drops_counts_enter(counts, &entry);
	}
	if (!drops->info.sockets && copies) {
		snprintf(counts->doubt, sizeof(counts->doubt), "%s",
			 "this kernel does not report whose copy was dropped");
		counts->copies = true;
	}
	counts->exact = !counts->doubt[0];
}

/* Why the counts of @watch are not known; NULL: they are. */
static const char *why_unknown(const struct np_drops *drops, int watch)
{
	if (!drops || watch < 0)
		return "not watched";
	if (drops->failed)
		return "the kernel's counts could not be read";
	return drops->info.why[0] ? drops->info.why : NULL;
}

void np_drops_count(struct np_drops *drops, int watch, const struct np_address *peer,
		    struct np_drops_counts *counts)
{
	*counts = (struct np_drops_counts){.known = false};
	if (drops)
		pthread_mutex_lock(&drops->lock);
	counts->why = why_unknown(drops, watch);
	counts->known = !counts->why;
	if (counts->known)
		count(drops, watch, peer, counts);
	if (drops)
		pthread_mutex_unlock(&drops->lock);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_sum: rates and losses of pairs, their sums, and the extreme ones. */
#include "mesh_state.h"

#include <netperf/flow.h>
#include <netperf/units.h>

#define BOTH (NP_MESH_FROM | NP_MESH_TO)
/* Of the mean rate: what is above is noise. */
#define SLOW 0.9

double np_mesh_rate(const struct np_mesh_pair *pair)
{
	return pair->elapsed > 0 ? np_units_rate(pair->bytes, pair->elapsed) : 0;
}

double np_mesh_loss(const struct np_mesh_pair *pair)
{
	return pair->parts & NP_MESH_TO ? np_loss_percent(pair->lost, pair->received + pair->lost)
					: -1;
}

bool np_mesh_silent(const struct np_mesh_pair *pair)
{
	return pair->parts & NP_MESH_FROM && !pair->sent && !pair->received;
}

/* One message has arrived at one time: there is no rate. */
static bool unrated(const struct np_mesh_pair *pair)
{
	return pair->received && pair->elapsed <= 0;
}

static bool has_rate(const struct np_mesh_pair *pair)
{
	return pair->parts & NP_MESH_TO && !np_mesh_silent(pair) && !unrated(pair);
}

static void add_dropped(struct np_drops_total *sum, const struct np_drops_total *more)
{
	sum->known &= more->known;
	sum->exact &= more->exact;
	sum->packets += more->packets;
}

static void add_times(struct np_mesh_sum *sum, const struct np_mesh_pair *pair)
{
	if (pair->last <= pair->first)
		return;
	if (sum->last <= sum->first) {
		sum->first = pair->first;
		sum->last = pair->last;
	}
	if (pair->first < sum->first)
		sum->first = pair->first;
	if (pair->last > sum->last)
		sum->last = pair->last;
}

double np_mesh_sum_rate(const struct np_mesh_sum *sum)
{
	if (sum->last > sum->first)
		return np_units_rate(sum->bytes, sum->last - sum->first);
	return sum->bytes || sum->unknown == sum->pairs ? -1 : 0;
}

void mesh_sum_add(struct np_mesh_sum *sum, const struct np_mesh_pair *pair)
{
	if (!sum->pairs) {
		sum->exact = true;
		sum->dropped_from = sum->dropped_to =
			(struct np_drops_total){.known = true, .exact = true};
	}
	add_dropped(&sum->dropped_from, &pair->dropped_from);
	add_dropped(&sum->dropped_to, &pair->dropped_to);
	sum->pairs++;
	sum->sent += pair->sent;
	sum->unknown += !(pair->parts & NP_MESH_TO) && !np_mesh_silent(pair);
	sum->silent += np_mesh_silent(pair);
	sum->unrated += unrated(pair);
	if (!(pair->parts & NP_MESH_TO) || !pair->exact)
		sum->exact = false;
	sum->received += pair->received;
	sum->lost += pair->lost;
	sum->duplicates += pair->duplicates;
	sum->bytes += pair->bytes;
	sum->pair_rates_bytes_per_s += np_mesh_rate(pair);
	add_times(sum, pair);
}

/* Of a pair of which one side is not known, the other one's counts would make up or hide a loss. */
static void add_whole(struct np_mesh_sum *sum, const struct np_mesh_pair *pair)
{
	const struct np_mesh_pair nothing = {.from = pair->from, .to = pair->to};

	if (np_mesh_silent(pair) || (pair->parts & BOTH) == BOTH) {
		mesh_sum_add(sum, pair);
		return;
	}
	mesh_sum_add(sum, &nothing);
	sum->unknown_sent += pair->sent;
	sum->unknown_received += pair->received;
}

/* Where packets came twice, one that was dropped may be the copy of one that came. */
static struct np_result lost_of(uint64_t lost, const struct np_drops_total *from,
				const struct np_drops_total *to, bool doubtful)
{
	struct np_result result = {.lost = NP_COUNT_EXACT(lost)};

	np_result_attribute(&result, NULL, from, to, doubtful);
	return result;
}

struct np_result mesh_lost_of_pair(const struct np_mesh_pair *pair)
{
	return lost_of(pair->lost, &pair->dropped_from, &pair->dropped_to,
		       !pair->exact || pair->duplicates);
}

struct np_result mesh_lost_of_sum(const struct np_mesh_sum *sum)
{
	return lost_of(sum->lost, &sum->dropped_from, &sum->dropped_to,
		       !sum->exact || sum->duplicates);
}

struct np_mesh_sum np_mesh_total(const struct np_mesh *mesh)
{
	struct np_mesh_sum sum = {.pairs = 0};

	for (size_t i = 0; i < mesh->count; i++)
		add_whole(&sum, &mesh->pairs[i]);
	return sum;
}

const struct np_mesh_pair *np_mesh_slowest(const struct np_mesh *mesh)
{
	const struct np_mesh_pair *found = NULL;

	for (size_t i = 0; i < mesh->count; i++) {
		const struct np_mesh_pair *pair = &mesh->pairs[i];

		/* Without either nothing is known of what was sent. */
		if (!has_rate(pair) || (!pair->received && !pair->lost))
			continue;
		if (!found || np_mesh_rate(pair) < np_mesh_rate(found))
			found = pair;
	}
	return found;
}

const struct np_mesh_pair *np_mesh_lossiest(const struct np_mesh *mesh)
{
	const struct np_mesh_pair *found = NULL;

	for (size_t i = 0; i < mesh->count; i++) {
		const struct np_mesh_pair *pair = &mesh->pairs[i];

		if (pair->lost && (!found || np_mesh_loss(pair) > np_mesh_loss(found)))
			found = pair;
	}
	return found;
}

bool np_mesh_is_slow(const struct np_mesh *mesh, const struct np_mesh_pair *slowest)
{
	double sum = 0;
	uint64_t rated = 0;

	for (size_t i = 0; i < mesh->count; i++) {
		const struct np_mesh_pair *pair = &mesh->pairs[i];

		if (!has_rate(pair))
			continue;
		sum += np_mesh_rate(pair);
		rated++;
	}
	return rated > 1 && np_mesh_rate(slowest) * (double)rated < SLOW * sum;
}

double np_mesh_fairness(const struct np_mesh *mesh)
{
	double sum = 0, squares = 0;
	uint32_t senders = 0;

	for (size_t i = 0, next; i < mesh->count; i = next) {
		struct np_mesh_sum from = {.pairs = 0};

		for (next = i; next < mesh->count && mesh->pairs[next].from == mesh->pairs[i].from;
		     next++)
			add_whole(&from, &mesh->pairs[next]);
		if (from.pairs == from.unknown)
			continue;
		senders++;
		sum += from.pair_rates_bytes_per_s;
		squares += from.pair_rates_bytes_per_s * from.pair_rates_bytes_per_s;
	}
	return squares > 0 ? sum * sum / (senders * squares) : -1;
}

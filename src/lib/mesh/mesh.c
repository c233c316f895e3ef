// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: who sends to whom; the results of pairs, put together of what both sides report; rates and
 * losses, their sums, the extreme pairs; what the options say.
 */
#include "../base/address_host.h"
#include "mesh_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const np_mesh_patterns[] = {
	[NP_MESH_ALL] = "mesh",		[NP_MESH_PAIRS] = "pairs",
	[NP_MESH_INCAST] = "incast",	[NP_MESH_OUTCAST] = "outcast",
	[NP_MESH_RING] = "ring",	[NP_MESH_BISECTION] = "bisection",
	[NP_MESH_BISECTION + 1] = NULL,
};

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

size_t mesh_peers(const struct np_mesh_plan *plan, uint32_t rank, bool backwards, uint32_t *peers)
{
	const uint32_t n = plan->ranks, half = n / 2;
	const uint64_t all = n - 1;
	/* As many as the plan has, or all, spread evenly. */
	const uint64_t drawn = plan->sample && plan->sample < all ? plan->sample : all;
	size_t count = 0;
	uint32_t peer;

	if (n < 2)
		return 0;
	switch (plan->pattern) {
	case NP_MESH_ALL:
		for (uint32_t i = 0; i < n && plan->senders; i++) {
			if (i != rank && (backwards ? i : rank) < plan->senders)
				peers[count++] = i;
		}
		/* The same distances for each rank, so that each hears as many as it sends to. */
		for (uint64_t i = 0; i < drawn && !plan->senders; i++) {
			const uint64_t away = 1 + i * all / drawn;

			peers[count++] = (uint32_t)((rank + (backwards ? n - away : away)) % n);
		}
		qsort(peers, count, sizeof(*peers), by_number);
		return count;
	case NP_MESH_INCAST:
	case NP_MESH_OUTCAST:
		/* Rank 0 only sends, or only receives. */
		if (!rank != ((plan->pattern == NP_MESH_OUTCAST) != backwards))
			return 0;
		for (uint64_t i = 0; i < drawn; i++) {
			peer = (uint32_t)(1 + i * all / drawn);
			if (!rank || rank == peer)
				peers[count++] = rank ? 0 : peer;
		}
		return count;
	case NP_MESH_RING: peer = (rank + (backwards ? n - 1 : 1)) % n; break;
	case NP_MESH_PAIRS: peer = rank ^ 1; break;
	default: peer = rank < half ? rank + half : rank < 2 * half ? rank - half : rank;
	}
	peers[0] = peer;
	return peer < n && peer != rank;
}

int mesh_create(struct np_mesh **mesh, const struct np_mesh_plan *plan,
		const struct np_mesh_words *words, const struct np_launch *launch)
{
	*mesh = NULL;
	if (!plan->ranks || plan->ranks > NP_MESH_RANKS_MAX || plan->pattern > NP_MESH_BISECTION)
		return -EINVAL;
	*mesh = calloc(1, sizeof(**mesh));
	if (!*mesh)
		return -ENOMEM;
	(*mesh)->plan = *plan;
	(*mesh)->words = *words;
	(*mesh)->launch = launch;
	(*mesh)->hosts = calloc(plan->ranks, sizeof(struct mesh_host *));
	if ((*mesh)->hosts)
		return 0;
	free(*mesh);
	*mesh = NULL;
	return -ENOMEM;
}

void mesh_free(struct np_mesh *mesh)
{
	if (!mesh)
		return;
	free(mesh->pairs);
	for (uint32_t i = 0; i < mesh->plan.ranks; i++)
		free(mesh->hosts[i]);
	free(mesh->hosts);
	free(mesh);
}

static int append(struct np_mesh *mesh, const struct np_mesh_pair *pair)
{
	const size_t room = mesh->room ? 2 * mesh->room : 64;
	void *larger;

	if (mesh->count == mesh->room) {
		larger = reallocarray(mesh->pairs, room, sizeof(*pair));
		if (!larger)
			return -ENOMEM;
		mesh->pairs = larger;
		mesh->room = room;
	}
	mesh->pairs[mesh->count++] = *pair;
	return 0;
}

int np_mesh_add(struct np_mesh *mesh, const struct np_mesh_pair *pair)
{
	const uint32_t ranks = mesh->plan.ranks;
	const bool outside = pair->to == NP_MESH_OUTSIDE && mesh->words.outside;

	if (pair->from >= ranks || pair->from == pair->to || (pair->to >= ranks && !outside))
		return -EINVAL;
	return append(mesh, pair);
}

static int by_ranks(const void *a, const void *b)
{
	const struct np_mesh_pair *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Adds the parts of @more that are not known yet. */
static void take_part(struct np_mesh_pair *pair, const struct np_mesh_pair *more)
{
	const unsigned parts = more->parts & ~pair->parts;
	const struct np_mesh_pair before = *pair, *from = parts & NP_MESH_FROM ? more : &before;

	if (parts & NP_MESH_TO) {
		*pair = *more;
		pair->parts = before.parts | NP_MESH_TO | (more->parts & NP_MESH_CUT);
	}
	/* The sender's part. */
	pair->sent = from->sent;
	pair->unsent = from->unsent;
	pair->dropped_from = from->dropped_from;
	pair->parts |= from->parts & NP_MESH_FROM;
}

int mesh_settle(struct np_mesh *mesh)
{
	uint32_t *peers = calloc(mesh->plan.ranks, sizeof(*peers));
	int rc = peers ? 0 : -ENOMEM;
	size_t kept = 0;

	/* An entry without parts for each pair of the plan, for those that no rank reported. */
	for (uint32_t from = 0; !mesh->words.outside && !rc && from < mesh->plan.ranks; from++) {
		const size_t count = mesh_peers(&mesh->plan, from, false, peers);

		for (size_t i = 0; !rc && i < count; i++) {
			const struct np_mesh_pair pair = {.from = from, .to = peers[i]};

			rc = append(mesh, &pair);
		}
	}
	free(peers);
	if (rc)
		return rc;
	if (mesh->count)
		qsort(mesh->pairs, mesh->count, sizeof(*mesh->pairs), by_ranks);
	for (size_t i = 0; i < mesh->count; i++) {
		if (kept && !by_ranks(&mesh->pairs[kept - 1], &mesh->pairs[i]))
			take_part(&mesh->pairs[kept - 1], &mesh->pairs[i]);
		else
			mesh->pairs[kept++] = mesh->pairs[i];
	}
	mesh->count = kept;
	for (struct np_mesh_pair *pair = mesh->pairs; pair < mesh->pairs + kept; pair++) {
		if (pair->parts & NP_MESH_CUT)
			pair->exact = false;
		if (pair->parts != (NP_MESH_FROM | NP_MESH_TO))
			continue;
		/* The sender's count shows even a loss of which the receiver heard nothing. */
		pair->exact = pair->sent >= pair->received;
		pair->lost = pair->exact ? pair->sent - pair->received : 0;
	}
	return 0;
}

void np_mesh_take_flow(struct np_mesh_pair *pair, const struct np_flow_counts *counts,
		       np_time begun)
{
	const double share = np_flow_counts_share(counts);

	pair->exact = np_flow_counts_exact(counts);
	pair->received = counts->received;
	pair->lost = counts->lost;
	pair->duplicates = counts->duplicates;
	pair->reordered = counts->reordered;
	/* A rate is of what came after the first message, over the time since. */
	pair->bytes = counts->bytes;
	pair->elapsed = share > 0 ? (np_time)((double)counts->elapsed / share) : 0;
	if (counts->last > counts->first) {
		pair->first = counts->first - begun;
		pair->last = counts->last - begun;
	}
}

#define BOTH (NP_MESH_FROM | NP_MESH_TO)
/* Of the mean rate: what is above is noise. */
#define SLOW 0.9

double mesh_rate(const struct np_mesh_pair *pair)
{
	return np_units_rate(pair->bytes, pair->elapsed);
}

double np_mesh_loss(const struct np_mesh_pair *pair)
{
	return pair->parts & NP_MESH_TO ? np_loss_percent(pair->lost, pair->received + pair->lost)
					: -1;
}

bool mesh_silent(const struct np_mesh_pair *pair)
{
	return pair->parts & NP_MESH_FROM && !pair->sent && !pair->received;
}

/* One message has arrived at one time: there is no rate. */
static bool unrated(const struct np_mesh_pair *pair)
{
	return pair->received && pair->elapsed <= 0;
}

void mesh_sum_add(struct mesh_sum *sum, const struct np_mesh_pair *pair)
{
	const bool timed = sum->last > sum->first;

	if (!sum->pairs) {
		sum->exact = true;
		sum->dropped_from = sum->dropped_to =
			(struct np_drops_total){.known = true, .exact = true};
	}
	np_drops_total_add(&sum->dropped_from, &pair->dropped_from);
	np_drops_total_add(&sum->dropped_to, &pair->dropped_to);
	sum->pairs++;
	sum->sent += pair->sent;
	sum->unknown += !(pair->parts & NP_MESH_TO) && !mesh_silent(pair);
	sum->silent += mesh_silent(pair);
	sum->unrated += unrated(pair);
	if (!(pair->parts & NP_MESH_TO) || !pair->exact)
		sum->exact = false;
	sum->received += pair->received;
	sum->lost += pair->lost;
	sum->duplicates += pair->duplicates;
	sum->bytes += pair->bytes;
	sum->pair_rates_bytes_per_s += mesh_rate(pair);
	if (pair->last <= pair->first)
		return;
	sum->first = timed && sum->first < pair->first ? sum->first : pair->first;
	sum->last = timed && sum->last > pair->last ? sum->last : pair->last;
}

/* Of a pair of which one side is not known, the other one's counts would make up or hide a loss. */
static void add_whole(struct mesh_sum *sum, const struct np_mesh_pair *pair)
{
	const struct np_mesh_pair nothing = {.from = pair->from, .to = pair->to};

	if (mesh_silent(pair) || (pair->parts & BOTH) == BOTH) {
		mesh_sum_add(sum, pair);
		return;
	}
	mesh_sum_add(sum, &nothing);
	sum->unknown_sent += pair->sent;
	sum->unknown_received += pair->received;
}

struct mesh_sum mesh_total(const struct np_mesh *mesh)
{
	struct mesh_sum sum = {.pairs = 0};

	for (size_t i = 0; i < mesh->count; i++)
		add_whole(&sum, &mesh->pairs[i]);
	return sum;
}

const struct np_mesh_pair *mesh_slowest(const struct np_mesh *mesh, bool *slow)
{
	const struct np_mesh_pair *found = NULL;
	uint64_t rated = 0;
	double sum = 0;

	for (size_t i = 0; i < mesh->count; i++) {
		const struct np_mesh_pair *pair = &mesh->pairs[i];

		if (!(pair->parts & NP_MESH_TO) || mesh_silent(pair) || unrated(pair))
			continue;
		sum += mesh_rate(pair);
		rated++;
		/* Without either nothing is known of what was sent. */
		if ((pair->received || pair->lost) &&
		    (!found || mesh_rate(pair) < mesh_rate(found)))
			found = pair;
	}
	*slow = found && rated > 1 && mesh_rate(found) * (double)rated < SLOW * sum;
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

double np_mesh_fairness(const struct np_mesh *mesh)
{
	double sum = 0, squares = 0;
	uint32_t senders = 0;

	for (size_t i = 0, next; i < mesh->count; i = next) {
		struct mesh_sum from = {.pairs = 0};

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

int np_mesh_check(struct np_mesh_options *options, struct np_report_options *report,
		  const struct np_options_result *given, const struct np_option_clash *others)
{
	static const struct np_option_clash all[] = {
		{"log", "each rank would have one", NULL},
		{"csv", "its rows are intervals; --json has the results", NULL},
		{"metrics", "its figures are intervals'; --json has the results", NULL},
		{"interval", "results are collected after the run", NULL},
		{0},
	};
	int rc;

	if (np_options_exclude(given, "--mesh", others) >= 0 ||
	    np_options_exclude(given, "--mesh", all) >= 0)
		return 2;
	rc = launch_expected_rank(&options->rank);
	if (rc)
		return np_log_refuse(given->log, "--mesh", "%s", launch_reason(rc));
	if (options->rank)
		report->json = NULL;
	return -1;
}

int np_mesh_address(const struct np_mesh_options *options, int family, struct np_address *address,
		    const struct np_log *log)
{
	const char *text = options->interface;
	unsigned interfaces = 0;
	const int rc = address_of_network(address, text, family, 0, &interfaces);
	struct np_address_text at;
	char name[IFNAMSIZ];

	if (rc)
		return np_log_refuse(log, text ? text : "mesh", "%s",
				     rc == -ENODEV && family == AF_INET6
					     ? "no such interface, or it has no IPv6 address"
				     : rc == -ENODEV && family == AF_INET
					     ? "no such interface, or it has no IPv4 address"
				     : rc == -ENODEV ? "no such interface, or it has no address"
				     : rc == -EADDRNOTAVAIL ? "this host has no such address"
							    : strerror(-rc));
	address->name[0] = '\0';
	if (text || interfaces < 2)
		return 0;
	/* The user has not said which: the wrong network is measured unless somebody looks. */
	at = np_address_literal(address);
	*strrchr(at.text, ':') = '\0'; /* without the port */
	address_interface(address, name);
	np_log_say(
		log, options->rank ? NP_LOG_DETAIL : NP_LOG_INFO, NULL,
		"mesh: rank %u: takes %s of %s, one of %u interfaces; --interface selects another",
		(unsigned)options->rank, at.text, name, interfaces);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_record: the JSON of pairs, of their sums, and of what the ranks' hosts dropped. */
#include "mesh_state.h"

#include <math.h>

/* "sent_packets" and the like. */
static void put_count(const struct np_mesh *mesh, struct np_record *record, const char *what,
		      uint64_t value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", what, mesh->words.unit);
	np_record_count(record, name, value);
}

static void put_ends(const struct np_mesh *mesh, const struct np_launch *launch,
		     const struct np_mesh_pair *pair, struct np_record *record)
{
	np_record_count(record, "from", pair->from);
	if (launch)
		np_record_text(record, "from_host", np_launch_host(launch, pair->from));
	if (pair->to == NP_MESH_OUTSIDE) {
		np_record_text(record, "to", mesh->words.outside);
		return;
	}
	np_record_count(record, "to", pair->to);
	if (launch)
		np_record_text(record, "to_host", np_launch_host(launch, pair->to));
}

static void put_delay(const struct np_mesh *mesh, const struct np_mesh_pair *pair,
		      struct np_record *record)
{
	char name[64];
	struct np_record *delay;

	if (!pair->delay_count || !mesh->words.delay)
		return;
	snprintf(name, sizeof(name), "%s_ns", mesh->words.delay);
	delay = np_record_object(record, name);
	np_record_time(delay, "p50", pair->delay_p50);
	np_record_time(delay, "p99", pair->delay_p99);
	np_record_time(delay, "max", pair->delay_max);
	np_record_count(delay, "count", pair->delay_count);
	if (pair->delay_bound)
		np_record_time(delay, "bound", pair->delay_bound);
}

/* Where they were lost, to the packet. */
static void put_where(const struct np_mesh *mesh, const struct np_result *where,
		      struct np_record *record)
{
	if (where->lost_path.known == NP_EXACT) {
		put_count(mesh, record, "lost_sender_host", where->lost_sender_host.n);
		put_count(mesh, record, "lost_path", where->lost_path.n);
		put_count(mesh, record, "lost_receiver_host", where->lost_receiver_host.n);
	}
	put_count(mesh, record, "lost_unattributed", where->lost_unattributed.n);
}

static void put_pair(const struct np_mesh *mesh, const struct np_launch *launch,
		     const struct np_mesh_pair *pair, struct np_record *record)
{
	const struct np_result lost = mesh_lost_of_pair(pair);

	put_ends(mesh, launch, pair, record);
	if (pair->parts & NP_MESH_FROM) {
		put_count(mesh, record, "sent", pair->sent);
		put_count(mesh, record, "unsent", pair->unsent);
	}
	if (pair->parts & NP_MESH_TO) {
		put_count(mesh, record, "received", pair->received);
		put_count(mesh, record, "lost", pair->lost);
		put_count(mesh, record, "duplicates", pair->duplicates);
		put_count(mesh, record, "reordered", pair->reordered);
		np_record_count(record, "bytes", pair->bytes);
		if (pair->elapsed > 0) {
			np_record_time(record, "elapsed_ns", pair->elapsed);
			np_record_number(record, "rate_bytes_per_s", np_mesh_rate(pair));
		}
		put_delay(mesh, pair, record);
		put_where(mesh, &lost, record);
	}
	np_record_flag(record, "exact", pair->parts & NP_MESH_TO && pair->exact);
}

void np_mesh_record(const struct np_mesh *mesh, const struct np_launch *launch,
		    struct np_record *record)
{
	const struct np_mesh_pair *slowest = np_mesh_slowest(mesh);
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(mesh);
	const struct np_mesh_sum sum = np_mesh_total(mesh);
	const struct np_result lost = mesh_lost_of_sum(&sum);
	const double fairness = np_mesh_fairness(mesh);
	struct np_record *of = np_record_object(record, "mesh");

	if (!mesh->words.outside)
		np_record_text(of, "pattern", np_mesh_patterns[mesh->plan.pattern]);
	if (mesh->plan.senders)
		np_record_count(of, "senders", mesh->plan.senders);
	if (launch)
		np_launch_record(launch, of);
	np_record_count(of, "pairs", sum.pairs);
	np_record_count(of, "pairs_unknown", sum.unknown);
	np_record_count(of, "pairs_silent", sum.silent);
	put_count(mesh, of, "sent", sum.sent);
	put_count(mesh, of, "received", sum.received);
	put_count(mesh, of, "lost", sum.lost);
	put_where(mesh, &lost, of);
	put_count(mesh, of, "unknown_sent", sum.unknown_sent);
	put_count(mesh, of, "unknown_received", sum.unknown_received);
	np_record_count(of, "bytes", sum.bytes);
	if (np_mesh_sum_rate(&sum) >= 0) {
		np_record_time(of, "elapsed_ns", sum.last - sum.first);
		np_record_number(of, "rate_bytes_per_s", np_mesh_sum_rate(&sum));
	}
	np_record_number(of, "pair_rates_bytes_per_s", sum.pair_rates_bytes_per_s);
	np_record_number(of, "fairness", fairness < 0 ? (double)NAN : fairness);
	np_record_flag(of, "exact", sum.exact);
	if (slowest)
		put_pair(mesh, launch, slowest, np_record_object(of, "slowest"));
	if (lossiest)
		put_pair(mesh, launch, lossiest, np_record_object(of, "lossiest"));
}

/* What the ranks' hosts dropped. */
static void write_dropped(const struct np_mesh *mesh, const struct np_launch *launch,
			  struct np_report *report)
{
	for (size_t i = 0; i < mesh->host_count; i++) {
		const struct mesh_host *host = &mesh->hosts[i];
		struct np_record *record = np_record_new("rank");
		struct np_drops_counts counts;

		(void)mesh_dropped_read(host->piece, host->bytes, &counts);
		np_record_count(record, "rank", host->rank);
		if (launch)
			np_record_text(record, "host", np_launch_host(launch, host->rank));
		np_record_drops(record, &counts);
		(void)np_report_write(report, record);
	}
}

void mesh_write_records(const struct np_mesh *mesh, const struct np_launch *launch,
			const struct np_mesh_ending *how)
{
	const struct np_mesh_sum sum = np_mesh_total(mesh);
	const struct np_usage usage = np_usage_since(how->usage);
	struct np_record *record;

	for (size_t i = 0; i < mesh->count; i++) {
		record = np_record_new("pair");
		put_pair(mesh, launch, &mesh->pairs[i], record);
		(void)np_report_write(how->report, record);
	}
	write_dropped(mesh, launch, how->report);
	record = np_record_new("summary");
	put_count(mesh, record, "sent", sum.sent);
	put_count(mesh, record, "received", sum.received);
	put_count(mesh, record, "lost", sum.lost);
	put_count(mesh, record, "duplicates", sum.duplicates);
	np_record_count(record, "bytes", sum.bytes);
	np_record_flag(record, "exact", sum.exact);
	np_mesh_record(mesh, launch, record);
	np_record_usage(record, &usage);
	np_record_flag(record, "interrupted", how->interrupted);
	(void)np_report_write(how->report, record);
}

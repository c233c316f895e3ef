// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: start, intervals, each run's table and the summary as JSON, in plain units. */
#include "report.h"

#include <math.h>

static const char *const fates[] = {
	[FATE_STAYED] = "stayed", [FATE_SILENT] = "silent", [FATE_CUT] = "cut",
	[FATE_QUIT] = "quit",	  [FATE_NEVER] = "never",   [FATE_REFUSED] = "refused",
};

struct np_record *record_start(const struct report_view *view, struct transport *opened)
{
	const struct transport_info *transport = view->transport;
	const struct settings *s = view->settings;
	struct np_record *start = np_record_start(&group_test_options, view->options), *r;

	r = np_record_object(start, "settings");
	np_record_text(r, "transport", s->transport.variant);
	np_record_text(r, "class", s->lineage);
	np_record_count(r, "num_msgs", s->member.messages);
	np_record_count(r, "msg_size_bytes", s->member.payload);
	np_record_count(r, "num_members", s->member.members);
	np_record_count(r, "num_senders", s->member.senders);
	np_record_count(r, "log_interval_messages", s->member.log_interval);
	np_record_count(r, "processing_delay_ms", s->processing_delay_ms);
	r = np_record_object(start, "transport");
	np_record_text(r, "variant", transport->variant);
	np_record_text(r, "detail", transport->detail);
	np_record_text(r, "address", identity_text(&transport->self));
	np_record_text(r, "stamps", transport->stamps);
	np_record_text(r, "drop_unit", transport->drop_unit);
	if (transport->receive_granted)
		np_record_count(r, "receive_buffer_bytes", transport->receive_granted);
	if (transport->send_granted)
		np_record_count(r, "send_buffer_bytes", transport->send_granted);
	if (transport->lossy)
		np_record_count(r, "window_bytes", transport->window_bytes);
	np_record_text(r, "flow_control", s->flow_control);
	transport_describe(opened, r, false);
	return start;
}

/* For messages without numbers, only the announced number of messages is known. */
static void add_counts(struct np_record *r, const struct np_flow_counts *counts, bool numbered,
		       unsigned what)
{
	if (!numbered)
		np_record_count(r, "sent_messages", counts->sent);
	np_record_flow(r, "messages", counts, numbered ? what : what | NP_FLOW_BARE);
}

struct np_record *record_interval(unsigned run, np_time at, const struct np_flow_counts *counts,
				  bool numbered)
{
	struct np_record *r = np_record_new("interval");
	char flow[16];

	snprintf(flow, sizeof(flow), "run %u", run);
	np_record_interval(r, at - counts->elapsed, at, flow, "messages");
	np_record_flow(r, "messages", counts, numbered ? 0 : NP_FLOW_BARE);
	return r;
}

/*
 * What is known of @row, and where messages were lost; and whether all that is exact, not lower
 * bounds.
 */
static void add_row(struct np_record *r, const struct result_row *row, bool numbered,
		    struct np_result lost)
{
	struct np_flow_counts counts = row->counts;
	bool lost_exact;

	counts.elapsed = result_elapsed(row);
	/* A single message of each stream has no rate. */
	counts.head_bytes = result_rate_known(row) ? 0 : counts.bytes;
	add_counts(r, &counts, numbered, 0);
	np_record_flag(r, "ended", row->ended);
	np_record_figures(r, "delay_ns", &row->delay);
	if (row->delay.count)
		np_record_time(r, "delay_bound_ns", row->delay_bound);
	lost_exact = np_record_lost(r, &lost, "messages");
	np_record_flag(r, "exact", row->exact && lost_exact);
}

static void add_averages(struct np_record *r, const struct result *result)
{
	struct result_average a = result_average(result);

	if (!a.nodes)
		return;
	np_record_number(r, "node_rate_messages_per_s", a.node_messages_per_s);
	np_record_number(r, "node_rate_bytes_per_s", a.node_bytes_per_s);
	np_record_number(r, "cluster_rate_messages_per_s", a.cluster_messages_per_s);
	np_record_number(r, "cluster_rate_bytes_per_s", a.cluster_bytes_per_s);
}

struct np_record *record_result(const struct result *result)
{
	struct np_record *r = np_record_new("result");

	np_record_count(r, "run", result->run + 1);
	np_record_flag(r, "complete", result->complete);
	np_record_flag(r, "interrupted", result->interrupted);
	np_record_count(r, "own_sent_messages", result->sent);
	if (result->behind >= 0)
		np_record_time(r, "behind_ns", result->behind);
	add_averages(r, result);
	for_each(m, result->member, result->members) {
		const struct result_row sum = result_combined(m);
		struct np_record *member = np_record_append(r, "members"), *cpu;

		np_record_text(member, "member", identity_text(&m->who));
		np_record_flag(member, "sender", m->sender);
		np_record_flag(member, "myself", m->myself);
		np_record_text(member, "fate", fates[m->outcome]);
		if (m->outcome != FATE_STAYED) {
			np_record_text(member, "why", m->why);
			np_record_time(member, "fate_after_ns", m->outcome_after);
		}
		np_record_flag(member, "reported", m->reported);
		if (!m->reported)
			continue;
		add_row(member, &sum, result->numbered, result_of_member(result, m));
		/* Other members of a Java group report no more than this. */
		if (m->rows) {
			cpu = np_record_object(member, "cpu");
			np_record_time(cpu, "user_ns", m->host.cpu_user);
			np_record_time(cpu, "system_ns", m->host.cpu_system);
			if (m->all_drops.reasons)
				np_record_drops(member, m->all_drops.reasons);
			np_record_count(member, "errors_messages", m->host.malformed);
		}
		for_each(row, m->row, m->rows) {
			struct np_record *sender = np_record_append(member, "senders");

			np_record_text(sender, "sender", identity_text(&row->sender));
			add_row(sender, row, result->numbered, result_of_row(result, m, row));
			if (row->drops.reasons && row->drops.reasons->known)
				np_record_drops(sender, row->drops.reasons);
		}
	}
	return r;
}

struct np_record *record_summary(const struct result *result, const struct transport_info *info,
				 const struct transport_stats *stats, const struct np_usage *usage)
{
	struct np_record *r = np_record_new("summary"), *transport;
	/* Over all members that reported. */
	struct np_flow_counts sum = {};
	unsigned reported = 0;
	bool exact = true;

	for (size_t i = 0; i < result->members; i++) {
		const struct result_row row = result_combined(&result->member[i]);

		if (!result->member[i].reported)
			continue;
		reported++;
		np_flow_counts_add(&sum, &row.counts);
		exact &= row.exact;
	}
	np_record_count(r, "members", result->members);
	np_record_count(r, "reported_members", reported);
	np_record_count(r, "own_sent_messages", result->sent);
	if (reported)
		add_counts(r, &sum, result->numbered, NP_FLOW_SUMS);
	np_record_flag(r, "exact", reported && exact);
	add_averages(r, result);
	transport = np_record_object(r, "transport");
	for (const struct transport_counter *c = transport_counters; c->offset != SIZE_MAX; c++) {
		if (!c->drops)
			np_record_count(transport, c->json, transport_count(stats, c));
		else if (info->drop_unit)
			np_record_count(np_record_object(transport, "dropped_by_host"), c->json,
					transport_count(stats, c));
	}
	np_record_text(transport, "drop_unit", info->drop_unit);
	np_record_usage(r, usage);
	np_record_flag(r, "interrupted", result->interrupted);
	return r;
}

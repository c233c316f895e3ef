// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result_block: gathers what the result blocks of a member say. */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

#define TITLE_ROOM (2 * IDENTITY_TEXT + 128)

static void fill_row(struct np_block_row *to, const struct result *result,
		     const struct result_member *member, const struct result_row *row)
{
	to->result = result_of_row(result, member, row);
	to->confirmed = true;
	to->received_bytes_per_s = result_rate(row->counts.bytes, row);
	to->delay = row->delay;
}

/* Percentiles of several senders' messages, or at several members, are no figure of their own. */
static void set_delay(struct np_block *block, const struct result_row *row)
{
	block->delay = row->delay;
	block->delay_bound = row->delay_bound ? row->delay_bound : -1;
}

static void print_received(FILE *out, struct np_block *block, const struct result *result,
			   const struct result_member *own, char (*names)[IDENTITY_TEXT])
{
	const struct result_row sum = result_combined(own);
	struct np_drops_counts dropped = {};
	struct np_usage usage = {.user = own->host.cpu_user, .system = own->host.cpu_system};

	block->noun = "sender";
	block->interrupted = result->interrupted;
	block->result = result_of_member(result, own);
	block->received_bytes_per_s = result_rate(sum.counts.bytes, &sum);
	for (; block->rows < own->rows; block->rows++) {
		const struct result_row *row = &own->row[block->rows];
		struct np_block_row *to = &block->row[block->rows];

		to->name = identity_format(&row->sender, names[block->rows]);
		fill_row(to, result, own, row);
		if (!row->drops.reasons)
			continue;
		if (block->dropped[NP_BLOCK_RECEIVER])
			np_drops_add(&dropped, row->drops.reasons);
		else
			dropped = *row->drops.reasons;
		block->dropped[NP_BLOCK_RECEIVER] = &dropped;
	}
	/* Then nothing is known of the rows, either. */
	if (own->all_drops.reasons && !own->all_drops.reasons->known)
		block->dropped[NP_BLOCK_RECEIVER] = own->all_drops.reasons;
	if (own->rows == 1)
		set_delay(block, own->row);
	/* A sender's process does both, and nobody can say what for. */
	block->cpu[own->sender ? NP_BLOCK_PROCESS : NP_BLOCK_RECEIVER] =
		(struct np_block_cpu){&usage, result_elapsed(&sum)};
	np_block_print(out, block);
}

static void print_sent(FILE *out, struct np_block *block, uint64_t msg_size,
		       const struct result *result, char (*names)[IDENTITY_TEXT])
{
	const struct result_member *own = result_myself(result);
	char others[48], title[TITLE_ROOM];

	block->noun = "member";
	block->unconfirmed = "no other member reported";
	block->sent_bytes_per_s = result_rate_sent(result, msg_size);
	block->sent_each = result->sent;
	block->dropped[NP_BLOCK_SENDER] = own->sent_drops.reasons;
	for_each(member, result->member, result->members) {
		struct np_block_row *to = &block->row[block->rows];
		const struct result_row *row = NULL;

		if (member->myself || member->outcome == FATE_REFUSED)
			continue;
		*to = (struct np_block_row){
			.name = identity_format(&member->who, names[block->rows++])};
		/* What it received of this member's messages, if it reported that. */
		for (size_t i = 0; member->reported && i < member->rows; i++) {
			if (identity_equal(&member->row[i].sender, &own->who))
				row = &member->row[i];
		}
		if (!row)
			continue;
		fill_row(to, result, member, row);
		to->result.sent = NP_COUNT_EXACT(result->sent);
		if (block->unconfirmed)
			set_delay(block, row);
		np_result_add(&block->result, &to->result);
		block->unconfirmed = NULL;
	}
	if (!block->rows)
		return;
	/* "127.0.0.1:7800 -> 3 other members" */
	snprintf(others, sizeof(others), "%zu other members", block->rows);
	snprintf(title, TITLE_ROOM, "group-test: %s -> %s, %" PRIu64 "-byte messages, %s",
		 identity_text(&own->who), block->rows == 1 ? block->row->name : others, msg_size,
		 np_block_time(result->sent_elapsed).text);
	block->title = title;
	if (block->unconfirmed)
		block->result.sent = NP_COUNT_EXACT(result->sent * block->rows);
	else
		block->received_bytes_per_s = np_block_rate_sum(block);
	if (block->rows > 1)
		block->delay.count = 0;
	fputc('\n', out);
	np_block_print(out, block);
	block->title = NULL;
}

/* Nothing for none. */
static void describe_count(struct np_block_full *full, enum np_block_part part, const char *name,
			   uint64_t count, const char *unit)
{
	if (count)
		np_block_full_say(full, part, name, "%" PRIu64 "%s", count, unit);
}

static void describe_time(struct np_block_full *full, const char *name, np_time time, np_time unit,
			  const char *unit_name)
{
	if (time)
		np_block_full_say(full, NP_BLOCK_CONFIGURATION, name, "%g %s",
				  (double)time / (double)unit, unit_name);
}

/* --report=full: what was asked for, and what the transport made of it. */
static void describe(const struct report_view *view, struct np_block_full *full,
		     const struct result *result)
{
	const struct options *o = view->options;
	const struct member_plan *plan = &o->member;
	const struct np_rate *rate = &o->pace.rate;
	const enum np_block_part part = NP_BLOCK_CONFIGURATION;
	const struct transport_info *info = view->transport;

	np_block_full_say(full, part, "this member", "%s",
			  identity_text(&result_myself(result)->who));
	describe_count(full, part, "messages of each sender", view->settings->member.messages, "");
	describe_time(full, "duration", plan->duration, NP_SECOND, "s");
	describe_count(full, part, "warm-up", plan->warmup, " messages");
	describe_time(full, "warm-up", plan->warm_up, NP_SECOND, "s");
	if (rate->unit == NP_RATE_PACKETS)
		np_block_full_say(full, part, "rate of each sender", "%.0f messages/s",
				  rate->per_s);
	else if (rate->per_s > 0)
		np_block_full_say(full, part, "rate of each sender", "%s",
				  np_rate_format(np_rate_bytes(rate, 0), o->report.unit).text);
	describe_time(full, "interval of messages", plan->pause, NP_MILLISECOND, "ms");
	describe_count(full, part, "threads", plan->lanes > 1 ? plan->lanes : 0, "");
	if (view->settings->flow_control)
		np_block_full_say(full, part, "flow control", "%s", view->settings->flow_control);
	if (info->detail[0])
		np_block_full_say(full, NP_BLOCK_TRANSPORT, info->variant, "%s", info->detail);
	describe_count(full, NP_BLOCK_TRANSPORT, "receive buffer", info->receive_granted, " bytes");
	describe_count(full, NP_BLOCK_TRANSPORT, "send buffer", info->send_granted, " bytes");
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "time stamps", "%s", info->stamps);
}

static void describe_rate(const struct report_view *view, struct np_block_full *full,
			  const char *of, double messages_per_s, double bytes_per_s)
{
	np_block_full_say(full, NP_BLOCK_MEMBERS, of, "%.0f messages/s, %s", messages_per_s,
			  np_rate_format(bytes_per_s, view->options->report.unit).text);
}

/* --report=full: the members, what each lost of each sender, and MPerf's averages. */
static void describe_members(const struct report_view *view, struct np_block_full *full,
			     const struct result *result)
{
	const struct result_average a = result_average(result);
	const enum np_block_part part = NP_BLOCK_MEMBERS;

	for_each(m, result->member, result->members) {
		const char *role = m->sender ? "sender" : "receiver";
		const char *who = identity_text(&m->who);
		char malformed[48] = "";

		if (m->host.malformed)
			snprintf(malformed, sizeof(malformed), ", %" PRIu64 " malformed messages",
				 m->host.malformed);
		if (m->outcome == FATE_REFUSED)
			np_block_full_say(full, part, "refused", "%s: %s", who, m->why);
		else if (m->outcome != FATE_STAYED)
			np_block_full_say(full, part, role, "%s: given up after %.3f s: %s", who,
					  np_clock_seconds(m->outcome_after), m->why);
		else if (!m->reported)
			np_block_full_say(full, part, role, "%s: no report", who);
		/* Members of a Java group report only their sums. */
		else if (!m->rows)
			np_block_full_say(full, part, role, "%s", who);
		else
			np_block_full_say(full, part, role, "%s: user %.3f s, system %.3f s%s", who,
					  np_clock_seconds(m->host.cpu_user),
					  np_clock_seconds(m->host.cpu_system), malformed);
	}
	for_each(m, result->member, result->members) {
		for (size_t k = 0; m->reported && k < m->rows; k++) {
			const struct np_result r = result_of_row(result, m, &m->row[k]);

			if (!r.lost.n)
				continue;
			np_block_full_say(full, part, "lost",
					  "%s from %s to %s: sender host %s, path %s, receiver "
					  "host %s, unattributed %s",
					  np_count_format(&r.lost).text,
					  identity_text(&m->row[k].sender), identity_text(&m->who),
					  np_count_format(&r.lost_sender_host).text,
					  np_count_format(&r.lost_path).text,
					  np_count_format(&r.lost_receiver_host).text,
					  np_count_format(&r.lost_unattributed).text);
		}
	}
	if (!a.nodes)
		return;
	describe_rate(view, full, "mean of the members", a.node_messages_per_s, a.node_bytes_per_s);
	describe_rate(view, full, "all members", a.cluster_messages_per_s, a.cluster_bytes_per_s);
}

void result_block(FILE *out, const struct report_view *view, struct np_block_full *full,
		  const struct result *result)
{
	const struct result_member *own = result_myself(result);
	const size_t most = result->members > result->senders ? result->members : result->senders;
	char title[TITLE_ROOM];
	struct np_block block = np_block_init(title, "messages", view->options->report.unit);
	size_t members = 0;
	struct np_block_row *row;
	struct result_row sum;
	np_time elapsed;
	char(*names)[IDENTITY_TEXT], run[24] = "";

	if (!own || !own->rows)
		return;
	row = block.row = calloc(most, sizeof(*row));
	names = calloc(most, sizeof(*names));
	if (!row || !names)
		goto free;
	sum = result_combined(own);
	elapsed = sum.counts.received ? result_elapsed(&sum) : result->sent_elapsed;
	for_each(member, result->member, result->members)
		members += member->outcome != FATE_REFUSED;
	if (view->options->member.runs > 1)
		snprintf(run, sizeof(run), "run %u, ", result->run + 1);
	snprintf(title, TITLE_ROOM,
		 "group-test: %s%s, %zu member%s, %zu sender%s, %" PRIu64 "-byte messages, %s", run,
		 view->transport->variant, members, np_plural(members), result->senders,
		 np_plural(result->senders), view->settings->member.payload,
		 np_block_time(elapsed).text);
	if (full) {
		describe(view, full, result);
		describe_members(view, full, result);
		block.full = full;
	}
	print_received(out, &block, result, own, names);
	if (own->sender) {
		block = np_block_init(NULL, "messages", view->options->report.unit);
		block.row = row;
		np_block_full_clear(full);
		block.full = full;
		print_sent(out, &block, view->settings->member.payload, result, names);
	}
free:
	free(names);
	free(row);
}

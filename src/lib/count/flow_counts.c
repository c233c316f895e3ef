// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * flow_counts: walks tables of columns: sums, differences and records of what flows counted;
 * whether missing packets were lost on the way or in this host.
 */
#include <netperf/flow.h>

#include <inttypes.h>
#include <math.h>
#include <netperf/report.h>
#include <stdlib.h>

#define NAME_ROOM 64

const struct np_count *np_column_of(const struct np_column *column, const void *values)
{
	return (const struct np_count *)((const char *)values + column->offset);
}

static struct np_count add(const struct np_count *a, const struct np_count *b)
{
	struct np_count sum = {.known = NP_AT_LEAST};

	if (a->known == NP_EXACT && b->known == NP_EXACT)
		sum.known = NP_EXACT;
	else if (a->known == NP_UNKNOWN && b->known == NP_UNKNOWN)
		sum.known = NP_UNKNOWN;
	/* What stands in an unknown one may be no lower bound, as what somebody announced. */
	if (a->known != NP_UNKNOWN)
		sum.n += a->n;
	if (b->known != NP_UNKNOWN)
		sum.n += b->n;
	return sum;
}

void np_schema_add(const struct np_column *columns, void *sum, const void *more)
{
	for (const struct np_column *c = columns; c->name; c++) {
		void *to = (char *)sum + c->offset;
		const void *from = (const char *)more + c->offset;
		uint64_t *n = to, m = c->kind == NP_COLUMN_ALL ? 0 : *(const uint64_t *)from;

		switch (c->kind) {
		case NP_COLUMN_COUNT: *(struct np_count *)to = add(to, from); break;
		case NP_COLUMN_SUM:
		case NP_COLUMN_GAUGE: *n += m; break;
		case NP_COLUMN_MOST: *n = m > *n ? m : *n; break;
		case NP_COLUMN_FIRST:
			if (m && (!*n || (np_time)m < (np_time)*n))
				*n = m;
			break;
		case NP_COLUMN_ALL: *(bool *)to &= *(const bool *)from; break;
		}
	}
}

void np_schema_since(const struct np_column *columns, void *now, const void *before)
{
	for (const struct np_column *c = columns; c->name; c++) {
		if (c->kind == NP_COLUMN_SUM)
			*(uint64_t *)((char *)now + c->offset) -=
				*(const uint64_t *)((const char *)before + c->offset);
	}
}

void np_schema_append(const struct np_column *columns, void *now, const void *before)
{
	for (const struct np_column *c = columns; c->name; c++) {
		if (c->kind == NP_COLUMN_SUM)
			*(uint64_t *)((char *)now + c->offset) +=
				*(const uint64_t *)((const char *)before + c->offset);
	}
}

bool np_column_shown(const struct np_column *column, unsigned parts, const void *values)
{
	const void *value = (const char *)values + column->offset;

	if ((column->part & parts) != column->part)
		return false;
	if (column->kind == NP_COLUMN_GAUGE || column->kind == NP_COLUMN_FIRST)
		return *(const uint64_t *)value;
	return column->kind != NP_COLUMN_COUNT || np_column_of(column, values)->known != NP_UNKNOWN;
}

void np_schema_record(struct np_record *record, const struct np_column *columns, unsigned parts,
		      const void *values, const char *unit)
{
	for (const struct np_column *c = columns; c->name; c++) {
		const void *value = (const char *)values + c->offset;
		const char *of = c->unit ? c->unit : unit;
		char name[NAME_ROOM];

		if (!np_column_shown(c, parts, values))
			continue;
		snprintf(name, sizeof(name), "%s%s%s", c->name, of[0] ? "_" : "", of);
		if (c->kind == NP_COLUMN_ALL)
			np_record_flag(record, name, *(const bool *)value);
		else if (c->kind != NP_COLUMN_COUNT)
			np_record_time(record, name, *(const int64_t *)value);
		else
			np_record_count(record, name, np_column_of(c, values)->n);
	}
}

struct np_text np_count_format(const struct np_count *count)
{
	if (count->known == NP_UNKNOWN)
		return np_text_of("unknown");
	return np_text_of("%s%" PRId64, count->known == NP_EXACT ? "" : ">= ", (int64_t)count->n);
}

np_time np_flow_grace(const struct np_flow_spread *spread)
{
	const np_time width = np_delay_between(spread->least, spread->most);

	/* Forged times may have any value. */
	if (width > NP_FLOW_GRACE_MOST / 2)
		return NP_FLOW_GRACE_MOST;
	return 2 * width > NP_FLOW_GRACE_LEAST ? 2 * width : NP_FLOW_GRACE_LEAST;
}

#define SEGMENTS_MAX 128   /* of one buffer: UDP_MAX_SEGMENTS */
#define DATAGRAM_MAX 65507 /* bytes, of UDP over IPv4 */

void np_loss_drops_full(struct np_loss_drops *drops, uint64_t dropped, uint64_t full,
			uint64_t damaged)
{
	drops->least = dropped - np_least(dropped, damaged);
	drops->upmost = np_least(dropped, full);
	/* The counters are read one after the other, so they may be inconsistent. */
	if (drops->upmost < drops->least)
		drops->upmost = drops->least;
}

uint64_t np_loss_most(const char *unit, size_t shortest)
{
	if (unit[0] == 'p' || shortest >= DATAGRAM_MAX)
		return 1;
	return np_least(DATAGRAM_MAX / (shortest ? shortest : 1), SEGMENTS_MAX);
}

void np_loss_add(struct np_loss *sum, const struct np_loss *more)
{
	sum->path += more->path;
	sum->host += more->host;
	sum->unattributed += more->unattributed;
	sum->exact &= more->exact;
}

double np_loss_percent(uint64_t lost, uint64_t sent)
{
	return sent ? 100.0 * (double)lost / (double)sent : 0;
}

bool np_loss_exceeds(double percent, double most, const char *object, const struct np_log *log)
{
	char loss[32];

	if (percent <= most)
		return false;
	snprintf(loss, sizeof(loss), "%.4g", percent);
	/* Rounded, it can look like the limit. */
	if (strtod(loss, NULL) <= most)
		snprintf(loss, sizeof(loss), "%.15g", percent);
	np_log_error(log, object, "%s %% lost, more than --max-loss %g", loss, most);
	return true;
}

struct np_loss np_loss_attribute(uint64_t missing, const struct np_loss_drops *drops)
{
	const bool sure = drops->most == 1 && drops->least == drops->upmost && !drops->others;
	const uint64_t least = drops->least - np_least(drops->least, drops->others);
	struct np_loss loss = {.exact = !drops->upmost || (sure && drops->upmost <= missing)};

	loss.host = np_least(least, missing);
	if (drops->upmost <= missing / drops->most)
		loss.path = missing - drops->upmost * drops->most;
	loss.unattributed = missing - loss.host - loss.path;
	return loss;
}

const struct np_column np_result_columns[] = {
	NP_COLUMN(struct np_result, sent),
	NP_COLUMN(struct np_result, received),
	NP_COLUMN(struct np_result, lost),
	NP_COLUMN(struct np_result, lost_sender_host),
	NP_COLUMN(struct np_result, lost_path),
	NP_COLUMN(struct np_result, lost_receiver_host),
	NP_COLUMN(struct np_result, lost_unattributed),
	NP_COLUMN(struct np_result, duplicates),
	NP_COLUMN(struct np_result, reordered),
	NP_COLUMN(struct np_result, late),
	NP_COLUMN(struct np_result, damaged),
	{.name = NULL},
};

bool np_record_lost(struct np_record *record, const struct np_result *result, const char *unit)
{
	static const struct np_column places[] = {
		NP_COLUMN(struct np_result, lost_sender_host),
		NP_COLUMN(struct np_result, lost_path),
		NP_COLUMN(struct np_result, lost_receiver_host),
		NP_COLUMN(struct np_result, lost_unattributed),
		{.name = NULL},
	};
	bool exact = true;

	np_schema_record(record, places, 0, result, unit);
	for (const struct np_column *place = places; place->name; place++)
		exact &= np_column_of(place, result)->known != NP_AT_LEAST;
	return exact;
}

struct np_result np_result_of(const struct np_flow_counts *counts)
{
	const enum np_known known = counts->sent_known ? NP_EXACT : NP_AT_LEAST;

	return (struct np_result){
		.sent = {.n = counts->sent, .known = known},
		.received = NP_COUNT_EXACT(counts->received),
		.lost = {.n = counts->lost, .known = known},
		.duplicates = NP_COUNT_EXACT(counts->duplicates),
		.reordered = NP_COUNT_EXACT(counts->reordered),
		.late = NP_COUNT_EXACT(counts->late),
		.damaged = NP_COUNT_EXACT(counts->damaged),
	};
}

#define COLUMN(member, label, merges, ...)                                                         \
	{                                                                                          \
		.name = label, .offset = offsetof(struct np_flow_counts, member),                  \
		.kind = NP_COLUMN_##merges, __VA_ARGS__                                            \
	}
#define HIDDEN .part = NP_COLUMN_HIDDEN

const struct np_column np_flow_columns[] = {
	COLUMN(flows, "flows", GAUGE, HIDDEN),
	COLUMN(sent, "sent", SUM),
	COLUMN(received, "received", SUM),
	COLUMN(lost, "lost", SUM),
	COLUMN(duplicates, "duplicates", SUM),
	COLUMN(reordered, "reordered", SUM),
	COLUMN(late, "late", SUM),
	COLUMN(stray, "stray", SUM),
	COLUMN(damaged, "damaged", SUM, .part = NP_FLOW_DAMAGE),
	COLUMN(unsent, "unsent", SUM, .part = NP_FLOW_DAMAGE),
	COLUMN(unsent_perhaps, "unsent_perhaps", SUM, HIDDEN),
	COLUMN(order.offset_sum, "offset_sum", SUM, .part = NP_FLOW_ORDER),
	COLUMN(order.extent_sum, "extent_sum", SUM, .part = NP_FLOW_ORDER),
	COLUMN(order.extent_max, "extent_max", MOST, .part = NP_FLOW_ORDER),
	COLUMN(order.extent_exact, "extent_exact", ALL, HIDDEN),
	COLUMN(order.gaps, "gaps", SUM, .part = NP_FLOW_ORDER, .unit = ""),
	COLUMN(order.gap_packets, "gaps", SUM, .part = NP_FLOW_ORDER),
	COLUMN(order.gap_time, "gaps", SUM, .part = NP_FLOW_ORDER, .unit = "ns"),
	COLUMN(missed_before, "missed_before", SUM, .part = NP_FLOW_WHOLE),
	COLUMN(sent_known, "end_known", ALL, .part = NP_FLOW_WHOLE, .unit = ""),
	COLUMN(bytes, "bytes", SUM, HIDDEN),
	COLUMN(head_bytes, "head_bytes", SUM, HIDDEN),
	COLUMN(after_end, "after_end", SUM, HIDDEN),
	COLUMN(acks, "acks", SUM, HIDDEN),
	COLUMN(ack_time, "acks", SUM, HIDDEN, .unit = "ns"),
	COLUMN(first, "first", FIRST, HIDDEN),
	COLUMN(last, "last", MOST, HIDDEN),
	{.name = NULL},
};

void np_flow_counts_add(struct np_flow_counts *sum, const struct np_flow_counts *more)
{
	uint64_t head_bytes = sum->head_bytes;

	if (!sum->flows) {
		*sum = *more;
		return;
	}
	/* Only the first bytes of the earlier flow arrived before any time had passed. */
	if (more->first && (!sum->first || more->first < sum->first))
		head_bytes = more->head_bytes;
	else if (more->first == sum->first)
		head_bytes += more->head_bytes;
	np_schema_add(np_flow_columns, sum, more);
	sum->head_bytes = head_bytes;
	sum->elapsed = sum->last > sum->first ? sum->last - sum->first : 0;
}

void np_flow_counts_append(struct np_flow_counts *sum, const struct np_flow_counts *more)
{
	if (!sum->flows) {
		*sum = *more;
		return;
	}
	np_schema_add(np_flow_columns, sum, more);
	sum->elapsed += more->elapsed;
}

void np_flow_counts_since(struct np_flow_counts *now, const struct np_flow_counts *before)
{
	np_schema_since(np_flow_columns, now, before);
	if (before->last)
		now->elapsed = now->last - before->last;
}

bool np_flow_counts_empty(const struct np_flow_counts *c)
{
	return !(c->sent | c->received | c->lost | c->duplicates | c->reordered | c->late |
		 c->stray | c->damaged | c->bytes);
}

bool np_flow_counts_exact(const struct np_flow_counts *c)
{
	return c->sent_known && !c->late && !c->missed_before && !c->unsent_perhaps;
}

double np_flow_counts_share(const struct np_flow_counts *c)
{
	return c->bytes ? 1 - (double)c->head_bytes / (double)c->bytes : 0;
}

struct np_loss np_flow_attribute(const struct np_flow_counts *counts,
				 const struct np_loss_drops *drops)
{
	struct np_loss loss = {.unattributed = counts->lost, .exact = !counts->lost};
	uint64_t perhaps;

	if (drops)
		loss = np_loss_attribute(counts->lost, drops);
	perhaps = np_least(counts->unsent_perhaps, loss.path);
	loss.path -= perhaps;
	loss.unattributed += perhaps;
	loss.exact &= !counts->unsent_perhaps;
	return loss;
}

void np_record_rates(struct np_record *record, const char *noun, uint64_t messages, uint64_t bytes,
		     np_time elapsed, double share)
{
	const double rate = !messages || (share > 0 && elapsed > 0) ? share : NAN;
	char name[NAME_ROOM];

	np_record_count(record, "bytes", bytes);
	np_record_time(record, "elapsed_ns", elapsed);
	np_record_number(record, "rate_bytes_per_s", rate * np_units_rate(bytes, elapsed));
	snprintf(name, sizeof(name), "rate_%s_per_s", noun);
	np_record_number(record, name, rate * np_units_rate(messages, elapsed));
}

void np_record_flow(struct np_record *record, const char *noun, const struct np_flow_counts *counts,
		    unsigned what)
{
	static const struct np_column bare[] = {COLUMN(received, "received", SUM), {.name = NULL}};

	np_schema_record(record, what & NP_FLOW_BARE ? bare : np_flow_columns, what, counts, noun);
	if (what & NP_FLOW_SUMS)
		np_record_count(record, "bytes", counts->bytes);
	else
		np_record_rates(record, noun, counts->received, counts->bytes, counts->elapsed,
				np_flow_counts_share(counts));
}

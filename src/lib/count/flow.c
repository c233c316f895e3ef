// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * flow: counts what arrives of one sender, and computes the figures of its life and of now, their
 * sums, differences and records; attributes missing packets to the way or to this host.
 */
#include "sequence.h"

#include <errno.h>
#include <math.h>
#include <netperf/report.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>

/* Sums since the start; those of "now" are their difference to the sums at the mark. */
struct flow_sums {
	uint64_t received;
	uint64_t bytes;
	uint64_t damaged;
	uint64_t stray; /* beside those that the sequence found */
	uint64_t unnumbered;
};

struct np_flow {
	/* The fields that an arrival in order touches. */
	struct sequence *sequence;
	uint64_t limit; /* numbers from here on are stray */
	struct flow_sums life;
	uint64_t head_bytes; /* arrived at @first */
	np_time first, last;
	struct np_flow_spread spread;
	struct np_delay *delay; /* NULL: none are kept */
	struct np_offset clock;
	np_time delay_bound;

	struct np_flow_plan plan;
	uint64_t end; /* as the sender reported */
	uint64_t unsent;
	bool ended;
	bool contradicted; /* more had arrived than the end allows */
	bool marked;
	np_time mark_time;
	struct flow_sums mark;
	uint64_t behind_bytes; /* since the mark, of numbers from before it: not part of "now" */
};

#define BEYOND (UINT64_C(1) << 63) /* no number is this high */

int np_flow_create(struct np_flow **flow, uint64_t window)
{
	struct np_flow *f = calloc(1, sizeof(*f));
	int rc;

	*flow = NULL;
	if (!f)
		return -ENOMEM;
	rc = sequence_create(&f->sequence, window);
	if (rc) {
		free(f);
		return rc;
	}
	*flow = f;
	return 0;
}

void np_flow_free(struct np_flow *flow)
{
	if (!flow)
		return;
	sequence_free(flow->sequence);
	np_delay_free(flow->delay);
	free(flow);
}

/* The number after @count numbers from @first on. */
static uint64_t behind(uint64_t first, uint64_t count)
{
	return first < BEYOND && count < BEYOND - first ? first + count : BEYOND;
}

int np_flow_start(struct np_flow *flow, const struct np_flow_plan *plan)
{
	const uint64_t most = plan->announced ? plan->announced : plan->reach;
	const struct np_flow kept = *flow;

	*flow = (struct np_flow){
		.sequence = kept.sequence,
		.delay = kept.delay,
		.clock = kept.clock,
		.plan = *plan,
		.limit = most ? behind(plan->first, most) : BEYOND,
	};
	sequence_clear(flow->sequence);
	if (!plan->late)
		sequence_expect(flow->sequence, plan->first);
	if (flow->delay)
		np_delay_clear(flow->delay);
	if (!plan->raw_delays) {
		np_flow_set_clock(flow, &kept.clock);
		return 0;
	}
	return flow->delay ? 0 : np_delay_create(&flow->delay);
}

void np_flow_set_clock(struct np_flow *flow, const struct np_offset *clock)
{
	flow->clock = *clock;
	/* Without memory there are no delays until the next time. */
	if (clock->known && !flow->delay)
		(void)np_delay_create(&flow->delay);
	if (flow->delay)
		np_delay_expect(flow->delay, 0, 0);
}

static void arrive(struct np_flow *f, np_time at)
{
	if (!f->first)
		f->first = at;
	if (at > f->last)
		f->last = at;
}

static void count_bytes(struct np_flow *f, uint64_t bytes, np_time at)
{
	f->life.bytes += bytes;
	if (at == f->first)
		f->head_bytes += bytes;
}

static void widen(struct np_flow_spread *spread, np_time least, np_time most)
{
	if (!spread->known || least < spread->least)
		spread->least = least;
	if (!spread->known || most > spread->most)
		spread->most = most;
	spread->known = true;
}

/*
 * Corrects by what is known of the sender's clock; the clocks' error must not make a delay
 * negative.
 */
static void count_corrected(struct np_flow *f, uint64_t count, np_time sent, np_time at)
{
	const np_time bound = f->clock.bound ? np_offset_bound(&f->clock, at) : 0;
	const np_time delay = at - np_offset_correct(&f->clock, sent);

	if (bound > f->delay_bound)
		f->delay_bound = bound;
	np_delay_add(f->delay, delay > 0 ? delay : 0, count);
}

/* Counts @count first arrivals. */
static void count_first(struct np_flow *f, uint64_t count, uint64_t bytes, np_time sent, np_time at)
{
	const np_time raw = np_delay_between(sent, at);

	f->life.received += count;
	count_bytes(f, count * bytes, at);
	widen(&f->spread, raw, raw);
	if (!f->delay)
		return;
	if (f->plan.raw_delays)
		np_delay_add(f->delay, raw, count);
	else if (f->clock.known)
		count_corrected(f, count, sent, at);
}

/* In an unannounced flow, trusting one such number would mean the loss of all before it. */
static void reach_beyond(struct np_flow *f, uint64_t number)
{
	const uint64_t limit = behind(number, f->plan.reach);

	if (f->plan.reach && !f->plan.announced && !f->ended && limit > f->limit)
		f->limit = limit;
}

static uint64_t add_one(struct np_flow *f, uint64_t number, uint64_t bytes, np_time sent,
			np_time at)
{
	enum sequence_class class;

	if (number >= f->limit) {
		f->life.stray++;
		return 0;
	}
	class = sequence_add(f->sequence, number, at);
	if (class == SEQUENCE_OUTSIDE)
		return 0;
	arrive(f, at);
	if (class > SEQUENCE_REORDERED)
		return 0;
	if (number < sequence_now_begin(f->sequence))
		f->behind_bytes += bytes;
	reach_beyond(f, number);
	count_first(f, 1, bytes, sent, at);
	return 1;
}

uint64_t np_flow_add(struct np_flow *flow, uint64_t first, uint64_t count, uint64_t bytes,
		     np_time sent, np_time at)
{
	uint64_t came = 0;

	if (count > 1 && first < flow->limit && count <= flow->limit - first &&
	    sequence_add_next(flow->sequence, first, count, at)) {
		arrive(flow, at);
		reach_beyond(flow, first + count - 1);
		count_first(flow, count, bytes, sent, at);
		return count;
	}
	for (uint64_t i = 0; i < count; i++)
		came += add_one(flow, first + i, bytes, sent, at);
	return came;
}

void np_flow_add_unnumbered(struct np_flow *flow, uint64_t count, uint64_t bytes, np_time at)
{
	arrive(flow, at);
	flow->life.received += count;
	flow->life.unnumbered += count;
	count_bytes(flow, bytes, at);
}

void np_flow_open(struct np_flow *flow, uint64_t bytes, np_time at)
{
	if (!flow->first)
		flow->first = at;
	if (at == flow->first)
		flow->head_bytes += bytes;
}

void np_flow_damaged(struct np_flow *flow, uint64_t count)
{
	flow->life.damaged += count;
}

void np_flow_stray(struct np_flow *flow, uint64_t count)
{
	flow->life.stray += count;
}

bool np_flow_end(struct np_flow *flow, uint64_t end, uint64_t unsent)
{
	const uint64_t first = flow->plan.first;

	if (end > flow->limit)
		return false;
	flow->contradicted |= flow->life.received && sequence_highest(flow->sequence) >= end;
	flow->ended = true;
	flow->end = end;
	flow->unsent = unsent;
	flow->limit = end;
	if (end > first)
		sequence_end(flow->sequence, end - 1);
	return true;
}

bool np_flow_complete(const struct np_flow *flow)
{
	const uint64_t first = flow->plan.first;
	const uint64_t end = flow->end > first ? flow->end - first : 0;
	const uint64_t all = flow->ended ? end : flow->plan.announced;

	return (flow->ended || all) && flow->life.received + flow->unsent >= all;
}

uint64_t np_flow_received(const struct np_flow *flow)
{
	return flow->life.received;
}

uint64_t np_flow_lowest(const struct np_flow *flow)
{
	return sequence_lowest(flow->sequence);
}

uint64_t np_flow_highest(const struct np_flow *flow)
{
	return sequence_highest(flow->sequence);
}

uint64_t np_flow_unwrap(const struct np_flow *flow, uint32_t number32)
{
	return sequence_unwrap(flow->sequence, number32);
}

struct np_delay *np_flow_delay(const struct np_flow *flow)
{
	return flow->delay;
}

np_time np_flow_delay_bound(const struct np_flow *flow)
{
	return flow->delay_bound;
}

void np_flow_spread(const struct np_flow *flow, struct np_flow_spread *spread)
{
	if (flow->spread.known)
		widen(spread, flow->spread.least, flow->spread.most);
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

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void np_loss_drops_full(struct np_loss_drops *drops, uint64_t dropped, uint64_t full,
			uint64_t damaged)
{
	drops->least = dropped - least_of(dropped, damaged);
	drops->upmost = least_of(dropped, full);
	/* The counters are read one after the other, so they may be inconsistent. */
	if (drops->upmost < drops->least)
		drops->upmost = drops->least;
}

uint64_t np_loss_most(const char *unit, size_t shortest)
{
	if (unit[0] == 'p' || shortest >= DATAGRAM_MAX)
		return 1;
	return least_of(DATAGRAM_MAX / (shortest ? shortest : 1), SEGMENTS_MAX);
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
	const uint64_t least = drops->least - least_of(drops->least, drops->others);
	struct np_loss loss = {.exact = !drops->upmost || (sure && drops->upmost <= missing)};

	loss.host = least_of(least, missing);
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

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Those that never left the sender are not lost; but those that arrived, or must have been sent,
 * did leave it. Since a mark behind the end nothing is lost.
 */
static void take_out(const struct np_flow *f, struct np_flow_counts *c)
{
	const uint64_t unsent = least_of(f->unsent, c->lost);

	if (f->plan.late) {
		c->unsent_perhaps = unsent;
		return;
	}
	c->unsent = unsent;
	c->lost -= unsent;
	c->sent -= unsent;
}

/*
 * Numbers beyond what the sender says that it numbered were never its own: they, and the gap before
 * them, are no loss. Nor are, in a late flow, those below the first that arrived.
 */
static uint64_t lost_of(const struct np_flow *f, const struct sequence_counts *s)
{
	const uint64_t first = f->plan.late ? sequence_lowest(f->sequence) : f->plan.first;

	if (!f->contradicted)
		return s->missing;
	return least_of(s->missing, above(above(f->end, first), f->life.received + s->old));
}

/* Fills in what the sequence knows of a span of numbers, and what arrived since @since. */
static void fill(const struct np_flow *f, const struct sequence_counts *s,
		 const struct flow_sums *since, struct np_flow_counts *c)
{
	const uint64_t unnumbered = f->life.unnumbered - since->unnumbered;
	const uint64_t lost = lost_of(f, s);

	*c = (struct np_flow_counts){
		.flows = 1,
		.sent = s->received + lost + s->old,
		.sent_known = !f->contradicted && (f->ended || np_flow_complete(f)),
		.received = s->received + unnumbered,
		.lost = lost,
		.duplicates = s->duplicates,
		.reordered = s->reordered,
		.late = s->old,
		.stray = s->outside + f->life.stray - since->stray,
		.damaged = f->life.damaged - since->damaged,
		.bytes = f->life.bytes - since->bytes,
		.order = s->order,
	};
	take_out(f, c);
	c->sent += unnumbered;
}

/* In a late flow: what its sender had numbered before the first one that arrived. */
static uint64_t missed_before(const struct np_flow *f)
{
	if (!f->plan.late)
		return 0;
	if (f->life.received > f->life.unnumbered)
		return above(sequence_lowest(f->sequence), f->plan.first);
	return above(f->end, f->plan.first);
}

void np_flow_life(const struct np_flow *flow, struct np_flow_counts *counts)
{
	const struct flow_sums nothing = {0};
	struct sequence_counts sequence;

	sequence_life(flow->sequence, &sequence);
	fill(flow, &sequence, &nothing, counts);
	counts->missed_before = missed_before(flow);
	counts->first = flow->first;
	counts->last = flow->last;
	/* A flow with only an opened message has no end. */
	counts->elapsed = flow->last > flow->first ? flow->last - flow->first : 0;
	counts->head_bytes = least_of(flow->head_bytes, counts->bytes);
}

void np_flow_final(const struct np_flow *flow, struct np_flow_counts *counts)
{
	uint64_t to_come;

	np_flow_life(flow, counts);
	if (flow->ended)
		return;
	to_come = above(flow->plan.announced, counts->sent - flow->life.unnumbered);
	counts->lost += to_come;
	counts->sent += to_come;
}

void np_flow_now(const struct np_flow *flow, struct np_flow_counts *counts)
{
	struct sequence_counts sequence;

	sequence_now(flow->sequence, &sequence);
	fill(flow, &sequence, &flow->mark, counts);
	counts->bytes -= flow->behind_bytes;
	counts->first = flow->marked ? flow->mark_time : flow->first;
	counts->last = flow->last > counts->first ? flow->last : counts->first;
	counts->elapsed = counts->last - counts->first;
	if (!flow->marked)
		counts->head_bytes = least_of(flow->head_bytes, counts->bytes);
}

void np_flow_mark(struct np_flow *flow, np_time now)
{
	sequence_mark(flow->sequence);
	flow->mark = flow->life;
	flow->mark_time = now;
	flow->marked = true;
	flow->behind_bytes = 0;
}

#define COLUMN(member, label, merges, ...)                                                         \
	{                                                                                          \
		.name = label, .offset = offsetof(struct np_flow_counts, member),                  \
		.kind = NP_COLUMN_##merges, __VA_ARGS__                                            \
	}
#define HIDDEN .part = NP_COLUMN_HIDDEN

const struct np_column np_flow_columns[] = {
	COLUMN(flows, "flows", WHOLE, HIDDEN),
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
	perhaps = least_of(counts->unsent_perhaps, loss.path);
	loss.path -= perhaps;
	loss.unattributed += perhaps;
	loss.exact &= !counts->unsent_perhaps;
	return loss;
}

#define NAME_ROOM 64

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
	static const struct np_column bare[] = {
		{"received", offsetof(struct np_flow_counts, received), NP_COLUMN_SUM, NULL, 0},
		{.name = NULL},
	};

	np_schema_record(record, what & NP_FLOW_BARE ? bare : np_flow_columns, what, counts, noun);
	if (what & NP_FLOW_SUMS)
		np_record_count(record, "bytes", counts->bytes);
	else
		np_record_rates(record, noun, counts->received, counts->bytes, counts->elapsed,
				np_flow_counts_share(counts));
}

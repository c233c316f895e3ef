// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow_counts: computes a flow's figures, of its life and of now; their sums and differences. */
#include "flow.h"

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void fill_order(const struct np_sequence_counts *s, struct np_flow_order *order)
{
	*order = (struct np_flow_order){
		.offset_sum = s->offset_sum,
		.gaps = s->gaps,
		.gap_packets = s->gap_packets,
		.gap_time = s->gap_time,
		.extent_sum = s->extent_sum,
		.extent_max = s->extent_max,
		.extent_exact = s->extent_exact,
	};
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
static uint64_t lost_of(const struct np_flow *f, const struct np_sequence_counts *s)
{
	const uint64_t first = f->plan.late ? np_sequence_lowest(f->sequence) : f->plan.first;

	if (!f->contradicted)
		return s->missing;
	return least_of(s->missing, above(above(f->end, first), f->life.received + s->old));
}

/* Fills in what the sequence knows of a span of numbers, and what arrived since @since. */
static void fill(const struct np_flow *f, const struct np_sequence_counts *s,
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
	};
	fill_order(s, &c->order);
	take_out(f, c);
	c->sent += unnumbered;
}

/* In a late flow: what its sender had numbered before the first one that arrived. */
static uint64_t missed_before(const struct np_flow *f)
{
	if (!f->plan.late)
		return 0;
	if (f->life.received > f->life.unnumbered)
		return above(np_sequence_lowest(f->sequence), f->plan.first);
	return above(f->end, f->plan.first);
}

void np_flow_life(const struct np_flow *flow, struct np_flow_counts *counts)
{
	const struct flow_sums nothing = {0};
	struct np_sequence_counts sequence;

	np_sequence_life(flow->sequence, &sequence);
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
	struct np_sequence_counts sequence;

	np_sequence_now(flow->sequence, &sequence);
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
	np_sequence_mark(flow->sequence);
	flow->mark = flow->life;
	flow->mark_time = now;
	flow->marked = true;
	flow->behind_bytes = 0;
}

static void add_order(struct np_flow_order *sum, const struct np_flow_order *more)
{
	sum->offset_sum += more->offset_sum;
	sum->gaps += more->gaps;
	sum->gap_packets += more->gap_packets;
	sum->gap_time += more->gap_time;
	sum->extent_sum += more->extent_sum;
	if (more->extent_max > sum->extent_max)
		sum->extent_max = more->extent_max;
	sum->extent_exact &= more->extent_exact;
}

static void add(struct np_flow_counts *sum, const struct np_flow_counts *more)
{
	sum->flows += more->flows;
	sum->sent += more->sent;
	sum->sent_known &= more->sent_known;
	sum->received += more->received;
	sum->lost += more->lost;
	sum->duplicates += more->duplicates;
	sum->reordered += more->reordered;
	sum->late += more->late;
	sum->stray += more->stray;
	sum->damaged += more->damaged;
	sum->unsent += more->unsent;
	sum->unsent_perhaps += more->unsent_perhaps;
	sum->missed_before += more->missed_before;
	sum->bytes += more->bytes;
	if (more->first && (!sum->first || more->first < sum->first))
		sum->first = more->first;
	if (more->last > sum->last)
		sum->last = more->last;
	add_order(&sum->order, &more->order);
}

void np_flow_counts_add(struct np_flow_counts *sum, const struct np_flow_counts *more)
{
	if (!sum->flows) {
		*sum = *more;
		return;
	}
	/* Only the first bytes of the earlier flow arrived before any time had passed. */
	if (more->first && (!sum->first || more->first < sum->first))
		sum->head_bytes = more->head_bytes;
	else if (more->first == sum->first)
		sum->head_bytes += more->head_bytes;
	add(sum, more);
	sum->elapsed = sum->last > sum->first ? sum->last - sum->first : 0;
}

void np_flow_counts_append(struct np_flow_counts *sum, const struct np_flow_counts *more)
{
	if (!sum->flows) {
		*sum = *more;
		return;
	}
	add(sum, more);
	sum->elapsed += more->elapsed;
	sum->head_bytes += more->head_bytes;
}

void np_flow_counts_since(struct np_flow_counts *now, const struct np_flow_counts *before)
{
	now->sent -= before->sent;
	now->received -= before->received;
	now->lost -= before->lost;
	now->duplicates -= before->duplicates;
	now->reordered -= before->reordered;
	now->late -= before->late;
	now->stray -= before->stray;
	now->damaged -= before->damaged;
	now->unsent -= before->unsent;
	now->unsent_perhaps -= before->unsent_perhaps;
	now->missed_before -= before->missed_before;
	now->bytes -= before->bytes;
	now->head_bytes -= before->head_bytes;
	now->order.offset_sum -= before->order.offset_sum;
	now->order.gaps -= before->order.gaps;
	now->order.gap_packets -= before->order.gap_packets;
	now->order.gap_time -= before->order.gap_time;
	now->order.extent_sum -= before->order.extent_sum;
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

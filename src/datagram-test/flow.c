// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow: one publisher's packets, counted, and the figures of its life and of now. */
#include "flow.h"

#define GRACE_LEAST (200 * NP_MILLISECOND)
#define GRACE_MOST  (10 * NP_SECOND)
/* A publisher that answers nothing for so long is gone. */
#define DEATH (20 * NP_SECOND)
#define WRAP  (UINT64_C(1) << 32) /* of numbers as packets have them */

/* Made with the first ack, since few flows are of peers and it takes 280 KiB. */
static void count_rtt(struct flow *flow, np_time rtt)
{
	if (!flow->rtt && np_histogram_create(&flow->rtt))
		return;
	np_histogram_add(flow->rtt, rtt);
}

/* An ack is a moment of our own clock, or nonsense. */
static void count_ack(struct flow *flow, const struct wire_packet *head,
		      const struct wire_trailer *trailer, np_time now)
{
	np_time raw;

	if (head->ack <= 0)
		return;
	raw = now - head->ack;
	if (raw < 0 || raw > NP_HISTOGRAM_LIMIT)
		return;
	flow->life.acks++;
	flow->life.ack_sum += (uint64_t)raw;
	if (trailer && trailer->held_us != WIRE_HELD_UNKNOWN)
		count_rtt(flow, raw - trailer->held_us * NP_MICROSECOND);
}

/*
 * The first of ours is taken as it is, for its numbers begin with 1. That of a foreign one, or of
 * one that began before us, may not be the lowest, nor below 2^32.
 */
static uint64_t number_of(const struct flow *flow, const struct wire_packet *head)
{
	if (head->wide || (flow->ours && !flow->late_start && !flow->life.bytes))
		return head->number;
	return np_sequence_unwrap(flow->sequence, (uint32_t)head->number);
}

/* What a first arrival adds. */
static void count_distinct(struct flow *flow, const struct wire_packet *head,
			   const struct wire_trailer *trailer, size_t length, np_time now)
{
	np_time transit = (np_time)((uint64_t)now - (uint64_t)head->send_time);

	if (!flow->life.bytes)
		flow->transit_least = flow->transit_most = transit;
	else if (transit < flow->transit_least)
		flow->transit_least = transit;
	else if (transit > flow->transit_most)
		flow->transit_most = transit;
	flow->life.bytes += length;
	if (flow->peer && head->ack != WIRE_NO_ACK)
		count_ack(flow, head, trailer, now);
	if (flow->delay)
		flow_clock_delay(flow, head->send_time, now);
}

void flow_count(struct flow *flow, const struct wire_packet *head,
		const struct wire_trailer *trailer, size_t length, np_time now)
{
	struct flow_span *life = &flow->life;
	enum np_sequence_class class;
	uint64_t number;

	if (flow->ours) {
		if (!trailer) {
			life->damaged++;
			return;
		}
		flow->confirmed |= trailer->confirmed;
		flow->wide |= head->wide;
	}
	number = number_of(flow, head);
	class = np_sequence_add(flow->sequence, number, now);
	flow->touched |= life->packets > 0;
	if (!life->packets++)
		life->begin = now;
	life->end = now;
	if (class > NP_SEQUENCE_REORDERED)
		return;
	flow->late += flow->told;
	if (class == NP_SEQUENCE_REORDERED && number <= np_sequence_marked(flow->sequence))
		flow->behind_bytes += length;
	count_distinct(flow, head, trailer, length, now);
}

/* How far the flow's own numbers are behind its publisher's, as far as that is known. */
static uint64_t behind(const struct flow *flow)
{
	if (!flow->late_start || flow->wide)
		return 0;
	if (flow->last)
		return flow->behind;
	return np_sequence_lowest(flow->sequence) > WRAP ? -WRAP : 0;
}

/*
 * The flow's own number for the publisher's @last: of a run that began before us all numbers are
 * known but for their upper halves, which the END brings.
 */
static uint64_t place_last(struct flow *flow, uint64_t last)
{
	uint64_t highest = np_sequence_highest(flow->sequence), ahead, placed;

	if (!flow->late_start || flow->wide || !flow->life.packets)
		return last;
	ahead = (last - highest) % WRAP;
	placed = ahead < WRAP / 2 ? highest + ahead : highest + ahead - WRAP;
	flow->behind = last - placed;
	return placed;
}

void flow_end(struct flow *flow, uint64_t last, uint64_t unsent, np_time now)
{
	np_sequence_end(flow->sequence, place_last(flow, last));
	if (!flow->end_at)
		flow->end_at = now;
	flow->last = last;
	flow->unsent = unsent;
	flow->ended = true;
}

bool flow_over(struct flow *flow, np_time now)
{
	const np_time last = flow->end_at > flow->life.end ? flow->end_at : flow->life.end;

	flow->past |= flow->ours && flow->ended;
	return !flow->ours || (flow->past && now - last >= FLOW_KEPT);
}

np_time flow_grace(const struct flow *flow)
{
	np_time spread;

	/* Forged times may be anything. */
	if (__builtin_sub_overflow(flow->transit_most, flow->transit_least, &spread) ||
	    spread > GRACE_MOST / 2)
		return GRACE_MOST;
	return 2 * spread > GRACE_LEAST ? 2 * spread : GRACE_LEAST;
}

bool flow_accounted(const struct flow *flow, np_time now)
{
	const np_time waited = now - flow->end_at;
	struct flow_figures life;

	if (waited < GRACE_LEAST || waited >= flow_grace(flow))
		return waited >= GRACE_LEAST;
	flow_life(flow, &life);
	return !life.missing && !life.duplicates;
}

bool flow_alive(const struct flow *flow, np_time now)
{
	const struct flow_clock *clock = &flow->clock;
	np_time sign = clock->answered > flow->life.end ? clock->answered : flow->life.end;

	return flow->ours && !flow->ended && flow->proven && clock->refused <= sign &&
	       now - sign < DEATH;
}

uint64_t flow_controls_missing(const struct flow *flow)
{
	const struct flow_clock *clock = &flow->clock;

	return wire_copies_missing(&flow->ends) +
	       (clock->asks > clock->replies ? clock->asks - clock->replies : 0);
}

static void fill(const struct flow *flow, const struct np_sequence_counts *counts,
		 const struct flow_span *since, np_time begin, struct flow_figures *figures)
{
	const struct flow_span *life = &flow->life;
	np_time end = life->end > begin ? life->end : begin;

	*figures = (struct flow_figures){
		.begin = begin,
		.end = end,
		.elapsed = end - begin,
		.packets = life->packets - since->packets,
		.bytes = life->bytes - since->bytes,
		.heads = life->packets && !since->packets,
		.sent = counts->spanned,
		.received = counts->received,
		.missing = counts->missing,
		.damaged = life->damaged - since->damaged,
		.duplicates = counts->duplicates,
		.reordered = counts->reordered,
		.old = counts->old,
		.outside = counts->outside,
		.offset_sum = counts->offset_sum,
		.gaps = counts->gaps,
		.gap_packets = counts->gap_packets,
		.extent_sum = counts->extent_sum,
		.extent_max = counts->extent_max,
		.gap_time = counts->gap_time,
		.acks = life->acks - since->acks,
		.ack_sum = life->ack_sum - since->ack_sum,
		.extent_exact = counts->extent_exact,
		.tail_known = flow->last,
	};
}

/* @unsent numbers never left the sender; what came all the same, or must have, was sent. */
static void take_out(const struct flow *flow, uint64_t unsent, struct flow_figures *figures)
{
	if (unsent > figures->missing)
		unsent = figures->missing;
	if (flow->late_start) {
		figures->unsent_perhaps = unsent;
		return;
	}
	figures->unsent = unsent;
	figures->missing -= unsent;
	figures->sent -= unsent;
}

void flow_life(const struct flow *flow, struct flow_figures *figures)
{
	const struct flow_span nothing = {0};
	struct np_sequence_counts counts;
	uint64_t first;

	np_sequence_life(flow->sequence, &counts);
	fill(flow, &counts, &nothing, flow->life.begin, figures);
	take_out(flow, flow->unsent, figures);
	figures->late = flow->late;
	if (flow->late_start && flow->life.packets) {
		first = np_sequence_lowest(flow->sequence) + behind(flow);
		/* An END may tell of less than there was. */
		figures->missing_before = first > 0 && first <= INT64_MAX ? first - 1 : 0;
	}
}

void flow_now(const struct flow *flow, struct flow_figures *figures)
{
	np_time begin = flow->mark.begin ? flow->mark.begin : flow->life.begin;
	struct np_sequence_counts counts;

	np_sequence_now(flow->sequence, &counts);
	fill(flow, &counts, &flow->mark, begin, figures);
	take_out(flow, flow->unsent - flow->marked_unsent, figures);
	figures->bytes -= flow->behind_bytes;
}

void flow_mark(struct flow *flow, np_time now)
{
	struct flow_figures figures;

	if (flow->unsent) {
		flow_now(flow, &figures);
		flow->marked_unsent += figures.unsent;
	}
	np_sequence_mark(flow->sequence);
	flow->mark = flow->life;
	flow->mark.begin = now;
	flow->behind_bytes = 0;
}

void flow_figures_add(struct flow_figures *sum, const struct flow_figures *more)
{
	if (!sum->end) {
		*sum = *more;
		return;
	}
	sum->begin = more->begin < sum->begin ? more->begin : sum->begin;
	sum->end = more->end > sum->end ? more->end : sum->end;
	sum->elapsed = sum->end - sum->begin;
	sum->packets += more->packets;
	sum->bytes += more->bytes;
	sum->heads += more->heads;
	sum->sent += more->sent;
	sum->received += more->received;
	sum->unsent += more->unsent;
	sum->unsent_perhaps += more->unsent_perhaps;
	sum->missing += more->missing;
	sum->missing_before += more->missing_before;
	sum->damaged += more->damaged;
	sum->duplicates += more->duplicates;
	sum->reordered += more->reordered;
	sum->old += more->old;
	sum->late += more->late;
	sum->outside += more->outside;
	sum->offset_sum += more->offset_sum;
	sum->gaps += more->gaps;
	sum->gap_packets += more->gap_packets;
	sum->extent_sum += more->extent_sum;
	sum->extent_max = more->extent_max > sum->extent_max ? more->extent_max : sum->extent_max;
	sum->gap_time += more->gap_time;
	sum->acks += more->acks;
	sum->ack_sum += more->ack_sum;
	sum->extent_exact &= more->extent_exact;
	sum->tail_known &= more->tail_known;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result: sums and averages over the rows of members. */
#include "result.h"

struct result_row result_combined(const struct result_member *member)
{
	struct result_row sum = {.exact = true, .ended = true};

	if (!member->rows)
		return member->total;
	for_each(row, member->row, member->rows) {
		np_flow_counts_add(&sum.counts, &row->counts);
		if (row->counts.received) {
			sum.streams += row->streams;
			sum.paced += row->paced;
		}
		sum.exact &= row->exact;
		sum.ended &= row->ended;
	}
	/* Percentiles do not add up. */
	if (member->rows == 1) {
		sum.delay = member->row[0].delay;
		sum.delay_bound = member->row[0].delay_bound;
	}
	return sum;
}

bool result_rate_known(const struct result_row *row)
{
	return (!row->streams || row->counts.received > row->streams) &&
	       row->counts.last > row->counts.first;
}

np_time result_elapsed(const struct result_row *row)
{
	const np_time span = row->counts.last - row->counts.first;

	if (!row->streams || row->paced < row->streams || row->counts.received <= row->streams)
		return span;
	return span + (np_time)((double)span * row->streams /
				(double)(row->counts.received - row->streams));
}

double result_rate(uint64_t amount, const struct result_row *row)
{
	return result_rate_known(row) ? (double)amount / np_clock_seconds(result_elapsed(row)) : -1;
}

double result_rate_sent(const struct result *result, uint64_t bytes)
{
	if (result->sent_elapsed <= 0 || result->sent <= result->sent_first)
		return -1;
	return np_units_rate((result->sent - result->sent_first) * bytes, result->sent_elapsed);
}

const struct result_member *result_myself(const struct result *result)
{
	for (size_t i = 0; i < result->members; i++) {
		if (result->member[i].myself)
			return &result->member[i];
	}
	return NULL;
}

struct result_average result_average(const struct result *result)
{
	double messages = 0, bytes = 0, seconds = 0;
	struct result_average average = {0};

	for (size_t i = 0; i < result->members; i++) {
		const struct result_row row = result_combined(&result->member[i]);
		const double elapsed = np_clock_seconds(result_elapsed(&row));

		if (!result->member[i].reported || !result_rate_known(&row))
			continue;
		average.nodes++;
		average.node_messages_per_s += (double)row.counts.received / elapsed;
		average.node_bytes_per_s += (double)row.counts.bytes / elapsed;
		messages += (double)row.counts.received;
		bytes += (double)row.counts.bytes;
		seconds += elapsed;
	}
	if (!average.nodes)
		return average;
	average.node_messages_per_s /= average.nodes;
	average.node_bytes_per_s /= average.nodes;
	seconds /= average.nodes;
	average.cluster_messages_per_s = messages / seconds;
	average.cluster_bytes_per_s = bytes / seconds;
	return average;
}

bool result_lost_members(const struct result *result)
{
	for_each(member, result->member, result->members) {
		if (member->outcome != FATE_STAYED && member->outcome != FATE_REFUSED)
			return true;
		/* An interrupted member did not wait for the others' results. */
		if (member->outcome == FATE_STAYED && !member->reported && !result->interrupted)
			return true;
	}
	return false;
}

double result_worst_loss(const struct result *result, struct identity *at)
{
	double worst = 0;

	for_each(member, result->member, result->members) {
		const struct result_row *row = member->rows ? member->row : &member->total;

		for (size_t k = 0; member->reported && k < (member->rows ? member->rows : 1); k++) {
			/* For late messages it is unknown whether they arrived before. */
			const double loss = np_loss_percent(row[k].counts.lost + row[k].counts.late,
							    row[k].counts.sent);

			if (loss > worst) {
				worst = loss;
				*at = member->who;
			}
		}
	}
	return worst;
}

const struct result_member *result_find(const struct result *result, const struct identity *who)
{
	for_each(member, result->member, result->members) {
		if (member->outcome != FATE_REFUSED && identity_equal(&member->who, who))
			return member;
	}
	return NULL;
}

struct np_result result_of_row(const struct result *result, const struct result_member *member,
			       const struct result_row *row)
{
	const struct np_flow_counts *c = &row->counts;
	const struct result_member *sender = result_find(result, &row->sender);
	const struct np_drops_total *here = &row->drops.total;
	struct np_drops_total there = {.known = false}; /* of the messages of @row */
	struct np_loss loss = {};
	struct np_result r = {
		.sent = {.n = c->sent, .known = row->ended ? NP_EXACT : NP_UNKNOWN},
		.received = NP_COUNT_EXACT(c->received),
		.lost = {.n = c->lost, .known = row->exact ? NP_EXACT : NP_AT_LEAST},
	};

	if (result->numbered) {
		r.duplicates = NP_COUNT_EXACT(c->duplicates);
		r.reordered = NP_COUNT_EXACT(c->reordered);
		r.late = NP_COUNT_EXACT(c->late);
	}
	if (sender)
		there = sender->sent_drops.total;
	if (row->local && there.packets)
		there.exact = false;
	/*
	 * By the kernel's counter, whose unit is known. Not all that its host dropped need be of
	 * this sender, or of the group's messages at all.
	 */
	if (result->drop_most)
		loss = np_loss_attribute(c->lost, &(const struct np_loss_drops){
							  .upmost = member->host.dropped,
							  .most = result->drop_most,
							  .others = NP_LOSS_UNKNOWN,
						  });
	/* Of a lower bound, as of fragments, which name no port, the rest may be lost anywhere. */
	if (here->known && !here->exact && c->lost) {
		loss = (struct np_loss){.host = here->packets < c->lost ? here->packets : c->lost};
		loss.unattributed = c->lost - loss.host;
	}
	if (row->exact && !c->lost)
		r.lost_sender_host = r.lost_path = r.lost_receiver_host = r.lost_unattributed =
			NP_COUNT_EXACT(0);
	else
		np_result_attribute(&r, result->drop_most ? &loss : NULL, &there, here,
				    !row->exact || c->duplicates || c->late || c->stray);
	return r;
}

struct np_result result_of_member(const struct result *result, const struct result_member *member)
{
	struct np_result sum = {}, one;

	if (!member->rows)
		return result_of_row(result, member, &member->total);
	for (size_t i = 0; i < member->rows; i++) {
		one = result_of_row(result, member, &member->row[i]);
		np_result_add(&sum, &one);
	}
	return sum;
}

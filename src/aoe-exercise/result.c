// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result: allocates a result and attributes its losses. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>

#define COUNT(member, of_unit, of_part)                                                            \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct tally, member), .kind = NP_COLUMN_SUM,  \
		.unit = (of_unit), .part = (of_part)                                               \
	}

const struct np_column tally_columns[] = {
	COUNT(sent, NULL, TALLY_OF_ALL),
	COUNT(received, NULL, TALLY_OF_ALL),
	COUNT(late, NULL, TALLY_OF_ALL),
	COUNT(lost, NULL, TALLY_OF_ALL),
	COUNT(outstanding, NULL, TALLY_OF_CLIENT),
	COUNT(duplicates, NULL, TALLY_OF_ALL),
	COUNT(stray, NULL, TALLY_OF_ALL),
	COUNT(errors, NULL, TALLY_OF_ALL),
	COUNT(retransmitted, NULL, TALLY_OF_CLIENT),
	COUNT(given_up, "requests", TALLY_OF_CLIENT),
	COUNT(refused, NULL, TALLY_OF_RESULT),
	COUNT(bytes, NULL, NP_COLUMN_HIDDEN),
	COUNT(damaged, NULL, NP_COLUMN_HIDDEN),
	COUNT(lost_sender_host, NULL, TALLY_PLACES),
	COUNT(lost_path, NULL, TALLY_PLACES),
	COUNT(lost_receiver_host, NULL, TALLY_PLACES),
	COUNT(lost_unattributed, NULL, TALLY_PLACES),
	{0},
};

int result_create(struct result **result)
{
	struct result *r = calloc(1, sizeof(*r));

	*result = r;
	if (r && !np_histogram_create(&r->rtt) && !np_histogram_create(&r->recent) &&
	    !np_histogram_create(&r->paced))
		return 0;
	result_free(r);
	*result = NULL;
	return -ENOMEM;
}

void result_settle(struct result *result)
{
	np_histogram_merge(result->rtt, result->recent);
	np_histogram_clear(result->recent);
}

void result_free(struct result *result)
{
	if (!result)
		return;
	np_histogram_free(result->rtt);
	np_histogram_free(result->recent);
	np_histogram_free(result->paced);
	free(result);
}

static uint64_t dropped(const struct np_drops_counts *host, enum np_drops_direction direction)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < host->entries; i++)
		sum += host->entry[i].direction == direction ? host->entry[i].packets : 0;
	return sum;
}

void result_attribute(struct result *result, bool known)
{
	struct tally *t = &result->tally;
	const struct np_drops_counts *host = &result->host;
	const uint64_t out = dropped(host, NP_DROPS_OUT), in = dropped(host, NP_DROPS_IN);
	/* A refused send was dropped, or it was never taken: then the kernel counts no drop. */
	const uint64_t again = np_least(out, t->refused), gone = out - again;
	/* Duplicates or answers to others may be among the packets that the kernel dropped. */
	const bool only_ours = !t->duplicates && !t->stray;
	const bool by_reasons =
		host->known && !host->others && only_ours && (host->exact || out + in);

	t->lost_sender_host = t->lost_receiver_host = t->lost_unattributed = 0;
	if (by_reasons && !host->exact) {
		/* The kernel may have dropped more than it reported. */
		t->lost_sender_host = np_least(gone, t->lost);
		t->lost_receiver_host = np_least(in, t->lost - t->lost_sender_host);
		t->lost_unattributed = t->lost - t->lost_sender_host - t->lost_receiver_host;
	} else if (by_reasons && gone + in <= t->lost) {
		t->lost_sender_host = gone;
		t->lost_receiver_host = in;
		t->lost_unattributed = gone ? np_least(again, t->lost - gone - in) : 0;
	} else if (by_reasons || !known) {
		t->lost_unattributed = t->lost;
	} else if (only_ours && result->dropped <= t->lost) {
		/* For want of buffer, behind our filter: they answered our requests. */
		t->lost_receiver_host = result->dropped;
	} else {
		t->lost_unattributed = np_least(result->dropped, t->lost);
	}
	t->lost_path = t->lost - t->lost_sender_host - t->lost_receiver_host - t->lost_unattributed;
	result->loss_exact = by_reasons && !host->exact ? !t->lost : !t->lost_unattributed;
}

bool result_rate_known(const struct result *result)
{
	const struct tally *t = &result->tally;

	return t->sent > 1 && t->received != 1 && result->elapsed > 0;
}

bool result_held_by_rate(const struct result *result, double packets_per_s)
{
	return packets_per_s > 0 && result_rate_known(result) &&
	       np_units_rate(result->tally.received, result->elapsed) >= 0.97 * packets_per_s;
}

bool result_is_unanswered(const struct tally *t)
{
	return t->sent && t->lost == t->sent;
}

bool result_is_no_test_data(const struct result *result)
{
	return np_damage_is_no_test_data(
		&result->damage, result->tally.bytes / NP_PATTERN_SECTOR_BYTES, result->passes + 1);
}

bool result_is_all_zero(const struct result *result)
{
	uint64_t sectors = result->tally.bytes / NP_PATTERN_SECTOR_BYTES;
	uint64_t zero = result->damage.sectors[NP_PATTERN_ALL_ZERO];

	/* Sector 0 is valid as zeros in every pass. */
	return zero && result->damage.total == zero && zero + result->passes + 1 >= sectors;
}

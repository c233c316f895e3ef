// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result: allocates a result and attributes its losses. */
#include "result.h"

#include <errno.h>
#include <stdlib.h>

int result_create(struct result **result)
{
	struct result *r = calloc(1, sizeof(*r));

	*result = r;
	if (r && !np_histogram_create(&r->rtt) && !np_histogram_create(&r->paced))
		return 0;
	result_free(r);
	*result = NULL;
	return -ENOMEM;
}

void result_free(struct result *result)
{
	if (!result)
		return;
	np_histogram_free(result->rtt);
	np_histogram_free(result->paced);
	free(result);
}

/*
 * What the kernel dropped had passed our filter: it answered our requests. If no duplicates were
 * seen, each dropped answer is a lost one; else some may have been duplicates.
 */
void result_attribute(struct result *result, bool known)
{
	const struct tally *t = &result->tally;
	uint64_t dropped = result->dropped < t->lost ? result->dropped : t->lost;
	bool sure = !t->duplicates && !t->stray && result->dropped <= t->lost;

	result->loss = (struct np_loss){.exact = true};
	if (!known) {
		result->loss.unattributed = t->lost;
		result->loss.exact = !t->lost;
	} else if (!result->dropped || sure) {
		result->loss.host = dropped;
		result->loss.path = t->lost - dropped;
	} else {
		result->loss.unattributed = dropped;
		result->loss.path = t->lost - dropped;
		result->loss.exact = !dropped;
	}
}

bool result_rate_known(const struct result *result)
{
	const struct tally *t = &result->tally;

	return t->sent > 1 && t->received != 1 && result->elapsed > 0;
}

bool result_is_unanswered(const struct tally *t)
{
	return t->sent && t->lost == t->sent;
}

double result_loss_percent(const struct tally *tally)
{
	return tally->sent ? 100.0 * (double)tally->lost / (double)tally->sent : 0;
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

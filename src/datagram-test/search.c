// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* search: halves the span between the rates that passed and those that failed. */
#include "search.h"

#include <stddef.h>

/* The search ends when the lowest rate that failed is not higher by more than this. */
#define RESOLUTION 0.01
/* A sender that keeps this much of its rate keeps it. */
#define KEPT 0.99
/*
 * What arrived of the first trial, and of one of which less than this share did, shows what the
 * path carries: the next one is a little below that, and one a little above it.
 */
#define LOSSY 0.9
#define BELOW 0.97
#define ABOVE 1.02

void search_take(struct search *search, struct trial *trial)
{
	struct search_rate *r = search->rate;
	/* The last packet may be due at the very end: of few packets it is much. */
	const double one = trial->result.sent.n ? trial->sent / (double)trial->result.sent.n : 0;

	trial->loss_percent = np_loss_percent(trial->result.lost.n, trial->result.sent.n);
	trial->verdict = TRIAL_PASSED;
	if (trial->loss_percent > search->loss_percent)
		trial->verdict = TRIAL_LOST;
	else if (trial->sent + one < KEPT * trial->asked)
		trial->verdict = TRIAL_BEHIND;
	while (r < search->rate + search->count && r->trial.asked != trial->asked)
		r++;
	if (!r->trials++) {
		search->count++;
		r->rate = trial->asked > 0 ? trial->asked : trial->sent;
		r->low = r->high = trial->received;
	}
	search->trials++;
	r->trial = *trial;
	r->low = trial->received < r->low ? trial->received : r->low;
	r->high = trial->received > r->high ? trial->received : r->high;
}

/*
 * The lowest rate that failed, and the highest one below it that passed; NULL: none. One above a
 * rate that failed had luck.
 */
static void bounds(const struct search *search, const struct search_rate **passed,
		   const struct search_rate **failed)
{
	const struct search_rate *end = search->rate + search->count;

	*passed = *failed = NULL;
	for (const struct search_rate *r = search->rate; r < end; r++) {
		if (r->trial.verdict != TRIAL_PASSED && (!*failed || r->rate < (*failed)->rate))
			*failed = r;
	}
	for (const struct search_rate *r = search->rate; r < end; r++) {
		if (r->trial.verdict == TRIAL_PASSED && (!*failed || r->rate < (*failed)->rate) &&
		    (!*passed || r->rate > (*passed)->rate))
			*passed = r;
	}
}

static bool is_narrow(double passed, const struct search_rate *failed)
{
	return !failed || failed->rate <= (1 + RESOLUTION) * passed;
}

double search_next(const struct search *search)
{
	const struct search_rate *passed, *failed;
	double from, to, carried, next;

	bounds(search, &passed, &failed);
	if (passed && is_narrow(passed->rate, failed))
		return passed->trials < SEARCH_REPEATS ? passed->trial.asked : SEARCH_OVER;
	/* None was tried. */
	if (!failed)
		return search->most;
	from = passed ? passed->rate : 0;
	to = failed->rate;
	/* So much more than arrives may be sent. */
	carried = failed->trial.received / (1 - search->loss_percent / 100);
	if (!passed)
		next = carried < LOSSY * to || search->trials == 1 ? BELOW * carried : to / 2;
	else if (carried > from && ABOVE * carried < to)
		next = ABOVE * carried;
	else
		next = to > 4 * from ? 2 * from : (from + to) / 2;
	return next >= search->least && search->count < SEARCH_RATES ? next : SEARCH_OVER;
}

const struct search_rate *search_found(const struct search *search,
				       const struct search_rate **limit)
{
	const struct search_rate *passed;

	bounds(search, &passed, limit);
	return passed && is_narrow(passed->rate, *limit) && passed->trials >= SEARCH_REPEATS
		       ? passed
		       : NULL;
}

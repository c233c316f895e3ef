// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* pacer: the schedule begin + k / rate, computed from k each time. */
#include <netperf/interval.h>

#define JITTER (10 * NP_MILLISECOND)

/* The moment of event @k: the first whole ns at which k/rate seconds have passed. */
static np_time moment_of(const struct np_pacer *pacer, uint64_t k)
{
	if (pacer->rate_per_s <= 0)
		return pacer->begin;

	/* 64 bits of mantissa represent every ns of 290 years. */
	const long double offset = (long double)k * 1e9L / (long double)pacer->rate_per_s;

	if (offset >= (long double)(NP_TIME_NEVER - pacer->begin))
		return NP_TIME_NEVER;

	const np_time whole = (np_time)offset;

	return pacer->begin + whole + ((long double)whole < offset);
}

void np_pacer_start(struct np_pacer *pacer, double rate_per_s, np_time now)
{
	pacer->rate_per_s = rate_per_s;
	pacer->begin = now;
	pacer->count = 0;
	pacer->worst_behind = 0;
}

np_time np_pacer_next(const struct np_pacer *pacer)
{
	return moment_of(pacer, pacer->count);
}

uint64_t np_pacer_allowed(const struct np_pacer *pacer, np_time now, uint64_t limit)
{
	if (pacer->rate_per_s <= 0)
		return limit;
	if (!limit || now < np_pacer_next(pacer))
		return 0;

	const long double per_ns = (long double)pacer->rate_per_s / 1e9L;
	const long double due =
		(long double)(now - pacer->begin) * per_ns + 1 - (long double)pacer->count;

	if (due >= (long double)limit)
		return limit;

	/* The product may be rounded across a whole number; the schedule decides. */
	uint64_t events = (uint64_t)due;

	while (events < limit && moment_of(pacer, pacer->count + events) <= now)
		events++;
	while (events && moment_of(pacer, pacer->count + events - 1) > now)
		events--;
	return events;
}

void np_pacer_took(struct np_pacer *pacer, np_time now, uint64_t events)
{
	const np_time behind = now - np_pacer_next(pacer);

	if (events && pacer->rate_per_s > 0 && behind > pacer->worst_behind)
		pacer->worst_behind = behind;
	pacer->count += events;
}

bool np_pacer_fell_behind(np_time behind, double rate_per_s)
{
	return rate_per_s > 0 && behind > JITTER && (double)behind * rate_per_s > 1e9;
}

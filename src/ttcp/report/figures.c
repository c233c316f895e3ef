// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* figures: computes milliseconds, thousands and 32-bit floating point. */
#include "figures.h"

#include <netperf/units.h>
#include <stdio.h>

#define MS ((double)NP_MILLISECOND)

struct figures_rate figures_rate(uint64_t bytes, np_time elapsed)
{
	const int64_t whole_ms = (elapsed + NP_MILLISECOND / 2) / NP_MILLISECOND;
	struct figures_rate rate;

	if (elapsed >= FIGURES_SHORT)
		rate.ms = (double)whole_ms;
	else
		rate.ms = elapsed > 0 ? (double)elapsed / MS : 1;
	rate.kilobytes_per_s = (float)bytes / (float)rate.ms;
	rate.kilobits_per_s = rate.kilobytes_per_s * 8;
	return rate;
}

float figures_mean_ms(__int128 sum, uint64_t count)
{
	/* Equals the float of a sum in ms: a double represents both to 53 bits. */
	return count ? (float)((double)sum / MS / (double)count) : 0;
}

char *figures_print_float(float value, char *out)
{
	return np_decimal(value, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN, out, FIGURES_TEXT);
}

char *figures_print_ms(const struct figures_rate *rate, char *out)
{
	if (rate->ms * MS >= (double)FIGURES_SHORT || rate->ms == 1)
		snprintf(out, FIGURES_TEXT, "%.0f", rate->ms);
	else
		np_decimal((float)rate->ms, NP_DECIMAL_FLOAT | NP_DECIMAL_PLAIN, out, FIGURES_TEXT);
	return out;
}

/* Writes @digits digits before @end, with leading zeros. */
static void put_digits(uint64_t number, unsigned digits, char *end)
{
	for (; digits; digits--, number /= 10)
		*--end = (char)('0' + number % 10);
}

char *figures_put_count(uint64_t number, char *out)
{
	unsigned digits = 1;

	for (uint64_t rest = number / 10; rest; rest /= 10)
		digits++;
	put_digits(number, digits, out + digits);
	return out + digits;
}

char *figures_put_ms(np_time t, char *out)
{
	const uint64_t ns = t < 0 ? -(uint64_t)t : (uint64_t)t;
	uint64_t fraction = ns % NP_MILLISECOND;
	unsigned digits = 6;

	if (t < 0)
		*out++ = '-';
	out = figures_put_count(ns / NP_MILLISECOND, out);
	if (!fraction)
		return out;
	for (; fraction % 10 == 0; fraction /= 10)
		digits--;
	*out = '.';
	put_digits(fraction, digits, out + 1 + digits);
	return out + 1 + digits;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* figures: computes milliseconds, thousands and 32-bit floating point; splits time into windows. */
#include "figures.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>

#define MS ((double)NP_MILLISECOND)

/* Milliseconds of a time since 1970, rounded down as Java's clock does. */
static int64_t cut_ms(np_time t)
{
	const int64_t ms = t / NP_MILLISECOND;

	return t % NP_MILLISECOND < 0 ? ms - 1 : ms;
}

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

struct figures_delay figures_delay(uint32_t size, np_time sent, np_time acked)
{
	struct figures_delay figures = {.whole = acked - sent >= FIGURES_SHORT};
	float ms;

	if (figures.whole) {
		figures.rtt = cut_ms(acked) - cut_ms(sent);
		figures.delay = figures.rtt / 2;
		ms = (float)figures.delay;
	} else {
		figures.rtt = acked - sent;
		figures.delay = figures.rtt / 2;
		ms = (float)((double)figures.delay / MS);
	}
	figures.kilobits_per_s = (float)((uint64_t)size * 8) / ms;
	return figures;
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

void window_add(struct window *window, np_time now, uint64_t messages, uint64_t bytes)
{
	if (!window->open) {
		window->open = true;
		window->first = now;
		window->last = now;
		window->end = now + window->length;
	}
	if (!window->messages && now > window->first)
		window->before = window->last;
	if (now > window->last)
		window->last = now;
	window->messages += messages;
	window->bytes += bytes;
}

/* @span: the time that its messages took. */
static void close_window(struct window *window, np_time elapsed, np_time span,
			 struct window_row *row)
{
	*row = (struct window_row){
		.end = window->end - window->length + elapsed - window->first,
		.elapsed = elapsed,
		.messages = window->messages,
		.bytes = window->bytes,
		.kilobits_per_s = figures_rate(window->bytes, span).kilobits_per_s,
	};
	window->end += window->length;
	window->messages = 0;
	window->bytes = 0;
}

bool window_take(struct window *window, np_time now, struct window_row *row)
{
	if (!window->open || now < window->end)
		return false;
	close_window(window, window->length, window->length, row);
	return true;
}

bool window_last(struct window *window, struct window_row *row)
{
	const np_time elapsed = window->last - (window->end - window->length);
	np_time span = window->before ? window->last - window->before : elapsed;

	if (!span || span > window->length)
		span = window->length;
	if (!window->open || !window->messages)
		return false;
	window->open = false;
	close_window(window, elapsed, span, row);
	return true;
}

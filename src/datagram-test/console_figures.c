// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_figures: does the original's arithmetic in the original's types. */
#include "console_figures.h"

/* Java counts whole milliseconds. */
static int32_t per_second(float amount, np_time elapsed)
{
	np_time ms = elapsed / NP_MILLISECOND;

	return np_decimal_round(amount / (float)ms * 1000.0f);
}

struct console_rate console_rate(np_time elapsed, uint64_t bytes, uint64_t packets)
{
	if (elapsed < NP_MILLISECOND)
		return (struct console_rate){.known = false};
	return (struct console_rate){
		.known = true,
		.mib_per_s = per_second((float)bytes / CONSOLE_MIB, elapsed),
		.packets_per_s = per_second((float)packets, elapsed),
	};
}

uint64_t console_average(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

char *console_success(const struct np_flow_counts *counts, char out[NP_DECIMAL_TEXT])
{
	float rate = counts->sent ? (float)counts->received / (float)counts->sent : 0.0f;

	return np_decimal_float(rate, out, NP_DECIMAL_TEXT);
}

char *console_ack_ms(const struct flow_acks *acks, char out[NP_DECIMAL_TEXT])
{
	/* Whole nanoseconds, as in Java; -1 without any. */
	uint64_t mean = acks->count ? acks->sum / acks->count : 0;
	double ns = acks->count ? (double)mean : -1;

	return np_decimal_double(ns / 1e6, out, NP_DECIMAL_TEXT);
}

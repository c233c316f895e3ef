// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_figures: the original's arithmetic, in its types. */
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

char *console_success(const struct flow_figures *figures, char out[NP_DECIMAL_TEXT])
{
	float rate = figures->sent ? (float)figures->received / (float)figures->sent : 0.0f;

	return np_decimal_float(rate, out, NP_DECIMAL_TEXT);
}

char *console_ack_ms(const struct flow_figures *figures, char out[NP_DECIMAL_TEXT])
{
	/* Whole nanoseconds, as Java has them; -1 without any. */
	uint64_t mean = figures->acks ? figures->ack_sum / figures->acks : 0;
	double ns = figures->acks ? (double)mean : -1;

	return np_decimal_double(ns / 1e6, out, NP_DECIMAL_TEXT);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* console_figures: figures derived from a flow's counts, rounded and printed as Java does. */
#ifndef DATAGRAM_TEST_CONSOLE_FIGURES_H
#define DATAGRAM_TEST_CONSOLE_FIGURES_H

#include "flow.h"

#include <netperf/units.h>

#define CONSOLE_MIB 1048576

struct console_rate {
	bool known; /* false when no time elapsed */
	int32_t mib_per_s;
	int32_t packets_per_s;
};

struct console_rate console_rate(np_time elapsed, uint64_t bytes, uint64_t packets);

/* Truncated; 0 when @count is. */
uint64_t console_average(uint64_t sum, uint64_t count);

/* received / sent in 32 bits, "0.0" when nothing was sent. */
char *console_success(const struct np_flow_counts *counts, char out[NP_DECIMAL_TEXT]);

/* Mean round trip in ms, including the time that the partner held an ack; "-1.0E-6" without any. */
char *console_ack_ms(const struct flow_acks *acks, char out[NP_DECIMAL_TEXT]);

#endif

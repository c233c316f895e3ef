/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* delay: one-way delays, by the clocks as messages report them. Pure. */
#ifndef TTCP_CONVERSATION_DELAY_H
#define TTCP_CONVERSATION_DELAY_H

#include "../wire/message.h"

#include <netperf/delay.h>

/* Like np_delay_expect, if @clock is known. */
void delay_expect(struct np_delay *delay, const struct message_clock *clock);

/* Subtracts @clock's offset from @raw; false when the offset is unknown or there are no delays. */
bool delay_correct(const struct np_histogram_figures *raw, const struct message_clock *clock,
		   struct np_histogram_figures *corrected);

#endif

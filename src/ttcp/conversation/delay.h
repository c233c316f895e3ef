/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* delay: one-way delays by the clocks as messages tell of them. Pure. */
#ifndef TTCP_CONVERSATION_DELAY_H
#define TTCP_CONVERSATION_DELAY_H

#include "../wire/message.h"

#include <netperf/delay.h>

/* As np_delay_expect, when @clock is known. */
void delay_expect(struct np_delay *delay, const struct message_clock *clock);

/* @raw with @clock's offset taken off; false when it is not known or there are none. */
bool delay_correct(const struct np_histogram_figures *raw, const struct message_clock *clock,
		   struct np_histogram_figures *corrected);

#endif

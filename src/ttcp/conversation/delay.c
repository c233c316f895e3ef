// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* delay: corrects delays by the offset of the clocks, as a message reports it. */
#include "delay.h"

void delay_expect(struct np_delay *delay, const struct message_clock *clock)
{
	if (clock->known)
		np_delay_expect(delay, clock->offset, clock->bound);
}

bool delay_correct(const struct np_histogram_figures *raw, const struct message_clock *clock,
		   struct np_histogram_figures *corrected)
{
	if (!raw->count || !clock->known)
		return false;
	np_delay_correct(raw, clock->offset, corrected);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * delay: one-way delays received - sent by two clocks that are a constant apart. They are kept raw;
 * who learns the clocks' offset later takes it off any of the figures. Pure; one thread at a time.
 */
#ifndef TTCP_CONVERSATION_DELAY_H
#define TTCP_CONVERSATION_DELAY_H

#include "../wire/message.h"

#include <netperf/histogram.h>

struct delay {
	uint64_t count;
	__int128 sum; /* exact, ns */
	int64_t min, max;
	bool based;
	int64_t base; /* the histogram has raw - base: small numbers, hence fine ones */
	struct np_histogram *histogram;
};

/* Returns 0 or -ENOMEM. */
int delay_create(struct delay *delay);
void delay_free(struct delay *delay);

/* Forgets all. */
void delay_clear(struct delay *delay);

/*
 * Before the first one: raw delays will be @clock's offset and a little more. Without it, or when
 * it is not known, the first delay sets the base. Delays below the base are in no percentile but
 * as it.
 */
void delay_expect(struct delay *delay, const struct message_clock *clock);

/* @raw was that of @times messages. Hot. */
void delay_add(struct delay *delay, int64_t raw, uint64_t times);

/* Adds @from's. Where the bases differ percentiles lose the fourth digit, never the third. */
void delay_merge(struct delay *into, const struct delay *from);

/* Raw figures. Percentiles have three digits counted from the base. */
void delay_figures(const struct delay *delay, struct np_histogram_figures *figures);

/* The same with @clock's offset taken off; false when it is not known or there are none. */
bool delay_correct(const struct np_histogram_figures *raw, const struct message_clock *clock,
		   struct np_histogram_figures *corrected);

#endif

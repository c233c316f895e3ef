/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* flow: the state that flow.c updates and flow_counts.c reads. */
#ifndef FLOW_H
#define FLOW_H

#include <netperf/flow.h>

/* Sums since the start; those of "now" are their difference to the sums at the mark. */
struct flow_sums {
	uint64_t received;
	uint64_t bytes;
	uint64_t damaged;
	uint64_t stray; /* beside those that the sequence found */
	uint64_t unnumbered;
};

struct np_flow {
	/* The fields that an arrival in order touches. */
	struct np_sequence *sequence;
	uint64_t limit; /* numbers from here on are stray */
	struct flow_sums life;
	uint64_t head_bytes; /* arrived at @first */
	np_time first, last;
	struct np_flow_spread spread;
	struct np_delay *delay; /* NULL: none are kept */
	struct np_offset clock;
	np_time delay_bound;

	struct np_flow_plan plan;
	uint64_t end; /* as the sender reported */
	uint64_t unsent;
	bool ended;
	bool contradicted; /* more had arrived than the end allows */
	bool marked;
	np_time mark_time;
	struct flow_sums mark;
	uint64_t behind_bytes; /* since the mark, of numbers from before it: not part of "now" */
};

#endif

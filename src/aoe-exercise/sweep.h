/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sweep: which window sizes a run tries, and which of them is the knee. Pure. */
#ifndef AOE_EXERCISE_SWEEP_H
#define AOE_EXERCISE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WINDOW_MAX	4096
#define SWEEP_STEPS_MAX 512

struct sweep {
	unsigned from;
	unsigned to;
	unsigned step;	/* 0: double */
	bool automatic; /* stop when larger windows gain nothing */
};

/* What one step measured. */
struct sweep_step {
	unsigned window;
	double rate_bytes_per_s;
	uint64_t lost;
	bool held_back; /* by --rate */
};

/*
 * Reads "25", "1:64", "5:50:5" or "auto". Returns 0, or -EINVAL when it is none of these, a size
 * is not 1..WINDOW_MAX, or there are more than SWEEP_STEPS_MAX steps.
 */
int sweep_parse(struct sweep *sweep, const char *text);

/* Limits the windows to @most, at least 1; true when that changes the steps. */
bool sweep_bound(struct sweep *sweep, uint64_t most);

/* True when there is more than one step: each of them is reported. */
bool sweep_is_several(const struct sweep *sweep);

/* The window size of the step after @done[0..count-1], or 0 when the sweep is over. */
unsigned sweep_next(const struct sweep *sweep, const struct sweep_step *done, size_t count);

/* Stands for a knee when the sweep was interrupted. */
#define SWEEP_CUT_SHORT (-2)
/* When --rate held some steps back. */
#define SWEEP_HELD_BACK (-3)

/*
 * The knee: the smallest window without loss whose rate is within 3 % of the best. Returns its
 * index, or -1 when every step lost packets.
 */
int sweep_knee(const struct sweep_step *done, size_t count);

#endif

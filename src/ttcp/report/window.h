/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * window: the bandwidth of consecutive windows of one length, from the first message on. Pure.
 * Before each window_add the caller takes all windows that have ended:
 * 	while (window_take(&window, now, &row))
 * 		...
 */
#ifndef TTCP_REPORT_WINDOW_H
#define TTCP_REPORT_WINDOW_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

struct window {
	np_time length;
	bool open;	/* a message arrived */
	np_time first;	/* the first message */
	np_time end;	/* of the current window */
	np_time last;	/* the last message */
	np_time before; /* the last message before this window; 0: none */
	uint64_t messages, bytes;
};

/* A window that has ended. */
struct window_row {
	np_time end;	 /* since the first message */
	np_time elapsed; /* its length; shorter for the last one */
	uint64_t messages, bytes;
	/* bytes * 8 / elapsed ms; for the last window, see window_last. */
	float kilobits_per_s;
};

/* @length: at least 1 ms. */
void window_start(struct window *window, np_time length);

void window_add(struct window *window, np_time now, uint64_t messages, uint64_t bytes);

/* Takes the oldest window that ended at or before @now, even an empty one; false: there is none. */
bool window_take(struct window *window, np_time now, struct window_row *row);

/*
 * Takes the current window after the last message, at which it ends; false when nothing is left.
 * Take those that ended first. Its rate is over the time since the last message before the window,
 * at most a window's length: otherwise a message right after the start of the window would have an
 * arbitrary rate.
 */
bool window_last(struct window *window, struct window_row *row);

#endif

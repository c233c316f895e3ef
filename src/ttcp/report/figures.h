/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * figures: the numbers of the console text as HyperCast's ttcp computes them: milliseconds, 1000
 * bytes per KB, and 32-bit floating point, to the last digit. Whole milliseconds from 10 ms on,
 * with fractions below. Pure.
 */
#pragma once

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shorter runs show fractions of a millisecond, and a warning that they do not mean much. */
#define FIGURES_SHORT (10 * NP_MILLISECOND)
#define FIGURES_MEANT (100 * NP_MILLISECOND)
#define FIGURES_TEXT  64

struct figures_rate {
	double ms;	       /* whole from 10 on; 1 when no time passed */
	float kilobytes_per_s; /* 1000 bytes */
	float kilobits_per_s;  /* 1000 bits */
};

struct figures_rate figures_rate(uint64_t bytes, np_time elapsed);

/* @sum / @count in ms; 0 when @count is. */
float figures_mean_ms(__int128 sum, uint64_t count);

/*
 * A row of a delay file. From 10 ms on in whole milliseconds as in Java: each time rounded down,
 * their difference, and half of that rounded down. Below, to the nanosecond.
 */
struct figures_delay {
	bool whole;
	int64_t rtt, delay;   /* ms when @whole, else ns */
	float kilobits_per_s; /* size * 8 / delay; infinite when that is 0 */
};
struct figures_delay figures_delay(uint32_t size, np_time sent, np_time acked);

/* Return @out, of FIGURES_TEXT bytes. Plain decimals, or "Infinity". */
char *figures_print_float(float value, char *out);		    /* "16912.516" */
char *figures_print_ms(const struct figures_rate *rate, char *out); /* "31", "3.412345" */

/*
 * Write a whole number, and @t in ms, exactly, without trailing zeros: "0", "31", "-3.412345", in
 * some tens of nanoseconds. Return its end, where no 0 is written.
 */
char *figures_put_count(uint64_t number, char *out);
char *figures_put_ms(np_time t, char *out);

/*
 * window: the bandwidth of consecutive windows of one length, from the first message on. Before
 * each window_add the caller takes all windows that have ended:
 *	while (window_take(&window, now, &row))
 *		...
 */
struct window {
	np_time length; /* at least 1 ms; a window starts with this alone */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * figures: the numbers of the console text as HyperCast's ttcp computes them: milliseconds, 1000
 * bytes per KB, and 32-bit floating point, to the last digit. Whole milliseconds from 10 ms on,
 * with fractions below. Pure.
 */
#pragma once

#include <netperf/clock.h>
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

/* Return @out, of FIGURES_TEXT bytes. Plain decimals, or "Infinity". */
char *figures_print_float(float value, char *out);		    /* "16912.516" */
char *figures_print_ms(const struct figures_rate *rate, char *out); /* "31", "3.412345" */

/*
 * Write a whole number, and @t in ms, exactly, without trailing zeros: "0", "31", "-3.412345", in
 * some tens of nanoseconds. Return its end, where no 0 is written.
 */
char *figures_put_count(uint64_t number, char *out);
char *figures_put_ms(np_time t, char *out);

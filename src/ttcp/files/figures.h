/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * figures: the numbers of the console text as HyperCast's ttcp computes them: milliseconds, 1000
 * bytes a KB, and 32-bit floating point, to the last digit. Whole milliseconds from 10 ms on, with
 * fractions below. Pure.
 */
#ifndef TTCP_FILES_FIGURES_H
#define TTCP_FILES_FIGURES_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs shorter than these show fractions of a millisecond, and are said not to mean much. */
#define FIGURES_SHORT (10 * NP_MILLISECOND)
#define FIGURES_MEANT (100 * NP_MILLISECOND)
#define FIGURES_TEXT  64

struct figures_rate {
	double ms;	       /* whole from 10 on; 1 when no time passed */
	float kilobytes_per_s; /* 1000 bytes */
	float kilobits_per_s;  /* 1000 bits */
};

struct figures_rate figures_rate(uint64_t bytes, np_time elapsed);
bool figures_too_short(np_time elapsed);

/* @sum / @count in ms; 0 without any. */
float figures_mean_ms(__int128 sum, uint64_t count);

/* @lost of @sent in percent, as a double; 0 of none. */
double figures_lost_percent(uint64_t lost, uint64_t sent);

/*
 * A row of a delay file. From 10 ms on whole milliseconds as in Java: each time cut, their
 * difference, its half cut. Below, to the nanosecond.
 */
struct figures_delay {
	bool whole;
	int64_t rtt, delay;   /* ms when @whole, else ns */
	float kilobits_per_s; /* size * 8 / delay; infinite when that is 0 */
};
struct figures_delay figures_delay(uint32_t size, np_time sent, np_time acked);

/* Return @out of FIGURES_TEXT bytes. Plain decimals, "Infinity". */
char *figures_print_float(float value, char *out);		    /* "16912.516" */
char *figures_print_double(double value, char *out);		    /* "71.77734375" */
char *figures_print_ms(const struct figures_rate *rate, char *out); /* "31", "3.412345" */

/* @t in ms, exactly, no more decimals than needed: "0", "31", "-3.412345". */
char *figures_print_exact_ms(np_time t, char *out);

#endif

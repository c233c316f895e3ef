/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stops: which of several stop signals is another wish of the user, and which an echo of the first.
 */
#ifndef STOPS_H
#define STOPS_H

#include <netperf/clock.h>
#include <stdbool.h>

/*
 * timeout(1) signals its child and then its group, a terminal and a supervisor both signal: what
 * comes this soon after the first, nobody means.
 */
#define STOPS_ECHO (200 * NP_MILLISECOND)

/* Begins as zeros. One thread. */
struct stops {
	unsigned counted;
	np_time first; /* when it was taken */
};

/*
 * Takes a stop signal at @now that did not come before @earliest. Returns whether it counts: the
 * first does, and each that surely came STOPS_ECHO after it.
 */
bool stops_count(struct stops *stops, np_time earliest, np_time now);

/* Whether what waits at @earliest or later can only be another wish, not an echo. */
bool stops_settled(const struct stops *stops, np_time earliest);

#endif

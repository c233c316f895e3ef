/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stamps: the kernel's wall-clock stamps on what arrived, as monotonic time. */
#ifndef STAMPS_H
#define STAMPS_H

#include <netperf/clock.h>

struct stamps {
	const char **source;	   /* of the owner: "kernel", or "user" after a step */
	struct np_clock_pair pair; /* turns the stamps of this batch */
	np_time now;		   /* when this batch was taken */
	bool stepped;		   /* once the wall clock was stepped: user stamps to the end */
};

/* Begins, and says "kernel" in *@source, which stays the owner's. */
void stamps_start(struct stamps *stamps, const char **source);

/*
 * Before the stamps of a batch are turned: reads both clocks, pairs them anew when they went apart
 * by more than a microsecond; a step of the wall clock changes the source to "user".
 */
void stamps_batch(struct stamps *stamps);

/* The monotonic time of what the kernel stamped @realtime; never later than the batch. */
np_time stamps_turn(const struct stamps *stamps, np_time realtime);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stamps: converts the kernel's wall-clock stamps to monotonic time. */
#pragma once

#include <netperf/clock.h>

struct stamps {
	const char **source;	   /* owned by the caller: "kernel", or "user" after a step */
	struct np_clock_pair pair; /* converts the stamps of this batch */
	np_time now;		   /* when this batch was received */
	bool stepped;		   /* the wall clock was stepped: user stamps from then on */
};

/* Starts, and sets *@source, which the caller owns, to "kernel". */
void stamps_start(struct stamps *stamps, const char **source);

/*
 * Called before the stamps of a batch are converted: reads both clocks and pairs them again if they
 * have drifted apart by more than a microsecond; a step of the wall clock changes the source to
 * "user".
 */
void stamps_batch(struct stamps *stamps);

/* Converts the kernel's stamp @realtime to monotonic time; never later than the batch. */
np_time stamps_convert(const struct stamps *stamps, np_time realtime);

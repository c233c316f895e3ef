/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* launch_pmix: what a launcher provides by PMIx: place in the run, and one text from rank 0. */
#pragma once

#include <netperf/clock.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the text that rank 0 publishes, with its end. */
#define LAUNCH_TEXT_MAX 256

struct launch_place {
	uint32_t rank, size;
	void *state; /* of launch_pmix.c */
};

/* All NULL in a build without libpmix. publish, lookup and end are not called in a run of one rank.
 */
struct launch_pmix {
	/* The rank by the environment alone. Returns 0 or -ENOENT. */
	int (*expect)(uint32_t *rank);
	/*
	 * Returns 0, -ENOENT (not started by such a launcher), -ETIME (it had not answered by
	 * @deadline), or another -errno. After a call of those below that took too long all do
	 * nothing, and return -ETIME.
	 */
	int (*open)(struct launch_place *place, np_time deadline);
	/* Rank 0: makes @text known to the others. Returns 0 or -EIO. */
	int (*publish)(struct launch_place *place, const char *text);
	/* Asks once, for up to a second, for that text. Returns 0, -EAGAIN or -EIO. */
	int (*lookup)(struct launch_place *place, char text[LAUNCH_TEXT_MAX]);
	/*
	 * All have found rank 0: leaves the launcher, so that it takes no notice of a rank that
	 * dies later (Slurm's PMIx server would kill the others).
	 */
	void (*leave)(struct launch_place *place);
	/* Asks the launcher to end the processes of these ranks. */
	void (*end)(struct launch_place *place, const uint32_t *ranks, size_t count);
	void (*close)(struct launch_place *place);
};

extern const struct launch_pmix launch_pmix;

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_trials: what happens to the overlays of a simulation, and how soon each is right again.
 */
#pragma once

#include "overlay_network.h"

#define TRIAL_PARTS 3 /* of the packets that are lost: 1 %, 10 %, 30 % */
extern const double trial_loss[TRIAL_PARTS];

/* One thing that happens; it must be over within so many beats of the protocol. */
struct trial {
	const char *name;
	unsigned beats;
	np_time worst; /* how long it has taken at most */
};

/* Waits until all is right on each of @sides; ends the program if that takes too long. */
void trial_settle(struct network *network, struct trial *trial, np_time beat, unsigned sides);

/* A living station, drawn from those with the number @first and higher. */
struct station *trial_station(struct network *network, unsigned first);

/* The time between two joins of @count that all join within about half a second. */
void trial_pause(struct network *network, unsigned count);

/* Draws a quarter of the stations, perhaps one twice, for @how; @spared, or NULL, stays. */
void trial_lose(struct network *network, const struct station *spared,
		void (*how)(struct station *));

/* All stations are on one side again. */
void trial_heal(struct network *network);

/* What is drawn for a seed, and what can happen in it. */
struct trials {
	void (*simulate)(uint64_t seed, unsigned nodes);
	const struct trial *trial;
	unsigned count;
	const char *beat; /* what the limits are counted in */
};

/*
 * The main of such a test. By itself: 60 overlays, mostly small ones, in which a mistake shows
 * soonest, with CHAOS_RUNS=N in the environment 20 * N, and with LONG=true one of 1000 nodes.
 * "FIRST-SEED [RUNS [NODES]]": those, as often as a seed has to be seen again. Prints how long each
 * trial took at most. Returns the exit status.
 */
int trials_main(int argc, char **argv, const struct trials *trials);

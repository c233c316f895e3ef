/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* lanes: the threads that send, each one lane of the member, taking turns with all others. */
#ifndef GROUP_TEST_LANES_H
#define GROUP_TEST_LANES_H

#include "member.h"
#include "turn.h"

/* Most messages that a lane sends in one turn, so that others get theirs. */
#define LANES_BURST 64

struct lanes;

struct lanes_plan {
	struct member *member;
	struct turn *turn;
	unsigned count;	 /* 1..LANES_MAX */
	bool busy_sleep; /* look at the clock until a message is due */
	int wake;	 /* eventfd: the receiving thread sleeps longer than the member likes */
};

/* Starts the threads. Returns 0 or -errno; then none runs. */
int lanes_start(struct lanes **lanes, const struct lanes_plan *plan);

/* After turn.over and a pass: waits for the threads and frees. NULL is allowed. */
void lanes_join(struct lanes *lanes);

#endif

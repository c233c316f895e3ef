/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sender_threads: the threads that send, each one lane of the member, taking turns with all others.
 */
#ifndef GROUP_TEST_SENDER_THREADS_H
#define GROUP_TEST_SENDER_THREADS_H

#include "member/member.h"
#include "ticket_lock.h"

/* Most messages that a lane sends in one turn, so that others get theirs. */
#define LANES_BURST 64

struct sender_threads;

struct sender_threads_plan {
	struct member *member;
	struct ticket_lock *ticket_lock;
	unsigned count;	 /* 1..LANES_MAX */
	bool busy_sleep; /* look at the clock until a message is due */
	int wake;	 /* eventfd: the receiving thread sleeps longer than the member likes */
};

/* Starts the threads. Returns 0 or -errno; then none runs. */
int sender_threads_start(struct sender_threads **lanes, const struct sender_threads_plan *plan);

/* After turn.over and a pass: waits for the threads and frees. NULL is allowed. */
void sender_threads_join(struct sender_threads *lanes);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * sender_threads: the threads that send, each one lane of the member, under the lock that all
 * share.
 */
#ifndef GROUP_TEST_SENDER_THREADS_H
#define GROUP_TEST_SENDER_THREADS_H

#include "member/member.h"
#include "ticket_lock.h"

/* The most messages that a lane sends before it passes the lock on. */
#define LANES_BURST 64

struct sender_threads;

struct sender_threads_plan {
	struct member *member;
	struct ticket_lock *ticket_lock;
	unsigned count;	 /* 1..LANES_MAX */
	bool busy_sleep; /* poll the clock until a message is due */
	int wake;	 /* eventfd: the receiving thread sleeps longer than the member allows */
};

/* Starts the threads. Returns 0, or -errno with none running. */
int sender_threads_start(struct sender_threads **lanes, const struct sender_threads_plan *plan);

/*
 * Call it after ticket_lock.over was set and the lock passed: waits for the threads and frees. NULL
 * is allowed.
 */
void sender_threads_join(struct sender_threads *lanes);

#endif

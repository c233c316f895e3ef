/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * run: the loop from joining to leaving: runs the transport, ticks the member, sends unless sender
 * threads do, and sleeps until there is something to do.
 */
#ifndef GROUP_TEST_RUN_H
#define GROUP_TEST_RUN_H

#include "report/events.h"
#include "sender_threads.h"

#include <netperf/signals.h>

struct run {
	const struct options *options;
	const struct np_log *log;
	struct transport *transport;
	struct member *member;
	struct events *events;
	struct np_signals *signals;
	struct ticket_lock ticket_lock;
	struct sender_threads *lanes; /* NULL: this thread sends */
	int wake;		      /* eventfd of the sender threads */
	unsigned interrupts;
	/* With --mesh: the members; messages of others are counted, but not delivered. */
	const struct identity *known;
	np_time *heard; /* the latest message of each */
	unsigned known_count, known_hint;
	uint64_t strangers;
	bool wind_up;  /* the member is to end its run, as after a first signal with --mesh */
	np_time leave; /* when it leaves, even if it waits for others; 0: it need not */
};

/* For transport_open; @context is the run, whose member may still be NULL. */
void run_deliver(void *context, const struct transport_delivery *delivery);
void run_event(void *context, const struct transport_event *event);

/*
 * Runs until the member has sent its last message and it has been transmitted. Returns 0 or -errno
 * of the transport.
 */
int run_until_finished(struct run *run);

#endif

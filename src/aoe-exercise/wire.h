/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* wire: the link to the targets, with what is sent and received copied to the capture file. */
#ifndef AOE_EXERCISE_WIRE_H
#define AOE_EXERCISE_WIRE_H

#include <netperf/capture.h>
#include <netperf/link.h>
#include <netperf/log.h>
#include <netperf/signals.h>

/* Most frames in one batch. */
#define WIRE_BATCH 64

struct wire {
	struct np_link *link;
	struct np_capture *capture; /* NULL: none */
	struct np_signals *signals; /* wakes wire_wait */
	unsigned pending;	    /* NP_SIGNALS_ bits seen so far */
};

struct wire_options {
	const char *interface;
	const char *variant;
	const char *capture;
	int shelf; /* answers from this address only; -1: from all */
	int slot;
	unsigned window; /* largest of the run: what the receive buffer must hold */
};

/*
 * Opens signals, link and capture. Returns 0, or the exit status after a message. Needs
 * CAP_NET_RAW; nothing privileged is opened later.
 */
int wire_open(struct wire *wire, const struct wire_options *options, const struct np_log *log);

/*
 * What the capture file had is lost by its first frame, and when the run has begun. Returns 0 or
 * -errno of a failed write to it.
 */
int wire_close(struct wire *wire, bool begun);

/* As np_link_send and np_link_receive. */
int wire_send(struct wire *wire, struct np_frame *frames, unsigned count);
int wire_receive(struct wire *wire, struct np_frame *frames, unsigned count);

/* Whether nothing more waits in the link, when @received frames came of WIRE_BATCH asked for. */
bool wire_drained(const struct wire *wire, int received);

/* How long a frame may be here before wire_receive has it, in ns. */
np_time wire_holds(const struct wire *wire);

/* Whether arrivals are stamped by the kernel, even while this process does not run. */
bool wire_stamps_by_kernel(const struct wire *wire);

/* As np_link_wait; also returns 0 when a signal came, which is in @pending then. */
int wire_wait(struct wire *wire, np_time deadline);

/* Looks for signals: returns true when one asks to stop. */
bool wire_stopped(struct wire *wire);

#endif

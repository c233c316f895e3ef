/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* channel: the link to the targets, with what is sent and received copied to the capture file. */
#ifndef AOE_EXERCISE_CHANNEL_H
#define AOE_EXERCISE_CHANNEL_H

#include "tags.h"

#include <netperf/capture.h>
#include <netperf/link.h>
#include <netperf/log.h>
#include <netperf/signals.h>

/* Most frames in one batch. */
#define CHANNEL_BATCH 64

struct channel {
	struct np_link *link;
	struct np_capture *capture; /* NULL: none */
	struct np_signals *signals; /* wakes channel_wait */
	struct tags tags;	    /* of this run */
	unsigned pending;	    /* NP_SIGNALS_ bits that were raised so far */
	uint64_t sent;		    /* frames that this host has accepted so far */
};

struct channel_options {
	const char *interface;
	const char *variant;
	const char *capture;
	int shelf; /* answers from this address only; -1: from any */
	int slot;
	unsigned window; /* the largest of the run, by which the receive buffer is sized */
};

/*
 * Opens signals, link and capture. Returns 0, or the exit status after a message. Needs
 * CAP_NET_RAW; nothing privileged is opened later.
 */
int channel_open(struct channel *channel, const struct channel_options *options,
		 const struct np_log *log);

/*
 * Closes all. The first frame written replaces the old content of the capture file; @begun: a run
 * that began replaces it in any case. Returns 0 or -errno of a failed write to it.
 */
int channel_close(struct channel *channel, bool begun);

/* Like np_link_send and np_link_receive. */
int channel_send(struct channel *channel, struct np_frame *frames, unsigned count);
int channel_receive(struct channel *channel, struct np_frame *frames, unsigned count);

/* Whether the link holds no more frames, after a receive of CHANNEL_BATCH returned @received. */
bool channel_drained(const struct channel *channel, int received);

/* The longest time, in ns, that the link may hold a frame back before channel_receive returns it.
 */
np_time channel_holds(const struct channel *channel);

/* Whether the kernel stamps arrivals, even while this process does not run. */
bool channel_stamps_by_kernel(const struct channel *channel);

/* Like np_link_wait; also returns 0 when a signal came, which @pending then shows. */
int channel_wait(struct channel *channel, np_time deadline);

/* Reads signals; returns true when one asks to stop. */
bool channel_stopped(struct channel *channel);

#endif

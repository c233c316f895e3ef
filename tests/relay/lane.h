/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * lane: one direction of the relay: receives frames, judges them, perhaps keeps them, and sends
 * them.
 */
#pragma once

#include "log_file.h"

#define LANE_BATCH 64

/* The settings for the whole run. */
struct lane_setting {
	struct plan plan;
	unsigned number_at, number_bytes; /* of the application's number in the payload */
	np_time hold_limit;
	unsigned delay_slots;
	size_t frame_max; /* without FCS, as the MTU allows */
};

struct lane_counts {
	uint64_t frames; /* received */
	uint64_t others; /* of those: not UDP, passed on unchanged */
	uint64_t others_forwarded;
	uint64_t others_refused;
	uint64_t retries;    /* the out link was full */
	uint64_t oversize;   /* longer than the MTU: segmentation offload is on */
	uint64_t unfinished; /* wrong checksum on arrival: checksum offload is on */
	uint64_t untracked;  /* of too many flows: passed on without faults */
	uint64_t no_room;    /* should have waited, but the delay queue was full */
};

struct lane {
	const struct lane_setting *setting;
	struct np_link *in, *out;
	struct log_file *log_file;
	unsigned *next_flow;
	struct delay_queue *delay_queue;
	struct flows flows;
	struct lane_counts counts;
	unsigned queued;
	struct item queue[LANE_BATCH];
};

/* The links, the log file and *@next_flow are the caller's. Returns 0 or -ENOMEM. */
int lane_create(struct lane *lane, const struct lane_setting *setting);
void lane_clear(struct lane *lane);

/* Receives one batch and sends what is due; returns the frames received, or -errno (-ENETDOWN). */
int lane_turn(struct lane *lane, np_time now);

/* When there is something to do even if no frame arrives. */
np_time lane_next(const struct lane *lane);

/* At the end: counts what still waits as left. */
void lane_leave(struct lane *lane);

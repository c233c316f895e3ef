/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* requests: builds the frames of a run, chooses their place and moment, and sends them. */
#ifndef AOE_EXERCISE_REQUESTS_H
#define AOE_EXERCISE_REQUESTS_H

#include "exchange.h"

/*
 * What is sent next in one exchange, which owns it: new requests in the order of @cursor, as fast
 * as @pacer says, and lost ones again before them. The exchange reads both, and sets @waits.
 */
struct requests {
	struct channel *channel;
	struct window *window;
	struct np_aoe_header header;
	bool write;
	bool extended; /* LBA48 commands */
	unsigned retransmit;
	uint64_t left; /* new requests still to be made */
	bool stopped;
	struct np_cursor cursor;
	struct np_pacer pacer;
	struct np_pattern pattern;
	struct {
		struct window_request *item;
		unsigned room;
		unsigned first;
		unsigned count;
	} again;	/* lost ones to be sent again; never more than the window holds */
	bool held;	/* the place of the next one is not free yet */
	bool waits;	/* until questions are answered: none is sent */
	unsigned ready; /* prepared but not sent: they have places and frames */
	struct window_request request[CHANNEL_BATCH];
	struct np_frame frame[CHANNEL_BATCH];
	uint8_t *memory; /* of the frames */
	size_t frame_bytes;
};

/*
 * Uses the plan's packet count, rate, region and operation. The pacer's schedule is not started.
 * Returns 0 or -ENOMEM; requests_free in any case.
 */
int requests_create(struct requests *requests, struct channel *channel,
		    const struct exchange_plan *plan, struct window *window);
void requests_free(struct requests *requests);

/* The order in which the options visit the region. */
struct np_cursor requests_cursor(const struct options *options, const struct target *target);

/* The test data that the options ask for. */
struct np_pattern requests_pattern(const struct options *options);

/* Prepares as many frames as count, window, pacer and batch allow at @now; returns how many. */
unsigned requests_prepare(struct requests *requests, np_time now);

/*
 * Sends the @count frames that requests_prepare prepared and records them in the window; adds to
 * *@retransmitted. Returns how many the link took (the rest stay for the next call), or -errno.
 */
int requests_send(struct requests *requests, unsigned count, uint64_t *retransmitted);

/*
 * Queues a lost request to be sent again; false when it was sent often enough or the run is ending.
 */
bool requests_again(struct requests *requests, const struct window_request *request);

/*
 * Makes no new requests from now on, and repeats none. Returns how many queued repeats are given
 * up.
 */
unsigned requests_stop(struct requests *requests);

/* True when there is nothing left to send. */
bool requests_done(const struct requests *requests);

/* When the pacer lets the next one go; NP_TIME_NEVER when window, place or count prevents it. */
np_time requests_next(const struct requests *requests);

#endif

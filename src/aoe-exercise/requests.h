/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* requests: builds the frames of a run, chooses their place and moment, and sends them. */
#ifndef AOE_EXERCISE_REQUESTS_H
#define AOE_EXERCISE_REQUESTS_H

#include "exchange.h"
#include "window.h"

struct requests;

/* Uses the plan's packet count, rate, region and operation. Returns 0 or -ENOMEM. */
int requests_create(struct requests **requests, struct channel *channel,
		    const struct exchange_plan *plan, struct window *window);

/* NULL is allowed. */
void requests_free(struct requests *requests);

/* The order in which the options visit the region. */
struct np_cursor requests_cursor(const struct options *options, const struct target *target);

/* The test data that the options ask for. */
struct np_pattern requests_pattern(const struct options *options);

/* Starts the pacer's schedule. */
void requests_start(struct requests *requests, np_time now);

/* While @waits is true, no request is sent. */
void requests_hold(struct requests *requests, bool waits);

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

/* The pacer's moment for the next one, whether or not anything else prevents it. */
np_time requests_due(const struct requests *requests);

uint64_t requests_passes(const struct requests *requests);
np_time requests_worst_behind(const struct requests *requests);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * window: the requests in flight, and the class of each answer: the first to its request, a late
 * one, a duplicate, or a stray one. Pure: it has no socket, and the clock is an argument.
 *
 * Requests are numbered from 0; a tag has the bits of the run and the number, counted from a base.
 * At all times issued = received + late + lost + outstanding.
 */
#ifndef AOE_EXERCISE_WINDOW_H
#define AOE_EXERCISE_WINDOW_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

struct window;

struct window_request {
	uint64_t lba;
	uint8_t sectors;
	uint8_t attempt;  /* 0: sent for the first time */
	np_time intended; /* when the pacer meant to send it */
	np_time sent;	  /* the earliest moment that it was sent, ns of np_clock_now */
	np_time gone;	  /* the latest: >= sent; much later when this host delayed the process in
			     between */
};

enum window_answer {
	WINDOW_RECEIVED,  /* the first answer, in time */
	WINDOW_LATE,	  /* the first answer, after the time-out */
	WINDOW_DUPLICATE, /* another answer to an answered request */
	WINDOW_STRAY,	  /* answers no request of ours, or one older than the history */
};

/*
 * Holds @size requests, 1..4096, each lost after @timeout; tags begin at @base (see tags.h). It
 * remembers the outcome of the last 2^16 requests, or of more. Returns 0 or -ENOMEM.
 */
int window_create(struct window **window, unsigned size, np_time timeout, uint32_t base);

/* NULL is allowed. */
void window_free(struct window *window);

/* How many requests may be issued now. */
unsigned window_room(const struct window *window);

/* The tag of the request to be issued after @ahead others. */
uint32_t window_tag(const struct window *window, unsigned ahead);

/*
 * Claims the place @lba for a request to come, until that is answered or lost. False while another
 * request has it: no two requests are in flight on one place.
 */
bool window_claim(struct window *window, uint64_t lba);

/* Records that @request was sent with window_tag(window, 0). There must be room. */
void window_issue(struct window *window, const struct window_request *request);

/*
 * Classifies an answer with @tag without recording it. For WINDOW_RECEIVED fills in *@request, so
 * that the caller can check whether the answer fits it.
 */
enum window_answer window_classify(const struct window *window, uint32_t tag,
				   struct window_request *request);

/* Records the answer to @tag that window_classify classified as RECEIVED or LATE. */
void window_settle(struct window *window, uint32_t tag);

/*
 * Removes one request that has timed out at @now and counts it as lost; false when there is none.
 */
bool window_expire(struct window *window, np_time now, struct window_request *request);

/* When the next request times out; NP_TIME_NEVER when none is outstanding. */
np_time window_deadline(const struct window *window);

unsigned window_outstanding(const struct window *window);

#endif

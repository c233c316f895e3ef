/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * window: the requests in flight, and what each answer is: the first to its request, a late one,
 * a duplicate, or a stray. Pure: no socket in it, the clock is an argument.
 *
 * Requests are numbered from 0; the tag on the wire is the user bit and the number, counted from
 * a base. At all times: issued = received + late + lost + outstanding.
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
	np_time intended; /* when the pacer meant it to be sent */
	np_time sent;	  /* not before, ns of np_clock_now */
	np_time gone;	  /* not after: >= sent; far later when the host held us up in between */
};

enum window_answer {
	WINDOW_RECEIVED,  /* the first answer, in time */
	WINDOW_LATE,	  /* the first answer, after the time-out */
	WINDOW_DUPLICATE, /* another answer to an answered request */
	WINDOW_STRAY,	  /* to no request of ours, or to one older than the history */
};

/*
 * For @size requests at a time, 1..4096, lost after @timeout, tags from @base on. It remembers
 * the fate of the last window_history() requests. Returns 0 or -ENOMEM.
 */
int window_create(struct window **window, unsigned size, np_time timeout, uint32_t base);

/* NULL is allowed. */
void window_free(struct window *window);

/* How many requests may be issued now. */
unsigned window_room(const struct window *window);

/* The tag that the request issued after @ahead more ones will have. */
uint32_t window_tag(const struct window *window, unsigned ahead);

/*
 * Takes the place of a request to come, until that is answered or lost; false while another one
 * has it: no two requests are in flight on one place.
 */
bool window_claim(struct window *window, uint64_t lba);

/* Notes that @request was sent with window_tag(window, 0). There must be room. */
void window_issue(struct window *window, const struct window_request *request);

/*
 * What @tag's first or repeated answer would be; nothing is noted yet. For WINDOW_RECEIVED
 * *@request is filled in, so that the caller can look whether the answer fits it.
 */
enum window_answer window_look(const struct window *window, uint32_t tag,
			       struct window_request *request);

/* Notes the answer to @tag that window_look called RECEIVED or LATE. */
void window_settle(struct window *window, uint32_t tag);

/* Takes one request whose time-out is over at @now; false when there is none. It counts as lost. */
bool window_expire(struct window *window, np_time now, struct window_request *request);

/* When the next request times out; NP_TIME_NEVER when none is outstanding. */
np_time window_deadline(const struct window *window);

unsigned window_outstanding(const struct window *window);
uint64_t window_history(const struct window *window);

#endif

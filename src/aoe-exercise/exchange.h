/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * exchange: the measured run: sends requests as the window allows, takes the answers, counts both.
 */
#pragma once

#include "session.h"

/*
 * window: the requests in flight, and the class of each answer: the first to its request, a late
 * one, a duplicate, or a stray one. Pure: it has no socket, and the clock is an argument.
 *
 * Requests are numbered from 0; a tag has the bits of the run and the number, counted from a base.
 * At all times issued = received + late + lost + outstanding.
 */
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

/* What is sent next: new requests in the order of @cursor, and lost ones again before them. */
struct requests {
	struct np_aoe_header header;
	uint64_t left; /* new requests still to be made */
	bool stopped;
	struct np_cursor cursor;
	struct np_pacer pacer;
	struct {
		struct window_request *item;
		unsigned first;
		unsigned count;
	} again;	/* lost ones to be sent again; never more than the window holds */
	bool held;	/* the place of the next one is not free yet */
	bool refused;	/* by this host, the last time */
	unsigned ready; /* prepared but not sent: they have places and frames */
	struct window_request request[CHANNEL_BATCH];
	struct np_frame frame[CHANNEL_BATCH];
	uint8_t *memory; /* of the frames */
	size_t frame_bytes;
};

/* How long the target has been asked without an answer. */
struct silence {
	np_time asked; /* how long something was asked since @heard */
	np_time at;    /* when this was last updated */
	np_time heard; /* that of the exchange at that time */
	bool asking;   /* since @at something is asked of the target */
	uint64_t sent; /* tally.sent when an answer last came */
};

struct exchange {
	/* By the caller: */
	struct session *s; /* what is to be done is in its options and window */
	bool warm_up;
	/*
	 * Called when an interval ends or SIGUSR1 asks, and once at the end, with the time since
	 * the last call. NULL: not called.
	 */
	void (*observe)(struct exchange *x, np_time length, enum moment moment);
	struct result *result; /* was just created */

	/* Internal: */
	struct window *window;
	struct np_pattern pattern;
	struct requests requests;
	bool by_kernel; /* stamps tell which answers came too late, however late they are read */
	np_time last;	/* arrival of the last answer in time */
	np_time heard;	/* arrival of any answer to us; at first the start of the run */
	uint64_t lost_when_heard; /* tally.lost then */
	struct silence silence;
	struct np_interval intervals; /* they begin when the first packet is sent */
	np_time stop;		      /* when to stop making new requests */
	np_time leave;	      /* when to end after a signal, whatever is in flight; NP_TIME_NEVER */
	struct exchange *all; /* that run together, of which this is one; and how many these are */
	unsigned count;
	bool over;
	np_time linger;	  /* end of the wait for late answers; 0: not set yet */
	np_time asked;	  /* when something was last sent or refused by this host, or was to be */
	uint64_t dropped; /* the link's count at the start */
	struct np_drops_counts host; /* the same by this host's reasons */
	struct np_path_drops path;   /* the same of this host's interface and backlog */
};

/*
 * Runs @count exchanges with different targets together, over one channel. Returns 0, also when a
 * run ended early (see result->ending), or -ENOMEM, or -errno when no packet could be sent at all.
 */
int exchange_run(struct exchange *all, unsigned count);

/*
 * Hands each frame to that of the @count exchanges whose target it names, which counts it in
 * exactly one class and adds it to its result. One that names none is stray if there is one
 * exchange; of several targets, others were asked when these were looked for. Pure, but for an
 * examination.
 */
void exchange_take(struct exchange *all, unsigned count, const struct np_frame *frames,
		   unsigned received);

/* The rest is requests.c's, for exchange.c. Creates the window, too; the pacer's schedule is not
 * started. Returns 0 or -ENOMEM; requests_free in any case.
 */
int requests_create(struct exchange *x);
void requests_free(struct exchange *x);

/*
 * Sends as many frames as count, window, pacer and batch allow at @now, and records them in the
 * window and the tally; what the link does not take stays for the next call. Returns how many went,
 * or -errno.
 */
int requests_send(struct exchange *x, np_time now);

/*
 * Queues a lost request to be sent again; false when it was sent often enough or the run is ending.
 */
bool requests_again(struct exchange *x, const struct window_request *request);

/* Makes no new requests from @now on, and gives up the repeats that are queued. */
void requests_stop(struct exchange *x, np_time now);

/* True when there is nothing left to send. */
bool requests_done(const struct exchange *x);

/* When the pacer lets the next one go; NP_TIME_NEVER when window, place or count prevents it. */
np_time requests_next(const struct exchange *x);

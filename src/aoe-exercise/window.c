// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* window: slots for the requests in flight, and a history with the outcome of earlier ones. */
#include "exchange.h"

#include <errno.h>
#include <stdlib.h>

#define HISTORY_MIN  (1u << 16)
#define HISTORY_MAX  (1u << 22)
#define REQUEST_RATE 400000 /* per second: more than one target can answer */

/* The history holds a slot's index while a request is in flight, then its outcome. */
enum outcome { OUTCOME_ANSWERED = 0xfffe, OUTCOME_LOST = 0xfffd };

struct window {
	struct window_request *slots;
	uint16_t *vacant;	    /* the indices of the free slots: a stack */
	struct np_inflight *places; /* places of requests in flight or about to be sent */
	unsigned size;
	unsigned outstanding;
	np_time timeout;
	uint32_t base;
	uint64_t issued;
	uint64_t oldest;   /* the first request in flight; @issued: none */
	uint16_t *history; /* of request n at n & history_mask */
	uint64_t history_mask;
};

int window_create(struct window **window, unsigned size, np_time timeout, uint32_t base)
{
	struct window *w = calloc(1, sizeof(*w));
	/* Twice what a fast target answers within a time-out: a late answer finds its request. */
	const uint64_t wanted =
		(uint64_t)(timeout / NP_MILLISECOND + 1) * (REQUEST_RATE / 1000) * 2;
	uint64_t history = HISTORY_MIN;

	*window = NULL;
	if (!w)
		return -ENOMEM;
	while (history < wanted && history < HISTORY_MAX)
		history *= 2;
	w->slots = calloc(size, sizeof(*w->slots));
	w->vacant = calloc(size, sizeof(*w->vacant));
	w->history = malloc(history * sizeof(*w->history));
	/* A lost request that will be sent again keeps its place. */
	if (!w->slots || !w->vacant || !w->history || np_inflight_create(&w->places, 2 * size)) {
		window_free(w);
		return -ENOMEM;
	}
	w->size = size;
	w->timeout = timeout;
	w->base = base;
	w->history_mask = history - 1;
	/* An entry is set before it is read; this only maps the memory. */
	memset(w->history, 0, history * sizeof(*w->history));
	for (unsigned i = 0; i < size; i++)
		w->vacant[i] = (uint16_t)i;
	*window = w;
	return 0;
}

void window_free(struct window *window)
{
	if (!window)
		return;
	free(window->slots);
	free(window->vacant);
	free(window->history);
	np_inflight_free(window->places);
	free(window);
}

unsigned window_room(const struct window *window)
{
	const struct window *w = window;
	unsigned room = w->size - w->outstanding;
	/* A request stays in the history while it is in flight: a full one blocks the sender. */
	uint64_t limit = w->history_mask + 1 - (w->issued - w->oldest);

	return room < limit ? room : (unsigned)limit;
}

uint32_t window_tag(const struct window *window, unsigned ahead)
{
	return tags_after(window->base, (uint32_t)(window->issued + ahead));
}

bool window_claim(struct window *window, uint64_t lba)
{
	return np_inflight_add(window->places, lba);
}

void window_issue(struct window *window, const struct window_request *request)
{
	const uint16_t index = window->vacant[window->size - ++window->outstanding];

	window->slots[index] = *request;
	window->history[window->issued++ & window->history_mask] = index;
}

/* Ends the request of the history's entry @fate, which is in flight. */
static void vacate(struct window *w, uint16_t *fate, enum outcome outcome)
{
	np_inflight_remove(w->places, w->slots[*fate].lba);
	w->vacant[w->size - w->outstanding--] = *fate;
	*fate = (uint16_t)outcome;
	while (w->oldest < w->issued && w->history[w->oldest & w->history_mask] >= w->size)
		w->oldest++;
}

/* The history's entry for @tag, or NULL when it has no such request. */
static uint16_t *entry(const struct window *w, uint32_t tag)
{
	uint64_t known = w->issued < w->history_mask + 1 ? w->issued : w->history_mask + 1;
	uint32_t newest = tags_after(w->base, (uint32_t)(w->issued - 1));
	uint32_t age = tags_distance(newest, tag);

	if (age >= known)
		return NULL;
	return &w->history[(w->issued - 1 - age) & w->history_mask];
}

enum window_answer window_classify(const struct window *window, uint32_t tag,
				   struct window_request *request)
{
	const uint16_t *fate = entry(window, tag);

	if (!fate)
		return WINDOW_STRAY;
	switch (*fate) {
	case OUTCOME_ANSWERED: return WINDOW_DUPLICATE;
	case OUTCOME_LOST: return WINDOW_LATE;
	default: *request = window->slots[*fate]; return WINDOW_RECEIVED;
	}
}

void window_settle(struct window *window, uint32_t tag)
{
	uint16_t *fate = entry(window, tag);

	if (!fate)
		return;
	if (*fate < window->size)
		vacate(window, fate, OUTCOME_ANSWERED);
	*fate = OUTCOME_ANSWERED;
}

/* The history's entry of the oldest request in flight. */
static uint16_t *oldest(const struct window *window)
{
	return &window->history[window->oldest & window->history_mask];
}

bool window_expire(struct window *window, np_time now, struct window_request *request)
{
	if (now < window_deadline(window))
		return false;
	*request = window->slots[*oldest(window)];
	vacate(window, oldest(window), OUTCOME_LOST);
	return true;
}

np_time window_deadline(const struct window *window)
{
	if (!window->outstanding)
		return NP_TIME_NEVER;
	return window->slots[*oldest(window)].gone + window->timeout;
}

unsigned window_outstanding(const struct window *window)
{
	return window->outstanding;
}

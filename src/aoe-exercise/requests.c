// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * requests: slots for the requests in flight, and a history with the outcome of earlier ones; walks
 * the region, keeps the pace, builds the frames in place and sends them.
 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define HISTORY_MIN  (1u << 16)
#define HISTORY_MAX  (1u << 22)
#define REQUEST_RATE 400000 /* per second: more than one target can answer */

/* The history holds a slot's index while a request is in flight, then its outcome. */
enum outcome { OUTCOME_ANSWERED = 0xfffe, OUTCOME_LOST = 0xfffd };

struct window {
	struct window_request *slots;
	uint16_t *vacant; /* the indices of the free slots: a stack */
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
	if (!w->slots || !w->vacant || !w->history) {
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

bool window_has(const struct window *window, const struct window_request *next, bool *earlier)
{
	bool found = false;

	for (const struct window_request *r = window->slots;
	     !found && r < window->slots + window->size; r++) {
		/* A free slot has no sectors. */
		if (!r->sectors || r->pass == next->pass)
			continue;
		*earlier = true;
		found = r->lba == next->lba;
	}
	return found;
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
	w->slots[*fate].sectors = 0;
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

int requests_create(struct exchange *x)
{
	const struct options *o = x->s->options;
	struct requests *r = &x->requests;
	uint64_t seed = o->data.seed;

	r->left = x->warm_up || !o->traffic.packet_count ? UINT64_MAX : o->traffic.packet_count;
	r->pacer.rate_per_s = o->traffic.rate_packets_per_s;
	r->frame_bytes = NP_AOE_ATA_BYTES;
	if (o->operation == OPERATION_WRITE)
		r->frame_bytes += o->traffic.sector_count * NP_AOE_SECTOR_BYTES;
	target_header(x->s->channel, &x->s->target, &r->header);
	r->cursor = guard_cursor(x->s);
	if (o->data.random) {
		if (!seed && getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
			seed = (uint64_t)np_clock_now();
		r->cursor.random = true;
		r->cursor.seed = seed;
	}
	r->memory = calloc(CHANNEL_BATCH, r->frame_bytes);
	r->again.item = calloc(x->s->window, sizeof(*r->again.item));
	if (!r->memory || !r->again.item)
		return -ENOMEM;
	return window_create(&x->window, x->s->window, o->traffic.timeout,
			     tags_random(&x->s->channel->tags));
}

void requests_free(struct exchange *x)
{
	free(x->requests.memory);
	free(x->requests.again.item);
	window_free(x->window);
}

bool requests_again(struct exchange *x, const struct window_request *request)
{
	struct requests *r = &x->requests;
	struct window_request *item;

	r->held = false; /* a place became free */
	if (r->stopped || request->attempt >= x->s->options->traffic.retransmit ||
	    r->again.count == x->s->window)
		return false;
	item = &r->again.item[(r->again.first + r->again.count++) % x->s->window];
	*item = *request;
	item->attempt++;
	return true;
}

void requests_stop(struct exchange *x, np_time now)
{
	struct requests *r = &x->requests;

	/* Ends the time of the rate: the run's, waits for the target included. */
	if (!requests_done(x)) {
		x->asked = now;
		np_pacer_missed(&r->pacer, x->stop, now);
	}
	x->result->tally.given_up += r->again.count;
	for (unsigned i = 0; i < r->ready; i++)
		x->result->tally.given_up += r->request[i].attempt > 0;
	r->stopped = true;
	r->left = 0;
	r->ready = 0;
	r->again.count = 0;
}

bool requests_done(const struct exchange *x)
{
	const struct requests *r = &x->requests;

	return !r->left && !r->ready && !r->again.count;
}

/* Until questions are answered no write is sent. */
static unsigned room(const struct exchange *x)
{
	const struct examination *e = x->s->examination;

	return e && (e->holds || e->error) ? 0 : window_room(x->window);
}

/*
 * Whether a request in flight, or one about to be sent, has the place of @next; none is to be sent
 * again, as those go first. It is of an earlier pass: within one no two have the same place.
 */
static bool is_taken(struct requests *r, const struct window *window,
		     const struct window_request *next)
{
	bool earlier = false, taken = r->earlier && window_has(window, next, &earlier);

	for (unsigned i = 0; r->earlier && !taken && i < r->ready; i++) {
		earlier |= r->request[i].pass != next->pass;
		taken = r->request[i].lba == next->lba;
	}
	r->earlier = earlier;
	return taken;
}

/* Prepares as many frames as may be sent at @now; returns how many. */
static unsigned prepare(struct exchange *x, np_time now)
{
	const bool write = x->s->options->operation == OPERATION_WRITE;
	struct requests *r = &x->requests;
	uint64_t wanted = r->left + r->again.count + r->ready, most = room(x);

	if (most > CHANNEL_BATCH)
		most = CHANNEL_BATCH;
	if (wanted < most)
		most = wanted;
	/* Each paced request has its own moment. */
	if (r->pacer.rate_per_s > 0 && most)
		most = np_pacer_allowed(&r->pacer, now, 1);
	for (r->held = false; r->ready < most; r->ready++) {
		const struct np_extent extent = np_cursor_peek(&r->cursor);

		/* Repeats lost ones first; they keep their place in the region. */
		if (r->again.count) {
			r->request[r->ready] = r->again.item[r->again.first];
			r->again.first = (r->again.first + 1) % x->s->window;
			r->again.count--;
			continue;
		}
		/*
		 * A request of an earlier pass may still have the next place: the order is fixed,
		 * so all wait for it.
		 */
		r->request[r->ready] = (struct window_request){
			.lba = extent.offset,
			.pass = r->cursor.passes,
			.sectors = (uint8_t)extent.length,
		};
		r->held = is_taken(r, x->window, &r->request[r->ready]);
		if (r->held)
			break;
		np_cursor_next(&r->cursor);
		r->earlier |= !r->cursor.next;
		r->left--;
	}
	if (r->ready < most)
		most = r->ready;
	/* Tags follow the order of sending, so a frame that was left over is built again. */
	for (unsigned i = 0; i < most; i++) {
		const struct window_request *request = &r->request[i];
		uint8_t *memory = r->memory + i * r->frame_bytes;
		struct np_aoe_ata ata;
		int length;

		np_aoe_ata_transfer(&ata, write, x->s->target.identity.extended, request->lba,
				    request->sectors);
		r->header.tag = window_tag(x->window, i);
		length = np_aoe_ata_encode(memory, r->frame_bytes, &r->header, &ata);
		r->frame[i].data = memory;
		r->frame[i].length = (size_t)length;
		if (!write)
			continue;
		/* Data goes straight into its place. */
		np_pattern_write(&x->pattern, memory + length, request->lba, request->sectors);
		r->frame[i].length += request->sectors * (size_t)NP_PATTERN_SECTOR_BYTES;
	}
	return (unsigned)most;
}

int requests_send(struct exchange *x, np_time now)
{
	const unsigned wanted = prepare(x, now);
	struct tally *tally = &x->result->tally;
	struct requests *r = &x->requests;
	np_time gone;
	int sent;

	/* While nothing may be sent, the last try is what is known. */
	r->refused = r->refused && x->s->examination && x->s->examination->holds;
	if (!wanted)
		return 0;
	x->asked = now;
	now = np_clock_now();
	for (unsigned i = 0; i < wanted; i++)
		r->frame[i].stamp = now;
	sent = channel_send(x->s->channel, r->frame, wanted);
	if (sent < 0)
		return sent;
	gone = np_clock_now();
	for (int i = 0; i < sent; i++) {
		struct window_request *request = &r->request[i];

		request->sent = now;
		request->gone = gone;
		request->intended = np_pacer_next(&r->pacer);
		window_issue(x->window, request);
		np_pacer_took(&r->pacer, now, 1);
		tally->retransmitted += request->attempt > 0;
	}
	r->ready -= (unsigned)sent;
	if (sent)
		memmove(r->request, r->request + sent, r->ready * sizeof(*r->request));
	r->refused = (unsigned)sent < wanted;
	tally->refused += r->refused;
	tally->sent += (uint64_t)sent;
	return sent;
}

np_time requests_next(const struct exchange *x)
{
	if (requests_done(x) || x->requests.held || !room(x))
		return NP_TIME_NEVER;
	return np_pacer_next(&x->requests.pacer);
}

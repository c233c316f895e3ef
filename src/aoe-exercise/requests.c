// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* requests: walks the region, keeps the pace, builds the frames in place and sends them. */
#include "requests.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

struct np_pattern requests_pattern(const struct options *options)
{
	return (struct np_pattern){
		.fill = options->data.fill ? NP_PATTERN_LBA : NP_PATTERN_ZERO,
		.full = options->data.check,
	};
}

struct np_cursor requests_cursor(const struct options *options, const struct target *target)
{
	uint64_t begin = options->data.offset_bytes / NP_PATTERN_SECTOR_BYTES;
	uint64_t length = target->identity.sectors - begin;
	struct np_cursor cursor;

	if (options->data.size_bytes)
		length = options->data.size_bytes / NP_PATTERN_SECTOR_BYTES;
	np_cursor_start(&cursor, begin, length, options->traffic.sector_count);
	return cursor;
}

int requests_create(struct requests *r, struct channel *channel, const struct exchange_plan *plan,
		    struct window *window)
{
	const struct traffic_options *traffic = &plan->options->traffic;
	uint64_t seed = plan->options->data.seed;

	r->channel = channel;
	r->window = window;
	r->write = plan->options->operation == OPERATION_WRITE;
	r->extended = plan->target->identity.extended;
	r->retransmit = (unsigned)traffic->retransmit;
	r->left = plan->packet_count;
	r->pattern = requests_pattern(plan->options);
	r->pacer.rate_per_s = traffic->rate_packets_per_s;
	r->frame_bytes = NP_AOE_ATA_BYTES;
	if (r->write)
		r->frame_bytes += traffic->sector_count * NP_AOE_SECTOR_BYTES;
	target_header(channel, plan->target, &r->header);
	r->cursor = requests_cursor(plan->options, plan->target);
	if (plan->options->data.random) {
		if (!seed && getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
			seed = (uint64_t)np_clock_now();
		np_cursor_randomize(&r->cursor, seed);
	}
	r->memory = calloc(CHANNEL_BATCH, r->frame_bytes);
	r->again.room = plan->window;
	r->again.item = calloc(plan->window, sizeof(*r->again.item));
	return r->memory && r->again.item ? 0 : -ENOMEM;
}

void requests_free(struct requests *requests)
{
	free(requests->memory);
	free(requests->again.item);
}

bool requests_again(struct requests *r, const struct window_request *request)
{
	struct window_request *item;

	r->held = false; /* a place became free */
	if (r->stopped || request->attempt >= r->retransmit || r->again.count == r->again.room)
		return false;
	item = &r->again.item[(r->again.first + r->again.count++) % r->again.room];
	*item = *request;
	item->attempt++;
	window_claim(r->window, item->lba);
	return true;
}

unsigned requests_stop(struct requests *requests)
{
	unsigned given_up = requests->again.count;

	for (unsigned i = 0; i < requests->ready; i++)
		given_up += requests->request[i].attempt > 0;
	requests->stopped = true;
	requests->left = 0;
	requests->ready = 0;
	requests->again.count = 0;
	return given_up;
}

bool requests_done(const struct requests *requests)
{
	return !requests->left && !requests->ready && !requests->again.count;
}

static unsigned room(const struct requests *r)
{
	return r->waits ? 0 : window_room(r->window);
}

/*
 * Repeats lost ones first; they keep their place in the region. False when a request of an earlier
 * pass still has the next place: the order is fixed, so all wait for it.
 */
static bool next_request(struct requests *r, struct window_request *request)
{
	struct np_extent extent;

	if (r->again.count) {
		*request = r->again.item[r->again.first];
		r->again.first = (r->again.first + 1) % r->again.room;
		r->again.count--;
		return true;
	}
	extent = np_cursor_peek(&r->cursor);
	if (!window_claim(r->window, extent.offset))
		return false;
	np_cursor_next(&r->cursor);
	*request = (struct window_request){
		.lba = extent.offset,
		.sectors = (uint8_t)extent.length,
	};
	r->left--;
	return true;
}

/* Builds the frame of @request in its buffer; data goes straight into its place. */
static void build(struct requests *r, unsigned at)
{
	const struct window_request *request = &r->request[at];
	uint8_t *memory = r->memory + at * r->frame_bytes;
	struct np_aoe_ata ata;
	int length;

	np_aoe_ata_transfer(&ata, r->write, r->extended, request->lba, request->sectors);
	r->header.tag = window_tag(r->window, at);
	length = np_aoe_ata_encode(memory, r->frame_bytes, &r->header, &ata);
	r->frame[at].data = memory;
	r->frame[at].length = (size_t)length;
	if (r->write) {
		np_pattern_write(&r->pattern, memory + length, request->lba, request->sectors);
		r->frame[at].length += request->sectors * (size_t)NP_PATTERN_SECTOR_BYTES;
	}
}

static uint64_t limit(const struct requests *r, np_time now)
{
	uint64_t wanted = r->left + r->again.count + r->ready, most = room(r);

	if (most > CHANNEL_BATCH)
		most = CHANNEL_BATCH;
	if (wanted < most)
		most = wanted;
	/* Each paced request has its own moment. */
	if (r->pacer.rate_per_s > 0 && most)
		most = np_pacer_allowed(&r->pacer, now, 1);
	return most;
}

unsigned requests_prepare(struct requests *requests, np_time now)
{
	unsigned most = (unsigned)limit(requests, now);

	requests->held = false;
	while (requests->ready < most && !requests->held) {
		requests->held = !next_request(requests, &requests->request[requests->ready]);
		requests->ready += !requests->held;
	}
	if (requests->ready < most)
		most = requests->ready;
	/* Tags follow the order of sending, so a frame that was left over is built again. */
	for (unsigned i = 0; i < most; i++)
		build(requests, i);
	return most;
}

int requests_send(struct requests *requests, unsigned count, uint64_t *retransmitted)
{
	np_time now = np_clock_now(), gone;
	int sent;

	for (unsigned i = 0; i < count; i++)
		requests->frame[i].stamp = now;
	sent = channel_send(requests->channel, requests->frame, count);
	gone = np_clock_now();
	for (int i = 0; i < sent; i++) {
		struct window_request *request = &requests->request[i];

		request->sent = now;
		request->gone = gone;
		request->intended = np_pacer_next(&requests->pacer);
		window_issue(requests->window, request);
		np_pacer_took(&requests->pacer, now, 1);
		*retransmitted += request->attempt > 0;
	}
	if (sent > 0) {
		requests->ready -= (unsigned)sent;
		memmove(requests->request, requests->request + sent,
			requests->ready * sizeof(*requests->request));
	}
	return sent;
}

np_time requests_next(const struct requests *requests)
{
	if (requests_done(requests) || requests->held || !room(requests))
		return NP_TIME_NEVER;
	return np_pacer_next(&requests->pacer);
}

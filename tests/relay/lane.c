// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* lane: a frame is judged, perhaps held or delayed, queued, and sent by the out link. */
#include "lane.h"

/* When a full link is tried again, so that the relay itself loses nothing. */
#define RETRY_AFTER (50 * NP_MICROSECOND)
#define RETRIES_MAX 400
/* The checksum of this many datagrams of each flow is verified. */
#define CHECKSUM_LOOKS 16

int lane_create(struct lane *lane, const struct lane_setting *setting)
{
	lane->setting = setting;
	return delay_queue_create(&lane->delay_queue, setting->delay_slots, setting->frame_max);
}

void lane_clear(struct lane *lane)
{
	delay_queue_free(lane->delay_queue);
	flows_free(&lane->flows);
}

static void count_forwarded(struct lane *lane, const struct item *item)
{
	struct flow *flow = item->flow;

	if (!flow) {
		lane->counts.others_forwarded++;
		return;
	}
	if (item->copy) {
		flow->counts.duplicated++;
		flow->counts.duplicated_bad += item->checksum_bad;
	} else {
		flow->counts.forwarded++;
		flow->counts.forwarded_bad += item->checksum_bad;
		if (!item->checksum_bad)
			order_add(&flow->order, item->position);
	}
	log_file_arrival(lane->log_file, item);
}

static void count_refused(struct lane *lane, const struct item *item)
{
	if (!item->flow)
		lane->counts.others_refused++;
	else if (item->copy)
		item->flow->counts.copies_refused++;
	else
		item->flow->counts.refused++;
}

/* Sends from @frames; returns the number accepted, 0 when the first one is refused for good. */
static unsigned send_some(struct lane *lane, const struct np_frame *frames, unsigned count)
{
	for (unsigned tries = 0; tries < RETRIES_MAX; tries++) {
		int taken = np_link_send(lane->out, frames, count);

		if (taken > 0)
			return (unsigned)taken;
		if (taken < 0)
			return 0;
		lane->counts.retries++;
		np_clock_sleep_until(np_clock_now() + RETRY_AFTER);
	}
	return 0;
}

static void flush(struct lane *lane)
{
	struct np_frame frames[LANE_BATCH];
	unsigned done = 0;

	for (unsigned i = 0; i < lane->queued; i++)
		frames[i] = lane->queue[i].frame;
	while (done < lane->queued) {
		unsigned taken = send_some(lane, frames + done, lane->queued - done);

		for (unsigned i = 0; i < taken; i++)
			count_forwarded(lane, &lane->queue[done + i]);
		if (taken == 0)
			count_refused(lane, &lane->queue[done]);
		done += taken ? taken : 1;
	}
	for (unsigned i = 0; i < lane->queued; i++)
		delay_queue_give_back(lane->delay_queue, lane->queue[i].slot);
	lane->queued = 0;
}

static void queue(struct lane *lane, const struct item *item)
{
	if (lane->queued == LANE_BATCH)
		flush(lane);
	lane->queue[lane->queued++] = *item;
}

/* Queues a frame and its copies; the last of them gives the slot back. */
static void queue_all(struct lane *lane, struct item item)
{
	struct delay_slot *slot = item.slot;

	for (unsigned left = item.copies; left > 0; left--) {
		item.slot = NULL;
		queue(lane, &item);
		item.copy = true;
	}
	item.slot = slot;
	queue(lane, &item);
}

static bool hold(struct lane *lane, struct item *item, unsigned by, np_time now)
{
	bool held = delay_queue_hold(lane->delay_queue, item, by, now + lane->setting->hold_limit);

	lane->counts.no_room += !held;
	return held;
}

/* Later copies are items of their own; none of them overtakes its original. */
static void hold_copies(struct lane *lane, struct item *item, np_time now)
{
	for (; item->copies > 0; item->copies--) {
		struct item copy = *item;

		copy.copy = true;
		copy.copies = 0;
		copy.slot = NULL;
		hold(lane, &copy, item->copies_by, now);
	}
}

/* After holding: delays the item, or sends it. */
static void go_on(struct lane *lane, struct item *item, np_time now)
{
	if (!item->copy)
		delay_queue_passed(lane->delay_queue, item->flow, item->position);
	if (item->copies_by)
		hold_copies(lane, item, now);
	if (item->delay && delay_queue_delay(lane->delay_queue, item, now + item->delay))
		return;
	lane->counts.no_room += item->delay > 0;
	queue_all(lane, *item);
}

static void release_held(struct lane *lane, np_time now)
{
	struct item item;

	while (delay_queue_take_held(lane->delay_queue, now, &item))
		go_on(lane, &item, now);
}

static void release_due(struct lane *lane, np_time now)
{
	struct item item;

	release_held(lane, now);
	while (delay_queue_take_due(lane->delay_queue, now, &item))
		queue_all(lane, item);
}

static void damage(struct item *item, struct datagram *datagram, const struct verdict *verdict)
{
	struct flow_counts *counts = &item->flow->counts;

	if (!verdict->damage || !datagram_damage(datagram, verdict->damage_byte))
		return;
	item->damaged = true;
	/* Without a checksum the receiver cannot detect it, either. */
	item->checksum_bad = verdict->checksum_bad && datagram_has_checksum(datagram);
	if (!item->checksum_bad)
		datagram_mend_checksum(datagram);
	counts->damaged_bad += item->checksum_bad;
	counts->damaged_right += !item->checksum_bad;
}

static void obey(struct lane *lane, struct item *item, const struct verdict *verdict, np_time now)
{
	struct flow_counts *counts = &item->flow->counts;

	item->delay = verdict->delay;
	counts->delayed += verdict->delay > 0;
	item->copies = verdict->copies;
	item->copies_by = verdict->copies_by;
	if (verdict->hold_by && hold(lane, item, verdict->hold_by, now)) {
		counts->held++;
		return;
	}
	go_on(lane, item, now);
	release_held(lane, now);
}

static struct verdict judge(struct lane *lane, struct item *item, const struct datagram *datagram,
			    np_time now)
{
	const struct plan_facts facts = {
		.flow = item->flow->number,
		.source_port = datagram->ends.source_port,
		.destination_port = datagram->ends.destination_port,
		.payload_bytes = datagram->payload_bytes,
		.now = now,
	};

	return plan_judge(&lane->setting->plan, item->flow->state, &facts);
}

static void take_datagram(struct lane *lane, struct item *item, struct datagram *datagram,
			  np_time now)
{
	struct flow_counts *counts = &item->flow->counts;
	const struct lane_setting *setting = lane->setting;
	struct verdict verdict;

	item->position = ++counts->seen;
	item->has_number =
		datagram_number(datagram, setting->number_at, setting->number_bytes, &item->number);
	if (counts->seen <= CHECKSUM_LOOKS)
		lane->counts.unfinished += !datagram_checksum_right(datagram);
	verdict = judge(lane, item, datagram, now);
	damage(item, datagram, &verdict);
	log_file_decision(lane->log_file, item, &verdict);
	if (verdict.drop)
		counts->dropped++;
	else
		obey(lane, item, &verdict, now);
}

static void take_frame(struct lane *lane, const struct np_frame *frame, np_time now)
{
	struct item item = {.frame = *frame};
	struct datagram datagram;

	lane->counts.frames++;
	if (frame->length > lane->setting->frame_max) {
		lane->counts.oversize++;
		return;
	}
	if (datagram_find(&datagram, frame->data, frame->length)) {
		item.flow = flows_find(&lane->flows, &datagram.ends, lane->next_flow);
		lane->counts.untracked += !item.flow;
	} else {
		lane->counts.others++;
	}
	if (item.flow)
		take_datagram(lane, &item, &datagram, now);
	else
		queue(lane, &item);
}

int lane_turn(struct lane *lane, np_time now)
{
	struct np_frame frames[LANE_BATCH];
	int taken = np_link_receive(lane->in, frames, LANE_BATCH);

	for (int i = 0; i < taken; i++)
		take_frame(lane, &frames[i], now);
	release_due(lane, now);
	/* The frames are in the in link's memory until the next call. */
	flush(lane);
	return taken;
}

np_time lane_next(const struct lane *lane)
{
	return delay_queue_next(lane->delay_queue);
}

void lane_leave(struct lane *lane)
{
	struct item item;

	while (delay_queue_take_left(lane->delay_queue, &item)) {
		item.flow->counts.left += !item.copy;
		delay_queue_give_back(lane->delay_queue, item.slot);
	}
}

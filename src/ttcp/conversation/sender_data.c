// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_data: the DATA of a run: filling it, when it may be sent, and what was sent. */
#include "sender.h"

#include <errno.h>

#define LOOK	   (20 * NP_MILLISECOND)
#define ACK_LIMIT  NP_SECOND	   /* ping-pong: then the message was lost */
#define STOP_LIMIT (2 * NP_SECOND) /* for the rest of a message, when the user wants to stop */

uint64_t sender_messages(const struct sender *sender)
{
	uint64_t messages = 0;

	for (unsigned i = 0; i < sender->plan.lanes; i++) {
		const struct sender_lane *lane = &sender->lane[i];
		size_t left = lane->filled - lane->gone;

		messages += lane->number - lane->lost -
			    (left + sender->plan.message_bytes - 1) / sender->plan.message_bytes;
	}
	return messages;
}

void sender_start(struct sender *sender, np_time now)
{
	struct sender *s = sender;

	np_pacer_start(&s->run.pacer, s->run.rate_bits / 8 / (double)s->plan.message_bytes, now);
	for (unsigned i = 0; i < s->plan.lanes; i++)
		s->lane[i].data = (struct message){
			.flags = s->flags,
			.stream = (uint16_t)i,
			.session = s->plan.id,
			.run = (uint32_t)s->run.number,
		};
	s->run.deadline = s->plan.duration ? now + s->plan.duration : NP_TIME_NEVER;
	s->run.first = s->run.last = now;
	s->run.sending = true;
	s->progress.moved = s->progress.drained = s->progress.alive = now;
}

static unsigned wanted(const struct sender *s, const struct sender_lane *lane)
{
	uint64_t limit = s->plan.messages;
	uint64_t left = limit ? limit - lane->number : s->plan.batch;

	return left < s->plan.batch ? (unsigned)left : s->plan.batch;
}

/* Writes the headers of the next messages of a lane, with one clock reading for all. */
static bool fill(struct sender *s, struct sender_lane *lane, np_time now)
{
	const size_t bytes = s->plan.message_bytes;
	unsigned count = wanted(s, lane);
	struct message *m = &lane->data;

	if (s->run.pacer.rate_per_s > 0) {
		count = (unsigned)np_pacer_allowed(&s->run.pacer, now, count);
		np_pacer_took(&s->run.pacer, now, count);
	}
	if (!count)
		return false;
	m->time = sender_wall(s, now);
	for (unsigned i = 0; i < count && !s->plan.classic; i++) {
		m->number = lane->number + i;
		message_encode_data(lane->batch + i * bytes, m, (uint32_t)bytes);
	}
	lane->number += count;
	lane->gone = 0;
	lane->filled = count * bytes;
	lane->outstanding = true;
	return true;
}

/* True while a lane may get more. */
static bool may_send(const struct sender *s, const struct sender_lane *lane, np_time now)
{
	if (now >= s->run.deadline || s->run.over || *s->plan.interrupts || !wanted(s, lane))
		return false;
	return !(s->plan.ping_pong && lane->outstanding);
}

int sender_push(struct sender *sender, np_time *now)
{
	struct sender *s = sender;
	bool went = false;

	for (unsigned i = 0; i < s->plan.lanes; i++) {
		struct sender_lane *lane = &s->lane[i];
		ssize_t gone;

		if (lane->gone == lane->filled && !(may_send(s, lane, *now) && fill(s, lane, *now)))
			continue;
		gone = s->port.push(s->port.context, lane, now);
		if (gone < 0 && gone != -EAGAIN)
			return (int)gone;
		lane->gone += gone > 0 ? (size_t)gone : 0;
		went |= gone > 0;
	}
	if (went)
		s->run.last = s->progress.moved = *now;
	return went;
}

void sender_passed(struct sender *sender, np_time now)
{
	sender->lane[0].number++;
	sender->run.last = now;
}

bool sender_sent(const struct sender *sender, np_time now)
{
	const struct sender *s = sender;

	for (unsigned i = 0; i < s->plan.lanes; i++) {
		const struct sender_lane *lane = &s->lane[i];

		if (lane->gone < lane->filled)
			return false;
		if (now < s->run.deadline && !s->run.over && !*s->plan.interrupts &&
		    wanted(s, lane))
			return false;
	}
	return true;
}

/*
 * DATA that were due before the end of the duration and have not gone by then: this host stopped
 * the program, or had no room for them. Only how late they are will still show them.
 */
void sender_note_missed(struct sender *s, np_time now)
{
	struct np_pacer *pacer = &s->run.pacer;
	np_time due = np_pacer_next(pacer);
	bool left = false;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		left |= wanted(s, &s->lane[i]);
	if (left && pacer->rate_per_s > 0 && !*s->plan.interrupts && due < s->run.deadline &&
	    now - due > pacer->worst_behind)
		pacer->worst_behind = now - due;
}

/* Gives up a datagram whose ACK does not arrive, so that the run continues. */
static void give_up_acks(struct sender *s, np_time now)
{
	const np_time waited = now - s->progress.moved;
	struct np_histogram_figures rtt;

	if (!s->plan.repeats || waited < ACK_LIMIT)
		return;
	/* Over a slow path ACKs need longer than at first thought. */
	np_histogram_figures(s->receivers.rtt, &rtt);
	if (rtt.count && waited < 4 * rtt.max)
		return;
	for (unsigned i = 0; i < s->plan.lanes; i++)
		s->lane[i].outstanding = false;
}

np_time sender_rest(struct sender *sender, np_time now, np_time latest)
{
	struct sender *s = sender;
	bool free = false;

	if (s->plan.ping_pong)
		give_up_acks(s, now);
	for (unsigned i = 0; i < s->plan.lanes && !free; i++)
		free = s->lane[i].gone == s->lane[i].filled && may_send(s, &s->lane[i], now);
	/* While all lanes wait for room, no message that is due can be sent. */
	if (free) {
		if (s->run.pacer.rate_per_s > 0 && np_pacer_next(&s->run.pacer) < latest)
			latest = np_pacer_next(&s->run.pacer);
		if (s->run.deadline < latest)
			latest = s->run.deadline;
	}
	return latest;
}

bool sender_moves(struct sender *sender, np_time now, np_time limit)
{
	struct sender_progress *p = &sender->progress;
	uint64_t left = 0;

	if (now - p->moved < LOOK)
		return true;
	/* The kernel may hold much data that moves slowly. */
	if (sender->port.unacknowledged)
		left = sender->port.unacknowledged(sender->port.context);
	if (left < p->unacknowledged)
		p->drained = now;
	p->unacknowledged = left;
	return now - p->moved < limit || now - p->drained < limit;
}

void sender_moved(struct sender *sender, np_time now)
{
	sender->progress.moved = now;
}

bool sender_stalled(struct sender *sender, np_time now)
{
	const struct sender *s = sender;
	const np_time limit = *s->plan.interrupts ? STOP_LIMIT : SENDER_STALL;
	bool waits = false;

	for (unsigned i = 0; i < s->plan.lanes && !waits; i++)
		waits = s->lane[i].gone < s->lane[i].filled ||
			(s->plan.ping_pong && !s->plan.repeats && s->lane[i].outstanding);
	return waits && !sender_moves(sender, now, limit);
}

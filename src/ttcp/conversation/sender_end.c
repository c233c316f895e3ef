// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_end: sends END until every receiver has reported. */
#include "sender_state.h"

#define REPORT_LIMIT (2 * NP_SECOND)
#define GAPS	     3 /* usual intervals without a sign of life, after which a receiver is dead */
#define LOOK	     (200 * NP_MILLISECOND)

static bool all_reported(const struct sender *s)
{
	size_t ready = receivers_ready(&s->receivers);

	return ready && receivers_reported(&s->receivers) == ready;
}

static bool all_closed(const struct sender *s)
{
	for (unsigned i = 0; i < s->plan.lanes; i++)
		if (!s->lane[i].closed)
			return false;
	return true;
}

/*
 * Tells members that answer individually about their own clock; then the others need not get it
 * again.
 */
static int tell_members(struct sender *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->receivers.count && !rc; i++)
		for (unsigned k = 0; k < s->plan.lanes && !rc; k++)
			if (s->receivers.receiver[i].ready && !s->receivers.receiver[i].reported)
				rc = sender_tell(s, &s->lane[k], MESSAGE_END,
						 &s->receivers.receiver[i]);
	return rc;
}

static int tell_all(struct sender *s)
{
	int rc = 0;

	if (s->plan.group)
		rc = tell_members(s);
	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		rc = sender_tell(s, &s->lane[i], MESSAGE_END, NULL);
	return rc;
}

/* Whether a last ACK is still to come. */
static bool acks_missing(const struct sender *s)
{
	return s->plan.acks &&
	       s->receivers.acks < sender_messages(s) * receivers_ready(&s->receivers);
}

static void name(struct sender *s, enum sender_event_kind kind,
		 const struct receivers_receiver *receiver)
{
	const struct sender_event event = {.kind = kind, .receiver = receiver};

	s->run.failed |= kind == SENDER_NO_REPORT;
	sender_report(s, &event);
}

/* Names receivers that answered and sent no report. */
static void name_missing(struct sender *s)
{
	for (size_t i = 0; i < s->receivers.count; i++)
		if (s->receivers.receiver[i].ready && !s->receivers.receiver[i].reported)
			name(s, SENDER_NO_REPORT, &s->receivers.receiver[i]);
	for (size_t i = 0; i < s->receivers.count; i++)
		if (s->receivers.receiver[i].joined_late)
			name(s, SENDER_JOINED_LATE, &s->receivers.receiver[i]);
}

/* @rc: -errno of what broke; reports that were received stay valid. */
static void conclude(struct sender *s, int rc)
{
	const struct sender_event lost = {.kind = SENDER_LOST, .error = rc};

	s->run.phase = SENDER_DONE;
	if (rc < 0 && !all_reported(s)) {
		s->run.failed = true;
		sender_report(s, &lost);
		return;
	}
	name_missing(s);
}

/* END may wait in a queue behind messages as long as the receiver reports that these arrive. */
static np_time report_limit(const struct sender *s)
{
	const struct sender_progress *p = &s->progress;
	const np_time least = p->end_begin + REPORT_LIMIT;
	np_time silence_limit = GAPS * p->alive_gap;

	if (silence_limit < REPORT_LIMIT)
		silence_limit = REPORT_LIMIT;
	return p->alive + silence_limit > least ? p->alive + silence_limit : least;
}

/* Over datagrams: repeats END until all have reported, or the limit. */
static void repeat_end(struct sender *s, np_time now)
{
	struct sender_progress *p = &s->progress;

	if (all_reported(s) || now >= report_limit(s) || *s->plan.stops >= 2) {
		conclude(s, 0);
		return;
	}
	if (now < p->end_next)
		return;
	/* An error may be due to another receiver: repeated anyway. */
	(void)tell_all(s);
	p->end_told++;
	p->end_next =
		now + (p->end_told < MESSAGE_END_FIRST_ONES ? MESSAGE_END_SOON : MESSAGE_END_EVERY);
}

/*
 * Over streams: sends END once; then waits for the report or the end of the connections, as long as
 * the receiver's kernel accepts data, or anything arrives.
 */
static void await_report(struct sender *s, np_time now)
{
	if (all_closed(s) || !sender_moves(s, now, SENDER_STALL) || *s->plan.stops >= 2 ||
	    (all_reported(s) && !acks_missing(s)))
		conclude(s, 0);
	else
		s->progress.end_next = now + LOOK;
}

static void end_streams(struct sender *s, np_time now)
{
	int rc;

	s->progress.moved = now;
	rc = s->plan.classic ? 0 : tell_all(s);
	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		s->port.finish(s->port.context, i);
	if (rc)
		conclude(s, rc);
	else
		await_report(s, s->port.clock(s->port.context));
}

void sender_end(struct sender *sender, np_time now)
{
	struct sender *s = sender;

	if (s->run.sending && now >= s->run.deadline)
		sender_note_missed(s, now);
	s->run.phase = SENDER_ENDING;
	s->progress.end_begin = s->progress.end_next = now;
	if (!s->plan.repeats)
		end_streams(s, now);
	else if (s->plan.classic)
		conclude(s, 0);
	else
		repeat_end(s, now);
}

void sender_end_tick(struct sender *s, np_time now)
{
	if (s->plan.repeats)
		repeat_end(s, now);
	else
		await_report(s, now);
}

np_time sender_end_deadline(const struct sender *s)
{
	return s->progress.end_next;
}

void sender_end_broke(struct sender *s, int error)
{
	conclude(s, error);
}

void sender_abandon(struct sender *sender)
{
	struct sender *s = sender;

	for (unsigned i = 0; i < s->plan.lanes && *s->plan.stops && !s->plan.classic; i++)
		if (s->lane[i].ready)
			(void)sender_tell(s, &s->lane[i], MESSAGE_END, NULL);
}

void sender_bye(struct sender *sender)
{
	for (unsigned i = 0; i < (sender->plan.repeats ? MESSAGE_END_FIRST_ONES : 1); i++)
		(void)sender_tell(sender, &sender->lane[0], MESSAGE_END, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_contact: sends START until it is answered; compares the clocks in the pause. */
#include "sender.h"

#include <errno.h>

#define AGAIN	    (100 * NP_MILLISECOND)
#define GROUP_AGAIN NP_SECOND
/* --no-wait: members delay their answer by up to 100 ms. */
#define GROUP_COLLECT	(250 * NP_MILLISECOND)
#define QUICK_EXCHANGES 8 /* --no-wait */
#define QUICK_LIMIT	(500 * NP_MILLISECOND)
#define PROOF_LIMIT	(2 * NP_SECOND)

static bool all_ready(const struct sender *s)
{
	/* Any member is enough. */
	if (s->plan.group)
		return receivers_ready(&s->receivers);
	for (unsigned i = 0; i < s->plan.lanes; i++)
		if (!s->lane[i].ready)
			return false;
	return true;
}

/* Asks known members individually, so that each is told about its own clock. */
static int ask_members(struct sender *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->receivers.count && !rc; i++)
		if (s->receivers.receiver[i].ready)
			rc = sender_send(s, &s->lane[0], MESSAGE_START, &s->receivers.receiver[i]);
	return rc;
}

/* The partner has closed this connection. */
static bool is_reset(int error)
{
	return error == -ECONNRESET || error == -EPIPE;
}

/* Sends START on each stream that was not answered, on the first one repeatedly. */
static int ask(struct sender *s, np_time now)
{
	struct sender_asking *c = &s->asking;
	int rc = 0;

	for (unsigned i = 0; i < s->plan.lanes && !rc; i++) {
		struct sender_lane *lane = &s->lane[i];
		/*
		 * Streams lose nothing: a partner that does not answer has received it, or is not
		 * ttcp.
		 */
		const bool again = s->plan.repeats ? !lane->ready : !lane->asked;

		if (!again && (i || !lane->ready || s->plan.group))
			continue;
		rc = sender_send(s, lane, MESSAGE_START, NULL);
		lane->asked = true;
		/* A receiver that closes it may have given the reason before: that is read next. */
		if (!s->plan.repeats && is_reset(rc))
			rc = 0;
	}
	if (!rc && s->plan.group && c->sent)
		rc = ask_members(s);
	c->sent++;
	c->next = now + (s->plan.group && now - c->begin < 2 * GROUP_AGAIN &&
					 !receivers_ready(&s->receivers)
				 ? GROUP_AGAIN
				 : AGAIN);
	return rc;
}

static bool contact_done(const struct sender *s, np_time now)
{
	const struct sender_asking *c = &s->asking;

	/* All streams lead to the same program: if one was answered, the others will be. */
	if (!all_ready(s))
		return now >= c->limit && (s->plan.repeats || !receivers_ready(&s->receivers) ||
					   now - c->begin >= SENDER_STALL);
	/*
	 * A receiver of datagrams serves the sender that first proves its address; only the answer
	 * to that START tells whether it is this one.
	 */
	if (c->challenged && !c->proven && !s->plan.group && now - c->challenged < PROOF_LIMIT)
		return false;
	if (!s->plan.no_wait)
		return now >= c->end;
	if (s->plan.group)
		return now - c->begin >= GROUP_COLLECT;
	return c->answers >= s->plan.lanes + QUICK_EXCHANGES || now - c->begin >= QUICK_LIMIT;
}

/* As soon as one is answered, the next exchange may start. */
void sender_contact_answered(struct sender *s, np_time now)
{
	if (s->run.phase == SENDER_CONTACT && s->plan.no_wait && !s->plan.group && all_ready(s))
		s->asking.next = now;
}

static void fail(struct sender *s, enum sender_fault fault, int error)
{
	s->run.phase = SENDER_DONE;
	s->run.failed = true;
	sender_notify(s,
		      (struct sender_event){.kind = SENDER_FAILED, .fault = fault, .error = error});
}

/* Why nobody is ready, as far as it is known. */
static enum sender_fault explanation(const struct sender *s)
{
	if (s->asking.foreign)
		return SENDER_FOREIGN;
	if (s->asking.verdict)
		return s->asking.verdict == MESSAGE_BUSY ? SENDER_BUSY : SENDER_UNWILLING;
	return *s->plan.interrupts ? SENDER_INTERRUPTED : SENDER_UNANSWERED;
}

/* A stream's partner that does not answer may be a classic one: for it, START is data. */
static void give_up_answers(struct sender *s)
{
	bool closed = false;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		closed |= s->lane[i].closed;
	if (closed) {
		fail(s, SENDER_CLOSED, 0);
	} else if (receivers_ready(&s->receivers)) {
		fail(s, SENDER_PARTLY, 0);
	} else {
		sender_notify(s, (struct sender_event){.kind = SENDER_SILENT});
		s->run.silent = true;
		s->run.phase = SENDER_SENDING;
	}
}

static void conclude(struct sender *s, int rc)
{
	const enum sender_fault fault = explanation(s);
	const bool explained = fault != SENDER_UNANSWERED;

	/* Without the pause they had no time to receive the proof of this address. */
	if (s->plan.group && s->plan.no_wait && !rc)
		(void)ask_members(s);
	if (rc && !explained) {
		fail(s, rc == -EPROTO ? SENDER_NO_TTCP : SENDER_BROKEN, rc);
	} else if (all_ready(s) && !*s->plan.interrupts && (s->plan.group || !s->asking.verdict)) {
		s->run.phase = SENDER_SENDING;
	} else if (s->plan.group && !explained) {
		/* A group may have members that answer nothing. */
		sender_notify(s, (struct sender_event){.kind = SENDER_NOBODY});
		s->run.phase = SENDER_SENDING;
	} else if (s->plan.repeats || explained) {
		fail(s, fault, 0);
	} else {
		give_up_answers(s);
	}
}

/*
 * A receiver with many connections closes those whose START it has not read, and this one may have
 * been among them: it is made again. Any other partner will close it again.
 */
static int connect_again(struct sender *s, np_time now)
{
	struct sender_asking *c = &s->asking;
	uint64_t closed = 0; /* a bit for each lane */

	if (now >= c->retry_last || now < c->retry_next)
		return 0;
	for (unsigned i = 0; i < s->plan.lanes; i++) {
		struct sender_lane *lane = &s->lane[i];

		if (!lane->closed || lane->ready)
			continue;
		lane->closed = lane->asked = false;
		closed |= UINT64_C(1) << i;
	}
	if (!closed)
		return 0;
	if (!c->retried)
		sender_notify(s, (struct sender_event){.kind = SENDER_AGAIN});
	c->retried = true;
	c->retry_next = now + AGAIN;
	c->limit = now + SENDER_PAUSE > c->limit ? now + SENDER_PAUSE : c->limit;
	c->next = now;
	return s->port.reconnect(s->port.context, closed);
}

/* A connection was closed, and is not made again. */
static bool cut_off(const struct sender *s, np_time now)
{
	for (unsigned i = 0; i < s->plan.lanes; i++)
		if (s->lane[i].closed && (s->lane[i].ready || now >= s->asking.retry_last))
			return true;
	return false;
}

/*
 * Errors that do not end the contact: a receiver of datagrams may still come, a connection may be
 * made again.
 */
static bool is_bearable(struct sender *s, int error)
{
	if (s->plan.repeats)
		return error == -ECONNREFUSED;
	if (is_reset(error))
		s->asking.closed_by = error;
	return is_reset(error);
}

void sender_contact(struct sender *sender, np_time now)
{
	const np_time wait = sender->plan.wait;
	struct sender_asking *c = &sender->asking;

	if (sender->plan.classic) {
		sender->run.phase = SENDER_SENDING;
		return;
	}
	c->begin = c->next = now;
	c->end = now + SENDER_PAUSE;
	c->limit = now + (wait > SENDER_PAUSE ? wait : SENDER_PAUSE);
	c->retry_last = c->limit;
	sender_contact_tick(sender, now);
}

/* Asks, if it is due. Returns 0 or -errno of a fatal error. */
static int ask_due(struct sender *s, np_time now)
{
	const unsigned due = (unsigned)((now - s->asking.begin) / GROUP_AGAIN);
	int rc = connect_again(s, now);

	if (rc)
		return rc;
	if (now >= s->asking.next)
		rc = ask(s, now);
	/* A group again at 0, 1 and 2 s in any case, for those that missed the first START. */
	if (!rc && s->plan.group && due > s->asking.group_asked && due <= 2) {
		s->asking.group_asked = due;
		rc = sender_send(s, &s->lane[0], MESSAGE_START, NULL);
	}
	return rc < 0 && !is_bearable(s, rc) ? rc : 0;
}

/* Whether no answer can help, or no receiver is there. */
static bool is_hopeless(const struct sender *s, np_time now)
{
	const struct sender_asking *c = &s->asking;
	/* One that serves another sender; with --wait it is asked until that one has gone. */
	const bool worth_waiting = c->verdict == MESSAGE_BUSY && s->plan.wait && !s->plan.group &&
				   now < c->begin + s->plan.wait;

	/* A datagram of another version may come from anybody: the receiver may still answer. */
	if ((c->verdict && !worth_waiting) || (c->foreign && !s->plan.repeats) ||
	    *s->plan.interrupts || cut_off(s, now))
		return true;
	return c->sent && !s->plan.wait && s->plan.repeats && !s->plan.group &&
	       s->port.refused(s->port.context) && !all_ready(s);
}

void sender_contact_tick(struct sender *s, np_time now)
{
	int rc = 0;

	if (!contact_done(s, now) && !is_hopeless(s, now)) {
		rc = ask_due(s, now);
		if (!rc)
			return;
	}
	conclude(s, rc || !cut_off(s, now) ? rc : s->asking.closed_by);
}

void sender_contact_broke(struct sender *s, int error)
{
	if (!is_bearable(s, error))
		conclude(s, error);
}

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
	if (s->transport.group)
		return receivers_ready(&s->receivers);
	for (unsigned i = 0; i < s->transport.lanes; i++)
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

	for (unsigned i = 0; i < s->transport.lanes && !rc; i++) {
		struct sender_lane *lane = &s->lane[i];
		/*
		 * Streams lose nothing: a partner that does not answer has received it, or is not
		 * ttcp.
		 */
		const bool again = sender_repeats(s) ? !lane->ready : !lane->asked;

		if (!again && (i || !lane->ready || s->transport.group))
			continue;
		rc = sender_send(s, lane, MESSAGE_START, NULL);
		lane->asked = true;
		/* A receiver that closes it may have given the reason before: that is read next. */
		if (!sender_repeats(s) && is_reset(rc))
			rc = 0;
	}
	if (!rc && s->transport.group && c->sent)
		rc = ask_members(s);
	c->sent++;
	c->next = now + (s->transport.group && now - c->begin < 2 * GROUP_AGAIN &&
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
		return now >= c->limit && (sender_repeats(s) || !receivers_ready(&s->receivers) ||
					   now - c->begin >= SENDER_STALL);
	/*
	 * A receiver of datagrams serves the sender that first proves its address; only the answer
	 * to that START tells whether it is this one.
	 */
	if (c->challenged && !c->proven && !s->transport.group && now - c->challenged < PROOF_LIMIT)
		return false;
	if (!s->options->wait.no_wait)
		return now >= c->end;
	if (s->transport.group)
		return now - c->begin >= GROUP_COLLECT;
	return c->answers >= s->transport.lanes + QUICK_EXCHANGES || now - c->begin >= QUICK_LIMIT;
}

/* As soon as one is answered, the next exchange may start. */
void sender_contact_answered(struct sender *s, np_time now)
{
	if (s->run.phase == SENDER_CONTACT && s->options->wait.no_wait && !s->transport.group &&
	    all_ready(s))
		s->asking.next = now;
}

static void fail(struct sender *s, enum sender_fault fault, int error)
{
	s->run.phase = SENDER_DONE;
	s->run.failed = true;
	s->run.fault = fault;
	s->run.error = error;
}

/* Why nobody is ready, as far as it is known. */
static enum sender_fault explanation(const struct sender *s)
{
	if (s->asking.foreign)
		return SENDER_FOREIGN;
	if (s->asking.verdict)
		return s->asking.verdict == MESSAGE_BUSY ? SENDER_BUSY : SENDER_UNWILLING;
	return s->session->interrupts ? SENDER_INTERRUPTED : SENDER_UNANSWERED;
}

/* A stream's partner that does not answer may be a classic one: for it, START is data. */
static void give_up_answers(struct sender *s)
{
	bool closed = false;

	for (unsigned i = 0; i < s->transport.lanes; i++)
		closed |= s->lane[i].closed;
	if (closed) {
		fail(s, SENDER_CLOSED, 0);
	} else if (receivers_ready(&s->receivers)) {
		fail(s, SENDER_PARTLY, 0);
	} else {
		np_log_warning(s->session->log, s->name,
			       "does not answer: assumed to be a classic receiver, which counts "
			       "START and END, too; see --classic");
		s->run.silent = true;
		s->run.phase = SENDER_SENDING;
	}
}

static void conclude(struct sender *s, int rc)
{
	const enum sender_fault fault = explanation(s);
	const bool explained = fault != SENDER_UNANSWERED;

	/* Without the pause they had no time to receive the proof of this address. */
	if (s->transport.group && s->options->wait.no_wait && !rc)
		(void)ask_members(s);
	if (rc && !explained) {
		fail(s, rc == -EPROTO ? SENDER_NO_TTCP : SENDER_BROKEN, rc);
	} else if (all_ready(s) && !s->session->interrupts &&
		   (s->transport.group || !s->asking.verdict)) {
		s->run.phase = SENDER_SENDING;
	} else if (s->transport.group && !explained) {
		/* A group may have members that answer nothing. */
		np_log_warning(s->session->log, s->name,
			       "no receiver answers; sending to the group all the same");
		s->run.phase = SENDER_SENDING;
	} else if (sender_repeats(s) || explained) {
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
	struct transport *t = &s->transport;
	bool closed = false;

	if (now >= c->retry_last || now < c->retry_next)
		return 0;
	for (unsigned i = 0; i < t->lanes; i++) {
		struct sender_lane *lane = &s->lane[i];

		if (!lane->closed || lane->ready)
			continue;
		lane->closed = lane->asked = false;
		t->face->release(t, (int)i);
		closed = true;
	}
	if (!closed)
		return 0;
	if (!c->retried)
		np_log_warning(s->session->log, s->name,
			       "closed a connection before it answered; reconnecting");
	c->retried = true;
	c->retry_next = now + AGAIN;
	c->limit = now + SENDER_PAUSE > c->limit ? now + SENDER_PAUSE : c->limit;
	c->next = now;
	return sender_connect(s);
}

/* A connection was closed, and is not made again. */
static bool cut_off(const struct sender *s, np_time now)
{
	for (unsigned i = 0; i < s->transport.lanes; i++)
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
	if (sender_repeats(s))
		return error == -ECONNREFUSED;
	if (is_reset(error))
		s->asking.closed_by = error;
	return is_reset(error);
}

void sender_contact(struct sender *s, np_time now)
{
	const np_time wait = s->options->wait.wait;
	struct sender_asking *c = &s->asking;

	if (s->classic) {
		s->run.phase = SENDER_SENDING;
		return;
	}
	c->begin = c->next = now;
	c->end = now + SENDER_PAUSE;
	c->limit = now + (wait > SENDER_PAUSE ? wait : SENDER_PAUSE);
	c->retry_last = c->limit;
	sender_contact_tick(s, now);
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
	if (!rc && s->transport.group && due > s->asking.group_asked && due <= 2) {
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
	const bool worth_waiting = c->verdict == MESSAGE_BUSY && s->options->wait.wait &&
				   !s->transport.group && now < c->begin + s->options->wait.wait;

	/* A datagram of another version may come from anybody: the receiver may still answer. */
	if ((c->verdict && !worth_waiting) || (c->foreign && !sender_repeats(s)) ||
	    s->session->interrupts || cut_off(s, now))
		return true;
	return c->sent && !s->options->wait.wait && sender_repeats(s) && !s->transport.group &&
	       transport_count(&s->transport).refusal == -ECONNREFUSED && !all_ready(s);
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_contact: START until it is answered; the pause in which the clocks are compared. */
#include "sender_state.h"

#include <errno.h>
#include <string.h>

#define ANSWER_LIMIT SENDER_WAIT
#define AGAIN	     (100 * NP_MILLISECOND)
#define GROUP_AGAIN  NP_SECOND
#define GROUP_COLLECT                                                                              \
	(250 * NP_MILLISECOND) /* --no-wait: members hold their answer up to 100 ms                \
				*/
#define QUICK_EXCHANGES 8      /* --no-wait */
#define QUICK_LIMIT	(500 * NP_MILLISECOND)

struct contact {
	np_time begin;
	np_time end;   /* of the pause */
	np_time limit; /* of the waiting for an answer */
	np_time next;  /* START */
	unsigned told;
	/* Connections that are closed before START is answered are made again: */
	np_time retry_next, retry_last;
	int closed_by; /* -errno of the last one; 0: it just ended */
	bool retried;
};

static bool all_ready(const struct sender *s)
{
	/* Any member will do. */
	if (s->group)
		return receivers_ready(&s->receivers);
	for (unsigned i = 0; i < s->lanes; i++)
		if (!s->lane[i].ready)
			return false;
	return true;
}

/* Members that are known are asked alone, so that each is told of its own clock. */
static int ask_members(struct sender *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->receivers.count && !rc; i++)
		if (s->receivers.receiver[i].ready)
			rc = sender_tell(s, &s->lane[0], MESSAGE_START, &s->receivers.receiver[i]);
	return rc;
}

/* The partner wants no more of this connection. */
static bool is_reset(int error)
{
	return error == -ECONNRESET || error == -EPIPE;
}

/* START on one stream. Who resets it may have said why before: that is heard next. */
static int ask_lane(struct sender *s, struct lane *lane)
{
	int rc = sender_tell(s, lane, MESSAGE_START, NULL);

	lane->asked = true;
	return lane->stream && is_reset(rc) ? 0 : rc;
}

/* START on each stream that was not answered yet; on the first one again and again. */
static int ask(struct sender *s, struct contact *c, np_time now)
{
	int rc = 0;

	for (unsigned i = 0; i < s->lanes && !rc; i++) {
		struct lane *lane = &s->lane[i];
		/* A stream loses nothing: who does not answer there has heard it, or is no ttcp. */
		bool again = s->transport->repeats ? !lane->ready : !lane->asked;

		if (again || (i == 0 && lane->ready && !s->group))
			rc = ask_lane(s, lane);
	}
	if (!rc && s->group && c->told)
		rc = ask_members(s);
	c->told++;
	c->next = now +
		  (s->group && now - c->begin < 2 * GROUP_AGAIN && !receivers_ready(&s->receivers)
			   ? GROUP_AGAIN
			   : AGAIN);
	return rc;
}

/* A group is asked at 0, 1 and 2 s in any case, for those whom the first one did not reach. */
static int ask_group_again(struct sender *s, struct contact *c, np_time now)
{
	unsigned due = (unsigned)((now - c->begin) / GROUP_AGAIN);

	if (!s->group || due <= s->group_asked || due > 2)
		return 0;
	s->group_asked = due;
	return sender_tell(s, &s->lane[0], MESSAGE_START, NULL);
}

static bool contact_done(const struct sender *s, const struct contact *c, np_time now)
{
	/* Streams are either all of a ttcp or none: then the others will be answered, too. */
	if (!all_ready(s))
		return now >= c->limit &&
		       (s->transport->repeats || !receivers_ready(&s->receivers) ||
			now - c->begin >= SENDER_STALL);
	if (!sender_options(s)->wait.no_wait)
		return now >= c->end;
	if (s->group)
		return now - c->begin >= GROUP_COLLECT;
	return s->answers >= s->lanes + QUICK_EXCHANGES || now - c->begin >= QUICK_LIMIT;
}

/* As soon as one is answered the next exchange may begin. */
static bool quick(const struct sender *s, unsigned answers)
{
	return sender_options(s)->wait.no_wait && !s->group && s->answers > answers && all_ready(s);
}

static int fail(struct sender *s, const char *reason)
{
	np_log_error(s->session->log, s->name, "%s", reason);
	return s->run > 1 ? 1 : 2;
}

/* Why nobody is ready. */
static int explain(struct sender *s)
{
	struct np_datagram_stats stats = {0};

	if (s->other_version)
		return fail(s, "answers, but speaks another version of ttcp's messages");
	if (s->verdict == MESSAGE_BUSY)
		return fail(s, "is busy with another sender");
	if (s->verdict == MESSAGE_UNWILLING)
		return fail(s, "will not do this; it says why itself");
	if (s->session->interrupts)
		return fail(s, "interrupted before a receiver answered");
	if (s->lane[0].datagram)
		(void)np_datagram_stats(s->lane[0].datagram, &stats);
	if (stats.icmp_errors)
		fail(s, strerror(-stats.last_error));
	else
		fail(s, s->group ? "no receiver in the group answers" : "no receiver answers");
	if (s->run == 1 && !s->group)
		sender_probe(s);
	return s->run > 1 ? 1 : 2;
}

static bool refused(struct sender *s)
{
	struct np_datagram_stats stats;

	if (!s->lane[0].datagram || s->group)
		return false;
	(void)np_datagram_stats(s->lane[0].datagram, &stats);
	return stats.icmp_errors && stats.last_error == -ECONNREFUSED;
}

/* A TCP partner that says nothing may be a classic one: to it START is data like other data. */
static int conclude_contact(struct sender *s, int rc)
{
	if (rc && !s->other_version && !s->verdict && !s->session->interrupts) {
		np_log_error(s->session->log, s->name, "%s",
			     rc == -EPROTO ? "what answers there is no ttcp" : strerror(-rc));
		return s->run > 1 ? 1 : 2;
	}
	if (all_ready(s) && !s->session->interrupts)
		return 0;
	if (s->transport->repeats || s->verdict || s->other_version || s->session->interrupts)
		return explain(s);
	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].closed)
			return fail(s, "closed the connection; is it busy with another sender?");
	if (receivers_ready(&s->receivers))
		return fail(s, "does not answer on all streams");
	np_log_warning(s->session->log, s->name,
		       "does not answer: taken for a classic receiver, START and END are among "
		       "the bytes it counts (--classic leaves them out)");
	s->silent = true;
	return 0;
}

/*
 * A receiver that many connect to closes those whose START it has not heard, and this one's may
 * have been among them: it is made again. What another partner closes is closed again.
 */
static int connect_again(struct sender *s, struct contact *c, np_time now)
{
	bool any = false;

	if (s->verdict || s->other_version || now >= c->retry_last || now < c->retry_next)
		return 0;
	for (unsigned i = 0; i < s->lanes; i++) {
		if (!s->lane[i].closed || s->lane[i].ready)
			continue;
		s->transport->give_up(&s->lane[i]);
		any = true;
	}
	if (!any)
		return 0;
	if (!c->retried)
		np_log_warning(s->session->log, s->name,
			       "closed a connection before it answered: connecting again");
	c->retried = true;
	c->retry_next = now + AGAIN;
	c->limit = now + ANSWER_LIMIT > c->limit ? now + ANSWER_LIMIT : c->limit;
	c->next = now;
	return s->transport->connect(s);
}

/* A connection is closed, and there will be no other. */
static bool cut_off(const struct sender *s, const struct contact *c, np_time now)
{
	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].closed && (s->lane[i].ready || now >= c->retry_last))
			return true;
	return false;
}

static bool hopeless(const struct sender *s, const struct contact *c, np_time now)
{
	return s->verdict || s->other_version || s->session->interrupts || cut_off(s, c, now);
}

/* What does not end the contact: a receiver of datagrams may come, a connection may come again. */
static bool is_bearable(const struct sender *s, struct contact *c, int error)
{
	if (s->transport->repeats)
		return error == -ECONNREFUSED;
	if (is_reset(error))
		c->closed_by = error;
	return is_reset(error);
}

/* One turn: asks what is due, hears what comes. 0 or -errno. */
static int ask_and_hear(struct sender *s, struct contact *c, np_time now)
{
	int rc = 0;

	if (now >= c->next)
		rc = ask(s, c, now);
	if (!rc)
		rc = ask_group_again(s, c, now);
	if (rc >= 0)
		rc = sender_wait(s, c->next < c->limit ? c->next : c->limit, false);
	return rc < 0 && !is_bearable(s, c, rc) ? rc : 0;
}

int sender_contact(struct sender *s)
{
	const struct wait_options *wait = &sender_options(s)->wait;
	np_time now = np_clock_now();
	struct contact c = {.begin = now, .end = now + SENDER_WAIT, .next = now};
	int rc = 0;

	c.limit = now + (wait->wait > ANSWER_LIMIT ? wait->wait : ANSWER_LIMIT);
	c.retry_last = c.limit;
	s->group_asked = 0;
	while (!contact_done(s, &c, now) && !hopeless(s, &c, now)) {
		unsigned answers = s->answers;

		rc = ask_and_hear(s, &c, now);
		if (!rc)
			rc = connect_again(s, &c, np_clock_now());
		if (rc)
			break;
		now = np_clock_now();
		if (quick(s, answers))
			c.next = now;
		if (!wait->wait && refused(s) && !all_ready(s))
			break;
	}
	/* Without the pause they had no time to be told what proves this address to them. */
	if (s->group && wait->no_wait && !rc)
		(void)ask_members(s);
	return conclude_contact(s, rc || !cut_off(s, &c, now) ? rc : c.closed_by);
}

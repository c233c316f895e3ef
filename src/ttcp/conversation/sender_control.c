// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sender_control: sends START until it is answered, and compares the clocks in the pause; sends END
 * until every receiver has reported; and does what is due by time in either.
 */
#include "sender.h"

#include <errno.h>
#include <inttypes.h>

#define AGAIN	    (100 * NP_MILLISECOND)
#define GROUP_AGAIN NP_SECOND
/* --no-wait: members delay their answer by up to 100 ms. */
#define GROUP_COLLECT	(250 * NP_MILLISECOND)
#define QUICK_EXCHANGES 8 /* --no-wait */
#define QUICK_LIMIT	(500 * NP_MILLISECOND)
#define PROOF_LIMIT	(2 * NP_SECOND)

#define REPORT_LIMIT	(10 * NP_SECOND)
/* Where nobody is known to be there any more, or other ranks of a mesh wait for this one. */
#define SHORT_LIMIT (2 * NP_SECOND)
#define GAPS	    3 /* usual intervals without a sign of life, after which a receiver is dead */
#define REPORT_LOOK (200 * NP_MILLISECOND)

bool sender_all_ready(const struct sender *s)
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
			rc = sender_send(s, 0, MESSAGE_START, &s->receivers.receiver[i]);
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
		rc = sender_send(s, i, MESSAGE_START, NULL);
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

/* Contact is made, or cannot be: @rc: -errno of what broke. */
static void end_contact(struct sender *s, int rc)
{
	const bool group = s->transport.group, stopped = s->session->interrupts;
	const bool ready = sender_all_ready(s) && !stopped && (group || !s->asking.verdict);
	const bool silent = !ready && !group && !sender_repeats(s);
	const struct receivers_receiver *first = s->receivers.count ? s->receivers.receiver : NULL;
	const char *why = NULL;
	bool closed = false;

	for (unsigned i = 0; i < s->transport.lanes; i++)
		closed |= s->transport.lane[i]->gone;
	/* Without the pause they had no time to receive the proof of this address. */
	if (group && s->options->wait.no_wait && !rc)
		(void)ask_members(s);
	if (!ready && s->asking.foreign)
		why = "answers, but speaks another version of ttcp's messages";
	else if (!ready && s->asking.verdict == MESSAGE_BUSY)
		why = MESSAGE_BUSY_TEXT;
	else if (!ready && s->asking.verdict)
		why = *s->asking.beyond ? s->asking.beyond
					: "refuses this run; it reports why itself";
	else if (stopped)
		why = NULL;
	else if (rc)
		why = rc == -EPROTO ? "the program that answers there is not ttcp" : strerror(-rc);
	else if (s->load->latency && first && !first->answer.several)
		why = "serves one sender at a time: start it with --clients for "
		      "--latency-under-load";
	else if (s->load->latency && !first && !sender_repeats(s))
		why = "does not answer; --latency-under-load needs ttcp -r --clients there";
	else if (s->load->transacts && !first)
		why = "does not answer; --rr and --crr need ttcp -r there";
	else if (s->load->transacts && first->answer.reads < MESSAGE_READS)
		why = "does not know --rr and --crr: it is an older ttcp";
	else if (silent && closed)
		why = "closed the connection; it may be busy with another sender";
	else if (silent && receivers_ready(&s->receivers))
		why = "does not answer on all streams";
	s->run.why = why;
	s->run.failed = why || !(ready || group || silent) || stopped;
	s->run.phase = s->run.failed ? SENDER_DONE : SENDER_SENDING;
	if (ready || s->run.failed)
		return;
	/*
	 * A group may have members that answer nothing. A stream's partner that does not answer may
	 * be a classic one: for it, START is data.
	 */
	s->run.silent = silent;
	np_log_warning(s->session->log, s->name, "%s",
		       silent ? "does not answer: assumed to be a classic receiver, which counts "
				"START and END, too; see --classic"
			      : "no receiver answers; sending to the group all the same");
}

/* A connection was closed, and is not made again. */
static bool cut_off(const struct sender *s, np_time now)
{
	for (unsigned i = 0; i < s->transport.lanes; i++)
		if (s->transport.lane[i]->gone && (s->lane[i].ready || now >= s->asking.retry_last))
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

/* Whether contact is made, or no answer can help, or no receiver is there. */
static bool is_over(const struct sender *s, np_time now)
{
	const struct sender_asking *c = &s->asking;
	const bool group = s->transport.group, repeats = sender_repeats(s);
	const np_time waited = now - c->begin, wait = s->options->wait.wait;
	/* One that serves another sender; with --wait it is asked until that one has gone. */
	const bool worth_waiting = c->verdict == MESSAGE_BUSY && !group && waited < wait;

	/* A datagram of another version may come from anybody: the receiver may still answer. */
	if ((c->verdict && !worth_waiting) || (c->foreign && !repeats) || s->session->interrupts ||
	    cut_off(s, now))
		return true;
	/* All streams lead to the same program: if one was answered, the others will be. */
	if (!sender_all_ready(s))
		return (now >= c->limit &&
			(repeats || !receivers_ready(&s->receivers) || waited >= SENDER_STALL)) ||
		       (c->sent && !wait && repeats && !group &&
			transport_count(&s->transport).refusal == -ECONNREFUSED);
	/*
	 * A receiver of datagrams serves the sender that first proves its address; only the answer
	 * to that START tells whether it is this one.
	 */
	if (c->challenged && !c->proven && !group && now - c->challenged < PROOF_LIMIT)
		return false;
	if (!s->options->wait.no_wait && !c->since)
		return waited >= SENDER_PAUSE;
	if (group)
		return waited >= GROUP_COLLECT;
	return c->answers >= s->transport.lanes + QUICK_EXCHANGES || waited >= QUICK_LIMIT;
}

/* Asks, if it is due, until contact is made or cannot be. */
static void contact(struct sender *s, np_time now)
{
	struct sender_asking *c = &s->asking;
	struct transport *t = &s->transport;
	const unsigned due = (unsigned)((now - c->begin) / GROUP_AGAIN);
	bool closed = false;
	int rc = 0;

	if (is_over(s, now)) {
		end_contact(s, cut_off(s, now) ? c->closed_by : 0);
		return;
	}
	/*
	 * A receiver with many connections closes those whose START it has not read, and this one
	 * may have been among them: it is made again. Any other partner will close it again.
	 */
	for (unsigned i = 0; i < t->lanes && now < c->retry_last && now >= c->retry_next; i++) {
		if (!t->lane[i]->gone || s->lane[i].ready)
			continue;
		s->lane[i] = (struct sender_lane){.asked = false};
		t->face->release(t, (int)i);
		closed = true;
	}
	if (closed) {
		/* One that is busy closes those that it has answered. */
		if (!c->retry_next && c->verdict != MESSAGE_BUSY)
			np_log_warning(s->session->log, s->name,
				       "closed a connection before it answered; reconnecting");
		c->retry_next = now + AGAIN;
		c->limit = now + SENDER_PAUSE > c->limit ? now + SENDER_PAUSE : c->limit;
		c->next = now;
		rc = sender_connect(s);
	}
	if (rc) {
		end_contact(s, rc);
		return;
	}
	if (now >= c->next)
		rc = ask(s, now);
	/* A group again at 0, 1 and 2 s in any case, for those that missed the first START. */
	if (!rc && t->group && due > c->group_asked && due <= 2) {
		c->group_asked = due;
		rc = sender_send(s, 0, MESSAGE_START, NULL);
	}
	if (rc < 0 && !is_bearable(s, rc))
		end_contact(s, rc);
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
	c->limit = c->retry_last = now + (wait > SENDER_PAUSE ? wait : SENDER_PAUSE);
	contact(s, now);
}

static bool all_reported(const struct sender *s)
{
	const size_t ready = receivers_ready(&s->receivers);

	return ready && receivers_reported(&s->receivers) == ready;
}

/*
 * Members that answer are told individually about their own clock; then the others need not get it
 * again.
 */
static int send_ends(struct sender *s)
{
	int rc = 0;

	for (size_t i = 0; s->transport.group && i < s->receivers.count; i++) {
		const struct receivers_receiver *receiver = &s->receivers.receiver[i];

		for (unsigned k = 0; k < s->transport.lanes && !rc; k++)
			if (receiver->ready && !receiver->reported)
				rc = sender_send(s, k, MESSAGE_END, receiver);
	}
	for (unsigned i = 0; i < s->transport.lanes && !rc; i++)
		rc = sender_send(s, i, MESSAGE_END, NULL);
	return rc;
}

/* @rc: -errno of what broke; reports that were received stay valid. */
static void conclude(struct sender *s, int rc)
{
	const struct np_log *log = s->session->log;
	const struct receivers *all = &s->receivers;

	s->run.phase = SENDER_DONE;
	if (rc < 0 && !all_reported(s)) {
		s->run.failed = true;
		np_log_error(log, s->name, "lost before its report: %s", strerror(-rc));
		return;
	}
	for (size_t i = 0; i < all->count; i++) {
		const struct receivers_receiver *receiver = &all->receiver[i];

		if (!receiver->ready || receiver->reported)
			continue;
		s->run.failed = true;
		if (receiver->acks)
			np_log_error(log, NULL,
				     "no answer from %s: only the %" PRIu64
				     " messages that it acknowledged are known to have arrived",
				     receiver->name, receiver->acks);
		else
			np_log_error(
				log, NULL,
				"no answer from %s: nothing that was sent is known to have arrived",
				receiver->name);
	}
	for (size_t i = 0; i < all->count; i++)
		if (all->receiver[i].joined_late)
			np_log_warning(log, all->receiver[i].name,
				       "joined late, after sending began");
}

/* Over datagrams: repeats END until all have reported, or the limit. */
static void repeat_end(struct sender *s, np_time now)
{
	struct sender_progress *p = &s->progress;
	const bool gone = s->transport.group
				  ? !receivers_ready(&s->receivers)
				  : transport_count(&s->transport).refusal == -ECONNREFUSED;
	const np_time limit = gone || s->options->mesh.mesh ? SHORT_LIMIT : REPORT_LIMIT;
	/* END may wait in a queue behind messages as long as the receiver reports that they arrive.
	 */
	const np_time silence = GAPS * p->alive_gap > limit ? GAPS * p->alive_gap : limit;

	if (all_reported(s) || (now >= p->end_begin + limit && now >= p->alive + silence) ||
	    s->session->interrupts >= 2) {
		conclude(s, 0);
		return;
	}
	if (now < p->end_next)
		return;
	/* An error may be due to another receiver: repeated anyway. */
	(void)send_ends(s);
	p->ends_sent++;
	p->end_next = now + (p->ends_sent < MESSAGE_END_FIRST_ONES ? MESSAGE_END_SOON
								   : MESSAGE_END_EVERY);
}

/*
 * Over streams, where END was sent once: waits for the report or the end of the connections, as
 * long as the receiver's kernel accepts data, or anything arrives.
 */
static void await_report(struct sender *s, np_time now)
{
	const struct transport *t = &s->transport;
	bool open = false, acks_missing;

	for (unsigned i = 0; i < s->transport.lanes; i++)
		open |= !t->lane[i]->gone;
	acks_missing =
		s->acks && s->receivers.acks < sender_messages(s) * receivers_ready(&s->receivers);
	if (!open || !sender_moves(s, now, SENDER_STALL) || s->session->interrupts >= 2 ||
	    (all_reported(s) && !acks_missing))
		conclude(s, 0);
	else
		s->progress.end_next = now + REPORT_LOOK;
}

void sender_end(struct sender *s, np_time now)
{
	struct transport *t = &s->transport;
	bool left = false;
	int rc;

	/*
	 * DATA that were due before the end of the duration and have not gone by then: this host
	 * stopped the program, or had no room for them. Only how late they are will still show
	 * them.
	 */
	for (unsigned i = 0; i < t->lanes; i++)
		left |= !s->load->messages || s->lane[i].number < s->load->messages;
	if (left && s->run.sending && now >= s->run.deadline && !s->session->interrupts)
		np_pacer_missed(&s->run.pacer, s->run.deadline, now);
	s->run.phase = SENDER_ENDING;
	s->progress.end_begin = s->progress.end_next = now;
	if (sender_repeats(s) && s->classic) {
		conclude(s, 0);
	} else if (sender_repeats(s)) {
		repeat_end(s, now);
	} else {
		s->progress.moved = now;
		rc = s->classic ? 0 : send_ends(s);
		for (unsigned i = 0; i < s->transport.lanes && !rc; i++)
			t->face->finish(t, i);
		if (rc)
			conclude(s, rc);
		else
			await_report(s, session_now(s->session));
	}
}

void sender_abandon(struct sender *s)
{
	for (unsigned i = 0; i < s->transport.lanes && !s->classic; i++)
		if (s->lane[i].ready && (s->session->interrupts || s->load->transacts))
			(void)sender_send(s, i, MESSAGE_END, NULL);
}

void sender_bye(struct sender *s)
{
	s->bye = true;
	for (unsigned i = 0; i < (sender_repeats(s) ? MESSAGE_END_FIRST_ONES : 1); i++)
		(void)sender_send(s, 0, MESSAGE_END, NULL);
}

void sender_broke(struct sender *s, int error)
{
	s->asking.foreign |= error == -EPROTONOSUPPORT;
	if (s->run.phase == SENDER_CONTACT && !is_bearable(s, error))
		end_contact(s, error);
	else if (s->run.phase == SENDER_ENDING)
		conclude(s, error);
}

void sender_tick(struct sender *s, np_time now)
{
	if (s->run.phase == SENDER_CONTACT)
		contact(s, now);
	else if (s->run.phase == SENDER_ENDING && sender_repeats(s))
		repeat_end(s, now);
	else if (s->run.phase == SENDER_ENDING)
		await_report(s, now);
}

np_time sender_deadline(const struct sender *s)
{
	const struct sender_asking *c = &s->asking;

	switch (s->run.phase) {
	case SENDER_CONTACT: return c->next < c->limit ? c->next : c->limit;
	case SENDER_ENDING: return s->progress.end_next;
	default: return NP_TIME_NEVER;
	}
}

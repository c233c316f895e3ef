// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_end: sends END until every receiver has reported; and what is due by time in any phase. */
#include "sender.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define REPORT_LIMIT (2 * NP_SECOND)
#define GAPS	     3 /* usual intervals without a sign of life, after which a receiver is dead */
#define REPORT_LOOK  (200 * NP_MILLISECOND)

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
				rc = sender_send(s, &s->lane[k], MESSAGE_END, receiver);
	}
	for (unsigned i = 0; i < s->transport.lanes && !rc; i++)
		rc = sender_send(s, &s->lane[i], MESSAGE_END, NULL);
	return rc;
}

static void report_silence(const struct sender *s, const struct receivers_receiver *receiver)
{
	if (receiver->acks)
		np_log_error(s->session->log, NULL,
			     "no answer from %s: only the %" PRIu64
			     " messages that it acknowledged are known to have arrived",
			     receiver->name, receiver->acks);
	else
		np_log_error(s->session->log, NULL,
			     "no answer from %s: nothing that was sent is known to have arrived",
			     receiver->name);
}

/* @rc: -errno of what broke; reports that were received stay valid. */
static void conclude(struct sender *s, int rc)
{
	const struct receivers *all = &s->receivers;

	s->run.phase = SENDER_DONE;
	if (rc < 0 && !all_reported(s)) {
		s->run.failed = true;
		np_log_error(s->session->log, s->name, "lost before its report: %s", strerror(-rc));
		return;
	}
	for (size_t i = 0; i < all->count; i++) {
		if (!all->receiver[i].ready || all->receiver[i].reported)
			continue;
		s->run.failed = true;
		report_silence(s, &all->receiver[i]);
	}
	for (size_t i = 0; i < all->count; i++)
		if (all->receiver[i].joined_late)
			np_log_warning(s->session->log, all->receiver[i].name,
				       "joined late, after sending began");
}

/* Over datagrams: repeats END until all have reported, or the limit. */
static void repeat_end(struct sender *s, np_time now)
{
	struct sender_progress *p = &s->progress;
	/* END may wait in a queue behind messages as long as the receiver reports that they arrive.
	 */
	const np_time silence =
		GAPS * p->alive_gap > REPORT_LIMIT ? GAPS * p->alive_gap : REPORT_LIMIT;

	if (all_reported(s) || (now >= p->end_begin + REPORT_LIMIT && now >= p->alive + silence) ||
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
	bool open = false, acks_missing;

	for (unsigned i = 0; i < s->transport.lanes; i++)
		open |= !s->lane[i].closed;
	acks_missing =
		s->acks && s->receivers.acks < sender_messages(s) * receivers_ready(&s->receivers);
	if (!open || !sender_moves(s, now, SENDER_STALL) || s->session->interrupts >= 2 ||
	    (all_reported(s) && !acks_missing))
		conclude(s, 0);
	else
		s->progress.end_next = now + REPORT_LOOK;
}

/*
 * DATA that were due before the end of the duration and have not gone by then: this host stopped
 * the program, or had no room for them. Only how late they are will still show them.
 */
static void note_missed(struct sender *s, np_time now)
{
	struct np_pacer *pacer = &s->run.pacer;
	np_time due = np_pacer_next(pacer);
	bool left = false;

	for (unsigned i = 0; i < s->transport.lanes; i++)
		left |= !s->load->messages || s->lane[i].number < s->load->messages;
	if (left && pacer->rate_per_s > 0 && !s->session->interrupts && due < s->run.deadline &&
	    now - due > pacer->worst_behind)
		pacer->worst_behind = now - due;
}

void sender_end(struct sender *s, np_time now)
{
	struct transport *t = &s->transport;
	int rc;

	if (s->run.sending && now >= s->run.deadline)
		note_missed(s, now);
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
	for (unsigned i = 0; i < s->transport.lanes && s->session->interrupts && !s->classic; i++)
		if (s->lane[i].ready)
			(void)sender_send(s, &s->lane[i], MESSAGE_END, NULL);
}

void sender_bye(struct sender *s)
{
	for (unsigned i = 0; i < (sender_repeats(s) ? MESSAGE_END_FIRST_ONES : 1); i++)
		(void)sender_send(s, &s->lane[0], MESSAGE_END, NULL);
}

void sender_broke(struct sender *s, int error)
{
	s->asking.foreign |= error == -EPROTONOSUPPORT;
	if (s->run.phase == SENDER_CONTACT)
		sender_contact_broke(s, error);
	else if (s->run.phase == SENDER_ENDING)
		conclude(s, error);
}

void sender_tick(struct sender *s, np_time now)
{
	if (s->run.phase == SENDER_CONTACT)
		sender_contact_tick(s, now);
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

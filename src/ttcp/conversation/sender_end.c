// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_end: END until every receiver has reported. */
#include "sender_state.h"

#include <errno.h>
#include <string.h>

#define AGAIN_FIRST  (10 * NP_MILLISECOND)
#define FIRST_ONES   5
#define AGAIN	     (50 * NP_MILLISECOND)
#define REPORT_LIMIT (2 * NP_SECOND)
#define GAPS	     3 /* between a receiver's signs of life, before it is dead */
#define LOOK	     (200 * NP_MILLISECOND)

static bool all_reported(const struct sender *s)
{
	size_t ready = receivers_ready(&s->receivers);

	return ready && receivers_reported(&s->receivers) == ready;
}

static bool all_closed(const struct sender *s)
{
	for (unsigned i = 0; i < s->lanes; i++)
		if (!s->lane[i].closed)
			return false;
	return true;
}

/* Ones that answer alone are told of their own clock; then the others need not hear it again. */
static int tell_members(struct sender *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->receivers.count && !rc; i++)
		for (unsigned k = 0; k < s->lanes && !rc; k++)
			if (s->receivers.receiver[i].ready && !s->receivers.receiver[i].reported)
				rc = sender_tell(s, &s->lane[k], MESSAGE_END,
						 &s->receivers.receiver[i]);
	return rc;
}

static int tell_all(struct sender *s)
{
	int rc = 0;

	if (s->group)
		rc = tell_members(s);
	for (unsigned i = 0; i < s->lanes && !rc; i++)
		rc = sender_tell(s, &s->lane[i], MESSAGE_END, NULL);
	return rc;
}

static int finish_lanes(struct sender *s)
{
	for (unsigned i = 0; i < s->lanes; i++)
		s->transport->finish(&s->lane[i]);
	return 0;
}

/* Whether a last ACK is still to come. */
static bool acks_missing(const struct sender *s)
{
	return s->acks && s->receivers.acks < sender_messages(s) * receivers_ready(&s->receivers);
}

/* END may wait in a queue behind messages, as long as these come out of it. */
static np_time report_limit(const struct sender *s, np_time begin)
{
	np_time patience = GAPS * s->alive_gap;

	if (patience < REPORT_LIMIT)
		patience = REPORT_LIMIT;
	return s->alive + patience > begin + REPORT_LIMIT ? s->alive + patience
							  : begin + REPORT_LIMIT;
}

/* Over datagrams: until all have reported, or the limit. */
static int repeat_end(struct sender *s)
{
	np_time now = np_clock_now(), begin = now, next = now;
	unsigned told = 0;
	int rc = 0;

	while (!all_reported(s) && now < report_limit(s, begin) && s->session->interrupts < 2) {
		if (now >= next) {
			/* An error of one may be a refusal of the other: told again anyway. */
			(void)tell_all(s);
			s->end_told = true;
			told++;
			next = now + (told < FIRST_ONES ? AGAIN_FIRST : AGAIN);
		}
		rc = sender_wait(s, next, false);
		if (rc < 0)
			return rc;
		now = np_clock_now();
	}
	return 0;
}

/*
 * Over streams: once; then until the report, or the end of the connections, as long as the
 * receiver's kernel takes what there is to carry, or says anything.
 */
static int end_streams(struct sender *s)
{
	np_time now = np_clock_now();
	int rc;

	s->moved = now;
	rc = s->classic ? 0 : tell_all(s);
	if (!rc)
		rc = finish_lanes(s);
	now = np_clock_now();
	while (rc >= 0 && !all_closed(s) && sender_moves(s, now, SENDER_STALL) &&
	       s->session->interrupts < 2 && (!all_reported(s) || acks_missing(s))) {
		rc = sender_wait(s, now + LOOK, false);
		now = np_clock_now();
		if (rc > 0)
			s->moved = now;
	}
	return rc < 0 ? rc : 0;
}

static int end_classic(struct sender *s)
{
	return sender_classic_mark(s, MESSAGE_CLASSIC_END_MARKERS);
}

/* Who did not say what came to him. */
static int name_missing(struct sender *s)
{
	int status = 0;

	for (size_t i = 0; i < s->receivers.count; i++) {
		const struct receivers_receiver *receiver = &s->receivers.receiver[i];

		if (!receiver->ready || receiver->reported)
			continue;
		np_log_error(s->session->log, receiver->name,
			     "sent no report: what it received is not known");
		status = 1;
	}
	if (!s->receivers.count && !s->silent && !s->classic) {
		np_log_error(s->session->log, s->name,
			     "sent no report: what it received is not known");
		status = 1;
	}
	for (size_t i = 0; i < s->receivers.count; i++)
		if (s->receivers.receiver[i].joined_late)
			np_log_warning(s->session->log, s->receivers.receiver[i].name,
				       "joined late: it was not there when sending began");
	return status;
}

void sender_bye(struct sender *s)
{
	if (s->classic || s->silent || s->transport->reach(s))
		return;
	for (unsigned i = 0; i < (s->transport->repeats ? FIRST_ONES : 1); i++)
		(void)sender_tell(s, &s->lane[0], MESSAGE_END, NULL);
	s->transport->finish(&s->lane[0]);
	s->transport->disconnect(s);
}

int sender_end(struct sender *s)
{
	int rc;

	if (s->classic && s->transport->repeats)
		rc = end_classic(s);
	else if (s->transport->repeats)
		rc = repeat_end(s);
	else
		rc = end_streams(s);
	if (rc < 0 && !all_reported(s)) {
		np_log_error(s->session->log, s->name, "lost before its report: %s", strerror(-rc));
		return 1;
	}
	return name_missing(s);
}

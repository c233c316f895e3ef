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
/* A stream may still have much to carry, and a silent receiver just closes. */
#define STREAM_LIMIT ((np_time)SENDER_TIMEOUT_MS * NP_MILLISECOND)

static bool all_reported(const struct sender *s)
{
	size_t ready = roster_ready(&s->roster);

	return ready && roster_reported(&s->roster) == ready;
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

	for (size_t i = 0; i < s->roster.count && !rc; i++)
		for (unsigned k = 0; k < s->lanes && !rc; k++)
			if (s->roster.receiver[i].ready && !s->roster.receiver[i].reported)
				rc = sender_tell(s, &s->lane[k], MESSAGE_END,
						 &s->roster.receiver[i]);
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
	return s->acks && s->roster.acks < sender_messages(s) * roster_ready(&s->roster);
}

/* Over datagrams: until all have reported, or the limit. */
static int repeat_end(struct sender *s)
{
	np_time now = np_clock_now(), limit = now + REPORT_LIMIT, next = now;
	unsigned told = 0;
	int rc = 0;

	while (!all_reported(s) && now < limit && s->session->interrupts < 2) {
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

/* Over streams: once; then until the report, or the end of the connections. */
static int end_streams(struct sender *s)
{
	np_time limit = np_clock_now() + STREAM_LIMIT;
	int rc = s->silent || s->classic ? 0 : tell_all(s);

	if (!rc)
		rc = finish_lanes(s);
	while (rc >= 0 && !all_closed(s) && np_clock_now() < limit && s->session->interrupts < 2 &&
	       (!all_reported(s) || acks_missing(s)))
		rc = sender_wait(s, limit, false);
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

	for (size_t i = 0; i < s->roster.count; i++) {
		const struct roster_receiver *receiver = &s->roster.receiver[i];

		if (!receiver->ready || receiver->reported)
			continue;
		np_log_error(s->session->log, receiver->name,
			     "sent no report: what it received is not known");
		status = 1;
	}
	if (!s->roster.count && !s->silent && !s->classic) {
		np_log_error(s->session->log, s->name,
			     "sent no report: what it received is not known");
		status = 1;
	}
	for (size_t i = 0; i < s->roster.count; i++)
		if (s->roster.receiver[i].joined_late)
			np_log_warning(s->session->log, s->roster.receiver[i].name,
				       "joined late: it was not there when sending began");
	return status;
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

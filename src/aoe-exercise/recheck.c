// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* recheck: starts a round of the examination when the target was silent. */
#include "recheck.h"

#include <errno.h>

#define SILENCE_MIN (100 * NP_MILLISECOND) /* a busy disk is silent for as long */
#define AT_ONCE	    16			   /* questions */

void recheck_start(struct recheck *recheck, struct examination *examination, np_time timeout)
{
	*recheck = (struct recheck){
		.examination = examination,
		.silence = timeout > SILENCE_MIN ? timeout : SILENCE_MIN,
		.heard = np_clock_now(),
	};
}

static bool is_needed(const struct recheck *r, np_time now)
{
	return r->doubted || now - r->heard > r->silence;
}

void recheck_heard(struct recheck *recheck, np_time at)
{
	recheck->doubted |= is_needed(recheck, at);
	if (at > recheck->heard)
		recheck->heard = at;
}

void recheck_stop(struct recheck *recheck, np_time now)
{
	if (recheck->holds)
		recheck->held += now - recheck->held_since;
	recheck->holds = false;
}

static void conclude(struct recheck *r, np_time now)
{
	r->rounds++;
	r->doubted = false;
	r->heard = now;
	recheck_stop(r, now);
}

int recheck_before(struct recheck *recheck)
{
	const np_time now = np_clock_now();

	if (!is_needed(recheck, now))
		return 0;
	examination_again(recheck->examination, now);
	recheck->error = examination_wait(recheck->examination);
	conclude(recheck, np_clock_now());
	return recheck->error;
}

/*
 * How many questions may be in flight, beside writes that may still be answered: no buffer
 * overflows. A silent target does not answer sooner when asked more.
 */
static unsigned at_once(const struct recheck *r, unsigned room)
{
	if (room < 1 || !examination_is_answered(r->examination))
		return 1;
	return room < AT_ONCE ? room : AT_ONCE;
}

int recheck_step(struct recheck *recheck, np_time now, unsigned room)
{
	struct recheck *r = recheck;
	int rc;

	if (r->error)
		return 0;
	if (r->holds && examination_done(r->examination))
		conclude(r, now);
	if (!r->holds && is_needed(r, now)) {
		examination_again(r->examination, now);
		r->holds = true;
		r->held_since = now;
	}
	if (!r->holds)
		return 0;
	rc = examination_ask(r->examination, now, at_once(r, room));
	if (rc == -ETIMEDOUT)
		r->error = rc;
	return r->error ? 0 : rc;
}

bool recheck_take(struct recheck *recheck, const struct np_aoe_header *header,
		  const struct np_frame *frame)
{
	int rc;

	if (recheck->error)
		return false;
	rc = examination_take(recheck->examination, header, frame);
	if (rc < 0)
		recheck->error = rc;
	return rc != 0;
}

bool recheck_is_unsent(const struct recheck *recheck)
{
	return recheck->error == -ETIMEDOUT && !examination_was_sent(recheck->examination);
}

bool recheck_is_silent(const struct recheck *recheck)
{
	return recheck->error == -ETIMEDOUT && !examination_is_answered(recheck->examination);
}

np_time recheck_due(const struct recheck *recheck)
{
	return recheck->holds ? examination_due(recheck->examination) : NP_TIME_NEVER;
}

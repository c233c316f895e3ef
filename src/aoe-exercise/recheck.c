// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* recheck: starts rounds of an examination when the target was silent. */
#include "recheck.h"

#include "ask.h"

#include <errno.h>

#define AT_ONCE 16 /* questions while the writes are held */

void recheck_start(struct recheck *recheck, struct examination *examination)
{
	*recheck = (struct recheck){.examination = examination};
	if (examination)
		lapse_start(&recheck->lapse, examination_rtt(examination));
}

static void begin(struct recheck *r, enum examine_scope scope, uint32_t tag, np_time now)
{
	examination_again(r->examination, scope, tag, now);
	r->active = true;
	r->whole = scope == EXAMINE_ALL;
	r->begin = now;
	r->begun++;
}

uint32_t recheck_tag(const struct recheck *recheck, const struct tags *tags)
{
	return tags_round(tags, recheck->begun + 1); /* the first one was before the run */
}

void recheck_stop(struct recheck *recheck, np_time now)
{
	if (recheck->holds)
		recheck->held += now - recheck->held_since;
	recheck->active = recheck->holds = recheck->whole = false;
}

static void conclude(struct recheck *r, np_time now, uint64_t lost)
{
	r->rounds++;
	lapse_examined(&r->lapse, now, now - r->begin, lost);
	recheck_stop(r, now);
}

int recheck_before(struct recheck *recheck, const struct channel *channel)
{
	np_time now = np_clock_now();
	struct recheck *r = recheck;

	if (!r->examination || lapse_need(&r->lapse, now, r->lapse.lost) < LAPSE_FEW)
		return 0;
	begin(r, EXAMINE_FEW, recheck_tag(r, &channel->tags), now);
	r->error = examination_wait(r->examination);
	conclude(r, np_clock_now(), 0);
	return r->error;
}

/* Answers from before the silence prove nothing: the round starts over. */
static void begin_what_is_needed(struct recheck *r, enum lapse_need need, uint32_t tag, np_time now)
{
	if (need == LAPSE_BESIDE && !r->active)
		begin(r, EXAMINE_FEW, tag, now);
	if (need == LAPSE_FEW && !r->holds)
		begin(r, EXAMINE_FEW, tag, now);
	if (need == LAPSE_ALL && !(r->holds && r->whole))
		begin(r, EXAMINE_ALL, tag, now);
	if (need >= LAPSE_FEW && !r->holds) {
		lapse_hold(&r->lapse, now);
		r->holds = true;
		r->held_since = now;
	}
}

/*
 * How many questions may be in flight. They take places of the window, so that no buffer overflows.
 */
static unsigned at_once(const struct recheck *r, unsigned room)
{
	if (!r->holds)
		return room > 0;
	/*
	 * A silent target does not answer sooner when asked more, and a busy disk would have to
	 * read for each question.
	 */
	if (room < 1 || !examination_is_answered(r->examination))
		return 1;
	return room < AT_ONCE ? room : AT_ONCE;
}

int recheck_step(struct recheck *recheck, np_time now, unsigned room, uint32_t tag, uint64_t lost)
{
	struct recheck *r = recheck;
	int rc;

	if (!r->examination || r->error)
		return 0;
	if (r->active && examination_done(r->examination))
		conclude(r, now, lost);
	begin_what_is_needed(r, lapse_need(&r->lapse, now, lost), tag, now);
	if (!r->active)
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

	if (!recheck->examination || recheck->error)
		return false;
	rc = examination_take(recheck->examination, header, frame);
	if (rc < 0)
		recheck->error = rc;
	/* No write was answered yet, but the silence is over. */
	if (rc > 0 && recheck->holds)
		lapse_spoke(&recheck->lapse, frame->stamp);
	return rc != 0;
}

void recheck_heard(struct recheck *recheck, const struct np_frame *frame, np_time rtt)
{
	struct recheck *r = recheck;

	if (!lapse_heard(&r->lapse, frame->stamp, rtt) || !r->holds || r->whole)
		return;
	r->held += np_clock_now() - r->held_since;
	r->holds = false;
	if (!examination_is_answered(r->examination))
		r->active = false;
}

bool recheck_is_unsent(const struct recheck *recheck)
{
	return recheck->error == -ETIMEDOUT && !examination_was_sent(recheck->examination);
}

bool recheck_is_silent(const struct recheck *recheck)
{
	return recheck->error == -ETIMEDOUT && !examination_is_answered(recheck->examination);
}

unsigned recheck_in_flight(const struct recheck *recheck)
{
	return recheck->active ? examination_in_flight(recheck->examination) : 0;
}

np_time recheck_due(const struct recheck *recheck)
{
	return recheck->active ? examination_due(recheck->examination) : NP_TIME_NEVER;
}

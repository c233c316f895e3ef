// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver: one sender after the other, and what is due by time. */
#include "receiver_state.h"

#include <errno.h>
#include <stdlib.h>

/* An END not repeated for so long has been answered, or the sender has given up. */
#define END_QUIET (300 * NP_MILLISECOND)
/* Beyond the sender's pause between two runs. */
#define NEXT_RUN (30 * NP_SECOND)

int receiver_create(struct receiver **receiver, const struct receiver_plan *plan,
		    const struct receiver_port *port, const struct receiver_listener *listener,
		    np_time now)
{
	struct receiver *r = calloc(1, sizeof(*r));

	*receiver = r;
	/* So that there is a stream to be counted, whatever comes. */
	if (!r || tally_create(&r->tally[0]))
		return -ENOMEM;
	r->plan = *plan;
	r->port = *port;
	r->listener = *listener;
	r->opened = now;
	r->random = plan->secret.word[0] ^ (uint64_t)now;
	return 0;
}

void receiver_free(struct receiver *receiver)
{
	if (!receiver)
		return;
	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++)
		tally_free(receiver->tally[i]);
	free(receiver);
}

bool receiver_more_runs(const struct receiver *r)
{
	return !r->run.raw && r->run.started && !r->sender.bye &&
	       (!r->run.start.runs || r->run.number < r->run.start.runs);
}

void receiver_next_sender(struct receiver *r)
{
	r->run.phase = RECEIVER_IDLE;
	r->sender.id = 0;
	r->served++;
	r->over |= r->plan.senders && r->served >= r->plan.senders;
	receiver_tell(r, RECEIVER_LISTENING);
}

static void check_idle(struct receiver *r, np_time now)
{
	if (!r->plan.wait || r->served || now - r->opened < r->plan.wait)
		return;
	receiver_tell(r, RECEIVER_ALONE);
	r->over = true;
}

static void check_receiving(struct receiver *r, np_time now)
{
	const struct served_sender *s = &r->sender;

	/* A raw stream's partner may be silent as long as it lives. */
	if (s->ended_at && now >= s->ended_at + receiver_grace(r))
		receiver_finish(r, MESSAGE_COMPLETE);
	else if ((!r->run.raw || r->plan.datagrams) && now - s->heard >= receiver_silence(r))
		receiver_finish(r, receiver_all_ended(r) ? MESSAGE_COMPLETE : MESSAGE_TIMED_OUT);
}

static void check_reported(struct receiver *r, np_time now)
{
	const struct served_sender *s = &r->sender;
	np_time heard = s->end_heard > s->reported ? s->end_heard : s->reported;

	/* A stream brings no END twice. */
	if (r->plan.datagrams && now - heard < END_QUIET)
		return;
	if (!receiver_more_runs(r)) {
		receiver_next_sender(r);
	} else if (now - heard >= NEXT_RUN) {
		receiver_tell(r, RECEIVER_LEFT);
		receiver_next_sender(r);
	}
}

void receiver_tick(struct receiver *receiver, np_time now)
{
	struct receiver *r = receiver;

	receiver_beat(r, now);
	receiver_answer_held(r, now);
	switch (r->run.phase) {
	case RECEIVER_IDLE: check_idle(r, now); break;
	case RECEIVER_RECEIVING: check_receiving(r, now); break;
	case RECEIVER_REPORTED: check_reported(r, now); break;
	}
}

np_time receiver_deadline(const struct receiver *receiver)
{
	const struct receiver *r = receiver;
	np_time next = r->plan.wait && !r->served ? r->opened + r->plan.wait : NP_TIME_NEVER;

	return r->held.held && r->held.due < next ? r->held.due : next;
}

void receiver_stop(struct receiver *receiver)
{
	if (receiver->run.phase == RECEIVER_RECEIVING)
		receiver_finish(receiver, MESSAGE_INTERRUPTED);
	receiver->over = true;
}

bool receiver_over(const struct receiver *receiver)
{
	return receiver->over;
}

uint64_t receiver_served(const struct receiver *receiver)
{
	return receiver->served;
}

const struct receiver_run *receiver_run(const struct receiver *receiver)
{
	return &receiver->run;
}

bool receiver_in_ping_pong(const struct receiver *receiver)
{
	const struct receiver_run *run = &receiver->run;

	return run->phase == RECEIVER_RECEIVING && run->flags & MESSAGE_PING_PONG &&
	       run->streams == 1;
}

uint64_t receiver_strays(struct receiver *receiver)
{
	const uint64_t strays = receiver->strays;

	receiver->strays = 0;
	return strays;
}

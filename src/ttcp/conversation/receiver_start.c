// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_start: handles START: which sender is served, and which ones are refused. */
#include "receiver_state.h"

#define HOLD_MOST (100 * NP_MILLISECOND)

bool receiver_may_begin(const struct receiver *r, const struct message *m)
{
	return receiver_run(r)->phase == RECEIVER_IDLE ? !r->over
						       : conversation_follows(r->with, m);
}

/* Whether @m belongs to the pending START. */
static bool was_announced(const struct receiver *r, const struct receiver_source *source,
			  const struct message *m)
{
	const struct pending_start *p = &r->pending;

	return p->there && p->message.session == m->session && p->message.run == m->run &&
	       np_address_same_host(source->address, &p->from);
}

void receiver_begin(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at)
{
	const struct message announced = r->pending.message;
	const bool waited = m && m->type != MESSAGE_START && was_announced(r, source, m);

	r->pending.there = false;
	if (conversation_begin(r->with, source, waited ? &announced : m, at))
		r->over = true;
}

static bool proves(const struct receiver *r, const struct receiver_source *source,
		   const struct message *m)
{
	return conversation_proves(r->with, source, m->session, m->start.proof);
}

/* A raw stream of which nothing has come for long; its connection may last for ever. */
static bool is_deserted(const struct receiver *r, np_time at)
{
	const struct receiver_run *run = receiver_run(r);

	return run->phase == RECEIVER_RECEIVING && run->raw && !r->plan.with.datagrams &&
	       !r->plan.patient && at - conversation_last_heard(r->with) >= RECEIVER_RAW_SILENCE;
}

/*
 * A run whose sender never proved its address gives way to one that did; so does a run of datagrams
 * without headers, which prove nothing.
 */
static bool may_displace(const struct receiver *r, const struct message *m)
{
	const struct receiver_run *run = receiver_run(r);

	return run->phase == RECEIVER_RECEIVING && r->plan.with.answers &&
	       !conversation_proven(r->with) && (!run->raw || r->plan.with.datagrams) &&
	       m->session != conversation_session(r->with);
}

/* In a group -monitor answers nobody, so that nobody can prove an address. */
static bool is_trusted(const struct receiver *r, const struct receiver_source *source,
		       const struct message *m)
{
	return proves(r, source, m) || !r->plan.with.answers ||
	       (m->session == conversation_session(r->with) && conversation_proven(r->with));
}

/* Whether the sender of the START @m is or may be served: its run has started, or it waits. */
static bool take_place(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	if (receiver_may_begin(r, m) || may_displace(r, m)) {
		if (!is_trusted(r, source, m)) {
			r->pending = (struct pending_start){true, *m, *source->address};
			return true;
		}
		receiver_begin(r, source, m, at);
	}
	if (!conversation_has(r->with, m))
		return false;
	conversation_take_start(r->with, source, m, at);
	return true;
}

static np_time draw_hold(struct receiver *r)
{
	r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (np_time)((r->random >> 33) % HOLD_MOST);
}

static void hold_answer(struct receiver *r, const struct receiver_source *to,
			const struct message *m, np_time at)
{
	np_time hold = r->held.held ? r->held.due - at : draw_hold(r);

	r->held = (struct held_answer){
		.held = true,
		.session = m->session,
		.run = m->run,
		.due = at + hold,
		.received = at,
		.time = m->time,
		.stream = m->stream,
		.to = *to->address,
	};
}

void receiver_answer_held(struct receiver *r, np_time now)
{
	const struct receiver_source to = {.address = &r->held.to, .bytes = MESSAGE_CONTROL_MAX};
	const struct message m = {
		.stream = r->held.stream,
		.session = r->held.session,
		.run = r->held.run,
		.time = r->held.time,
	};

	if (!r->held.held || now < r->held.due)
		return;
	r->held.held = false;
	conversation_answer_start(r->with, &to, &m, MESSAGE_READY, r->held.received);
}

static void answer(struct receiver *r, const struct receiver_source *source,
		   const struct message *m, uint8_t verdict, np_time at)
{
	conversation_answer_start(r->with, source, m, verdict, at);
}

/* A sender that blocks the place without need is dropped. */
static void make_way(struct receiver *r, const struct receiver_source *source,
		     const struct message *m)
{
	/* The run before is over, though that was not noticed yet. */
	if (receiver_run(r)->phase == RECEIVER_REPORTED &&
	    m->session != conversation_session(r->with) && !conversation_more_runs(r->with))
		receiver_next_sender(r);
	if (!may_displace(r, m) || !proves(r, source, m))
		return;
	receiver_tell(r, RECEIVER_MADE_WAY);
	conversation_forget(r->with);
}

static void desert(struct receiver *r)
{
	receiver_tell(r, RECEIVER_DESERTED);
	conversation_forget(r->with);
}

bool receiver_may_begin_raw(struct receiver *receiver, np_time at)
{
	if (is_deserted(receiver, at))
		desert(receiver);
	return receiver_run(receiver)->phase == RECEIVER_IDLE;
}

void receiver_take_start(struct receiver *r, const struct receiver_source *source,
			 const struct message *m, np_time at)
{
	const struct conversation_plan *plan = &r->plan.with;

	if (m->flags & MESSAGE_PROBE) {
		answer(r, source, m, MESSAGE_READY, at);
		return;
	}
	if (is_deserted(r, at))
		desert(r);
	make_way(r, source, m);
	if (plan->answers && !plan->acknowledges && m->flags & MESSAGE_ACK_WANTED) {
		receiver_tell(r, RECEIVER_UNWILLING);
		answer(r, source, m, MESSAGE_UNWILLING, at);
	} else if (!take_place(r, source, m, at)) {
		answer(r, source, m, MESSAGE_BUSY, at);
	} else if (source->by_group) {
		hold_answer(r, source, m, at);
	} else {
		answer(r, source, m, MESSAGE_READY, at);
	}
}

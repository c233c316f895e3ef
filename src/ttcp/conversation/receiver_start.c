// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_start: what START means: whom the receiver serves, and whom it tells no. */
#include "receiver_state.h"

bool receiver_of_this_run(const struct receiver *r, const struct message *m)
{
	return m->session == r->sender.id && m->run == r->run.number &&
	       r->run.phase != RECEIVER_IDLE && !r->run.raw;
}

bool receiver_serves(const struct receiver *receiver, uint32_t session, uint32_t run)
{
	return session == receiver->sender.id && run == receiver->run.number &&
	       receiver->run.phase != RECEIVER_IDLE;
}

/* Whether @m may begin a run now. */
bool receiver_may_begin(const struct receiver *r, const struct message *m)
{
	if (r->run.phase == RECEIVER_IDLE)
		return !r->over;
	if (r->run.raw)
		return false;
	/* The next one of the same sender, also when the END before it was lost. */
	return m->session == r->sender.id && m->run > r->run.number;
}

/* By a number that only who hears at @source was told, or by a connection. */
bool receiver_proves(const struct receiver *r, const struct receiver_source *source,
		     uint32_t session, uint32_t proof)
{
	return !r->plan.datagrams ||
	       (proof && proof == proof_of(&r->plan.secret, source->address, session));
}

/* Whether @m belongs to the START that waits. */
static bool was_announced(const struct receiver *r, const struct receiver_source *source,
			  const struct message *m)
{
	const struct pending_start *p = &r->pending;

	return p->there && p->message.session == m->session && p->message.run == m->run &&
	       np_address_same_host(source->address, &p->from);
}

void receiver_begin_by(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	const bool same =
		m->session == r->sender.id && r->sender.proven && receiver_of_the_sender(r, source);
	const struct message announced = r->pending.message;
	const bool waited = m->type != MESSAGE_START && was_announced(r, source, m);

	if (r->run.phase == RECEIVER_RECEIVING)
		receiver_finish(r, MESSAGE_SHORT);
	receiver_begin(r, source, waited ? &announced : m, at);
	r->sender.proven |= same;
}

void receiver_count_came(struct receiver *r, const struct receiver_source *source, unsigned count)
{
	if (!r->sender.proven && receiver_of_the_sender(r, source))
		r->sender.came += count * source->bytes;
}

/* Before the first DATA it also says about how large the raw delays will be. */
static void learn_clock(struct receiver *r, const struct message_clock *clock)
{
	struct receiver_run *run = &r->run;

	run->clock = *clock;
	for (unsigned i = 0; i < run->streams && run->started && !run->messages; i++)
		tally_begin(r->tally[i], run->start.messages, clock);
}

/* A run whose sender never proved where it is does not keep out one that does. */
static bool may_displace(const struct receiver *r, const struct message *m)
{
	return r->run.phase == RECEIVER_RECEIVING && r->plan.answers && !r->sender.proven &&
	       !r->run.raw && m->session != r->sender.id;
}

static void make_way(struct receiver *r)
{
	receiver_tell(r, RECEIVER_MADE_WAY);
	r->run.phase = RECEIVER_IDLE;
}

/* Whether the sender of the START @m is, or may be, served: its run has begun, or it waits. */
static bool take_place(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	const bool proven = receiver_proves(r, source, m->session, m->start.proof);

	if (receiver_may_begin(r, m) || may_displace(r, m)) {
		/* In a group -monitor answers nobody, so that nobody can prove anything. */
		if (!proven && r->plan.answers &&
		    !(m->session == r->sender.id && r->sender.proven)) {
			r->pending = (struct pending_start){true, *m, *source->address};
			return true;
		}
		receiver_begin_by(r, source, m, at);
	}
	if (!receiver_of_this_run(r, m))
		return false;
	r->sender.proven |= proven;
	r->sender.heard = at;
	receiver_count_came(r, source, 1);
	if (m->start.clock.known)
		learn_clock(r, &m->start.clock);
	return true;
}

void receiver_take_start(struct receiver *r, const struct receiver_source *source,
			 const struct message *m, np_time at)
{
	if (m->flags & MESSAGE_PROBE) {
		receiver_answer_start(r, source, m, MESSAGE_READY, at);
		return;
	}
	/* The one before is done with, though nobody has looked yet. */
	if (r->run.phase == RECEIVER_REPORTED && m->session != r->sender.id &&
	    !receiver_more_runs(r))
		receiver_next_sender(r);
	if (may_displace(r, m) && receiver_proves(r, source, m->session, m->start.proof))
		make_way(r);
	if (r->plan.answers && !r->plan.acknowledges && m->flags & MESSAGE_ACK_WANTED) {
		receiver_tell(r, RECEIVER_UNWILLING);
		receiver_answer_start(r, source, m, MESSAGE_UNWILLING, at);
		return;
	}
	if (!take_place(r, source, m, at)) {
		receiver_answer_start(r, source, m, MESSAGE_BUSY, at);
		return;
	}
	if (source->by_group)
		receiver_hold_answer(r, source, m, at);
	else
		receiver_answer_start(r, source, m, MESSAGE_READY, at);
}

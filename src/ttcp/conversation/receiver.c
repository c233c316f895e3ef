// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver: serves one sender after the other, and does what is due by time. */
#include "receiver_state.h"

#include <errno.h>
#include <stdlib.h>

int receiver_create(struct receiver **receiver, const struct receiver_plan *plan,
		    const struct receiver_port *port, const struct receiver_listener *listener,
		    np_time now)
{
	struct receiver *r = calloc(1, sizeof(*r));

	*receiver = r;
	if (!r || conversation_create(&r->with, &plan->with, port, listener))
		return -ENOMEM;
	r->plan = *plan;
	r->listener = *listener;
	r->opened = now;
	r->random = plan->with.secret.word[0] ^ (uint64_t)now;
	return 0;
}

void receiver_free(struct receiver *receiver)
{
	if (!receiver)
		return;
	conversation_free(receiver->with);
	free(receiver);
}

struct conversation *receiver_conversation(const struct receiver *receiver)
{
	return receiver->with;
}

void receiver_next_sender(struct receiver *r)
{
	conversation_forget(r->with);
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

static void check_reported(struct receiver *r, np_time now)
{
	bool left;

	if (!conversation_over(r->with, now, &left))
		return;
	if (left)
		receiver_tell(r, RECEIVER_LEFT);
	receiver_next_sender(r);
}

void receiver_tick(struct receiver *receiver, np_time now)
{
	struct receiver *r = receiver;

	receiver_answer_held(r, now);
	switch (receiver_run(r)->phase) {
	case RECEIVER_IDLE: check_idle(r, now); break;
	case RECEIVER_RECEIVING: conversation_tick(r->with, now); break;
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
	conversation_finish(receiver->with, MESSAGE_INTERRUPTED);
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

bool receiver_serves(const struct receiver *receiver, uint32_t session, uint32_t run)
{
	const struct receiver_run *current = receiver_run(receiver);

	return session == conversation_session(receiver->with) && run == current->number &&
	       current->phase != RECEIVER_IDLE;
}

bool receiver_in_ping_pong(const struct receiver *receiver)
{
	const struct receiver_run *run = receiver_run(receiver);

	return run->phase == RECEIVER_RECEIVING && run->flags & MESSAGE_PING_PONG &&
	       run->streams == 1;
}

uint64_t receiver_strays(struct receiver *receiver)
{
	const uint64_t strays = receiver->strays;

	receiver->strays = 0;
	return strays;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receiver_take: finds the conversation that each message belongs to, and counts messages of none.
 */
#include "receiver_state.h"

#include <errno.h>

/*
 * Datagrams of a run identify it when START was lost; but an END before which nothing came does so
 * only for a sender with a proved address: otherwise a stranger's END could end the service.
 */
static bool begins(const struct receiver *r, const struct receiver_source *source,
		   const struct message *m)
{
	return r->plan.with.datagrams && receiver_may_begin(r, m) &&
	       (m->type == MESSAGE_DATA || !r->plan.with.answers ||
		m->session == conversation_session(r->with) ||
		conversation_proves(r->with, source, m->session, m->end.proof));
}

static bool belongs(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at)
{
	if (conversation_has(r->with, m))
		return true;
	if (!begins(r, source, m))
		return false;
	receiver_begin(r, source, m, at);
	return conversation_has(r->with, m);
}

void receiver_take_data(struct receiver *receiver, const struct receiver_source *source,
			const struct message *first, unsigned count, np_time at)
{
	if (!belongs(receiver, source, first, at) ||
	    !conversation_take_data(receiver->with, source, first, count, at))
		receiver->strays += count;
}

void receiver_take_damaged(struct receiver *receiver, const struct receiver_source *source,
			   const struct message *message, np_time at)
{
	if (!belongs(receiver, source, message, at) ||
	    !conversation_take_damaged(receiver->with, source, message, at))
		receiver->strays++;
}

static void take_end(struct receiver *r, const struct receiver_source *source,
		     const struct message *m, np_time at)
{
	if (!belongs(r, source, m, at) || !conversation_take_end(r->with, source, m, at))
		r->strays++;
}

void receiver_take(struct receiver *receiver, const struct receiver_source *source,
		   const struct message *message, np_time at)
{
	switch (message->type) {
	case MESSAGE_DATA: receiver_take_data(receiver, source, message, 1, at); break;
	case MESSAGE_START: receiver_take_start(receiver, source, message, at); break;
	case MESSAGE_END: take_end(receiver, source, message, at); break;
	default: receiver->strays++;
	}
}

void receiver_take_raw(struct receiver *receiver, const struct receiver_source *source,
		       uint64_t messages, uint64_t bytes, np_time at)
{
	if (receiver_run(receiver)->phase == RECEIVER_IDLE && !receiver->over)
		receiver_begin(receiver, source, NULL, at);
	conversation_take_raw(receiver->with, messages, bytes, at);
}

/*
 * Classic: a marker, data, then end markers, all of one host and port. An empty datagram begins
 * nothing; data do, since the marker may have been lost.
 */
static void take_classic(struct receiver *r, const struct receiver_source *source, size_t length,
			 np_time at)
{
	const struct receiver_run *run = receiver_run(r);
	bool marker = message_classic_marker(length);

	if (run->phase == RECEIVER_IDLE
		    ? !length
		    : !run->raw || !np_address_equal(source->address, &run->sender)) {
		r->strays++;
		return;
	}
	/* Further end markers of the last run start nothing. */
	if (run->phase == RECEIVER_REPORTED) {
		conversation_heard_end(r->with, at);
		r->strays += !marker;
		return;
	}
	receiver_take_raw(r, source, !marker, marker ? 0 : length, at);
	if (marker && run->messages)
		conversation_finish(r->with, MESSAGE_COMPLETE);
}

void receiver_take_unknown(struct receiver *receiver, const struct receiver_source *source,
			   size_t length, int error, np_time at)
{
	const struct message m = {.type = MESSAGE_START, .session = 0, .run = 1};
	const struct receiver_run *run = receiver_run(receiver);
	struct receiver *r = receiver;

	if (error == -EPROTO) {
		take_classic(r, source, length, at);
	} else if (error == -EPROTONOSUPPORT) {
		if (!r->strays++)
			receiver_tell(r, RECEIVER_FOREIGN);
		/* In our version, so that the sender can report the mismatch. */
		conversation_answer_start(r->with, source, &m, MESSAGE_UNWILLING, at);
	} else if (run->phase == RECEIVER_RECEIVING && !run->raw &&
		   conversation_with(r->with, source)) {
		conversation_damaged(r->with);
	} else {
		r->strays++;
	}
}

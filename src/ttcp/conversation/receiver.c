// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receiver: finds the conversation that each message belongs to, counts messages of none, and
 * serves one sender after the other.
 */
#include "conversation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define HOLD_MOST (100 * NP_MILLISECOND)

bool receiver_in_ping_pong(const struct receiver *r)
{
	const struct receiver_run *run = &r->with.run;

	return run->phase == RECEIVER_RECEIVING && run->flags & MESSAGE_PING_PONG &&
	       run->streams == 1;
}

/* What @m proves its sender's address by; 0: it has nothing for that. */
static uint32_t proof_of(const struct message *m)
{
	return m->type == MESSAGE_START ? m->start.proof
	       : m->type == MESSAGE_END ? m->end.proof
					: 0;
}

/*
 * Whether @source may change or end the run: over datagrams only the host of its sender may, or, as
 * long as that host has not proved its address, one that has. Others may have overheard the
 * session.
 */
static bool may_change(const struct receiver *r, const struct receiver_source *source,
		       const struct message *m)
{
	const struct conversation *with = &r->with;

	return !r->transport.face->datagrams || conversation_with(with, source) ||
	       (!with->sender.proven && conversation_proves(with, source, m->session, proof_of(m)));
}

/* Whether @m may start a run now. */
static bool may_begin(const struct receiver *r, const struct receiver_source *source,
		      const struct message *m)
{
	if (r->with.run.phase == RECEIVER_IDLE)
		return !receiver_over(r);
	return conversation_follows(&r->with, m) && may_change(r, source, m);
}

/* Starts the run of @m; of DATA and END by the pending START that announced them, if any. */
static void begin(struct receiver *r, const struct receiver_source *source, const struct message *m,
		  np_time at)
{
	const struct pending_start *p = &r->pending;
	const struct message announced = p->message;
	const bool waited = m && m->type != MESSAGE_START && p->there &&
			    p->message.session == m->session && p->message.run == m->run &&
			    np_address_same_host(source->address, &p->from);

	r->pending.there = false;
	conversation_begin(&r->with, source, waited ? &announced : m, at);
}

/* Ends the service of the present sender. */
static void next_sender(struct receiver *r)
{
	conversation_forget(&r->with);
	r->served++;
	r->over |= r->senders && r->served >= r->senders;
	if (r->transport.face->release)
		r->transport.face->release(&r->transport, -1);
	if (!r->over)
		console_listening(&r->session->console);
}

static bool proves(const struct receiver *r, const struct receiver_source *source,
		   const struct message *m)
{
	return conversation_proves(&r->with, source, m->session, m->start.proof);
}

/* Drops a raw stream of which nothing has come for long; its connection may last for ever. */
static void drop_deserted(struct receiver *r, np_time at)
{
	const struct receiver_run *run = &r->with.run;

	if (run->phase != RECEIVER_RECEIVING || !run->raw || r->transport.face->datagrams ||
	    r->session->options->load.to_stdout || at - r->with.sender.heard < RECEIVER_RAW_SILENCE)
		return;
	np_log_warning(r->session->log, "sender",
		       "was silent for %.0f s after %" PRIu64
		       " reads, and made way for another sender",
		       np_clock_seconds(RECEIVER_RAW_SILENCE), run->messages);
	r->transport.face->release(&r->transport, -1);
	receive_close_files(&r->with);
	conversation_forget(&r->with);
}

bool receiver_may_begin_raw(struct receiver *r, np_time at)
{
	drop_deserted(r, at);
	return r->with.run.phase == RECEIVER_IDLE;
}

/*
 * A run whose sender never proved its address gives way to one that did, of the same session, too,
 * for who began it may have overheard that; so does a run of datagrams without headers, which prove
 * nothing.
 */
static bool may_displace(const struct receiver *r, const struct receiver_source *source,
			 const struct message *m)
{
	const struct receiver_run *run = &r->with.run;

	return run->phase == RECEIVER_RECEIVING && r->with.answers && !r->with.sender.proven &&
	       (!run->raw || r->transport.face->datagrams) &&
	       (m->session != r->with.sender.id || !conversation_with(&r->with, source));
}

/* A sender that blocks the place without need is dropped. */
static void displace(struct receiver *r, const struct receiver_source *source,
		     const struct message *m)
{
	/* The run before is over, though that was not noticed yet. */
	if (r->with.run.phase == RECEIVER_REPORTED && m->session != r->with.sender.id &&
	    !conversation_more_runs(&r->with))
		next_sender(r);
	if (!may_displace(r, source, m) || !proves(r, source, m))
		return;
	np_log_warning(r->session->log, "sender",
		       "was displaced, with %" PRIu64
		       " messages, by a sender that proved its address",
		       r->with.run.messages);
	receive_close_files(&r->with);
	conversation_forget(&r->with);
}

/* Whether the sender of the START @m is or may be served: its run has started, or it waits. */
static bool take_place(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	const struct conversation *with = &r->with;

	if (may_begin(r, source, m) || may_displace(r, source, m)) {
		/* In a group -monitor answers nobody, so that nobody can prove an address. */
		if (r->with.answers && !proves(r, source, m) &&
		    !(m->session == with->sender.id && with->sender.proven)) {
			r->pending = (struct pending_start){true, *m, *source->address};
			return true;
		}
		begin(r, source, m, at);
	}
	if (!conversation_has(with, m) || !may_change(r, source, m))
		return false;
	conversation_take_start(&r->with, source, m, at);
	return true;
}

/* Members of a group answer each at a random moment. */
static void hold_answer(struct receiver *r, const struct receiver_source *to,
			const struct message *m, np_time at)
{
	np_time due = r->held.due;

	if (!r->held.held) {
		r->random =
			r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		due = at + (np_time)((r->random >> 33) % HOLD_MOST);
	}
	r->held = (struct held_answer){true, due, at, *m, *to->address};
}

static void take_start(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	enum message_verdict verdict = MESSAGE_READY;

	if (!(m->flags & MESSAGE_PROBE)) {
		drop_deserted(r, at);
		displace(r, source, m);
		if (r->with.answers && !r->with.acknowledges && m->flags & MESSAGE_ACK_WANTED) {
			np_log_warning(r->session->log, "sender",
				       "wants acknowledgements, which -monitor does not send");
			verdict = MESSAGE_UNWILLING;
		} else if (!take_place(r, source, m, at)) {
			verdict = MESSAGE_BUSY;
		} else if (source->by_group) {
			hold_answer(r, source, m, at);
			return;
		}
	}
	conversation_answer_start(&r->with, source, m, (uint8_t)verdict, at);
}

/*
 * Whether @m belongs to the run, or starts it. Datagrams of a run identify it when START was lost;
 * but an END before which nothing came does so only for a sender with a proved address: otherwise
 * a single datagram from a forged address could end the service.
 */
static bool belongs(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at)
{
	if (conversation_has(&r->with, m))
		return may_change(r, source, m);
	if (!r->transport.face->datagrams || !may_begin(r, source, m))
		return false;
	if (m->type != MESSAGE_DATA && r->with.answers && m->session != r->with.sender.id &&
	    !conversation_proves(&r->with, source, m->session, m->end.proof))
		return false;
	begin(r, source, m, at);
	return conversation_has(&r->with, m);
}

void receiver_take_data(struct receiver *r, const struct receiver_source *source,
			const struct message *first, unsigned count, bool damaged, np_time at)
{
	if (!belongs(r, source, first, at) ||
	    !conversation_take_data(&r->with, source, first, count, damaged, at))
		r->with.strays += count;
}

void receiver_take(struct receiver *r, const struct receiver_source *source,
		   const struct message *message, np_time at)
{
	if (message->type == MESSAGE_DATA)
		receiver_take_data(r, source, message, 1, false, at);
	else if (message->type == MESSAGE_START)
		take_start(r, source, message, at);
	else if (message->type != MESSAGE_END || !belongs(r, source, message, at) ||
		 !conversation_take_end(&r->with, source, message, at))
		r->with.strays++;
}

void receiver_take_raw(struct receiver *r, const struct receiver_source *source, uint64_t messages,
		       uint64_t bytes, np_time at)
{
	if (r->with.run.phase == RECEIVER_IDLE && !receiver_over(r))
		begin(r, source, NULL, at);
	conversation_take_raw(&r->with, 0, messages, bytes, at);
}

/*
 * Classic: a marker, data, then end markers, all of one host and port. An empty datagram begins
 * nothing; data do, since the marker may have been lost.
 */
static void take_classic(struct receiver *r, const struct receiver_source *source, np_time at)
{
	const struct receiver_run *run = &r->with.run;
	const bool marker = message_classic_marker(source->bytes);

	if (run->phase == RECEIVER_IDLE
		    ? !source->bytes
		    : !run->raw || !np_address_equal(source->address, &run->sender)) {
		r->with.strays++;
		return;
	}
	/* Further end markers of the last run start nothing. */
	if (run->phase == RECEIVER_REPORTED) {
		r->with.sender.end_heard = at;
		r->with.strays += !marker;
		return;
	}
	receiver_take_raw(r, source, !marker, marker ? 0 : source->bytes, at);
	if (marker && run->messages)
		conversation_finish(&r->with, MESSAGE_COMPLETE);
}

void receiver_take_unknown(struct receiver *r, const struct receiver_source *source, int error,
			   np_time at)
{
	const struct message m = {.type = MESSAGE_START, .session = 0, .run = 1};
	const struct receiver_run *run = &r->with.run;

	if (error == -EPROTO) {
		take_classic(r, source, at);
	} else if (error == -EPROTONOSUPPORT) {
		if (!r->with.strays++)
			np_log_warning(r->session->log, "sender",
				       "speaks another version of ttcp's messages");
		/* In our version, so that the sender can report the mismatch. */
		conversation_answer_start(&r->with, source, &m, MESSAGE_UNWILLING, at);
	} else if (run->phase == RECEIVER_RECEIVING && !run->raw &&
		   conversation_with(&r->with, source)) {
		np_flow_damaged(r->with.stream[0].flow, 1);
	} else {
		r->with.strays++;
	}
}

void receiver_tick(struct receiver *r, np_time now)
{
	const struct receiver_source to = {.address = &r->held.to, .bytes = MESSAGE_CONTROL_MAX};
	const np_time wait = r->session->options->wait.wait;
	bool left = false;

	if (r->held.held && now >= r->held.due) {
		r->held.held = false;
		conversation_answer_start(&r->with, &to, &r->held.start, MESSAGE_READY,
					  r->held.received);
	}
	switch (r->with.run.phase) {
	case RECEIVER_IDLE:
		if (!wait || r->served || now - r->opened < wait)
			break;
		np_log_error(r->session->log, NULL, "no sender came within %g s",
			     np_clock_seconds(wait));
		r->with.status = 2;
		r->over = true;
		break;
	case RECEIVER_RECEIVING: conversation_tick(&r->with, now); break;
	case RECEIVER_REPORTED:
		if (!conversation_over(&r->with, now, &left))
			break;
		if (left) {
			np_log_error(r->session->log, "sender", "did not return for run %u",
				     r->with.run.number + 1);
			r->with.status = 1;
		}
		next_sender(r);
		break;
	}
}

np_time receiver_deadline(const struct receiver *r)
{
	const np_time wait = r->session->options->wait.wait;
	const np_time next = wait && !r->served ? r->opened + wait : NP_TIME_NEVER;

	return r->held.held && r->held.due < next ? r->held.due : next;
}

void receiver_stop(struct receiver *r)
{
	conversation_finish(&r->with, MESSAGE_INTERRUPTED);
	r->over = true;
}

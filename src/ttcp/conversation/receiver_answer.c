// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_answer: what a receiver says, and to whom. */
#include "receiver_state.h"

#define HOLD_MOST (100 * NP_MILLISECOND)
#define BEAT	  (500 * NP_MILLISECOND)

bool receiver_of_the_sender(const struct receiver *r, const struct receiver_source *source)
{
	return r->run.phase != RECEIVER_IDLE &&
	       np_address_same_host(source->address, &r->run.sender);
}

void receiver_answer(struct receiver *r, const struct receiver_source *to, const void *message,
		     size_t bytes)
{
	struct served_sender *s = &r->sender;
	const bool known = receiver_of_the_sender(r, to);

	if (r->plan.datagrams && !(known && s->proven) && bytes > to->bytes &&
	    (!known || s->answered + bytes > s->came))
		return;
	if (known)
		s->answered += bytes;
	r->port.answer(r->port.context, to, message, bytes);
}

void receiver_answer_start(struct receiver *r, const struct receiver_source *to,
			   const struct message *m, uint8_t verdict, np_time received)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message ok = {
		.type = MESSAGE_START_OK,
		.stream = m->stream,
		.session = m->session,
		.run = m->run,
		.time = m->time,
		.start_ok = {.verdict = verdict,
			     .challenge = r->plan.datagrams ? proof_of(&r->plan.secret, to->address,
								       m->session)
							    : 0,
			     .start_received = receiver_wall(r, received)},
	};

	if (!r->plan.answers)
		return;
	ok.start_ok.replied = receiver_wall(r, r->port.clock(r->port.context));
	receiver_answer(r, to, data, message_encode(data, &ok));
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
	receiver_answer_start(r, &to, &m, MESSAGE_READY, r->held.received);
}

static np_time draw_hold(struct receiver *r)
{
	r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (np_time)((r->random >> 33) % HOLD_MOST);
}

void receiver_hold_answer(struct receiver *r, const struct receiver_source *to,
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

void receiver_answer_data(struct receiver *r, const struct receiver_source *to,
			  const struct message *m, np_time at)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const struct message ack = {
		.type = MESSAGE_ACK,
		.stream = m->stream,
		.session = m->session,
		.run = m->run,
		.number = m->number,
		.time = m->time,
		.ack = {.received = receiver_wall(r, at), .data_size = m->size},
	};

	if (r->plan.acknowledges)
		receiver_answer(r, to, data, message_encode(data, &ack));
}

void receiver_answer_report(struct receiver *r, const struct receiver_source *to)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.type = MESSAGE_REPORT,
		.session = r->sender.id,
		.run = r->run.number,
		.time = receiver_wall(r, r->port.clock(r->port.context)),
		.report = r->run.report,
	};

	/* END that is not answered comes again; a stream that is gone has nobody to tell. */
	if (r->plan.answers)
		receiver_answer(r, to, data, message_encode(data, &m));
}

void receiver_beat(struct receiver *r, np_time now)
{
	struct served_sender *s = &r->sender;
	const struct receiver_source to = {.address = &r->run.sender};

	if (r->run.phase != RECEIVER_RECEIVING || !r->plan.datagrams || r->run.raw ||
	    r->run.flags & MESSAGE_ACK_WANTED || r->run.messages == s->beaten ||
	    now - s->beat < BEAT)
		return;
	s->beat = now;
	s->beaten = r->run.messages;
	receiver_answer_start(r, &to, &s->newest, MESSAGE_READY, s->heard);
}

void receiver_ask_for_patience(struct receiver *r, const struct receiver_source *source,
			       const struct message *m, np_time at)
{
	if (at - r->sender.beat < BEAT)
		return;
	r->sender.beat = at;
	receiver_answer_start(r, source, m, MESSAGE_READY, at);
}

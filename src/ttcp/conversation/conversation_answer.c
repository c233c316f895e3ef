// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* conversation_answer: what a receiver answers, and to whom. */
#include "conversation_state.h"

#define BEAT (500 * NP_MILLISECOND)

/* An unproven sender gets no more bytes than came from it. */
static void answer(struct conversation *c, const struct receiver_source *to, const void *message,
		   size_t bytes)
{
	struct served_sender *s = &c->sender;
	const bool known = conversation_with(c, to);

	if (c->plan.datagrams && !(known && s->proven) && bytes > to->bytes &&
	    (!known || s->answered + bytes > s->came))
		return;
	if (known)
		s->answered += bytes;
	c->port.answer(c->port.context, to, message, bytes);
}

void conversation_answer_start(struct conversation *c, const struct receiver_source *to,
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
			     .reads = MESSAGE_VERSION_LAST,
			     .challenge = c->plan.datagrams ? proof_of(&c->plan.secret, to->address,
								       m->session)
							    : 0,
			     .start_received = conversation_wall(c, received)},
	};

	if (!c->plan.answers)
		return;
	ok.start_ok.replied = conversation_wall(c, c->port.clock(c->port.context));
	answer(c, to, data, message_encode(data, &ok));
}

void conversation_answer_data(struct conversation *c, const struct receiver_source *to,
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
		.ack = {.received = conversation_wall(c, at), .data_size = m->size},
	};

	if (c->plan.acknowledges)
		answer(c, to, data, message_encode(data, &ack));
}

void conversation_answer_report(struct conversation *c, const struct receiver_source *to)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.type = MESSAGE_REPORT,
		.session = c->sender.id,
		.run = c->run.number,
		.time = conversation_wall(c, c->port.clock(c->port.context)),
		.report = c->run.report,
	};

	/* An unanswered END is repeated; a closed stream cannot be answered. */
	if (c->plan.answers)
		answer(c, to, data, message_encode(data, &m));
}

void conversation_beat(struct conversation *c, np_time now)
{
	struct served_sender *s = &c->sender;
	const struct receiver_source to = {.address = &c->run.sender};

	if (!c->plan.datagrams || c->run.raw || c->run.flags & MESSAGE_ACK_WANTED ||
	    c->run.messages == s->beaten || now - s->beat < BEAT)
		return;
	s->beat = now;
	s->beaten = c->run.messages;
	conversation_answer_start(c, &to, &s->newest, MESSAGE_READY, s->heard);
}

void conversation_ask_for_time(struct conversation *c, const struct receiver_source *source,
			       const struct message *m, np_time at)
{
	if (at - c->sender.beat < BEAT)
		return;
	c->sender.beat = at;
	conversation_answer_start(c, source, m, MESSAGE_READY, at);
}

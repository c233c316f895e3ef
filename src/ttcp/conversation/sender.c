// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender: the series of runs, and the answers of receivers. */
#include "sender_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sender_create(struct sender **sender, const struct sender_plan *plan,
		  const struct sender_port *port, const struct sender_listener *listener)
{
	struct sender *s = calloc(1, sizeof(*s));

	*sender = s;
	if (!s || receivers_create(&s->receivers))
		return -ENOMEM;
	s->plan = *plan;
	s->port = *port;
	s->listener = *listener;
	s->receivers.name = port->name;
	s->receivers.context = port->context;
	s->flags = (uint8_t)((plan->acks ? MESSAGE_ACK_WANTED : 0) |
			     (plan->group ? MESSAGE_MULTICAST : 0) |
			     (plan->ping_pong ? MESSAGE_PING_PONG : 0) |
			     (plan->no_copy ? MESSAGE_NO_COPY : 0));
	s->run.number = 1;
	for (unsigned i = 0; i < plan->lanes; i++)
		s->lane[i].index = i;
	return 0;
}

void sender_free(struct sender *sender)
{
	if (!sender)
		return;
	receivers_free(&sender->receivers);
	free(sender);
}

struct sender_lane *sender_lane(struct sender *sender, unsigned index)
{
	return &sender->lane[index];
}

const struct sender_run *sender_run(const struct sender *sender)
{
	return &sender->run;
}

struct receivers *sender_receivers(struct sender *sender)
{
	return &sender->receivers;
}

static void announce(struct sender *s)
{
	const struct sender_plan *plan = &s->plan;
	const double rate = s->run.rate_bits;

	s->run.start = (struct message_start){
		.message_bytes = (uint32_t)plan->message_bytes,
		.messages = plan->messages,
		.rate_bits = (uint64_t)rate + ((double)(uint64_t)rate < rate),
		.streams = (uint16_t)plan->lanes,
		.runs = plan->runs,
		.duration = plan->duration,
	};
	s->run.start.timeout_ms = message_silence_ms(&s->run.start);
	strncpy(s->run.start.session, plan->session, sizeof(s->run.start.session) - 1);
}

void sender_begin(struct sender *sender, uint64_t number, double rate_bits)
{
	struct sender *s = sender;

	s->run = (struct sender_run){.number = number, .rate_bits = rate_bits};
	for (unsigned i = 0; i < s->plan.lanes; i++) {
		struct sender_lane *lane = &s->lane[i];

		lane->filled = lane->gone = 0;
		lane->number = lane->lost = 0;
		lane->outstanding = lane->ready = lane->closed = lane->asked = false;
	}
	receivers_begin(&s->receivers);
	s->asking = (struct sender_asking){.foreign = s->asking.foreign};
	s->progress = (struct sender_progress){.end_told = 0};
	announce(s);
}

static void compare_clocks(struct sender *s, struct receivers_receiver *receiver, np_time there,
			   np_time back, np_time sent, np_time now)
{
	if (np_offset_add(&s->offset[receiver - s->receivers.receiver], sent, there, back, now))
		receiver->clock = sender_clock(s, receiver, now);
}

struct message_clock sender_clock(const struct sender *sender,
				  const struct receivers_receiver *receiver, np_time now)
{
	const struct np_offset *offset = &sender->offset[receiver - sender->receivers.receiver];
	np_time first = sender_wall(sender, sender->run.first), away = now - offset->at;

	/* The offset applies to all messages of the run, including the first ones. */
	if (sender->run.sending && offset->at - first > away)
		away = offset->at - first;
	return (struct message_clock){
		.known = offset->known,
		.offset = offset->offset,
		.bound = np_offset_bound(offset, offset->at + away),
	};
}

/* Receivers report that messages arrive, however long these were queued. */
static void feel_alive(struct sender *s, np_time at)
{
	struct sender_progress *p = &s->progress;

	if (at <= p->alive)
		return;
	p->alive_gap = at - p->alive;
	p->alive = at;
}

/* It is not ready, or no longer: another sender proved its address before. */
static void refused(struct sender *s, struct receivers_receiver *receiver)
{
	s->asking.verdict = s->message.start_ok.verdict;
	if (s->plan.group || s->run.phase != SENDER_CONTACT)
		return;
	receiver->ready = s->asking.proven = false;
	s->asking.proof_sent = s->asking.challenged = 0;
	for (unsigned i = 0; i < s->plan.lanes; i++)
		s->lane[i].ready = false;
}

static void take_start_ok(struct sender *s, struct receivers_receiver *receiver, np_time at)
{
	const struct message *m = &s->message;

	if (m->start_ok.verdict != MESSAGE_READY) {
		refused(s, receiver);
		return;
	}
	if (s->asking.verdict == MESSAGE_BUSY)
		s->asking.verdict = 0;
	if (m->start_ok.challenge && !s->asking.challenged)
		s->asking.challenged = at;
	s->asking.proven |= s->asking.proof_sent && m->time >= s->asking.proof_sent;
	if (m->stream < s->plan.lanes)
		s->lane[m->stream].ready = true;
	if (!receiver->ready)
		receiver->joined_late = s->run.sending && s->plan.repeats;
	receiver->ready = true;
	/* It was not a classic receiver, only late. */
	s->run.silent = false;
	receiver->challenge = m->start_ok.challenge;
	receiver->reads = m->start_ok.reads;
	s->asking.answers++;
	if (s->run.sending && !receiver->reported)
		feel_alive(s, at);
	compare_clocks(s, receiver, m->start_ok.start_received, m->start_ok.replied, m->time,
		       sender_wall(s, at));
	sender_contact_answered(s, at);
}

static void take_ack(struct sender *s, struct receivers_receiver *receiver, np_time now)
{
	const struct message *m = &s->message;
	struct sender_event event = {
		.kind = SENDER_ACK,
		.receiver = receiver,
		.ack = m,
		.acked = now,
	};
	struct sender_lane *lane;

	if (m->stream >= s->plan.lanes)
		return;
	lane = &s->lane[m->stream];
	/* Each stream counts from 0; nothing was sent before the first message. */
	if (m->number >= lane->number || m->time < sender_wall(s, s->run.first) ||
	    !receivers_ack(&s->receivers, receiver, m->number * s->plan.lanes + m->stream, m->time,
			   now))
		return;
	compare_clocks(s, receiver, m->ack.received, m->ack.received, m->time, now);
	if (m->number + 1 == lane->number)
		lane->outstanding = false;
	sender_report(s, &event);
}

static void take_report(struct sender *s, struct receivers_receiver *receiver)
{
	struct np_histogram_figures *delays = &receiver->report.delays;

	if (receiver->reported)
		return;
	receiver->report = s->message.report;
	/* Delays that cannot be are none. */
	if (delays->min > delays->mean || delays->mean > delays->max)
		*delays = (struct np_histogram_figures){.count = 0};
	receiver->reported = true;
	if (!receiver->ready)
		receiver->joined_late = s->plan.repeats;
	receiver->ready = true;
	/* It receives no more: it was stopped. */
	s->run.over = !s->plan.group &&
		      receivers_reported(&s->receivers) == receivers_ready(&s->receivers);
}

int sender_take(struct sender *sender, const uint8_t *data, size_t length,
		const struct np_address *source, np_time at)
{
	struct sender *s = sender;
	struct message *m = &s->message;
	struct receivers_receiver *receiver;
	int rc = message_decode(data, length, m);

	s->asking.foreign |= rc == -EPROTONOSUPPORT;
	if (rc || m->session != s->plan.id || m->run != s->run.number)
		return rc;
	if (m->type != MESSAGE_START_OK && m->type != MESSAGE_ACK && m->type != MESSAGE_REPORT)
		return 0;
	receiver = receivers_at(&s->receivers, source);
	if (!receiver)
		return 0;
	switch (m->type) {
	case MESSAGE_START_OK: take_start_ok(s, receiver, at); break;
	case MESSAGE_ACK: take_ack(s, receiver, sender_wall(s, at)); break;
	default: take_report(s, receiver);
	}
	return 0;
}

void sender_broke(struct sender *sender, int error)
{
	sender->asking.foreign |= error == -EPROTONOSUPPORT;
	if (sender->run.phase == SENDER_CONTACT)
		sender_contact_broke(sender, error);
	else if (sender->run.phase == SENDER_ENDING)
		sender_end_broke(sender, error);
}

int sender_tell(struct sender *s, struct sender_lane *lane, enum message_type type,
		const struct receivers_receiver *to)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const struct receivers_receiver *one = to;
	struct message m = {
		.type = (uint8_t)type,
		.flags = s->flags,
		.stream = (uint16_t)lane->index,
		.session = s->plan.id,
		.run = (uint32_t)s->run.number,
		.number = type == MESSAGE_END ? lane->number : s->run.start.messages,
	};
	struct message_clock clock = {0};
	np_time now = sender_wall(s, s->port.clock(s->port.context));

	/* Each member of a group has its own clock. */
	if (!one && !s->plan.group && s->receivers.count)
		one = &s->receivers.receiver[0];
	if (one) {
		clock = sender_clock(s, one, now);
		m.version =
			one->reads < MESSAGE_VERSION_LAST ? MESSAGE_VERSION : MESSAGE_VERSION_LAST;
	}
	if (type == MESSAGE_START) {
		m.start = s->run.start;
		m.start.clock = clock;
		m.start.proof = one ? one->challenge : 0;
		if (m.start.proof && !s->asking.proof_sent)
			s->asking.proof_sent = now;
	} else {
		/* The members of the group were just told individually. */
		if (s->progress.end_told ||
		    (s->plan.group && !to && receivers_ready(&s->receivers)))
			m.flags |= MESSAGE_AGAIN;
		m.end.clock = clock;
		m.end.unsent = lane->lost;
		m.end.proof = one ? one->challenge : 0;
		m.end.last = *s->plan.stops;
		if (s->port.account)
			s->port.account(s->port.context, &m.end);
	}
	m.time = now;
	return s->port.tell(s->port.context, lane->index, to ? &to->address : NULL, data,
			    message_encode(data, &m));
}

void sender_tick(struct sender *sender, np_time now)
{
	if (sender->run.phase == SENDER_CONTACT)
		sender_contact_tick(sender, now);
	else if (sender->run.phase == SENDER_ENDING)
		sender_end_tick(sender, now);
}

np_time sender_deadline(const struct sender *sender)
{
	switch (sender->run.phase) {
	case SENDER_CONTACT: return sender_contact_deadline(sender);
	case SENDER_ENDING: return sender_end_deadline(sender);
	default: return NP_TIME_NEVER;
	}
}

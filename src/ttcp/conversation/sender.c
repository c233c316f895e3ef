// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sender: the series of runs, the answers of receivers, the DATA of a run: filling it, when it may
 * be sent, and what was sent; and its end: sends END until every receiver has reported.
 */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_LIMIT (2 * NP_SECOND)
#define GAPS	     3 /* usual intervals without a sign of life, after which a receiver is dead */
#define REPORT_LOOK  (200 * NP_MILLISECOND)
#define MOVE_LOOK    (20 * NP_MILLISECOND)
#define ACK_LIMIT    NP_SECOND	     /* ping-pong: then the message was lost */
#define STOP_LIMIT   (2 * NP_SECOND) /* for the rest of a message, when the user wants to stop */

int sender_create(struct sender **sender, const struct sender_plan *plan,
		  const struct sender_port *port)
{
	struct sender *s = calloc(1, sizeof(*s));

	*sender = s;
	if (!s || receivers_create(&s->receivers))
		return -ENOMEM;
	s->plan = *plan;
	s->port = *port;
	s->receivers.name = port->name;
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

void sender_begin(struct sender *sender, uint64_t number, double rate_bits)
{
	const struct sender_plan *plan = &sender->plan;
	struct sender *s = sender;

	s->run = (struct sender_run){
		.number = number,
		.rate_bits = rate_bits,
		.start = {.message_bytes = (uint32_t)plan->message_bytes,
			  .messages = plan->messages,
			  .rate_bits =
				  (uint64_t)rate_bits + ((double)(uint64_t)rate_bits < rate_bits),
			  .streams = (uint16_t)plan->lanes,
			  .runs = plan->runs,
			  .duration = plan->duration},
	};
	s->run.start.timeout_ms = message_silence_ms(&s->run.start);
	strncpy(s->run.start.session, plan->session, sizeof(s->run.start.session) - 1);
	for (unsigned i = 0; i < plan->lanes; i++) {
		struct sender_lane *lane = &s->lane[i];

		lane->filled = lane->gone = 0;
		lane->number = lane->lost = 0;
		lane->outstanding = lane->ready = lane->closed = lane->asked = false;
	}
	receivers_begin(&s->receivers);
	s->asking = (struct sender_asking){.foreign = s->asking.foreign};
	s->progress = (struct sender_progress){.ends_sent = 0};
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

static void take_start_ok(struct sender *s, struct receivers_receiver *receiver, np_time at)
{
	const struct message *m = &s->message;

	if (m->start_ok.verdict != MESSAGE_READY) {
		s->asking.verdict = m->start_ok.verdict;
		if (s->plan.group || s->run.phase != SENDER_CONTACT)
			return;
		/* It is not ready, or no longer: another sender proved its address before. */
		receiver->ready = s->asking.proven = false;
		s->asking.proof_sent = s->asking.challenged = 0;
		for (unsigned i = 0; i < s->plan.lanes; i++)
			s->lane[i].ready = false;
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
	/* It reports that messages arrive, however long these were queued. */
	if (s->run.sending && !receiver->reported && at > s->progress.alive) {
		s->progress.alive_gap = at - s->progress.alive;
		s->progress.alive = at;
	}
	compare_clocks(s, receiver, m->start_ok.start_received, m->start_ok.replied, m->time,
		       sender_wall(s, at));
	sender_contact_answered(s, at);
}

static void take_ack(struct sender *s, struct receivers_receiver *receiver, np_time now)
{
	const struct message *m = &s->message;
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
	sender_notify(s, (struct sender_event){
				 .kind = SENDER_ACK, .receiver = receiver, .ack = m, .acked = now});
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

/*
 * The receiver that answers from @source; NULL: it is no receiver of ours. Of those that are not a
 * group there is one: the address that messages go to or, until that answers (a host may have
 * several), the first that did.
 */
static struct receivers_receiver *find_answering(struct sender *s, const struct np_address *source)
{
	struct receivers *all = &s->receivers;
	const struct np_address *to = s->plan.to;

	if (s->plan.group || !all->count || np_address_equal(&all->receiver[0].address, source))
		return receivers_at(all, source);
	s->strays++;
	if (!to || !np_address_equal(to, source))
		return NULL;
	/* Who answered before was somebody else. */
	receivers_forget(all);
	s->offset[0] = (struct np_offset){.known = false};
	s->run.over = s->asking.proven = false;
	s->asking.proof_sent = s->asking.challenged = 0;
	s->asking.verdict = 0;
	for (unsigned i = 0; i < s->plan.lanes; i++)
		s->lane[i].ready = false;
	return receivers_at(all, source);
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
	receiver = find_answering(s, source);
	if (!receiver)
		return 0;
	switch (m->type) {
	case MESSAGE_START_OK: take_start_ok(s, receiver, at); break;
	case MESSAGE_ACK: take_ack(s, receiver, sender_wall(s, at)); break;
	default: take_report(s, receiver);
	}
	return 0;
}

uint64_t sender_messages(const struct sender *sender)
{
	uint64_t messages = 0;

	for (unsigned i = 0; i < sender->plan.lanes; i++) {
		const struct sender_lane *lane = &sender->lane[i];
		size_t left = lane->filled - lane->gone;

		messages += lane->number - lane->lost -
			    (left + sender->plan.message_bytes - 1) / sender->plan.message_bytes;
	}
	return messages;
}

void sender_start(struct sender *sender, np_time now)
{
	struct sender *s = sender;

	np_pacer_start(&s->run.pacer, s->run.rate_bits / 8 / (double)s->plan.message_bytes, now);
	for (unsigned i = 0; i < s->plan.lanes; i++)
		s->lane[i].data = (struct message){
			.flags = s->flags,
			.stream = (uint16_t)i,
			.session = s->plan.id,
			.run = (uint32_t)s->run.number,
		};
	s->run.deadline = s->plan.duration ? now + s->plan.duration : NP_TIME_NEVER;
	s->run.first = s->run.last = now;
	s->run.sending = true;
	s->progress.moved = s->progress.drained = s->progress.alive = now;
}

static unsigned wanted(const struct sender *s, const struct sender_lane *lane)
{
	uint64_t limit = s->plan.messages;
	uint64_t left = limit ? limit - lane->number : s->plan.batch;

	return left < s->plan.batch ? (unsigned)left : s->plan.batch;
}

/* Writes the headers of the next messages of a lane, with one clock reading for all. */
static bool fill(struct sender *s, struct sender_lane *lane, np_time now)
{
	const size_t bytes = s->plan.message_bytes;
	unsigned count = wanted(s, lane);
	struct message *m = &lane->data;

	if (s->run.pacer.rate_per_s > 0) {
		count = (unsigned)np_pacer_allowed(&s->run.pacer, now, count);
		np_pacer_took(&s->run.pacer, now, count);
	}
	if (!count)
		return false;
	m->time = sender_wall(s, now);
	for (unsigned i = 0; i < count && !s->plan.classic; i++) {
		m->number = lane->number + i;
		message_encode_data(lane->batch + i * bytes, m, (uint32_t)bytes);
	}
	lane->number += count;
	lane->gone = 0;
	lane->filled = count * bytes;
	lane->outstanding = true;
	return true;
}

/* True while a lane may get more. */
static bool may_send(const struct sender *s, const struct sender_lane *lane, np_time now)
{
	if (now >= s->run.deadline || s->run.over || *s->plan.interrupts || !wanted(s, lane))
		return false;
	return !(s->plan.ping_pong && lane->outstanding);
}

int sender_push(struct sender *sender, np_time *now)
{
	struct sender *s = sender;
	bool went = false;

	for (unsigned i = 0; i < s->plan.lanes; i++) {
		struct sender_lane *lane = &s->lane[i];
		ssize_t gone;

		if (lane->gone == lane->filled && !(may_send(s, lane, *now) && fill(s, lane, *now)))
			continue;
		gone = s->port.push(s->port.context, lane, now);
		if (gone < 0 && gone != -EAGAIN)
			return (int)gone;
		lane->gone += gone > 0 ? (size_t)gone : 0;
		went |= gone > 0;
	}
	if (went)
		s->run.last = s->progress.moved = *now;
	return went;
}

void sender_passed(struct sender *sender, np_time now)
{
	sender->lane[0].number++;
	sender->run.last = now;
}

bool sender_sent(const struct sender *sender, np_time now)
{
	const struct sender *s = sender;

	for (unsigned i = 0; i < s->plan.lanes; i++) {
		const struct sender_lane *lane = &s->lane[i];

		if (lane->gone < lane->filled)
			return false;
		if (now < s->run.deadline && !s->run.over && !*s->plan.interrupts &&
		    wanted(s, lane))
			return false;
	}
	return true;
}

/*
 * DATA that were due before the end of the duration and have not gone by then: this host stopped
 * the program, or had no room for them. Only how late they are will still show them.
 */
static void note_missed(struct sender *s, np_time now)
{
	struct np_pacer *pacer = &s->run.pacer;
	np_time due = np_pacer_next(pacer);
	bool left = false;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		left |= wanted(s, &s->lane[i]);
	if (left && pacer->rate_per_s > 0 && !*s->plan.interrupts && due < s->run.deadline &&
	    now - due > pacer->worst_behind)
		pacer->worst_behind = now - due;
}

/* Gives up a datagram whose ACK does not arrive, so that the run continues. */
static void give_up_acks(struct sender *s, np_time now)
{
	const np_time waited = now - s->progress.moved;
	struct np_histogram_figures rtt;

	if (!s->plan.repeats || waited < ACK_LIMIT)
		return;
	/* Over a slow path ACKs need longer than at first thought. */
	np_histogram_figures(s->receivers.rtt, &rtt);
	if (rtt.count && waited < 4 * rtt.max)
		return;
	for (unsigned i = 0; i < s->plan.lanes; i++)
		s->lane[i].outstanding = false;
}

np_time sender_rest(struct sender *sender, np_time now, np_time latest)
{
	struct sender *s = sender;
	bool free = false;

	if (s->plan.ping_pong)
		give_up_acks(s, now);
	for (unsigned i = 0; i < s->plan.lanes && !free; i++)
		free = s->lane[i].gone == s->lane[i].filled && may_send(s, &s->lane[i], now);
	/* While all lanes wait for room, no message that is due can be sent. */
	if (free) {
		if (s->run.pacer.rate_per_s > 0 && np_pacer_next(&s->run.pacer) < latest)
			latest = np_pacer_next(&s->run.pacer);
		if (s->run.deadline < latest)
			latest = s->run.deadline;
	}
	return latest;
}

bool sender_moves(struct sender *sender, np_time now, np_time limit)
{
	struct sender_progress *p = &sender->progress;
	uint64_t left = 0;

	if (now - p->moved < MOVE_LOOK)
		return true;
	/* The kernel may hold much data that moves slowly. */
	if (sender->port.unacknowledged)
		left = sender->port.unacknowledged(sender->port.context);
	if (left < p->unacknowledged)
		p->drained = now;
	p->unacknowledged = left;
	return now - p->moved < limit || now - p->drained < limit;
}

void sender_moved(struct sender *sender, np_time now)
{
	sender->progress.moved = now;
}

bool sender_stalled(struct sender *sender, np_time now)
{
	const struct sender *s = sender;
	const np_time limit = *s->plan.interrupts ? STOP_LIMIT : SENDER_STALL;
	bool waits = false;

	for (unsigned i = 0; i < s->plan.lanes && !waits; i++)
		waits = s->lane[i].gone < s->lane[i].filled ||
			(s->plan.ping_pong && !s->plan.repeats && s->lane[i].outstanding);
	return waits && !sender_moves(sender, now, limit);
}

int sender_send(struct sender *s, struct sender_lane *lane, enum message_type type,
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
		/* The members of the group were just told of it individually. */
		if (s->progress.ends_sent ||
		    (s->plan.group && !to && receivers_ready(&s->receivers)))
			m.flags |= MESSAGE_AGAIN;
		m.end.clock = clock;
		m.end.unsent = lane->lost;
		m.end.proof = one ? one->challenge : 0;
		m.end.last = *s->plan.interrupts;
		if (s->port.account)
			s->port.account(s->port.context, &m.end);
	}
	m.time = now;
	return s->port.send(s->port.context, lane->index, to ? &to->address : NULL, data,
			    message_encode(data, &m));
}

static bool all_reported(const struct sender *s)
{
	const size_t ready = receivers_ready(&s->receivers);

	return ready && receivers_reported(&s->receivers) == ready;
}

/*
 * Members that answer are told individually about their own clock; then the others need not get it
 * again.
 */
static int send_ends(struct sender *s)
{
	int rc = 0;

	for (size_t i = 0; s->plan.group && i < s->receivers.count; i++) {
		const struct receivers_receiver *receiver = &s->receivers.receiver[i];

		for (unsigned k = 0; k < s->plan.lanes && !rc; k++)
			if (receiver->ready && !receiver->reported)
				rc = sender_send(s, &s->lane[k], MESSAGE_END, receiver);
	}
	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		rc = sender_send(s, &s->lane[i], MESSAGE_END, NULL);
	return rc;
}

/* @rc: -errno of what broke; reports that were received stay valid. */
static void conclude(struct sender *s, int rc)
{
	const struct receivers *all = &s->receivers;

	s->run.phase = SENDER_DONE;
	if (rc < 0 && !all_reported(s)) {
		s->run.failed = true;
		sender_notify(s, (struct sender_event){.kind = SENDER_LOST, .error = rc});
		return;
	}
	for (size_t i = 0; i < all->count; i++) {
		if (!all->receiver[i].ready || all->receiver[i].reported)
			continue;
		s->run.failed = true;
		sender_notify(s, (struct sender_event){.kind = SENDER_NO_REPORT,
						       .receiver = &all->receiver[i]});
	}
	for (size_t i = 0; i < all->count; i++)
		if (all->receiver[i].joined_late)
			sender_notify(s, (struct sender_event){.kind = SENDER_JOINED_LATE,
							       .receiver = &all->receiver[i]});
}

/* Over datagrams: repeats END until all have reported, or the limit. */
static void repeat_end(struct sender *s, np_time now)
{
	struct sender_progress *p = &s->progress;
	/* END may wait in a queue behind messages as long as the receiver reports that they arrive.
	 */
	const np_time silence =
		GAPS * p->alive_gap > REPORT_LIMIT ? GAPS * p->alive_gap : REPORT_LIMIT;

	if (all_reported(s) || (now >= p->end_begin + REPORT_LIMIT && now >= p->alive + silence) ||
	    *s->plan.interrupts >= 2) {
		conclude(s, 0);
		return;
	}
	if (now < p->end_next)
		return;
	/* An error may be due to another receiver: repeated anyway. */
	(void)send_ends(s);
	p->ends_sent++;
	p->end_next = now + (p->ends_sent < MESSAGE_END_FIRST_ONES ? MESSAGE_END_SOON
								   : MESSAGE_END_EVERY);
}

/*
 * Over streams, where END was sent once: waits for the report or the end of the connections, as
 * long as the receiver's kernel accepts data, or anything arrives.
 */
static void await_report(struct sender *s, np_time now)
{
	bool open = false, acks_missing;

	for (unsigned i = 0; i < s->plan.lanes; i++)
		open |= !s->lane[i].closed;
	acks_missing = s->plan.acks &&
		       s->receivers.acks < sender_messages(s) * receivers_ready(&s->receivers);
	if (!open || !sender_moves(s, now, SENDER_STALL) || *s->plan.interrupts >= 2 ||
	    (all_reported(s) && !acks_missing))
		conclude(s, 0);
	else
		s->progress.end_next = now + REPORT_LOOK;
}

void sender_end(struct sender *sender, np_time now)
{
	struct sender *s = sender;
	int rc;

	if (s->run.sending && now >= s->run.deadline)
		note_missed(s, now);
	s->run.phase = SENDER_ENDING;
	s->progress.end_begin = s->progress.end_next = now;
	if (s->plan.repeats && s->plan.classic) {
		conclude(s, 0);
	} else if (s->plan.repeats) {
		repeat_end(s, now);
	} else {
		s->progress.moved = now;
		rc = s->plan.classic ? 0 : send_ends(s);
		for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
			s->port.finish(s->port.context, i);
		if (rc)
			conclude(s, rc);
		else
			await_report(s, s->port.clock(s->port.context));
	}
}

void sender_abandon(struct sender *sender)
{
	struct sender *s = sender;

	for (unsigned i = 0; i < s->plan.lanes && *s->plan.interrupts && !s->plan.classic; i++)
		if (s->lane[i].ready)
			(void)sender_send(s, &s->lane[i], MESSAGE_END, NULL);
}

void sender_bye(struct sender *sender)
{
	for (unsigned i = 0; i < (sender->plan.repeats ? MESSAGE_END_FIRST_ONES : 1); i++)
		(void)sender_send(sender, &sender->lane[0], MESSAGE_END, NULL);
}

void sender_broke(struct sender *sender, int error)
{
	sender->asking.foreign |= error == -EPROTONOSUPPORT;
	if (sender->run.phase == SENDER_CONTACT)
		sender_contact_broke(sender, error);
	else if (sender->run.phase == SENDER_ENDING)
		conclude(sender, error);
}

void sender_tick(struct sender *sender, np_time now)
{
	if (sender->run.phase == SENDER_CONTACT)
		sender_contact_tick(sender, now);
	else if (sender->run.phase == SENDER_ENDING && sender->plan.repeats)
		repeat_end(sender, now);
	else if (sender->run.phase == SENDER_ENDING)
		await_report(sender, now);
}

np_time sender_deadline(const struct sender *sender)
{
	const struct sender_asking *c = &sender->asking;

	switch (sender->run.phase) {
	case SENDER_CONTACT: return c->next < c->limit ? c->next : c->limit;
	case SENDER_ENDING: return sender->progress.end_next;
	default: return NP_TIME_NEVER;
	}
}

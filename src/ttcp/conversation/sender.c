// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sender: the series of runs, the answers of receivers, the DATA of a run: filling it, when it may
 * be sent, and what was sent.
 */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>

#define MOVE_LOOK  (20 * NP_MILLISECOND)
#define ACK_LIMIT  NP_SECOND	   /* ping-pong: then the message was lost */
#define STOP_LIMIT (2 * NP_SECOND) /* for the rest of a message, when the user wants to stop */

static int take_packets(struct transport *t, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	(void)by_group;
	for (unsigned i = 0; i < count; i++)
		(void)sender_take(t->owner, packet[i].data, packet[i].length, packet[i].source,
				  packet[i].stamp);
	return (int)count;
}

/* There are MESSAGE_CONTROL_MAX bytes of room before @data. */
static int take_bytes(struct transport *t, struct channel *channel, uint8_t *data, size_t length,
		      np_time at)
{
	const struct sender *s = t->owner;
	struct sender_lane *lane = channel->user;
	int count = 0;

	/* Who receives a pipeline's bytes may send anything. */
	if (s->load->from_stdin)
		return 1;
	data -= lane->carried;
	memcpy(data, lane->carry, lane->carried);
	length += lane->carried;
	lane->carried = 0;
	for (;;) {
		const int64_t size = message_size(data, length);

		if (size < 0 || size > MESSAGE_CONTROL_MAX)
			return size < 0 ? (int)size : -EBADMSG;
		if (!size || (size_t)size > length)
			break;
		(void)sender_take(t->owner, data, (size_t)size, &channel->peer, at);
		data += size;
		length -= (size_t)size;
		count++;
	}
	/* Keeps the rest, which is shorter than a message. */
	memcpy(lane->carry, data, length);
	lane->carried = length;
	return count;
}

static void step(struct transport *t)
{
	struct sender *s = t->owner;

	if (s->beside)
		side_look(s->beside, s->session);
}

int sender_create(struct sender **sender, struct session *session,
		  const struct transport_face *face)
{
	static const struct transport_user user = {
		.packets = take_packets,
		.bytes = take_bytes,
		.step = step,
	};
	const struct options *o = session->options;
	const unsigned lanes = o->load.crr ? 1 : (unsigned)o->load.streams;
	struct sender *s = calloc(1, sizeof(*s));

	*sender = s;
	if (!s)
		return -ENOMEM;
	s->session = session;
	s->options = o;
	s->load = &o->load;
	s->name = o->place.to ? o->place.to : "overlay";
	s->acks = o->files.delay || o->load.ping_pong || o->load.trips;
	s->classic = o->load.classic || o->load.from_stdin;
	s->threads = 1;
	if (o->load.find)
		s->find = (struct np_find){
			.most = o->load.rate_bits / 8,
			.least = np_find_least(o->load.burst, (double)o->load.message_bytes,
					       o->load.duration),
			.loss_percent = o->load.find_percent,
		};
	s->transport = (struct transport){
		.face = face,
		.user = &user,
		.owner = s,
		.session = session,
		.lanes = lanes,
		.end = lanes,
		.batch = 1,
		.answered = s->acks,
	};
	s->run.number = 1;
	s->receivers.name = face->name;
	return np_histogram_create(&s->receivers.rtt);
}

void sender_free(struct sender *sender)
{
	if (!sender)
		return;
	if (sender->receivers.rtt)
		receivers_forget(&sender->receivers);
	np_histogram_free(sender->receivers.rtt);
	free(sender);
}

struct message_start sender_announcement(const struct load_options *load, double rate_bits)
{
	struct message_start start = {
		.message_bytes = (uint32_t)(load->message_bytes < MESSAGE_HEADER_BYTES
						    ? MESSAGE_HEADER_BYTES
						    : load->message_bytes),
		.messages = load->crr ? 0 : load->messages,
		.rate_bits = (uint64_t)rate_bits + ((double)(uint64_t)rate_bits < rate_bits),
		.streams = (uint16_t)(load->crr ? 1 : load->streams),
		.runs = (uint32_t)load->runs,
		.duration = load->duration,
	};

	start.timeout_ms = message_silence_ms(&start);
	strncpy(start.session, load->session, sizeof(start.session) - 1);
	return start;
}

void sender_begin(struct sender *s, uint64_t number, double rate_bits)
{
	const struct load_options *load = &s->options->load;

	/* Who answers nobody refuses transactions by it. */
	s->flags = (uint8_t)((s->acks || load->transacts ? MESSAGE_ACK_WANTED : 0) |
			     (s->transport.group ? MESSAGE_MULTICAST : 0) |
			     (load->ping_pong || load->transacts ? MESSAGE_PING_PONG : 0) |
			     (load->no_copy ? MESSAGE_NO_COPY : 0) |
			     (load->warm_up ? MESSAGE_WARM_UP : 0));
	s->run = (struct sender_run){
		.number = number,
		.result =
			{
				.run = number,
				.acks_wanted = s->acks,
				.rate_bits = rate_bits,
				.receivers = &s->receivers,
				.group = s->transport.group,
			},
		.start = sender_announcement(load, rate_bits),
	};
	s->transport.rate_bits = rate_bits;
	memset(s->lane, 0, sizeof(s->lane));
	receivers_begin(&s->receivers);
	if (!s->transport.group && s->receivers.count &&
	    !np_address_equal(&s->receivers.receiver[0].address, &s->transport.to))
		receivers_forget(&s->receivers);
	s->asking = (struct sender_asking){.foreign = s->asking.foreign};
	s->progress = (struct sender_progress){.ends_sent = 0};
}

struct np_offset sender_clock(const struct sender *s, const struct receivers_receiver *receiver,
			      np_time now)
{
	struct np_offset clock = receiver->offset;
	np_time first = session_wall(s->session, s->run.first), away = now - clock.at;

	/* The offset applies to all messages of the run, including the first ones. */
	if (s->run.sending && clock.at - first > away)
		away = clock.at - first;
	clock.bound = np_offset_bound(&clock, clock.at + away);
	return clock;
}

/* The receiver is not ready, or no longer, or is another one: its answers count for nothing. */
static void forget_answers(struct sender *s)
{
	s->asking.proven = false;
	s->asking.proof_sent = s->asking.challenged = 0;
	for (unsigned i = 0; i < s->transport.lanes; i++)
		s->lane[i].ready = false;
}

static void take_start_ok(struct sender *s, const struct message *m,
			  struct receivers_receiver *receiver, np_time at)
{
	if (m->time < s->asking.since)
		return;
	if (m->start_ok.verdict != MESSAGE_READY) {
		s->asking.verdict = m->start_ok.verdict;
		message_limit_text(&m->start_ok, "refuses this run", s->options->report.unit,
				   s->asking.beyond);
		if (s->load->transacts && m->start_ok.limit == MESSAGE_LIMIT_RATE)
			snprintf(s->asking.beyond, sizeof(s->asking.beyond),
				 "has --max-rate, and so serves no --rr or --crr, which announce "
				 "no rate");
		if (s->transport.group || s->run.phase != SENDER_CONTACT)
			return;
		/* Another sender proved its address before. */
		receiver->ready = false;
		forget_answers(s);
		return;
	}
	if (s->asking.verdict == MESSAGE_BUSY)
		s->asking.verdict = 0;
	if (m->start_ok.challenge && !s->asking.challenged)
		s->asking.challenged = at;
	s->asking.proven |= s->asking.proof_sent && m->time >= s->asking.proof_sent;
	if (m->stream < s->transport.lanes)
		s->lane[m->stream].ready = true;
	if (!receiver->ready)
		receiver->joined_late = s->run.sending && sender_repeats(s);
	receiver->ready = true;
	/* It was not a classic receiver, only late. */
	s->run.silent = false;
	receiver->answer = m->start_ok;
	s->asking.answers++;
	/* It reports that messages arrive, however long these were queued. */
	if (s->run.sending && !receiver->reported && at > s->progress.alive) {
		s->progress.alive_gap = at - s->progress.alive;
		s->progress.alive = at;
	}
	(void)np_offset_add(&receiver->offset, m->time, m->start_ok.start_received,
			    m->start_ok.replied, session_wall(s->session, at));
	/* As soon as one is answered, the next exchange may start. */
	if (s->run.phase == SENDER_CONTACT && (s->options->wait.no_wait || s->asking.since) &&
	    !s->transport.group && sender_all_ready(s)) {
		s->asking.next = at;
		/* The first answer of a partner of --bidir comes after its own pause. */
		if (s->asking.answers == s->transport.lanes)
			s->asking.begin = at;
	}
}

static void take_ack(struct sender *s, const struct message *m, struct receivers_receiver *receiver,
		     np_time now)
{
	struct sender_lane *lane;

	if (m->stream >= s->transport.lanes)
		return;
	lane = &s->lane[m->stream];
	/* Each stream counts from 0; nothing was sent before the first message. */
	if (m->number >= lane->number || m->time < session_wall(s->session, s->run.first) ||
	    !receivers_ack(&s->receivers, receiver, m->number * s->transport.lanes + m->stream,
			   m->time, now))
		return;
	(void)np_offset_add(&receiver->offset, m->time, m->ack.received, m->ack.received, now);
	if (m->number + 1 == lane->number)
		lane->outstanding = false;
	if (s->files.rows[m->stream])
		recorder_delay(s->files.rows[m->stream], receiver->name, m, now);
}

int sender_take(struct sender *s, const uint8_t *data, size_t length,
		const struct np_address *source, np_time at)
{
	struct receivers *all = &s->receivers;
	const struct np_address *to = &s->transport.to;
	/* -u to a group: its members answer. An overlay's addresses only look like one. */
	const bool several =
		s->transport.group || (!s->transport.face->self && np_address_is_multicast(to));
	struct receivers_receiver *receiver;
	const struct np_histogram_figures *delays;
	struct message m;
	int rc = message_decode(data, length, &m);

	s->asking.foreign |= rc == -EPROTONOSUPPORT;
	if (rc || m.session != s->id || m.run != s->run.number)
		return rc;
	if (m.type != MESSAGE_START_OK && m.type != MESSAGE_ACK && m.type != MESSAGE_REPORT &&
	    m.type != MESSAGE_TRANSACT)
		return 0;
	/*
	 * Of receivers that are not a group there is one: the address that messages go to or, until
	 * that answers (a host may have several), the first that did in this run.
	 */
	if (!several && all->count && !np_address_equal(&all->receiver[0].address, source)) {
		s->run.strays++;
		if (!np_address_equal(to, source))
			return 0;
		receivers_forget(all);
		forget_answers(s);
		s->run.over = false;
		s->asking.verdict = 0;
	}
	receiver = receivers_at(all, source);
	if (!receiver)
		return 0;
	s->progress.heard = at;
	switch (m.type) {
	case MESSAGE_START_OK: take_start_ok(s, &m, receiver, at); break;
	case MESSAGE_ACK: take_ack(s, &m, receiver, session_wall(s->session, at)); break;
	case MESSAGE_TRANSACT: s->lane[m.stream].outstanding = false; break;
	default:
		if (receiver->reported)
			break;
		receiver->report = m.report;
		delays = &m.report.delays;
		/* Delays that cannot be are none. */
		if (delays->min > delays->mean || delays->mean > delays->max)
			receiver->report.delays = (struct np_histogram_figures){.count = 0};
		receiver->reported = true;
		if (!receiver->ready)
			receiver->joined_late = sender_repeats(s);
		receiver->ready = true;
		/* It receives no more: it was stopped. */
		s->run.over =
			!s->transport.group && receivers_reported(all) == receivers_ready(all);
	}
	return 0;
}

uint64_t sender_messages(const struct sender *s)
{
	uint64_t messages = 0;

	for (unsigned i = 0; i < s->part_count; i++)
		messages += __atomic_load_n(&s->parts[i].sent, __ATOMIC_RELAXED);
	for (unsigned i = s->transport.first; i < s->transport.end; i++) {
		const struct sender_lane *lane = &s->lane[i];
		size_t left = lane->filled - lane->gone;

		messages += lane->number - lane->lost -
			    (left + s->load->message_bytes - 1) / s->load->message_bytes;
	}
	return messages;
}

void sender_start(struct sender *s, np_time now)
{
	const np_time duration = sender_warms_up(s) ? s->load->warm_up : s->load->duration;

	np_pacer_start(&s->run.pacer, s->run.result.rate_bits / 8 / (double)s->load->message_bytes,
		       now);
	s->run.deadline = duration ? now + duration : NP_TIME_NEVER;
	s->run.first = s->run.last = now;
	s->run.burst_left = 0;
	s->run.sending = true;
	s->progress.moved = s->progress.drained = s->progress.alive = now;
	if (s->options->socket.pacing == PACING_KERNEL)
		s->run.pacer.rate_per_s = 0;
}

void sender_warmed_up(struct sender *s, np_time now)
{
	forget_answers(s);
	for (unsigned i = 0; i < s->transport.lanes; i++) {
		struct sender_lane *lane = &s->lane[i];

		lane->number = lane->lost = 0;
		lane->asked = lane->outstanding = false;
	}
	s->flags &= (uint8_t)~MESSAGE_WARM_UP;
	s->run.sending = false;
	s->run.phase = SENDER_CONTACT;
	s->asking.answers = 0;
	s->asking.since = session_wall(s->session, now);
	sender_contact(s, now);
}

static unsigned wanted(const struct sender *s, const struct sender_lane *lane)
{
	uint64_t limit = sender_warms_up(s) ? 0 : s->load->messages;
	uint64_t left = limit ? limit - lane->number : s->transport.batch;

	return left < s->transport.batch ? (unsigned)left : s->transport.batch;
}

/* Writes the headers of the next messages of a lane, with one clock reading for all. */
static bool fill(struct sender *s, unsigned index, np_time now)
{
	const size_t bytes = s->load->message_bytes;
	struct sender_lane *lane = &s->lane[index];
	struct sender_run *run = &s->run;
	const unsigned most = wanted(s, lane);
	uint64_t count = most;
	struct message m; /* of a DATA, without the rest */

	if (run->pacer.rate_per_s > 0) {
		/* Those that are due, or what is left of a burst. */
		count = np_pacer_allowed(&run->pacer, now, most);
		if (s->load->burst) {
			if (!run->burst_left && count)
				run->burst_left = s->load->burst;
			count = run->burst_left < most ? run->burst_left : most;
			run->burst_left -= count;
		}
		np_pacer_took(&run->pacer, now, count);
		/* Lanes share a rate equally. */
		if (count)
			run->turn = index + 1 < s->transport.end ? index + 1 : s->transport.first;
	}
	if (!count)
		return false;
	m.version = 0;
	m.flags = s->flags;
	m.stream = (uint16_t)index;
	m.session = s->id;
	m.run = (uint32_t)run->number;
	m.time = session_wall(s->session, now);
	for (unsigned i = 0; i < count && !s->classic; i++) {
		m.number = lane->number + i;
		message_encode_data(s->transport.lane[index]->batch + i * bytes, &m,
				    (uint32_t)bytes);
	}
	lane->number += count;
	lane->gone = 0;
	lane->filled = count * bytes;
	lane->outstanding = true;
	return true;
}

/* Whether a lane will get more. */
static bool has_more(const struct sender *s, const struct sender_lane *lane, np_time now)
{
	return now < s->run.deadline && !s->run.over && !s->session->interrupts && wanted(s, lane);
}

/* Whether it may get more now: what it was given has gone, and in ping-pong was answered. */
static bool may_send(const struct sender *s, const struct sender_lane *lane, np_time now)
{
	return lane->gone == lane->filled && has_more(s, lane, now) &&
	       !(s->load->ping_pong && lane->outstanding);
}

int sender_push(struct sender *s, np_time *now)
{
	struct transport *t = &s->transport;
	const unsigned first = s->run.turn, own = t->end - t->first;
	bool went = false;

	for (unsigned k = 0; k < own; k++) {
		const unsigned i = first + k < t->end ? first + k : first + k - own;
		struct sender_lane *lane = &s->lane[i];
		ssize_t gone;

		if (lane->gone == lane->filled && !(may_send(s, lane, *now) && fill(s, i, *now)))
			continue;
		gone = t->face->push(t, t->lane[i], lane->gone, lane->filled - lane->gone);
		*now = session_now(s->session);
		if (gone < 0 && gone != -EAGAIN) {
			if (!t->face->datagrams)
				return (int)gone;
			/* This one cannot be sent (a filter, no route), but those after it may. */
			lane->lost++;
			lane->gone += s->load->message_bytes;
			went = true;
		} else if (gone > 0) {
			lane->gone += (size_t)gone;
			went = true;
		}
	}
	if (!went)
		return 0;
	s->run.last = s->progress.moved = *now;
	if (s->files.rows[FILES_BANDWIDTH] && !sender_warms_up(s)) {
		const uint64_t messages = sender_messages(s) - s->run.windowed;

		if (messages)
			files_count(&s->files, *now, messages, messages * s->load->message_bytes);
		s->run.windowed += messages;
	}
	return 1;
}

bool sender_sent(const struct sender *s, np_time now)
{
	for (unsigned i = s->transport.first; i < s->transport.end; i++)
		if (s->lane[i].gone < s->lane[i].filled || has_more(s, &s->lane[i], now))
			return false;
	return true;
}

np_time sender_rest(struct sender *s, np_time now, np_time latest)
{
	const np_time waited = now - s->progress.moved;
	struct np_histogram_figures rtt;
	bool free = false;

	/* Gives up a datagram whose ACK does not arrive, so that the run continues. */
	if (s->load->ping_pong && sender_repeats(s) && waited >= ACK_LIMIT) {
		np_histogram_figures(s->receivers.rtt, &rtt);
		/* Over a slow path ACKs need longer than at first thought. */
		for (unsigned i = 0; i < s->transport.lanes && waited >= 4 * rtt.max; i++)
			s->lane[i].outstanding = false;
	}
	for (unsigned i = s->transport.first; i < s->transport.end && !free; i++)
		free = may_send(s, &s->lane[i], now);
	/* While all lanes wait for room, no message that is due can be sent. */
	if (free) {
		if (s->run.pacer.rate_per_s > 0 && np_pacer_next(&s->run.pacer) < latest)
			latest = np_pacer_next(&s->run.pacer);
		if (s->run.deadline < latest)
			latest = s->run.deadline;
	}
	return latest;
}

bool sender_moves(struct sender *s, np_time now, np_time limit)
{
	struct sender_progress *p = &s->progress;
	uint64_t left = 0;

	if (now - p->moved < MOVE_LOOK)
		return true;
	/* The kernel may hold much data that moves slowly. */
	if (s->transport.face->unacknowledged)
		left = s->transport.face->unacknowledged(&s->transport);
	if (left < p->unacknowledged)
		p->drained = now;
	p->unacknowledged = left;
	return now - p->moved < limit || now - p->drained < limit;
}

bool sender_stalled(struct sender *s, np_time now)
{
	const np_time limit = s->session->interrupts ? STOP_LIMIT : SENDER_STALL;
	bool waits = false;

	/* Who asked for datagrams must still be there. */
	if (!s->part && s->session->of && sender_repeats(s) &&
	    now - s->progress.heard >= s->run.start.timeout_ms * NP_MILLISECOND)
		return true;
	for (unsigned i = s->transport.first; i < s->transport.end && !waits; i++)
		waits = s->lane[i].gone < s->lane[i].filled ||
			(s->load->ping_pong && !sender_repeats(s) && s->lane[i].outstanding);
	return waits && !sender_moves(s, now, limit);
}

int sender_send_datagram(struct sender *s, unsigned lane, const struct np_address *to,
			 const void *data, size_t bytes)
{
	struct transport *t = &s->transport;
	const ssize_t went = t->face->send(t, t->lane[lane], to, data, bytes, false);

	/* It is repeated later. */
	return went >= 0 || went == -EAGAIN || went == -ENOBUFS ? 0 : (int)went;
}

int sender_connect(struct sender *s)
{
	struct transport *t = &s->transport;
	int rc = 0;

	for (unsigned i = 0; i < t->lanes && t->face->connect && !rc; i++)
		rc = t->face->connect(t, i);
	return rc;
}

int sender_send(struct sender *s, unsigned lane, enum message_type type,
		const struct receivers_receiver *to)
{
	const struct receivers_receiver *one = to;
	struct transport *t = &s->transport;
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.type = (uint8_t)type,
		.flags = s->flags,
		.stream = (uint16_t)lane,
		.session = s->id,
		.run = (uint32_t)s->run.number,
		.number = type == MESSAGE_END ? s->lane[lane].number : s->run.start.messages,
		.time = session_wall(s->session, session_now(s->session)),
	};
	struct np_offset clock = {0};
	size_t bytes, done = 0;

	/* Each member of a group has its own clock. */
	if (!one && !s->transport.group && s->receivers.count)
		one = &s->receivers.receiver[0];
	if (one) {
		clock = sender_clock(s, one, m.time);
		m.version = one->answer.reads < MESSAGE_VERSION_LAST ? MESSAGE_VERSION
								     : MESSAGE_VERSION_LAST;
	}
	if (type == MESSAGE_START) {
		m.start = s->run.start;
		m.start.clock = clock;
		m.start.proof = one ? one->answer.challenge : 0;
		if (m.start.proof && !s->asking.proof_sent)
			s->asking.proof_sent = m.time;
	} else {
		/* The members of the group were just told of it individually. */
		if (s->progress.ends_sent ||
		    (s->transport.group && !to && receivers_ready(&s->receivers)))
			m.flags |= MESSAGE_AGAIN;
		m.end.clock = clock;
		m.end.unsent = s->lane[lane].lost;
		m.end.proof = one ? one->answer.challenge : 0;
		m.end.last = s->session->interrupts || s->bye;
		m.end.account = send_account(s);
		m.end.marks = transport_count(t).marks;
	}
	bytes = message_encode(data, &m);
	if (sender_repeats(s))
		return sender_send_datagram(s, lane, to ? &to->address : NULL, data, bytes);
	s->progress.moved = session_now(s->session);
	do {
		const ssize_t went =
			t->face->send(t, t->lane[lane], NULL, data + done, bytes - done, false);

		done += went > 0 ? (size_t)went : 0;
		if (done == bytes)
			return 0;
		/* A request to stop does not cut a message of a stream short; a second one does. */
		session_look(s->session);
		if (s->session->interrupts > 1)
			return -ECANCELED;
		if (went < 0)
			return (int)went;
	} while (sender_moves(s, session_now(s->session), SENDER_STALL));
	return -ETIMEDOUT;
}

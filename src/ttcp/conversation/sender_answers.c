// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender_answers: what receivers say, what they are told, and the waiting between. */
#include "sender_state.h"

#include <errno.h>
#include <netperf/wait.h>

static void compare_clocks(struct sender *s, struct receivers_receiver *receiver, np_time there,
			   np_time back, np_time sent, np_time now)
{
	if (np_offset_add(&s->offset[receiver - s->receivers.receiver], sent, there, back, now))
		receiver->clock = sender_clock(s, receiver, now);
}

struct message_clock sender_clock(const struct sender *s, const struct receivers_receiver *receiver,
				  np_time now)
{
	const struct np_offset *offset = &s->offset[receiver - s->receivers.receiver];
	np_time first = session_wall(s->session, s->first), away = now - offset->at;

	/* It holds for all messages of the run, the first ones, too. */
	if (s->sending && offset->at - first > away)
		away = offset->at - first;
	return (struct message_clock){
		.known = offset->known,
		.offset = offset->offset,
		.bound = np_offset_bound(offset, offset->at + away),
	};
}

/* It tells so while messages come, wherever they had to wait. */
static void feel_alive(struct sender *s, np_time now)
{
	np_time at = now - s->session->ahead;

	if (at <= s->alive)
		return;
	s->alive_gap = at - s->alive;
	s->alive = at;
}

static void take_start_ok(struct sender *s, struct receivers_receiver *receiver, np_time now)
{
	const struct message *m = &s->message;

	if (m->start_ok.verdict != MESSAGE_READY) {
		s->verdict = m->start_ok.verdict;
		return;
	}
	if (m->stream < s->lanes)
		s->lane[m->stream].ready = true;
	if (!receiver->ready)
		receiver->joined_late = s->sending && s->transport->repeats;
	receiver->ready = true;
	/* No classic one, only late. */
	s->silent = false;
	receiver->challenge = m->start_ok.challenge;
	s->answers++;
	if (s->sending && !receiver->reported)
		feel_alive(s, now);
	compare_clocks(s, receiver, m->start_ok.start_received, m->start_ok.replied, m->time, now);
}

static void take_ack(struct sender *s, struct receivers_receiver *receiver, np_time now)
{
	const struct message *m = &s->message;
	struct lane *lane;

	if (m->stream >= s->lanes)
		return;
	lane = &s->lane[m->stream];
	/* Each stream counts from 0. */
	if (m->number >= lane->number ||
	    !receivers_ack(&s->receivers, receiver, m->number * s->lanes + m->stream, m->time, now))
		return;
	compare_clocks(s, receiver, m->ack.received, m->ack.received, m->time, now);
	if (m->number + 1 == lane->number)
		lane->outstanding = false;
	if (s->files.delay[m->stream])
		recorder_delay(s->files.delay[m->stream], &(struct recorder_delay){
								  .receiver = receiver->name,
								  .number = m->number,
								  .size = m->ack.data_size,
								  .sent = m->time,
								  .received = m->ack.received,
								  .acked = now,
							  });
}

void sender_take(struct sender *s, const uint8_t *data, size_t length,
		 const struct np_address *source, np_time at)
{
	struct message *m = &s->message;
	struct receivers_receiver *receiver;
	int rc = message_decode(data, length, m);
	np_time now = session_wall(s->session, at);

	s->other_version |= rc == -EPROTONOSUPPORT;
	if (rc || m->session != s->id || m->run != s->run)
		return;
	if (m->type != MESSAGE_START_OK && m->type != MESSAGE_ACK && m->type != MESSAGE_REPORT)
		return;
	receiver = receivers_at(&s->receivers, source);
	if (!receiver)
		return;
	if (m->type == MESSAGE_START_OK) {
		take_start_ok(s, receiver, now);
	} else if (m->type == MESSAGE_ACK) {
		take_ack(s, receiver, now);
	} else if (!receiver->reported) {
		receiver->report = m->report;
		receiver->reported = true;
		if (!receiver->ready)
			receiver->joined_late = s->transport->repeats;
		receiver->ready = true;
	}
}

int sender_tell(struct sender *s, struct lane *lane, enum message_type type,
		const struct receivers_receiver *to)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const struct receivers_receiver *one = to;
	struct message m = {
		.type = (uint8_t)type,
		.flags = s->flags,
		.stream = (uint16_t)lane->index,
		.session = s->id,
		.run = (uint32_t)s->run,
		.number = type == MESSAGE_END ? lane->number : s->start.messages,
	};
	struct message_clock clock = {0};
	np_time now = session_wall(s->session, np_clock_now());

	/* A group's members each have a clock of their own. */
	if (!one && !s->group && s->receivers.count)
		one = &s->receivers.receiver[0];
	if (one)
		clock = sender_clock(s, one, now);
	if (type == MESSAGE_START) {
		m.start = s->start;
		m.start.clock = clock;
		m.start.proof = one ? one->challenge : 0;
	} else {
		/* A group's members were told alone just before. */
		if (s->end_told || (s->group && !to && receivers_ready(&s->receivers)))
			m.flags |= MESSAGE_AGAIN;
		m.end.clock = clock;
		m.end.unsent = lane->lost;
		m.end.proof = one ? one->challenge : 0;
		m.end.last = s->session->interrupts;
	}
	m.time = now;
	return s->transport->tell(s, lane, to ? &to->address : NULL, data,
				  message_encode(data, &m));
}

int sender_hear(struct sender *s)
{
	int count = 0;

	for (unsigned i = 0; i < s->lanes; i++) {
		int heard = s->transport->hear(s, &s->lane[i]);

		if (heard < 0)
			return heard;
		count += heard;
	}
	return count;
}

static unsigned list_lanes(struct sender *s, struct pollfd *fds, bool writable)
{
	for (unsigned i = 0; i < s->lanes; i++) {
		const struct lane *lane = &s->lane[i];
		bool open = !lane->closed;

		fds[i] = (struct pollfd){
			.fd = lane->stream ? np_stream_fd(lane->stream)
					   : np_datagram_fd(lane->datagram),
			.events = open ? POLLIN : 0,
		};
		if (writable && lane->gone < lane->filled)
			fds[i].events |= POLLOUT;
		/* One that is closed would be readable for ever. */
		if (!fds[i].events)
			fds[i].fd = -1;
	}
	fds[s->lanes] = (struct pollfd){.fd = np_signals_fd(s->session->signals), .events = POLLIN};
	return s->lanes + 1;
}

int sender_wait(struct sender *s, np_time until, bool writable)
{
	struct pollfd fds[MESSAGE_STREAMS_MAX + 1];
	unsigned count = list_lanes(s, fds, writable);
	struct np_datagram_stats stats;
	int ready;

	if (until > np_clock_now()) {
		ready = np_wait_ready(fds, count, until);
		if (ready < 0)
			return ready;
		if (fds[s->lanes].revents)
			session_look(s->session);
		/* An ICMP error makes a socket readable until it is taken. */
		for (unsigned i = 0; i < s->lanes; i++)
			if (s->lane[i].datagram && fds[i].revents & POLLERR)
				(void)np_datagram_stats(s->lane[i].datagram, &stats);
	}
	return sender_hear(s);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_loop: the loop that sends the messages of a run. */
#include "sender_state.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PUSHES	   32
#define LOOK	   (20 * NP_MILLISECOND)
#define ACK_LIMIT  NP_SECOND	   /* ping-pong: it was lost */
#define STOP_LIMIT (2 * NP_SECOND) /* for the rest of a message, when the user wants to stop */

uint64_t sender_messages(const struct sender *s)
{
	uint64_t messages = 0;

	for (unsigned i = 0; i < s->lanes; i++) {
		const struct lane *lane = &s->lane[i];
		size_t left = lane->filled - lane->gone;

		messages += lane->number - lane->lost -
			    (left + s->message_bytes - 1) / s->message_bytes;
	}
	return messages;
}

uint64_t sender_bytes(const struct sender *s)
{
	return sender_messages(s) * s->message_bytes;
}

static unsigned wanted(const struct sender *s, const struct lane *lane)
{
	uint64_t limit = sender_options(s)->load.messages;
	uint64_t left = limit ? limit - lane->number : s->batch_messages;

	return left < s->batch_messages ? (unsigned)left : s->batch_messages;
}

/* Writes the headers of the next messages of a lane, one clock reading for all of them. */
static bool fill(struct sender *s, struct lane *lane, np_time now)
{
	unsigned count = wanted(s, lane);
	struct message *m = &lane->data;

	if (s->pacer.rate_per_s > 0) {
		count = (unsigned)np_pacer_allowed(&s->pacer, now, count);
		np_pacer_took(&s->pacer, now, count);
	}
	if (!count)
		return false;
	m->time = session_wall(s->session, now);
	for (unsigned i = 0; i < count && !s->classic; i++) {
		m->number = lane->number + i;
		message_encode_data(lane->batch + i * s->message_bytes, m,
				    (uint32_t)s->message_bytes);
	}
	lane->number += count;
	lane->gone = 0;
	lane->filled = count * s->message_bytes;
	lane->outstanding = true;
	return true;
}

/* True while a lane may be given more. */
static bool may_send(const struct sender *s, const struct lane *lane, np_time now)
{
	if (now >= s->deadline || s->session->interrupts || !wanted(s, lane))
		return false;
	return !(sender_options(s)->load.ping_pong && lane->outstanding);
}

static void count_window(struct sender *s, np_time now)
{
	uint64_t messages = sender_messages(s) - s->windowed;

	if (messages)
		files_count(&s->files, now, messages, messages * s->message_bytes);
	s->windowed += messages;
}

/* Pushes each lane once. Returns whether anything went, or -errno. */
static int push_lanes(struct sender *s, np_time *now)
{
	bool went = false;

	for (unsigned i = 0; i < s->lanes; i++) {
		struct lane *lane = &s->lane[i];
		ssize_t gone;

		if (lane->gone == lane->filled && !(may_send(s, lane, *now) && fill(s, lane, *now)))
			continue;
		gone = s->transport->push(s, lane);
		*now = np_clock_now();
		if (gone < 0 && gone != -EAGAIN)
			return (int)gone;
		lane->gone += gone > 0 ? (size_t)gone : 0;
		went |= gone > 0;
	}
	if (!went)
		return false;
	s->last = s->moved = *now;
	if (s->files.bandwidth)
		count_window(s, *now);
	return true;
}

static bool idle(const struct sender *s, np_time now)
{
	for (unsigned i = 0; i < s->lanes; i++) {
		const struct lane *lane = &s->lane[i];

		if (lane->gone < lane->filled)
			return false;
		if (now < s->deadline && !s->session->interrupts && wanted(s, lane))
			return false;
	}
	return true;
}

/* Dots, reports and signals, some fifty times a second. */
static void look(struct sender *s, np_time now)
{
	uint64_t messages = sender_messages(s);

	s->look_at = now + LOOK;
	session_look(s->session);
	console_count(&s->session->console, messages - s->counted);
	s->counted = messages;
	if (np_interval_due(&s->interval, now) || s->session->report_asked)
		sender_interval(s, now);
	s->session->report_asked = false;
}

/* Behind a slow way ACKs need longer than at first thought. */
static np_time ack_limit(const struct sender *s)
{
	struct np_histogram_figures rtt;

	np_histogram_figures(s->receivers.rtt, &rtt);
	return rtt.count && 4 * rtt.max > ACK_LIMIT ? 4 * rtt.max : ACK_LIMIT;
}

/* A datagram whose ACK does not come is given up, so that the run goes on. */
static void give_up_acks(struct sender *s, np_time now)
{
	np_time limit = ack_limit(s);

	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].outstanding && !s->lane[i].stream && now - s->moved >= limit)
			s->lane[i].outstanding = false;
}

static bool any_free(const struct sender *s, np_time now)
{
	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].gone == s->lane[i].filled && may_send(s, &s->lane[i], now))
			return true;
	return false;
}

/* When nothing went: until there is room, or it is time, or an ACK. */
static int rest(struct sender *s, np_time now)
{
	bool ping_pong = sender_options(s)->load.ping_pong;
	np_time until = s->look_at;

	if (ping_pong) {
		give_up_acks(s, now);
	}
	/* While all lanes wait for room, no message that is due can go. */
	if (any_free(s, now)) {
		if (s->pacer.rate_per_s > 0 && np_pacer_next(&s->pacer) < until)
			until = np_pacer_next(&s->pacer);
		if (s->deadline < until)
			until = s->deadline;
	}
	return sender_wait(s, until, true);
}

/* The kernel may hold much of what moves on slowly. */
static void look_at_acknowledged(struct sender *s, np_time now)
{
	struct np_stream_stats stats;
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].stream && !np_stream_stats(s->lane[i].stream, &stats))
			sum += stats.unacknowledged_bytes;
	if (sum < s->unacknowledged)
		s->drained = now;
	s->unacknowledged = sum;
}

bool sender_moves(struct sender *s, np_time now, np_time limit)
{
	if (now - s->moved < LOOK)
		return true;
	look_at_acknowledged(s, now);
	return now - s->moved < limit || now - s->drained < limit;
}

static bool waits(const struct sender *s)
{
	const bool ping_pong = sender_options(s)->load.ping_pong;

	for (unsigned i = 0; i < s->lanes; i++)
		if (s->lane[i].gone < s->lane[i].filled ||
		    (ping_pong && s->lane[i].stream && s->lane[i].outstanding))
			return true;
	return false;
}

static bool stalled(struct sender *s, np_time now)
{
	np_time limit = s->session->interrupts ? STOP_LIMIT : SENDER_STALL;

	return waits(s) && !sender_moves(s, now, limit);
}

/*
 * One turn gives each lane some calls' worth of messages, stamped by the clock as read before each,
 * or, where they are answered, one, and takes what came back; in a ping-pong it sleeps in that
 * call. What a run measures is the time from before the first call to behind the last one.
 */
static int turn(struct sender *s, np_time *now)
{
	unsigned pushes = 0;
	int rc;

	do
		rc = push_lanes(s, now);
	while (rc == 1 && !s->acks && ++pushes < PUSHES && *now < s->look_at);
	if (rc == 1 && !s->acks)
		return 0;
	if (rc >= 0)
		rc = rc ? sender_hear(s) : rest(s, *now);
	*now = np_clock_now();
	return rc;
}

static int loop(struct sender *s)
{
	np_time now = np_clock_now();
	int rc = 0;

	while (rc >= 0 && !idle(s, now)) {
		rc = turn(s, &now);
		if (rc >= 0 && s->session->interrupts > 1)
			rc = -ECANCELED;
		if (rc >= 0 && stalled(s, now))
			rc = -ETIMEDOUT;
		if (now >= s->look_at)
			look(s, now);
	}
	return rc < 0 ? rc : 0;
}

/* To sleep in poll would be a system call more for each message; it would also wait for others. */
static int loop_patiently(struct sender *s)
{
	int rc = s->transport->patience(&s->lane[0], LOOK), end;

	if (!rc)
		rc = loop(s);
	end = s->transport->patience(&s->lane[0], 0);
	return rc ? rc : end;
}

static void start(struct sender *s)
{
	const struct load_options *load = &sender_options(s)->load;
	uint64_t kbps = options_rate_kbps(load, s->run);
	np_time now = np_clock_now();

	np_pacer_start(&s->pacer, (double)kbps * 1000 / 8 / (double)s->message_bytes, now);
	np_interval_start(&s->interval, now, sender_options(s)->report.interval);
	for (unsigned i = 0; i < s->lanes; i++)
		s->lane[i].data = (struct message){
			.flags = s->flags,
			.stream = (uint16_t)s->lane[i].index,
			.session = s->id,
			.run = (uint32_t)s->run,
		};
	s->deadline = load->duration ? now + load->duration : NP_TIME_NEVER;
	s->first = s->last = s->moved = s->drained = s->alive = now;
	s->alive_gap = 0;
	s->look_at = now + LOOK;
	s->counted = s->windowed = 0;
	s->marked = (struct tally_figures){0};
	s->intervals = 0;
	s->sending = true;
	s->refused_before = sender_refusals(s);
}

int sender_blast(struct sender *s)
{
	int rc;

	start(s);
	rc = sender_options(s)->load.ping_pong && s->lanes == 1 ? loop_patiently(s) : loop(s);
	if (rc == -ECANCELED)
		return 1;
	if (rc == -ETIMEDOUT)
		np_log_error(s->session->log, s->name,
			     "takes nothing any more: given up after %" PRIu64 " messages",
			     sender_messages(s));
	else if (rc)
		np_log_error(s->session->log, s->name, "lost after %" PRIu64 " messages: %s",
			     sender_messages(s), strerror(-rc));
	look(s, s->last);
	return rc ? 1 : 0;
}

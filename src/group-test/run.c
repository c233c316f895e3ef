// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* run: the loop of a run. */
#include "session.h"

#include <errno.h>

/* The most messages per iteration, so that sending, time-outs and signals get their share. */
#define TURN_MESSAGES 1024
#define PUMP_MESSAGES 256
#define LANE_MESSAGES 64 /* of several lanes, of each */

/* How long the last messages may take to be sent. */
#define DRAIN_LIMIT NP_SECOND

/*
 * With --mesh, after a signal: how long the others are waited for. A launcher that ends a job gives
 * its ranks a second, and what was counted must reach rank 0.
 */
#define WIND_UP_LIMIT (300 * NP_MILLISECOND)

/* How often signals are checked and lines flushed while there is no time to sleep. */
#define LOOK_INTERVAL (10 * NP_MILLISECOND)

enum { FD_TRANSPORT, FD_SIGNALS, FDS };

void run_deliver(void *context, const struct transport_delivery *delivery)
{
	struct session *s = context;

	/* Among ranks of a launcher nobody else is heard. */
	if (s->member && (!s->mesh || mesh_hears(s->mesh, delivery->source,
						 delivery->messages[delivery->count - 1].at)))
		member_deliver(s->member, delivery);
}

void run_event(void *context, const struct transport_event *event)
{
	struct session *s = context;

	events_transport(&s->events, event);
	if (s->member && (!s->mesh || mesh_hears(s->mesh, &event->peer, 0)))
		member_transport_event(s->member, event, np_clock_now());
}

/*
 * Among ranks the run ends for all at once after a first signal, so that what is on its way can
 * still be counted.
 */
static void take_signals(struct session *s, np_time now)
{
	const unsigned came = np_signals_take(s->run->signals);

	if (came & NP_SIGNALS_REPORT)
		events_report_now(&s->events, now);
	if (came & NP_SIGNALS_STOP) {
		s->interrupts++;
		if (!s->options->mesh.mesh || s->interrupts > 1) {
			member_stop(s->member, now);
		} else {
			s->wind_up = true;
			s->leave = now + WIND_UP_LIMIT;
		}
	}
	if (s->wind_up)
		member_wind_up(s->member, now);
	s->wind_up = false;
	if (!s->leave || now < s->leave)
		return;
	s->leave = 0;
	member_stop(s->member, now);
}

static unsigned most_a_turn(const struct session *s)
{
	unsigned room = member_room(s->member);

	if (!room && transport_info(s->transport)->relays)
		room = 1;
	return room < TURN_MESSAGES ? room : TURN_MESSAGES;
}

static np_time sooner(np_time a, np_time b)
{
	return a < b ? a : b;
}

/* When there is something to do next; now or earlier: at once. */
struct outlook {
	np_time next;
	np_time send; /* the next message of a lane; NP_TIME_NEVER: that does not depend on time */
};

/*
 * One iteration: counts what has arrived, does what is due, sends what may be sent, for each lane
 * (--threads) in turn, beginning after the one that was the last to send. Messages carry the time
 * at which their lane had its turn; the kernel's stamps show when they arrived.
 */
static int one_turn(struct session *s, np_time now, struct outlook *outlook)
{
	const unsigned most = most_a_turn(s), lanes = (unsigned)s->settings.member.lanes;
	const unsigned burst = lanes > 1 ? LANE_MESSAGES : PUMP_MESSAGES;
	int more = most ? transport_turn(s->transport, most, now) : 0;
	unsigned sent = 0, after = s->first_lane;

	if (more < 0)
		return more;
	member_tick(s->member, now);
	outlook->send = NP_TIME_NEVER;
	for (unsigned tried = 0; tried < lanes && sent < PUMP_MESSAGES; tried++) {
		const unsigned lane = (s->first_lane + tried) % lanes;
		const unsigned pumped = member_pump(s->member, lane, burst, now);
		const np_time due = member_pump_due(s->member, lane);

		/*
		 * A message that is due but was not sent waits for room; the descriptor shows when
		 * there is some.
		 */
		if (due > now)
			outlook->send = sooner(outlook->send, due);
		else
			more |= pumped != 0;
		sent += pumped;
		if (!pumped || lanes == 1)
			continue;
		now = np_clock_now();
		after = (lane + 1) % lanes;
	}
	s->first_lane = after;
	if (now >= events_deadline(&s->events))
		events_due(&s->events, now);
	outlook->next = sooner(member_deadline(s->member), events_deadline(&s->events));
	if (most)
		outlook->next = sooner(outlook->next, transport_deadline(s->transport));
	if (more)
		outlook->next = now;
	return 0;
}

/* Sends what is still queued, if possible. */
static void drain(struct session *s)
{
	struct pollfd fd = {.fd = transport_fd(s->transport), .events = POLLIN};
	np_time limit = np_clock_now() + DRAIN_LIMIT, now;

	while ((now = np_clock_now()) < limit && !transport_idle(s->transport)) {
		if (transport_turn(s->transport, TURN_MESSAGES, now) < 0)
			return;
		(void)np_wait_ready(&fd, 1, sooner(now + NP_MILLISECOND, limit));
	}
}

int run_until_finished(struct session *s)
{
	np_time now = np_clock_now(), looked = 0, until;
	struct outlook outlook = {.next = now};
	struct pollfd fds[FDS] = {
		[FD_TRANSPORT] = {.events = POLLIN},
		[FD_SIGNALS] = {.fd = np_signals_fd(s->run->signals), .events = POLLIN},
	};
	int rc = 0;

	np_wait_end_on_time();
	for (;;) {
		now = np_clock_now();
		if (now - looked >= LOOK_INTERVAL || outlook.next > now) {
			take_signals(s, now);
			looked = now;
		}
		rc = one_turn(s, now, &outlook);
		if (rc < 0 || member_outcome(s->member)->finished)
			break;
		if (looked == now || outlook.next > now)
			events_flush(&s->events);
		if (outlook.next <= now)
			continue;
		/* Without room for more messages, do not wake for them. */
		fds[FD_TRANSPORT].fd = most_a_turn(s) ? transport_fd(s->transport) : -1;
		until = sooner(outlook.next, outlook.send);
		if (!s->options->pace.busy_sleep || outlook.send == NP_TIME_NEVER)
			(void)np_wait_ready(fds, FDS, until);
		else
			while (!np_wait_ready(fds, FDS, 0) && np_clock_now() < until)
				;
	}
	if (rc < 0)
		member_cut_off(s->member,
			       rc == -ENOTCONN ? "the broker closed the connection" : strerror(-rc),
			       now);
	if (!rc)
		drain(s);
	return rc;
}

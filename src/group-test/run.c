// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* run: the loop of a run. */
#include "run.h"

#include <errno.h>
#include <netperf/wait.h>
#include <string.h>
#include <sys/eventfd.h>

/* The most messages per iteration, so that sending, time-outs and signals get their share. */
#define TICKET_LOCK_MESSAGES 1024
#define PUMP_MESSAGES	     256

/* How long the last messages may take to be sent. */
#define DRAIN_LIMIT NP_SECOND

/*
 * With --mesh, after a signal: how long the others are waited for. A launcher that ends a job gives
 * its ranks a second, and what was counted must reach rank 0.
 */
#define WIND_UP_LIMIT (300 * NP_MILLISECOND)

/* How often signals are checked and lines flushed while there is no time to sleep. */
#define LOOK_INTERVAL (10 * NP_MILLISECOND)

enum { FD_TRANSPORT, FD_SIGNALS, FD_WAKE, FDS };

/* Among ranks of a launcher nobody else is heard. */
static bool is_known(struct run *r, const struct identity *who)
{
	if (!r->known || identity_equal(&r->known[r->known_hint], who))
		return true;
	for (unsigned i = 0; i < r->known_count; i++) {
		if (!identity_equal(&r->known[i], who))
			continue;
		r->known_hint = i;
		return true;
	}
	return false;
}

void run_deliver(void *context, const struct transport_delivery *delivery)
{
	struct run *r = context;

	if (!is_known(r, delivery->source)) {
		r->strangers += delivery->count;
		return;
	}
	if (r->known)
		r->heard[r->known_hint] = delivery->messages[delivery->count - 1].at;
	if (r->member)
		member_deliver(r->member, delivery);
}

void run_event(void *context, const struct transport_event *event)
{
	struct run *r = context;

	events_transport(r->events, event);
	if (r->member && is_known(r, &event->peer))
		member_transport_event(r->member, event, np_clock_now());
}

static void take_signals(struct run *r, np_time now)
{
	unsigned came = np_signals_take(r->signals);

	if (came & NP_SIGNALS_REPORT)
		events_report_now(r->events, now);
	if (!(came & NP_SIGNALS_STOP))
		return;
	r->interrupts++;
	if (!r->options->mesh.mesh || r->interrupts > 1) {
		member_stop(r->member, now);
		return;
	}
	r->wind_up = true;
	r->leave = now + WIND_UP_LIMIT;
}

/* Among ranks the run ends for all at once, so that what is on its way can still be counted. */
static void wind_up(struct run *r, np_time now)
{
	if (r->wind_up)
		member_wind_up(r->member, now);
	r->wind_up = false;
	if (!r->leave || now < r->leave)
		return;
	r->leave = 0;
	member_stop(r->member, now);
}

static unsigned most_a_turn(const struct run *r)
{
	unsigned room = member_room(r->member);

	if (!room && transport_info(r->transport)->relays)
		room = 1;
	return room < TICKET_LOCK_MESSAGES ? room : TICKET_LOCK_MESSAGES;
}

static np_time sooner(np_time a, np_time b)
{
	return a < b ? a : b;
}

/* When there is something to do next; now or earlier: at once. */
struct outlook {
	np_time next;
	np_time send; /* the part of it that is this thread's next message; NP_TIME_NEVER: that does
			 not depend on time */
};

/*
 * One iteration: counts what has arrived, does what is due, sends what may be sent. @now is read
 * once; the kernel's stamps show when messages arrived.
 */
static int one_turn(struct run *r, np_time now, struct outlook *outlook)
{
	const unsigned most = most_a_turn(r);
	int more = most ? transport_turn(r->transport, most, now) : 0;
	unsigned sent = 0;

	if (more < 0)
		return more;
	member_tick(r->member, now);
	outlook->send = NP_TIME_NEVER;
	if (!r->lanes) {
		sent = member_pump(r->member, 0, PUMP_MESSAGES, now);
		outlook->send = member_pump_due(r->member, 0);
	}
	events_interval(r->events, now);
	outlook->next = sooner(member_deadline(r->member), transport_deadline(r->transport));
	outlook->next = sooner(outlook->next, events_deadline(r->events));
	if (more || (sent && outlook->send <= now))
		outlook->next = now;
	/*
	 * A message that is due but was not sent waits for room; the descriptor shows when there is
	 * some.
	 */
	if (outlook->send <= now)
		outlook->send = NP_TIME_NEVER;
	return 0;
}

static void sleep_until(struct run *r, const struct outlook *outlook)
{
	struct pollfd fds[FDS] = {
		/* Without room for more messages, do not wake for them. */
		[FD_TRANSPORT] = {.fd = most_a_turn(r) ? transport_fd(r->transport) : -1,
				  .events = POLLIN},
		[FD_SIGNALS] = {.fd = np_signals_fd(r->signals), .events = POLLIN},
		[FD_WAKE] = {.fd = r->wake, .events = POLLIN},
	};
	np_time until = sooner(outlook->next, outlook->send);
	eventfd_t ignored;

	if (r->options->pace.busy_sleep && outlook->send != NP_TIME_NEVER) {
		while (!np_wait_ready(fds, FDS, 0) && np_clock_now() < until)
			;
		return;
	}
	(void)np_wait_ready(fds, FDS, until);
	if (fds[FD_WAKE].revents)
		(void)eventfd_read(r->wake, &ignored);
}

/* Sends what is still queued, if possible. */
static void drain(struct run *r)
{
	struct pollfd fd = {.fd = transport_fd(r->transport), .events = POLLIN};
	np_time limit = np_clock_now() + DRAIN_LIMIT, now;

	while ((now = np_clock_now()) < limit && !transport_idle(r->transport)) {
		if (transport_turn(r->transport, TICKET_LOCK_MESSAGES, now) < 0)
			return;
		(void)np_wait_ready(&fd, 1, sooner(now + NP_MILLISECOND, limit));
	}
}

int run_until_finished(struct run *r)
{
	np_time now = np_clock_now(), looked = 0;
	struct outlook outlook = {.next = now};
	bool spoke;
	int rc = 0;

	np_wait_end_on_time();
	for (;;) {
		ticket_lock_take(&r->ticket_lock);
		now = np_clock_now();
		if (now - looked >= LOOK_INTERVAL || outlook.next > now) {
			take_signals(r, now);
			wind_up(r, now);
			looked = now;
		}
		rc = one_turn(r, now, &outlook);
		if (rc < 0 || member_finished(r->member))
			break;
		r->ticket_lock.asleep_until = outlook.next;
		spoke = (looked == now || outlook.next > now) && events_settle(r->events);
		ticket_lock_pass(&r->ticket_lock);
		if (spoke)
			events_flush(r->events);
		if (outlook.next > now)
			sleep_until(r, &outlook);
	}
	if (rc < 0)
		member_cut_off(r->member,
			       rc == -ENOTCONN ? "the broker closed the connection" : strerror(-rc),
			       now);
	r->ticket_lock.over = true;
	ticket_lock_pass(&r->ticket_lock);
	sender_threads_join(r->lanes);
	r->lanes = NULL;
	if (!rc)
		drain(r);
	return rc;
}

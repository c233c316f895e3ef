// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_loop: connects the sender's machine to its sockets, the clock and the user. */
#include "send_session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/units.h>
#include <string.h>

#define PUSHES 32

/*
 * Sleeps until @until, a request to stop, or until something arrives or a lane of @writable has
 * room; then takes what arrived. Returns how many messages, or -errno of a lane.
 */
static int wait(struct send_session *s, np_time until, uint64_t writable)
{
	int rc = s->transport.face->wait(&s->transport, until, writable);

	return rc < 0 ? rc : s->transport.face->receive(&s->transport);
}

/* Runs the machine while it is in @phase. */
static void follow(struct send_session *s, enum sender_phase phase)
{
	struct sender *m = s->sender;

	while (m->run.phase == phase) {
		int rc = wait(s, sender_deadline(m), 0);
		np_time now = np_clock_now();

		if (rc > 0 && phase == SENDER_ENDING)
			sender_moved(m, now);
		if (rc < 0)
			sender_broke(m, rc);
		sender_tick(m, now);
	}
}

int send_contact(struct send_session *s)
{
	s->contact_status = 0;
	sender_contact(s->sender, np_clock_now());
	follow(s, SENDER_CONTACT);
	return s->contact_status;
}

static int push(struct send_session *s, np_time *now)
{
	const int rc = sender_push(s->sender, now);
	uint64_t messages;

	if (rc != 1 || !s->files.bandwidth)
		return rc;
	messages = sender_messages(s->sender) - s->progress.windowed;
	if (messages)
		files_count(&s->files, *now, messages, messages * s->plan.message_bytes);
	s->progress.windowed += messages;
	return rc;
}

/* Does dots, reports and signals, some fifty times a second. */
static void look(struct send_session *s, np_time now)
{
	struct send_progress *p = &s->progress;
	uint64_t messages = sender_messages(s->sender);

	p->look_at = now + SEND_LOOK;
	session_look(s->session);
	console_count(&s->session->console, messages - p->counted);
	p->counted = messages;
	if (np_interval_due(&p->interval, now) || s->session->report_asked)
		send_interval(s, now);
	s->session->report_asked = false;
}

/*
 * One iteration gives each lane several calls' worth of messages, stamped by a clock reading before
 * each, or, where they are answered, one message, and takes what arrived; in ping-pong it sleeps in
 * that call. A run's time is that from before the first call to after the last one.
 */
static int turn(struct send_session *s, np_time *now)
{
	uint64_t unfinished = 0; /* a bit for each lane that waits for room */
	unsigned pushes = 0;
	int rc;

	do
		rc = push(s, now);
	while (rc == 1 && !s->plan.acks && ++pushes < PUSHES && *now < s->progress.look_at);
	if (rc == 1 && !s->plan.acks)
		return 0;
	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		unfinished |= (uint64_t)(s->sender->lane[i].gone < s->sender->lane[i].filled) << i;
	if (rc > 0)
		rc = s->transport.face->receive(&s->transport);
	else if (!rc)
		rc = wait(s, sender_rest(s->sender, *now, s->progress.look_at), unfinished);
	*now = np_clock_now();
	return rc;
}

static int loop(struct send_session *s)
{
	np_time now = np_clock_now();
	int rc = 0;

	while (rc >= 0 && !sender_sent(s->sender, now)) {
		rc = turn(s, &now);
		if (rc >= 0 && s->session->interrupts > 1)
			rc = -ECANCELED;
		if (rc >= 0 && sender_stalled(s->sender, now))
			rc = -ETIMEDOUT;
		if (now >= s->progress.look_at) {
			look(s, now);
			/* What it wrote took its time: the next messages were not sent before. */
			now = np_clock_now();
		}
	}
	return rc < 0 ? rc : 0;
}

int send_messages(struct send_session *s)
{
	struct transport *t = &s->transport;
	const np_time now = np_clock_now();
	/*
	 * Sleeping in poll would take one more system call for each message, and wait for the other
	 * sockets, too.
	 */
	const bool patient = s->plan.ping_pong && s->plan.lanes == 1 && t->face->receive_timeout;
	int rc = 0, end = 0;

	sender_start(s->sender, now);
	send_progress_begin(s, now);
	if (patient)
		rc = t->face->receive_timeout(t, t->lane[0], SEND_LOOK, 0);
	if (!rc)
		rc = loop(s);
	if (patient)
		end = t->face->receive_timeout(t, t->lane[0], 0, 0);
	rc = rc ? rc : end;
	if (rc == -ECANCELED) {
		np_log_error(s->session->log, s->name, "ended by a second signal");
		return 1;
	}
	if (rc == -ETIMEDOUT)
		np_log_error(s->session->log, s->name,
			     "stopped reading; gave up after %" PRIu64 " message%s",
			     sender_messages(s->sender), np_plural(sender_messages(s->sender)));
	else if (rc)
		np_log_error(s->session->log, s->name, "lost after %" PRIu64 " message%s: %s",
			     sender_messages(s->sender), np_plural(sender_messages(s->sender)),
			     strerror(-rc));
	look(s, s->sender->run.last);
	return rc ? 1 : 0;
}

int send_end(struct send_session *s)
{
	int rc = 0;

	/* Classic datagrams end with markers. */
	if (s->plan.classic && s->plan.repeats)
		rc = send_classic_mark(s, MESSAGE_CLASSIC_END_MARKERS);
	if (rc) {
		np_log_error(s->session->log, s->name, "lost before its report: %s", strerror(-rc));
		return 1;
	}
	sender_end(s->sender, np_clock_now());
	follow(s, SENDER_ENDING);
	return s->sender->run.failed;
}

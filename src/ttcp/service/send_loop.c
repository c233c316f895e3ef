// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_loop: the sender's machine between its sockets, the clock and the user. */
#include "send_session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/wait.h>
#include <string.h>

#define PUSHES 32

/* Takes what is there on all lanes: how many messages, or -errno. */
static int hear(struct send_session *s)
{
	int count = 0;

	for (unsigned i = 0; i < s->plan.lanes; i++) {
		int heard = s->transport->hear(s, &s->lane[i]);

		if (heard < 0)
			return heard;
		count += heard;
	}
	return count;
}

static unsigned list_lanes(struct send_session *s, struct pollfd *fds, bool writable)
{
	for (unsigned i = 0; i < s->plan.lanes; i++) {
		const struct send_lane *lane = &s->lane[i];

		fds[i] = (struct pollfd){
			.fd = lane->stream ? np_stream_fd(lane->stream)
					   : np_datagram_fd(lane->datagram),
			.events = lane->of->closed ? 0 : POLLIN,
		};
		if (writable && lane->of->gone < lane->of->filled)
			fds[i].events |= POLLOUT;
		/* One that is closed would be readable for ever. */
		if (!fds[i].events)
			fds[i].fd = -1;
	}
	fds[s->plan.lanes] =
		(struct pollfd){.fd = np_signals_fd(s->session->signals), .events = POLLIN};
	return s->plan.lanes + 1;
}

/*
 * Sleeps until @until, a wish to stop, or anything comes, or with @writable a lane has room for
 * what it still has; then takes what came. How many messages, or -errno of a lane.
 */
static int wait(struct send_session *s, np_time until, bool writable)
{
	struct pollfd fds[MESSAGE_STREAMS_MAX + 1];
	unsigned count = list_lanes(s, fds, writable);
	struct np_datagram_stats stats;
	int ready;

	if (until > np_clock_now()) {
		ready = np_wait_ready(fds, count, until);
		if (ready < 0)
			return ready;
		if (fds[s->plan.lanes].revents)
			session_look(s->session);
		/* An ICMP error makes a socket readable until it is taken. */
		for (unsigned i = 0; i < s->plan.lanes; i++)
			if (s->lane[i].datagram && fds[i].revents & POLLERR)
				(void)np_datagram_stats(s->lane[i].datagram, &stats);
	}
	return hear(s);
}

/* As the machine wants it, as long as it is in @phase. */
static void follow(struct send_session *s, enum sender_phase phase)
{
	struct sender *m = s->sender;

	while (sender_run(m)->phase == phase) {
		int rc = wait(s, sender_deadline(m), false);
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

static void count_window(struct send_session *s, np_time now)
{
	uint64_t messages = sender_messages(s->sender) - s->progress.windowed;

	if (messages)
		files_count(&s->files, now, messages, messages * s->plan.message_bytes);
	s->progress.windowed += messages;
}

static int push(struct send_session *s, np_time *now)
{
	int rc = sender_push(s->sender, now);

	if (rc == 1 && s->files.bandwidth)
		count_window(s, *now);
	return rc;
}

/* Dots, reports and signals, some fifty times a second. */
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
 * One turn gives each lane some calls' worth of messages, stamped by the clock as read before each,
 * or, where they are answered, one, and takes what came back; in a ping-pong it sleeps in that
 * call. What a run measures is the time from before the first call to behind the last one.
 */
static int turn(struct send_session *s, np_time *now)
{
	unsigned pushes = 0;
	int rc;

	do
		rc = push(s, now);
	while (rc == 1 && !s->plan.acks && ++pushes < PUSHES && *now < s->progress.look_at);
	if (rc == 1 && !s->plan.acks)
		return 0;
	if (rc > 0)
		rc = hear(s);
	else if (!rc)
		rc = wait(s, sender_rest(s->sender, *now, s->progress.look_at), true);
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
		if (now >= s->progress.look_at)
			look(s, now);
	}
	return rc < 0 ? rc : 0;
}

/* To sleep in poll would be a system call more for each message; it would also wait for others. */
static int loop_patiently(struct send_session *s)
{
	int rc = s->transport->patience(&s->lane[0], SEND_LOOK), end;

	if (!rc)
		rc = loop(s);
	end = s->transport->patience(&s->lane[0], 0);
	return rc ? rc : end;
}

int send_messages(struct send_session *s)
{
	const np_time now = np_clock_now();
	int rc;

	sender_start(s->sender, now);
	send_progress_begin(s, now);
	rc = s->plan.ping_pong && s->plan.lanes == 1 ? loop_patiently(s) : loop(s);
	if (rc == -ECANCELED)
		return 1;
	if (rc == -ETIMEDOUT)
		np_log_error(s->session->log, s->name,
			     "takes nothing any more: given up after %" PRIu64 " messages",
			     sender_messages(s->sender));
	else if (rc)
		np_log_error(s->session->log, s->name, "lost after %" PRIu64 " messages: %s",
			     sender_messages(s->sender), strerror(-rc));
	look(s, sender_run(s->sender)->last);
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
	return sender_run(s->sender)->failed;
}

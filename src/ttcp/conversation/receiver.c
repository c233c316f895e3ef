// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver: waits for senders, looks after their runs, ends. */
#include "receiver_state.h"

#include <errno.h>
#include <netperf/busy_poll.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* An END not repeated for so long has been answered, or the sender has given up. */
#define END_QUIET (300 * NP_MILLISECOND)
/* Beyond the sender's pause between two runs. */
#define NEXT_RUN (30 * NP_SECOND)

int receiver_open(struct receiver **receiver, struct session *session)
{
	const struct options *o = session->options;
	struct receiver *r = calloc(1, sizeof(*r));
	int status;

	*receiver = r;
	if (!r) {
		np_log_error(session->log, NULL, "out of memory");
		return 2;
	}
	r->session = session;
	r->transport = o->place.transport == TRANSPORT_TCP ? &receiver_tcp : &receiver_udp;
	/* Beside a group's members, who answer, the monitor is not to be seen. */
	r->answers = o->task == TASK_RECEIVE || o->place.transport != TRANSPORT_MULTICAST;
	r->windows = o->files.bandwidth || o->task == TASK_MONITOR;
	if (getrandom(&r->secret, sizeof(r->secret), 0) < 0) {
		np_log_error(session->log, "random numbers", "%s", strerror(errno));
		return 2;
	}
	status = r->transport->open(r);
	return status ? status : files_open(&r->files, session, 1, 1);
}

int receiver_close(struct receiver *receiver, int status)
{
	int files;

	if (!receiver)
		return status;
	receiver->transport->close(receiver);
	if (status == 2)
		files_forget(&receiver->files);
	files = files_close(&receiver->files);
	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++)
		tally_free(receiver->tally[i]);
	free(receiver->pattern);
	free(receiver);
	return status ? status : files;
}

bool receiver_more_runs(const struct receiver *r)
{
	return !r->raw && r->started && !r->bye && (!r->start.runs || r->run < r->start.runs);
}

void receiver_next_sender(struct receiver *r)
{
	const struct options *o = receiver_options(r);
	bool monitor = o->task == TASK_MONITOR;

	r->transport->settle(r);
	r->phase = RECEIVER_IDLE;
	r->id = 0;
	r->served++;
	r->over |= monitor ? o->wait.once : o->load.runs && r->served >= o->load.runs;
	if (o->wait.once)
		r->over = true;
	if (!r->over)
		console_listening(&r->session->console);
}

static void check_idle(struct receiver *r, np_time now)
{
	np_time wait = receiver_options(r)->wait.wait;

	if (!wait || r->served || now - r->opened < wait)
		return;
	np_log_error(r->session->log, NULL, "no sender came within %g s", np_clock_seconds(wait));
	r->status = 2;
	r->over = true;
}

static void check_receiving(struct receiver *r, np_time now)
{
	np_time timeout = receiver_silence(r);

	/* A raw stream's partner may be silent as long as it lives. */
	if (r->ended_at && now >= r->ended_at + receiver_grace(r))
		receiver_finish(r, MESSAGE_COMPLETE);
	else if ((!r->raw || r->transport->datagrams) && now - r->heard >= timeout)
		receiver_finish(r, receiver_all_ended(r) ? MESSAGE_COMPLETE : MESSAGE_TIMED_OUT);
}

static void check_reported(struct receiver *r, np_time now)
{
	np_time heard = r->end_heard > r->reported ? r->end_heard : r->reported;

	/* A stream brings no END twice. */
	if (r->transport->datagrams && now - heard < END_QUIET)
		return;
	if (!receiver_more_runs(r)) {
		receiver_next_sender(r);
	} else if (now - heard >= NEXT_RUN) {
		np_log_error(r->session->log, "sender", "did not come back for run %u", r->run + 1);
		r->status = 1;
		receiver_next_sender(r);
	}
}

static void stop(struct receiver *r)
{
	if (r->phase == RECEIVER_RECEIVING)
		receiver_finish(r, MESSAGE_INTERRUPTED);
	r->over = true;
}

/* What is due by time, some fifty times a second while a run goes on. */
static void look(struct receiver *r, np_time now)
{
	if (session_look(r->session))
		stop(r);
	if (r->phase == RECEIVER_RECEIVING) {
		console_count(&r->session->console, r->messages - r->counted);
		r->counted = r->messages;
		if (r->windows)
			files_look(&r->files, now);
		if (np_interval_due(&r->interval, now) || r->session->report_asked)
			receiver_interval(r, now);
		receiver_beat(r, now);
	}
	r->session->report_asked = false;
	receiver_answer_held(r, now);
	if (r->phase == RECEIVER_IDLE)
		check_idle(r, now);
	else if (r->phase == RECEIVER_RECEIVING)
		check_receiving(r, now);
	else
		check_reported(r, now);
	r->look_at = now + RECEIVER_LOOK;
}

static np_time next_look(const struct receiver *r)
{
	np_time wait = receiver_options(r)->wait.wait;
	np_time next = wait && !r->served ? r->opened + wait : NP_TIME_NEVER;

	if (r->phase != RECEIVER_IDLE)
		return r->look_at;
	return r->held.held && r->held.due < next ? r->held.due : next;
}

/*
 * One turn takes what has come. The clock is read once a turn; what the kernel stamps has its own
 * stamps.
 */
static int loop(struct receiver *r)
{
	np_time now = np_clock_now();
	struct np_busy_poll busy = {.since = now};
	int came = 0;

	r->look_at = now;
	while (!r->over && came >= 0) {
		came = r->transport->take(r);
		now = np_clock_now();
		if (came > 0)
			np_busy_poll_received(&busy, (unsigned)came);
		if (now >= r->look_at)
			look(r, now);
		r->rested = !came && np_busy_poll_pays(&busy, now);
		if (r->rested) {
			np_busy_poll_spin(now);
		} else if (!came && !r->over) {
			came = r->transport->wait(r, next_look(r));
			/* A signal, or it is time. */
			if (!came)
				r->look_at = now;
		}
	}
	return came < 0 ? came : 0;
}

int receiver_run(struct receiver *receiver)
{
	struct receiver *r = receiver;
	int rc;

	np_wait_end_on_time();
	r->opened = np_clock_now();
	srandom((unsigned)r->opened);
	console_run(&r->session->console, receiver_options(r), 1);
	console_listening(&r->session->console);
	rc = loop(r);
	if (rc) {
		np_log_error(r->session->log, NULL, "%s", strerror(-rc));
		r->status = 1;
	}
	receiver_summary(r);
	return r->status;
}

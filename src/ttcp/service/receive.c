// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive: connects the receiver's machine to sockets, files and the user. */
#include "receive_session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* Returns 0 or the exit status. */
static int create_machine(struct receive_session *r)
{
	const struct options *o = receive_options(r);
	const bool monitor = o->task == TASK_MONITOR;
	const struct receiver_port port = receive_port(r);
	const struct receiver_listener listener = receive_listener(r);
	struct receiver_plan plan = {
		.with =
			{
				.datagrams = r->transport.face->datagrams,
				/*
				 * In a group the members answer, and the monitor stays invisible.
				 */
				.answers = !monitor || !r->transport.group,
				.acknowledges = !monitor,
				.message_bytes = (uint32_t)o->load.message_bytes,
				.ahead = r->session->ahead,
			},
		.senders = o->wait.once ? 1
			   : monitor	? 0
					: o->load.runs,
		.wait = o->wait.wait,
		.patient = o->load.to_stdout,
	};

	if (getrandom(&plan.with.secret, sizeof(plan.with.secret), 0) < 0) {
		np_log_error(r->session->log, "random numbers", "%s", strerror(errno));
		return 2;
	}
	if (receiver_create(&r->receiver, &plan, &port, &listener, np_clock_now())) {
		np_log_error(r->session->log, NULL, "out of memory");
		return 2;
	}
	connections_begin(&r->connections, r->receiver);
	r->datagrams.receiver = r->receiver;
	return 0;
}

int receive_open(struct receive_session **receive, struct session *session)
{
	const struct options *o = session->options;
	struct receive_session *r = calloc(1, sizeof(*r));
	int status;

	*receive = r;
	if (!r) {
		np_log_error(session->log, NULL, "out of memory");
		return 2;
	}
	r->session = session;
	r->windows = o->files.bandwidth || o->task == TASK_MONITOR;
	status = receive_open_transport(r);
	if (!status)
		status = create_machine(r);
	return status ? status : files_begin(&r->files, session, 1, 1);
}

int receive_close(struct receive_session *receive, int status)
{
	int files;

	if (!receive)
		return status;
	receive_close_transport(receive);
	if (status == 2)
		files_forget(&receive->files);
	files = files_close(&receive->files);
	receiver_free(receive->receiver);
	free(receive);
	return status ? status : files;
}

/* Does what is due by time, some fifty times a second during a run. */
static void look(struct receive_session *r, np_time now)
{
	if (session_look(r->session))
		receiver_stop(r->receiver);
	if (receiver_run(r->receiver)->phase == RECEIVER_RECEIVING)
		receive_progress_look(r, now);
	r->session->report_asked = false;
	receiver_tick(r->receiver, now);
	r->look_at = now + TRANSPORT_LOOK;
}

static np_time next_look(const struct receive_session *r)
{
	return receiver_run(r->receiver)->phase == RECEIVER_IDLE ? receiver_deadline(r->receiver)
								 : r->look_at;
}

static bool over(const struct receive_session *r)
{
	return r->over || receiver_over(r->receiver);
}

/*
 * One iteration takes what has arrived. It reads the clock once; messages that the kernel stamps
 * have their own stamps.
 */
static int loop(struct receive_session *r)
{
	np_time now = np_clock_now();
	struct np_busy_poll busy = {.since = now};
	int came = 0;

	r->look_at = now;
	while (!over(r) && came >= 0) {
		came = receive_take(r);
		now = np_clock_now();
		if (came > 0)
			np_busy_poll_received(&busy, (unsigned)came);
		if (now >= r->look_at)
			look(r, now);
		r->transport.rested = !came && np_busy_poll_pays(&busy, now);
		if (r->transport.rested) {
			np_busy_poll_spin(now);
		} else if (!came && !over(r)) {
			came = r->transport.face->wait(&r->transport, next_look(r), 0);
			/* A signal, or something is due. */
			if (!came)
				r->look_at = now;
		}
	}
	return came < 0 ? came : 0;
}

static void say_place(struct receive_session *r)
{
	char self[NP_ADDRESS_TEXT];

	if (r->transport.face->self)
		console_place(&r->session->console, r->transport.face->self(&r->transport, self),
			      NULL, 0);
}

int receive_run(struct receive_session *receive)
{
	struct receive_session *r = receive;
	int rc;

	rc = files_open(&r->files, 1, 1);
	if (rc)
		return rc;
	np_wait_end_on_time();
	console_run(&r->session->console, receive_options(r), 1);
	say_place(r);
	console_listening(&r->session->console);
	rc = loop(r);
	if (rc) {
		np_log_error(r->session->log, NULL, "%s", strerror(-rc));
		r->status = 1;
	}
	if (r->not_allowed)
		np_log_warning(r->session->log, "--allow",
			       "ignored %" PRIu64 " datagrams or connections of other hosts",
			       r->not_allowed);
	receive_summary(r);
	return r->failed && !r->status ? 1 : r->status;
}

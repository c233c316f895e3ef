// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send: runs the series of runs, from the sockets to the exit status, and passes events of the
 * machine to the user and the files.
 */
#include "send_session.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As many as one UDP_SEGMENT call takes of 1468 bytes; the batch stays in the cache. */
#define GREEDY_BYTES 65000
#define GREEDY_MAX   64

static const struct sender_run *run_of(const struct send_session *s)
{
	return &s->sender->run;
}

/* The first run never began: 2; a later one: 1. */
static int failure(const struct send_session *s)
{
	return run_of(s)->number > 1 ? 1 : 2;
}

int send_fail(const struct send_session *s, const char *reason)
{
	np_log_error(s->session->log, s->name, "%s", reason);
	return failure(s);
}

/* Names the hosts that sent errors back. Returns the exit status. */
static int explain_silence(struct send_session *s)
{
	const int refusal = transport_count(&s->transport).refusal;
	int status = failure(s);

	if (refusal == -ECONNREFUSED && !s->plan.group)
		session_blame_refusal(s->session);
	else
		status = send_fail(s, refusal ? strerror(-refusal) : "no receiver answers");
	if (run_of(s)->number == 1 && !s->plan.group)
		send_probe(s);
	return status;
}

/* Says why there is no run. Returns the exit status. */
static int explain_failure(struct send_session *s, const struct sender_event *event)
{
	static const char *const reasons[] = {
		[SENDER_FOREIGN] = "answers, but speaks another version of ttcp's messages",
		[SENDER_BUSY] = "is busy with another sender; try again, or use --wait",
		[SENDER_UNWILLING] = "refuses this run; it reports why itself",
		[SENDER_INTERRUPTED] = SEND_INTERRUPTED,
		[SENDER_CLOSED] = "closed the connection; it may be busy with another sender",
		[SENDER_PARTLY] = "does not answer on all streams",
		[SENDER_NO_TTCP] = "the program that answers there is not ttcp",
	};

	if (event->fault == SENDER_UNANSWERED)
		return explain_silence(s);
	if (event->fault == SENDER_BROKEN)
		return send_fail(s, strerror(-event->error));
	if (event->fault == SENDER_BUSY && s->plan.wait)
		return send_fail(s, "is still busy with another sender");
	return send_fail(s, reasons[event->fault]);
}

static void record_ack(struct send_session *s, const struct sender_event *event)
{
	const struct message *m = event->ack;
	struct recorder *recorder = s->files.rows[m->stream];

	if (recorder)
		recorder_delay(recorder, &(struct recorder_delay){
						 .receiver = event->receiver->name,
						 .number = m->number,
						 .size = m->ack.data_size,
						 .sent = m->time,
						 .received = m->ack.received,
						 .acked = event->acked,
					 });
}

/* Implements sender_port.notify. */
static void notify(void *context, const struct sender_event *event)
{
	struct send_session *s = context;
	const struct np_log *log = s->session->log;
	const char *who = event->receiver ? event->receiver->name : s->name;

	switch (event->kind) {
	case SENDER_FAILED: s->contact_status = explain_failure(s, event); break;
	case SENDER_LOST:
		np_log_error(log, s->name, "lost before its report: %s", strerror(-event->error));
		break;
	case SENDER_AGAIN:
		np_log_warning(log, s->name,
			       "closed a connection before it answered; reconnecting");
		break;
	case SENDER_SILENT:
		np_log_warning(log, s->name,
			       "does not answer: assumed to be a classic receiver, which counts "
			       "START and END, too; see --classic");
		break;
	case SENDER_ACK: record_ack(s, event); break;
	case SENDER_NOBODY:
		np_log_warning(log, who, "no receiver answers; sending to the group all the same");
		break;
	case SENDER_NO_REPORT:
		if (event->receiver && event->receiver->acks)
			np_log_error(log, NULL,
				     "no answer from %s: only the %" PRIu64
				     " messages that it acknowledged are known to have arrived",
				     who, event->receiver->acks);
		else
			np_log_error(log, NULL,
				     "no answer from %s: nothing that was sent is known to have "
				     "arrived",
				     who);
		break;
	case SENDER_JOINED_LATE:
		np_log_warning(log, who, "joined late, after sending began");
		break;
	}
}

static unsigned choose_batch(const struct options *o, const struct transport_face *face)
{
	uint64_t batch = o->socket.batch_messages;

	if (o->load.ping_pong)
		return 1;
	if (batch)
		return (unsigned)batch;
	/* One write is one message; datagrams stay the same however they are handed over. */
	if (!face->datagrams || options_paced(&o->load) || o->files.delay)
		return 1;
	batch = GREEDY_BYTES / o->load.message_bytes;
	return batch > GREEDY_MAX ? GREEDY_MAX : batch ? (unsigned)batch : 1;
}

/* The machine for the receiver, or group, that the transport knows. 0 or the exit status. */
static int create_machine(struct send_session *s)
{
	const struct options *o = send_options(s);
	struct sender_port port = send_port(s);
	int rc;

	port.notify = notify;
	s->plan = (struct sender_plan){
		.repeats = s->transport.face->datagrams,
		.group = s->transport.group,
		.acks = o->files.delay || o->load.ping_pong,
		.classic = o->load.classic || o->load.from_stdin,
		.ping_pong = o->load.ping_pong,
		.no_copy = o->load.no_copy,
		.no_wait = o->wait.no_wait,
		.wait = o->wait.wait,
		.lanes = (unsigned)o->load.streams,
		.message_bytes = o->load.message_bytes,
		.batch = choose_batch(o, s->transport.face),
		.messages = o->load.messages,
		.duration = o->load.duration,
		.runs = (uint32_t)o->load.runs,
		.session = o->load.session,
		.ahead = s->session->ahead,
		.interrupts = &s->session->interrupts,
	};
	rc = getrandom(&s->plan.id, sizeof(s->plan.id), 0) < 0 ? -errno : 0;
	if (!rc)
		rc = sender_create(&s->sender, &s->plan, &port);
	return rc ? np_log_refuse(s->session->log, NULL, "%s", strerror(-rc)) : 0;
}

int send_open(struct send_session **send, struct session *session)
{
	struct send_session *s = calloc(1, sizeof(*s));
	int status;

	*send = s;
	if (!s)
		return np_log_refuse(session->log, NULL, "out of memory");
	s->session = session;
	s->name = session->options->place.to ? session->options->place.to : "overlay";
	status = send_resolve(s);
	if (!status)
		status = create_machine(s);
	if (!status)
		status = send_open_transport(s);
	if (!status)
		status = files_begin(&s->files, session, s->plan.runs, s->plan.lanes);
	/* From now on only headers change. */
	for (unsigned i = 0; !status && i < s->plan.lanes * s->plan.batch; i++)
		message_fill(s->sender->lane[i / s->plan.batch].batch +
				     i % s->plan.batch * s->plan.message_bytes,
			     s->plan.message_bytes);
	return status;
}

int send_close(struct send_session *send, int status)
{
	int files;

	if (!send)
		return status;
	if (send->transport.face)
		send->transport.face->close(&send->transport);
	if (status == 2)
		files_forget(&send->files);
	files = files_close(&send->files);
	sender_free(send->sender);
	free(send);
	return status ? status : files;
}

/* Returns 0 or the exit status. */
static int connect_run(struct send_session *s)
{
	const int rc = send_connect(s);

	if (rc == -ECANCELED)
		np_log_error(s->session->log, s->name, "interrupted before a receiver was there");
	else if (rc)
		session_blame(s->session, s->name, rc);
	if (rc == -ECONNREFUSED && run_of(s)->number == 1)
		send_probe(s);
	return rc ? failure(s) : 0;
}

/* Receivers that get no START are waited for only as long as a user needs to start them. */
static int contact_run(struct send_session *s)
{
	np_time pause = s->plan.no_wait ? 0 : SENDER_PAUSE;

	if (!s->plan.classic)
		return send_contact(s);
	sender_contact(s->sender, np_clock_now());
	if (send_options(s)->load.from_stdin)
		return 0;
	if (!session_sleep(s->session, np_clock_now() + pause))
		return send_fail(s, SEND_INTERRUPTED);
	if (!s->plan.repeats)
		return 0;
	return send_classic_mark(s, 1) ? 2 : 0;
}

static int run_once(struct send_session *s, uint64_t number)
{
	const struct options *o = send_options(s);
	const struct transport_face *face = s->transport.face;
	struct console *console = &s->session->console;
	const bool waits = number == 1 && !s->plan.no_wait;
	const struct np_address *local;
	char self[NP_ADDRESS_TEXT];
	int status = files_open(&s->files, number, s->plan.lanes);

	sender_begin(s->sender, number, options_rate_bits(&o->load, number));
	console_run(console, o, number);
	/* In an overlay it stays from the first run to the last. */
	if (face->self)
		console_place(console, face->self(&s->transport, self), o->place.to,
			      waits ? TRANSPORT_SETTLE : 0);
	if (!status)
		status = connect_run(s);
	if (status)
		return status;
	local = face->local(&s->transport, NULL);
	if (local)
		console_connected(console, &s->transport.to, local);
	if (!face->self)
		console_sending(console, s->name,
				s->plan.no_wait || o->load.from_stdin ? 0 : SEND_WAIT_TEXT);
	status = contact_run(s);
	if (status) {
		/* Stopped while a receiver was ready: it must not wait in vain. */
		sender_abandon(s->sender);
		return status;
	}
	if (face->self) {
		console_sending(console, s->name, 0);
		console_event(console, "TTCP_EVENT");
	}
	send_record_start(s);
	status = o->load.from_stdin ? send_stdin(s) : send_messages(s);
	if (!status)
		status = send_end(s);
	return send_conclude(s, status);
}

static void release(struct send_session *s)
{
	if (s->transport.face->release)
		s->transport.face->release(&s->transport, -1);
}

/* Receivers wait for the next run, but none comes. */
static void end_series(struct send_session *s)
{
	const struct transport_face *face = s->transport.face;

	if (s->plan.classic || run_of(s)->silent ||
	    (face->connect && face->connect(&s->transport, 0, false)))
		return;
	sender_bye(s->sender);
	if (face->finish)
		face->finish(&s->transport, 0);
	release(s);
}

/* Whether another run follows; then after the pause before it. */
static bool another(struct send_session *s, uint64_t number)
{
	const struct options *o = send_options(s);
	struct transport *t = &s->transport;
	const np_time until = np_clock_now() + SEND_PAUSE;
	bool more = !s->session->interrupts && (!o->load.runs || number < o->load.runs);

	if (!more || o->wait.no_wait)
		return more;
	console_pause(&s->session->console, SEND_PAUSE_TEXT);
	more = t->face->pause ? t->face->pause(t, until) : session_sleep(s->session, until);
	if (!more)
		end_series(s);
	return more;
}

int send_run(struct send_session *send)
{
	uint64_t number = 0;
	int status = 0, run_status;

	/* Sleeps must end on time. */
	np_wait_end_on_time();
	do {
		run_status = run_once(send, ++number);
		release(send);
		if (run_status == 2)
			files_forget(&send->files);
		if (files_close_run(&send->files) && !run_status)
			run_status = 1;
		status = run_status > status ? run_status : status;
		/* If a run never began, a later one will not either. */
	} while (run_of(send)->sending && another(send, number));
	if (send->runs && status != 2)
		send_summary(send);
	return status;
}

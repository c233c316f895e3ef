// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send: runs the series of runs, from the sockets to the exit status. */
#include "send_session.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As many as one UDP_SEGMENT call takes of 1468 bytes; the batch stays in the cache. */
#define GREEDY_BYTES 65000
#define GREEDY_MAX   64

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

/* 0 or -errno. */
static int make_plan(struct send_session *s)
{
	const struct options *o = send_options(s);

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
		.stops = &s->session->interrupts,
	};
	return getrandom(&s->plan.id, sizeof(s->plan.id), 0) < 0 ? -errno : 0;
}

/* The machine for the receiver, or group, that the transport knows. 0 or the exit status. */
static int create_machine(struct send_session *s)
{
	const struct sender_listener listener = {.context = s, .tell = send_tell};
	const struct sender_port port = send_port(s);
	int rc = make_plan(s);

	if (!rc)
		rc = sender_create(&s->sender, &s->plan, &port, &listener);
	if (!rc)
		return 0;
	np_log_error(s->session->log, NULL, "%s", strerror(-rc));
	return 2;
}

/* Fills each message of the batch; from then on only headers change. */
static void fill_batch(const struct send_session *s, const struct sender_lane *lane)
{
	for (unsigned i = 0; i < s->plan.batch; i++)
		message_fill(lane->batch + i * s->plan.message_bytes, s->plan.message_bytes);
}

int send_open(struct send_session **send, struct session *session)
{
	struct send_session *s = calloc(1, sizeof(*s));
	int status;

	*send = s;
	if (!s) {
		np_log_error(session->log, NULL, "out of memory");
		return 2;
	}
	s->session = session;
	s->name = session->options->place.to ? session->options->place.to : "overlay";
	status = send_resolve(s);
	if (!status)
		status = create_machine(s);
	if (!status)
		status = send_open_transport(s);
	if (!status)
		status = files_begin(&s->files, session, s->plan.runs, s->plan.lanes);
	for (unsigned i = 0; !status && i < s->plan.lanes; i++)
		fill_batch(s, sender_lane(s->sender, i));
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

static const struct sender_run *run_of(const struct send_session *s)
{
	return sender_run(s->sender);
}

static void begin_run(struct send_session *s, uint64_t number)
{
	sender_begin(s->sender, number, options_rate_bits(&send_options(s)->load, number));
}

/* Returns 0 or the exit status. */
static int connect_run(struct send_session *s)
{
	const struct transport_face *face = s->transport.face;
	int rc = 0;

	for (unsigned i = 0; i < s->plan.lanes && face->connect && !rc; i++)
		rc = face->connect(&s->transport, i, true);
	if (rc == -ECANCELED)
		np_log_error(s->session->log, s->name, "interrupted before a receiver was there");
	else if (rc)
		session_blame(s->session, s->name, rc);
	if (rc == -ECONNREFUSED && run_of(s)->number == 1)
		send_probe(s);
	return !rc ? 0 : run_of(s)->number > 1 ? 1 : 2;
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

/* In an overlay it stays from the first run to the last. */
static void say_place(struct send_session *s)
{
	const bool waits = run_of(s)->number == 1 && !s->plan.no_wait;
	char self[NP_ADDRESS_TEXT];

	if (s->transport.face->self)
		console_place(&s->session->console, s->transport.face->self(&s->transport, self),
			      send_options(s)->place.to, waits ? TRANSPORT_SETTLE : 0);
}

static int run_once(struct send_session *s, uint64_t number)
{
	const struct options *o = send_options(s);
	struct console *console = &s->session->console;
	const struct np_address *local;
	int status = files_open(&s->files, number, s->plan.lanes);

	begin_run(s, number);
	console_run(console, o, number);
	say_place(s);
	if (!status)
		status = connect_run(s);
	if (status)
		return status;
	local = s->transport.face->local(&s->transport, NULL);
	if (local)
		console_connected(console, &s->transport.to, local);
	if (!s->transport.face->self)
		console_sending(console, s->name,
				s->plan.no_wait || o->load.from_stdin ? 0 : SEND_WAIT_TEXT);
	status = contact_run(s);
	if (status) {
		/* Stopped while a receiver was ready: it must not wait in vain. */
		sender_abandon(s->sender);
		return status;
	}
	if (s->transport.face->self) {
		console_sending(console, s->name, 0);
		console_event(console, "TTCP_EVENT");
	}
	send_say_start(s);
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
static void say_bye(struct send_session *s)
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

static bool sleep_between(struct send_session *s, np_time until)
{
	struct transport *t = &s->transport;

	return t->face->pause ? t->face->pause(t, until) : session_sleep(s->session, until);
}

static bool another(struct send_session *s, uint64_t number)
{
	const struct options *o = send_options(s);
	bool more = !s->session->interrupts && (!o->load.runs || number < o->load.runs);

	if (more && !o->wait.no_wait) {
		console_pause(&s->session->console, SEND_PAUSE_TEXT);
		more = sleep_between(s, np_clock_now() + SEND_PAUSE);
		if (!more)
			say_bye(s);
	}
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
	if (send->sum.runs && status != 2)
		send_summary(send);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send: runs the series of runs, from the sockets to the exit status: connects the machine to the
 * clock and the user, and passes its events to the user and the files.
 */
#include "service.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/datagram.h>
#include <netperf/stream.h>
#include <netperf/units.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As many as one UDP_SEGMENT call takes of 1468 bytes; the batch stays in the cache. */
#define GREEDY_BYTES 65000
#define GREEDY_MAX   64
#define PUSHES	     32

#define PROBE_LIMIT  NP_SECOND
#define PROBE_AGAIN  (200 * NP_MILLISECOND)

/* The first run never began: 2; a later one: 1. */
static int failure(const struct send_session *s)
{
	return send_run_of(s)->number > 1 ? 1 : 2;
}

int send_fail(const struct send_session *s, const char *reason)
{
	np_log_error(s->session->log, s->name, "%s", reason);
	return failure(s);
}

/* A START that is marked as a probe is answered, but starts nothing. */
static bool udp_answers(struct send_session *s)
{
	struct np_address local;
	struct np_datagram_options how = {
		.variant = "plain",
		.local = &local,
		.packet_bytes = MESSAGE_CONTROL_MAX,
		.batch = 1,
		.tos = -1,
		.ttl = -1,
		.device = send_options(s)->socket.asked.device,
	};
	struct np_datagram *datagram = NULL;
	np_time limit = np_clock_now() + PROBE_LIMIT;
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.type = MESSAGE_START,
		.flags = MESSAGE_PROBE,
		.session = s->plan.id,
		.run = 1,
		.start = s->sender->run.start,
	};
	size_t bytes = message_encode(data, &m);
	bool answered = false;

	if (session_resolve(s->session, NULL, 0, s->transport.to.any.sa_family, &local) ||
	    np_datagram_open(&datagram, &how))
		return false;
	while (!answered && np_clock_now() < limit) {
		struct np_packet packet;

		(void)np_datagram_send_one(datagram, &s->transport.to, data, bytes);
		if (np_datagram_wait(datagram, -1, np_clock_now() + PROBE_AGAIN) == 1 &&
		    np_datagram_receive(datagram, &packet, 1) == 1)
			answered = !message_decode(packet.data, packet.length, &m) &&
				   m.type == MESSAGE_START_OK && m.session == s->plan.id;
	}
	np_datagram_free(datagram);
	return answered;
}

/* If nobody answers one protocol, checks whether somebody answers the other. */
static void probe(struct send_session *s)
{
	const enum options_transport transport = send_options(s)->place.transport;
	const bool udp = transport == TRANSPORT_UDP;
	const struct np_stream_options how = {.tos = -1,
					      .device = send_options(s)->socket.asked.device};
	struct np_stream *stream = NULL;
	bool answered;

	if (!udp && transport != TRANSPORT_TCP)
		return;
	/* A receiver recognises a connection without a byte as a probe. */
	answered = udp ? !np_stream_connect(&stream, &how, &s->transport.to,
					    np_signals_fd(s->session->signals),
					    np_clock_now() + PROBE_LIMIT)
		       : udp_answers(s);
	np_stream_free(stream);
	if (answered)
		np_log_error(s->session->log, s->name,
			     "there is a receiver for %s there: give -u at both ends or at neither",
			     udp ? "TCP" : "UDP");
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
	if (send_run_of(s)->number == 1 && !s->plan.group)
		probe(s);
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
		.to = &s->transport.to,
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

static int push(struct send_session *s, np_time *now)
{
	const int rc = sender_push(s->sender, now);
	uint64_t messages;

	if (rc != 1 || !s->files.rows[FILES_BANDWIDTH])
		return rc;
	messages = sender_messages(s->sender) - s->windowed;
	if (messages)
		files_count(&s->files, *now, messages, messages * s->plan.message_bytes);
	s->windowed += messages;
	return rc;
}

/* Does dots, reports and signals, some fifty times a second. */
static void look(struct send_session *s, np_time now)
{
	s->look_at = now + SEND_LOOK;
	session_look(s->session);
	session_count(s->session, sender_messages(s->sender));
	if (np_interval_due(&s->session->progress.interval, now) || s->session->report_asked)
		send_interval(s, now, false);
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
	while (rc == 1 && !s->plan.acks && ++pushes < PUSHES && *now < s->look_at);
	if (rc == 1 && !s->plan.acks)
		return 0;
	for (unsigned i = 0; i < s->plan.lanes && !rc; i++)
		unfinished |= (uint64_t)(s->sender->lane[i].gone < s->sender->lane[i].filled) << i;
	if (rc > 0)
		rc = s->transport.face->receive(&s->transport);
	else if (!rc)
		rc = wait(s, sender_rest(s->sender, *now, s->look_at), unfinished);
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
		if (now >= s->look_at) {
			look(s, now);
			/* What it wrote took its time: the next messages were not sent before. */
			now = np_clock_now();
		}
	}
	return rc < 0 ? rc : 0;
}

static int send_messages(struct send_session *s)
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

static int end_run(struct send_session *s)
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

/* Returns 0 or the exit status. */
static int connect_run(struct send_session *s)
{
	const int rc = send_connect(s);

	if (rc == -ECANCELED)
		np_log_error(s->session->log, s->name, "interrupted before a receiver was there");
	else if (rc)
		session_blame(s->session, s->name, rc);
	if (rc == -ECONNREFUSED && send_run_of(s)->number == 1)
		probe(s);
	return rc ? failure(s) : 0;
}

/* Receivers that get no START are waited for only as long as a user needs to start them. */
static int contact_run(struct send_session *s)
{
	np_time pause = s->plan.no_wait ? 0 : SENDER_PAUSE;

	s->contact_status = 0;
	sender_contact(s->sender, np_clock_now());
	if (!s->plan.classic) {
		follow(s, SENDER_CONTACT);
		return s->contact_status;
	}
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
	transport_start(&s->transport, NULL);
	status = o->load.from_stdin ? send_stdin(s) : send_messages(s);
	if (!status)
		status = end_run(s);
	return send_conclude(s, status);
}

static void release(struct send_session *s)
{
	if (s->transport.face->release)
		s->transport.face->release(&s->transport, -1);
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
	if (more || s->plan.classic || send_run_of(s)->silent ||
	    (t->face->connect && t->face->connect(t, 0, false)))
		return more;
	/* Receivers wait for the next run, but none comes. */
	sender_bye(s->sender);
	if (t->face->finish)
		t->face->finish(t, 0);
	release(s);
	return false;
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
	} while (send_run_of(send)->sending && another(send, number));
	if (send->session->runs && status != 2)
		send_summary(send);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send: runs the series of runs, from the sockets to the exit status, by the clock and the user's
 * wishes; and sends what has no headers: a pipeline's bytes, classic markers.
 */
#include "side.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

/* As many as one UDP_SEGMENT call takes of 1468 bytes; the batch stays in the cache. */
#define GREEDY_BYTES 65000
#define GREEDY_MAX   64

#define PIPE_ROOM    131072 /* bytes of stdin at a time */
#define MARK_GAP     (10 * NP_MILLISECOND)

#define WAIT_TEXT    3		      /* seconds of the pause before sending that users see */
#define PAUSE	     (10 * NP_SECOND) /* between runs */
#define PAUSE_TEXT   10
#define STOPPED	     (-1) /* by the user, before a later run began */

#define PROBE_LIMIT  NP_SECOND
#define PROBE_AGAIN  (200 * NP_MILLISECOND)

/* A later run that does not begin leaves what the earlier ones measured. */
static int interrupted(const struct sender *s, const char *before)
{
	if (s->run.number > 1)
		return STOPPED;
	/* Whoever has round trips beside a load says why they ended. */
	if (s->load->trips)
		return 2;
	return np_log_refuse(s->session->log, s->name, "interrupted before %s", before);
}

/* If nobody answers one protocol, checks whether somebody answers the other. */
static void probe(struct sender *s)
{
	const enum options_transport transport = s->options->place.transport;
	const bool udp = transport == TRANSPORT_UDP;
	const struct np_ip_options ip = {-1, -1, s->options->socket.asked.ip.device};
	const np_time limit = np_clock_now() + PROBE_LIMIT;
	/* A START that is marked as a probe is answered, but starts nothing. */
	struct message m = {
		.type = MESSAGE_START,
		.flags = MESSAGE_PROBE,
		.session = s->id,
		.run = 1,
		.start = s->run.start,
	};
	uint8_t data[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(data, &m);
	struct np_datagram *datagram = NULL;
	struct np_stream *stream = NULL;
	struct np_address local;
	bool answered = false;

	/* A receiver recognises a connection without a byte as a probe. */
	if (udp)
		answered = !np_stream_connect(&stream, &(struct np_stream_options){.ip = ip},
					      &s->transport.to, np_signals_fd(s->session->signals),
					      limit);
	else if (transport != TRANSPORT_TCP ||
		 session_resolve(s->session, NULL, 0, s->transport.to.any.sa_family, &local) ||
		 np_datagram_open(&datagram, &(struct np_datagram_options){
						     .variant = "plain",
						     .local = &local,
						     .packet_bytes = MESSAGE_CONTROL_MAX,
						     .batch = 1,
						     .ip = ip,
					     }))
		return;
	while (!udp && !answered && np_clock_now() < limit) {
		struct np_packet packet;

		(void)np_datagram_send_one(datagram, &s->transport.to, data, bytes);
		if (np_datagram_wait(datagram, -1, np_clock_now() + PROBE_AGAIN) == 1 &&
		    np_datagram_receive(datagram, &packet, 1) == 1)
			answered = !message_decode(packet.data, packet.length, &m) &&
				   m.type == MESSAGE_START_OK && m.session == s->id;
	}
	np_datagram_free(datagram);
	np_stream_free(stream);
	if (answered)
		np_log_error(s->session->log, s->name,
			     "there is a receiver for %s there: give -u at both ends or at neither",
			     udp ? "TCP" : "UDP");
}

/* Says why there is no run. Returns the exit status. */
static int explain_failure(struct sender *s)
{
	const int refusal = transport_count(&s->transport).refusal;
	const char *why = s->run.why;

	if (!why && s->session->interrupts)
		return interrupted(s, "sending began");
	if (!why && refusal == -ECONNREFUSED && !s->transport.group)
		session_blame_refusal(s->session);
	else
		/* Or what the host says that sent an error back. */
		np_log_error(s->session->log, s->name, "%s",
			     why       ? why
			     : refusal ? strerror(-refusal)
				       : "no receiver answers");
	if (!why && s->run.number == 1 && !s->transport.group)
		probe(s);
	return 2;
}

int send_open(struct sender **sender, struct session *session)
{
	const struct options *o = session->options;
	const struct transport_face *face = transport_faces[o->place.transport];
	struct transport *t;
	struct sender *s;
	int rc = sender_create(&s, session, face), status;

	*sender = s;
	if (!rc && getrandom(&s->id, sizeof(s->id), 0) < 0)
		rc = -errno;
	if (rc)
		return np_log_refuse(session->log, NULL, "%s", strerror(-rc));
	t = &s->transport;
	if (o->socket.batch_messages && !o->load.ping_pong) {
		t->batch = (unsigned)o->socket.batch_messages;
	} else if (face->datagrams && !o->load.ping_pong && !o->files.delay &&
		   (!options_paced(&o->load) || o->load.find)) {
		const uint64_t fit = GREEDY_BYTES / o->load.message_bytes;

		/* A write is a message; datagrams stay the same however they are handed over. */
		t->batch = fit > GREEDY_MAX ? GREEDY_MAX : fit ? (unsigned)fit : 1;
	}
	status = face->open(t);
	if (!status)
		status = files_begin(&s->files, session, o->load.runs, t->lanes);
	for (unsigned i = 0; !status && i < t->lanes; i++) {
		t->lane[i]->user = &s->lane[i];
		/* From now on only headers change. */
		for (unsigned k = 0; k < t->batch; k++)
			message_fill(t->lane[i]->batch + k * o->load.message_bytes,
				     o->load.message_bytes);
	}
	return status;
}

int send_close(struct sender *sender, int status)
{
	if (!sender)
		return status;
	sender->transport.face->close(&sender->transport);
	status = files_close(&sender->files, status);
	sender_free(sender);
	return status;
}

/* Runs the machine while it is in @phase. */
static void follow(struct sender *s, enum sender_phase phase)
{
	while (s->run.phase == phase) {
		int rc = send_wait(s, sender_deadline(s), 0);
		np_time now = np_clock_now();

		if (rc > 0 && phase == SENDER_ENDING)
			s->progress.moved = now;
		if (rc < 0)
			sender_broke(s, rc);
		sender_tick(s, now);
	}
}

/* Sends what is not measured, on the same connections. Returns 0 or the exit status. */
static int warm_up(struct sender *s)
{
	const struct np_usage used = np_usage_since(&s->session->usage);
	int rc;

	if (s->run.silent) {
		np_log_warning(s->session->log, "--warm-up",
			       "left out: a classic receiver would count it");
		s->flags &= (uint8_t)~MESSAGE_WARM_UP;
		return 0;
	}
	np_log_info(s->session->log, "warming up for %g s", np_clock_seconds(s->load->warm_up));
	s->look_at = 0;
	sender_start(s, np_clock_now());
	rc = send_load(s);
	if (s->session->interrupts)
		return interrupted(s, "the measured run began");
	if (rc || s->run.over)
		return np_log_refuse(s->session->log, s->name, "lost in the warm-up: %s",
				     !rc	    ? "it was stopped"
				     : rc == -ETIME ? "stopped reading"
						    : strerror(-rc));
	sender_warmed_up(s, np_clock_now());
	follow(s, SENDER_CONTACT);
	/* As if the process had done nothing since then. */
	s->session->usage = np_usage_since(&used);
	return s->run.failed ? explain_failure(s) : 0;
}

/* Classic datagrams start and end with markers. */
static int send_classic_mark(struct sender *s, unsigned count)
{
	uint8_t mark[MESSAGE_CLASSIC_MARKER];
	int rc = 0;

	message_fill(mark, sizeof(mark));
	for (unsigned i = 0; i < count && !rc; i++) {
		rc = sender_send_datagram(s, 0, NULL, mark, sizeof(mark));
		/* Spread over time, so that they are not all lost together. */
		if (count > 1)
			(void)session_sleep(s->session, np_clock_now() + MARK_GAP);
	}
	if (rc)
		np_log_error(s->session->log, s->name, "%s", strerror(-rc));
	return rc;
}

static int send_messages(struct sender *s)
{
	struct transport *t = &s->transport;
	/*
	 * Sleeping in poll would take one more system call for each message, and wait for the other
	 * sockets, too.
	 */
	const bool patient =
		s->load->ping_pong && s->transport.lanes == 1 && t->face->receive_timeout;
	const bool rr = s->load->transacts;
	const char *noun = rr ? "transaction" : "message";
	const struct np_log *log = s->session->log;
	uint64_t count;
	int rc = 0, end = 0;

	if (s->beside)
		(void)side_start(s->beside);
	send_begin(s);
	if (patient)
		rc = t->face->receive_timeout(t, t->lane[0], TRANSPORT_LOOK, 0);
	if (!rc)
		rc = rr ? transactions_run(s) : send_load(s);
	if (patient)
		end = t->face->receive_timeout(t, t->lane[0], 0, 0);
	rc = rc ? rc : end;
	count = rr ? s->receivers.acks : sender_messages(s);
	/* Why messages no longer go, or are no longer answered; -ETIME: this program gave up. */
	if (rc == -ECANCELED) {
		np_log_error(log, s->name, "ended by a second signal");
		return 1;
	}
	if (rc == -EPERM && rr)
		np_log_error(log, s->name, "refuses this run; it reports why itself");
	else if (rc == -EADDRNOTAVAIL && rr)
		np_log_error(log, s->name,
			     "no local port is left, or the address is gone, after %" PRIu64
			     " transactions; see net.ipv4.ip_local_port_range",
			     count);
	else if (rc == -ETIME)
		np_log_error(log, s->name, "%s; gave up after %" PRIu64 " %s%s",
			     rr ? "stopped answering" : "stopped reading", count, noun,
			     np_plural(count));
	else if (rc)
		np_log_error(log, s->name, "lost after %" PRIu64 " %s%s: %s", count, noun,
			     np_plural(count), strerror(-rc));
	send_look(s, s->run.last);
	np_status_erase(s->session->console.status);
	if (rc || !s->classic || !sender_repeats(s))
		return rc ? 1 : 0;
	rc = send_classic_mark(s, MESSAGE_CLASSIC_END_MARKERS);
	if (rc)
		np_log_error(s->session->log, s->name, "lost before its report: %s", strerror(-rc));
	return rc ? 1 : 0;
}

/*
 * Until the end of stdin, or the user stops it. While the receiver is alive there is no limit: the
 * program that fills the pipe may need time. Returns 0 or -errno.
 */
static int pump(struct sender *s, uint8_t *data)
{
	const struct load_options *load = s->load;
	const uint64_t most = load->messages ? load->messages * load->message_bytes : UINT64_MAX;
	struct np_stream *stream = s->transport.face->stream(&s->transport);
	struct np_status *status = s->session->console.status;
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = np_signals_fd(s->session->signals), .events = POLLIN},
		{.fd = np_stream_fd(stream), .events = POLLRDHUP},
	};
	int rc = 0;

	while (rc >= 0 && s->raw_bytes < most && !s->session->interrupts) {
		const uint64_t left = most - s->raw_bytes;
		size_t done = 0, sent;
		ssize_t got;

		send_status(s, np_clock_now());
		rc = np_wait_ready(fds, 3, np_status_next(status));
		if (rc <= 0 || (fds[1].revents && session_look(s->session)))
			continue;
		if (fds[2].revents & (POLLERR | POLLHUP))
			return -ECONNRESET;
		if (!fds[0].revents && fds[2].revents)
			return 0;
		if (!fds[0].revents)
			continue;
		got = read(STDIN_FILENO, data, left < PIPE_ROOM ? (size_t)left : PIPE_ROOM);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		/* All of it, as long as the receiver's kernel answers, or until a second signal. */
		do {
			rc = np_stream_send_all(stream, data + done, (size_t)got - done, fds[1].fd,
						NP_TIME_NEVER, &sent);
			done += sent;
			if (rc == -ECANCELED)
				session_look(s->session);
		} while (rc == -ECANCELED && s->session->interrupts < 2);
		s->raw_bytes += done;
		/* They are no messages, but count as one. */
		s->lane[0].number++;
		s->run.last = np_clock_now();
		console_count(&s->session->console, s->lane[0].number);
	}
	return rc < 0 ? rc : 0;
}

static int send_stdin(struct sender *s)
{
	struct transport *t = &s->transport;
	uint8_t *data = malloc(PIPE_ROOM);
	int rc = data ? 0 : -ENOMEM;

	send_begin(s);
	if (!rc)
		rc = pump(s, data);
	if (!rc) {
		t->face->finish(t, 0);
		/* Until the receiver's kernel has everything; while it is alive without a limit. */
		do
			rc = send_wait(s, np_clock_now() + TRANSPORT_LOOK, 0);
		while (rc >= 0 && !t->lane[0]->gone && s->session->interrupts < 2 &&
		       t->face->unacknowledged(t));
	}
	t->lane[0]->gone = true;
	free(data);
	if (rc < 0)
		np_log_error(s->session->log, s->name, "lost after %" PRIu64 " byte%s: %s",
			     s->raw_bytes, np_plural(s->raw_bytes), strerror(-rc));
	return rc < 0;
}

static int run_once(struct sender *s, uint64_t number)
{
	const struct options *o = s->options;
	const struct transport_face *face = s->transport.face;
	struct console *console = &s->session->console;
	const struct np_address *local;
	char self[NP_ADDRESS_TEXT];
	int rc, status = files_open(&s->files, number, s->transport.lanes);

	sender_begin(s, number,
		     o->load.find ? 8 * np_find_next(&s->find)
				  : options_rate_bits(&o->load, number));
	/* In an overlay it stays from the first run to the last. */
	console_run(console, number, face->self ? face->self(&s->transport, self) : NULL);
	if (face->self && number == 1 && !o->wait.no_wait)
		console_waiting(console, TRANSPORT_SETTLE, "overlay network becomes stable");
	if (status)
		return status;
	rc = sender_connect(s);
	if (rc == -ECANCELED)
		return interrupted(s, "a receiver was there");
	if (rc) {
		session_blame(s->session, s->name, rc);
		if (rc == -ECONNREFUSED && number == 1)
			probe(s);
		return 2;
	}
	local = face->local(&s->transport, NULL);
	if (local)
		console_connected(console, &s->transport.to, local);
	if (!face->self)
		console_sending(console, s->name);
	if (!face->self && !o->wait.no_wait && !o->load.from_stdin)
		console_waiting(console, WAIT_TEXT, "transmiting");
	sender_contact(s, np_clock_now());
	follow(s, SENDER_CONTACT);
	/* Receivers that get no START are waited for only as long as a user needs to start them. */
	if (s->run.failed)
		status = explain_failure(s);
	else if (s->classic && !o->load.from_stdin &&
		 !session_sleep(s->session, np_clock_now() + (o->wait.no_wait ? 0 : SENDER_PAUSE)))
		status = interrupted(s, "sending began");
	else if (s->classic && sender_repeats(s) && send_classic_mark(s, 1))
		status = 2;
	if (!status && s->load->warm_up)
		status = warm_up(s);
	if (status) {
		/* Stopped while a receiver was ready: it must not wait in vain. */
		sender_abandon(s);
		return status;
	}
	if (face->self) {
		console_sending(console, s->name);
		console_event(console, "TTCP_EVENT");
	}
	status = o->load.from_stdin ? send_stdin(s) : send_messages(s);
	if (!status) {
		sender_end(s, np_clock_now());
		follow(s, SENDER_ENDING);
		status = s->run.failed;
	}
	return send_conclude(s, status);
}

static void release(struct sender *s)
{
	if (s->transport.face->release)
		s->transport.face->release(&s->transport, -1);
}

/* Whether another run follows; then after the pause before it. */
static bool another(struct sender *s, uint64_t number)
{
	const struct options *o = s->options;
	struct transport *t = &s->transport;
	const np_time until = np_clock_now() + PAUSE;
	bool more = !s->session->interrupts && (!o->load.runs || number < o->load.runs);

	if (more && o->load.find && !send_trial(s)) {
		sender_bye(s);
		return false;
	}
	if (!more || o->wait.no_wait)
		return more;
	console_waiting(&s->session->console, PAUSE_TEXT, "next transmission");
	more = t->face->pause ? t->face->pause(t, until) : session_sleep(s->session, until);
	if (more || s->classic || s->run.silent || (t->face->connect && t->face->connect(t, 0)))
		return more;
	/* Receivers wait for the next run, but none comes. */
	sender_bye(s);
	if (t->face->finish)
		t->face->finish(t, 0);
	release(s);
	return false;
}

int send_run(struct sender *s)
{
	uint64_t number = 0;
	int status = 0, run_status, beside;

	/* Sleeps must end on time. */
	np_wait_end_on_time();
	threads_pin(s->options, 0, s->session->log);
	do {
		run_status = run_once(s, ++number);
		release(s);
		if (run_status == STOPPED) {
			s->run.number--;
			run_status = 0;
		}
		/* What earlier runs measured stays. */
		if (run_status == 2 && number > 1)
			run_status = 1;
		if (files_close_run(&s->files, run_status == 2) && !run_status)
			run_status = 1;
		status = run_status > status ? run_status : status;
		/* If a run never began, a later one will not either. */
	} while (s->run.sending && another(s, number));
	beside = s->beside ? side_end_with(s) : 0;
	if (s->session->runs && status != 2 && send_summary(s) && !status)
		status = 1;
	return beside > status ? beside : status;
}

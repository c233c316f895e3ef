// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receiver: from the sockets to the exit status: finds the conversation that each message belongs
 * to, counts messages of none, and serves one sender after the other.
 */
#include "conversation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define HOLD_MOST (100 * NP_MILLISECOND)
/* If END was not repeated for this long, the sender has its answer or has given up. */
#define END_QUIET (300 * NP_MILLISECOND)
/* --crr: without a descriptor for the next transaction. */
#define CROWDED_MOST (2 * NP_SECOND)
/* Beyond the sender's pause between two runs. */
#define NEXT_RUN (30 * NP_SECOND)

/*
 * Whether @source may change or end the run: over datagrams only the host of its sender may, or, as
 * long as that host has not proved its address, one that has. Others may have overheard the
 * session.
 */
static bool may_change(const struct receiver *r, const struct receiver_source *source,
		       const struct message *m)
{
	return !r->transport.face->datagrams || conversation_with(r, source) ||
	       (!r->sender.proven && conversation_proves(r, source, m));
}

/* Whether @m may start a run now. */
static bool may_begin(const struct receiver *r, const struct receiver_source *source,
		      const struct message *m)
{
	const struct receiver_run *run = &r->run;

	if (run->phase == RECEIVER_IDLE)
		return !receiver_over(r);
	/* The sender's next run, even when the END of the one before was lost. */
	return !run->raw && m->session == r->sender.id && m->run > run->number &&
	       may_change(r, source, m);
}

/* Starts the run of @m; of DATA and END by the pending START that announced them, if any. */
static void begin(struct receiver *r, const struct receiver_source *source, const struct message *m,
		  np_time at)
{
	const struct kept_start *p = &r->pending;
	const struct message announced = p->message;
	const bool waited = m && m->type != MESSAGE_START && p->there &&
			    p->message.session == m->session && p->message.run == m->run &&
			    np_address_same_host(source->address, &p->from);

	r->pending.there = false;
	conversation_begin(r, source, waited ? &announced : m, at);
}

/* Whether the sender has more runs to come. */
static bool more_runs(const struct receiver *r)
{
	const struct receiver_run *run = &r->run;

	return !run->raw && run->started && !r->sender.bye &&
	       (!run->start.runs || run->number < run->start.runs);
}

/* Later messages belong to another conversation. */
static void forget(struct receiver *r)
{
	r->status |= files_close_run(&r->files, false);
	r->run.phase = RECEIVER_IDLE;
	r->sender.id = 0;
}

/* Ends the service of the present sender. */
static void next_sender(struct receiver *r)
{
	forget(r);
	r->served++;
	r->over |= r->senders && r->served >= r->senders;
	if (r->transport.face->release)
		r->transport.face->release(&r->transport, -1);
	if (!r->over)
		console_listening(&r->session->console);
}

/* Drops a raw stream of which nothing has come for long; its connection may last for ever. */
static void drop_deserted(struct receiver *r, np_time at)
{
	const struct receiver_run *run = &r->run;

	if (run->phase != RECEIVER_RECEIVING || !run->raw || r->transport.face->datagrams ||
	    r->session->options->load.to_stdout || at - r->sender.heard < RECEIVER_RAW_SILENCE)
		return;
	np_log_warning(r->session->log, "sender",
		       "was silent for %.0f s after %" PRIu64
		       " reads, and made way for another sender",
		       np_clock_seconds(RECEIVER_RAW_SILENCE), run->messages);
	r->transport.face->release(&r->transport, -1);
	forget(r);
}

bool receiver_may_begin_raw(struct receiver *r, np_time at)
{
	drop_deserted(r, at);
	/* It announces no rate. */
	return r->run.phase == RECEIVER_IDLE && !r->reverse &&
	       r->session->options->wait.max_rate_bits <= 0;
}

/*
 * A run whose sender never proved its address gives way to one that did, of the same session, too,
 * for who began it may have overheard that; so does a run of datagrams without headers, which prove
 * nothing.
 */
static bool may_displace(const struct receiver *r, const struct receiver_source *source,
			 const struct message *m)
{
	const struct receiver_run *run = &r->run;

	return run->phase == RECEIVER_RECEIVING && r->answers && !r->sender.proven &&
	       (!run->raw || r->transport.face->datagrams) &&
	       (m->session != r->sender.id || !conversation_with(r, source));
}

bool receiver_displace(struct receiver *r, const struct receiver_source *source,
		       const struct message *m)
{
	/* The run before is over, though that was not noticed yet. */
	if (r->run.phase == RECEIVER_REPORTED && m->session != r->sender.id && !more_runs(r))
		next_sender(r);
	if (!may_displace(r, source, m))
		return false;
	if (!conversation_proves(r, source, m))
		return true;
	np_log_warning(r->session->log, "sender",
		       "was displaced, with %" PRIu64
		       " messages, by a sender that proved its address",
		       r->run.messages);
	forget(r);
	return true;
}

/* Whether the sender of the START @m is or may be served: its run has started, or it waits. */
static bool take_place(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	if (may_begin(r, source, m) || may_displace(r, source, m)) {
		/* In a group -monitor answers nobody, so that nobody can prove an address. */
		if (r->answers && !conversation_proves(r, source, m) &&
		    !(m->session == r->sender.id && r->sender.proven)) {
			r->pending = (struct kept_start){true, *m, *source->address, 0, 0};
			return true;
		}
		begin(r, source, m, at);
	}
	if (!conversation_has(r, m) || !may_change(r, source, m))
		return false;
	conversation_take_start(r, source, m, at);
	return true;
}

bool receiver_refuses(struct receiver *r, const struct receiver_source *source,
		      const struct message *m)
{
	const char *limit = message_limits[receive_limit(r->session->options, &m->start)];
	char text[NP_ADDRESS_TEXT];

	if (!limit || !conversation_proves(r, source, m))
		return false;
	if (r->refused != m->session)
		np_log_warning(r->session->log, limit, "refused a run of %s, which asks for more",
			       peer_name(source->address, text));
	r->refused = m->session;
	/* It was the next one of the sender that is waited for. */
	if (r->run.phase == RECEIVER_REPORTED && m->session == r->sender.id &&
	    conversation_with(r, source))
		r->sender.bye = true;
	return true;
}

static void take_start(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, np_time at)
{
	enum message_verdict verdict = MESSAGE_READY;

	if (!(m->flags & MESSAGE_PROBE) && reverse_excludes(r, source, m)) {
		verdict = MESSAGE_BUSY;
	} else if (!(m->flags & MESSAGE_PROBE) && !conversation_has(r, m) &&
		   receiver_refuses(r, source, m)) {
		verdict = MESSAGE_UNWILLING;
	} else if (!(m->flags & MESSAGE_PROBE)) {
		drop_deserted(r, at);
		(void)receiver_displace(r, source, m);
		if (r->answers && r->session->options->task == TASK_MONITOR &&
		    m->flags & MESSAGE_ACK_WANTED) {
			np_log_warning(r->session->log, "sender",
				       "wants acknowledgements, which -monitor does not send");
			verdict = MESSAGE_UNWILLING;
		} else if (!take_place(r, source, m, at)) {
			verdict = MESSAGE_BUSY;
		} else if (source->by_group) {
			/* The members answer each at a random moment. */
			const uint32_t random =
				message_proof(&r->secret, source->address, (uint32_t)at);
			const np_time due = r->held.there ? r->held.due : at + random % HOLD_MOST;

			r->held = (struct kept_start){true, *m, *source->address, at, due};
			return;
		}
	}
	conversation_answer_start(r, source, m, (uint8_t)verdict, at);
}

/*
 * Whether @m belongs to the run, or starts it. Datagrams of a run identify it when START was lost;
 * but an END before which nothing came does so only for a sender with a proved address: otherwise
 * a single datagram from a forged address could end the service.
 */
static bool belongs(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at)
{
	if (conversation_has(r, m))
		return may_change(r, source, m);
	if (!r->transport.face->datagrams || !may_begin(r, source, m))
		return false;
	if (r->refused && m->session == r->refused)
		return false;
	if (m->type != MESSAGE_DATA && r->answers && m->session != r->sender.id &&
	    !conversation_proves(r, source, m))
		return false;
	begin(r, source, m, at);
	return conversation_has(r, m);
}

void receiver_take_data(struct receiver *r, const struct receiver_source *source,
			const struct message *first, unsigned count, bool damaged, np_time at)
{
	if (!belongs(r, source, first, at) ||
	    !conversation_take_data(r, source, first, count, damaged, at))
		r->strays += count;
}

void receiver_take(struct receiver *r, const struct receiver_source *source,
		   const struct message *message, np_time at)
{
	/* Who asks for data takes those of nobody else. */
	const bool other = r->id && message->session != r->id;

	if (message->type == MESSAGE_DATA && !other)
		receiver_take_data(r, source, message, 1, false, at);
	else if (message->type == MESSAGE_REVERSE && !other)
		(void)reverse_take(r, source, message, at);
	else if (message->type == MESSAGE_START && !other)
		take_start(r, source, message, at);
	else if (other || message->type != MESSAGE_END || !belongs(r, source, message, at) ||
		 !conversation_take_end(r, source, message, at))
		r->strays++;
}

void receiver_take_raw(struct receiver *r, const struct receiver_source *source, uint64_t messages,
		       uint64_t bytes, np_time at)
{
	if (r->run.phase == RECEIVER_IDLE && !receiver_over(r))
		begin(r, source, NULL, at);
	conversation_take_raw(r, 0, messages, bytes, at);
}

void receiver_take_unknown(struct receiver *r, const struct receiver_source *source, int error,
			   np_time at)
{
	const struct message m = {.type = MESSAGE_START, .session = 0, .run = 1};
	const struct receiver_run *run = &r->run;
	const bool marker = source->bytes <= MESSAGE_CLASSIC_MARKER;

	/*
	 * Classic: a marker, data, then end markers, all of one host and port. An empty datagram
	 * begins nothing; data do, since the marker may have been lost.
	 */
	if (error == -EPROTO &&
	    (run->phase == RECEIVER_IDLE
		     ? !source->bytes || r->session->options->wait.max_rate_bits > 0
		     : !run->raw || !np_address_equal(source->address, &run->sender))) {
		r->strays++;
	} else if (error == -EPROTO && run->phase == RECEIVER_REPORTED) {
		/* Further end markers of the last run start nothing. */
		r->sender.end_heard = at;
		r->strays += !marker;
	} else if (error == -EPROTO) {
		receiver_take_raw(r, source, !marker, marker ? 0 : source->bytes, at);
		if (marker && run->messages)
			conversation_finish(r, MESSAGE_COMPLETE);
	} else if (error == -EPROTONOSUPPORT) {
		if (!r->strays++)
			np_log_warning(r->session->log, "sender",
				       "speaks another version of ttcp's messages");
		/* In our version, so that the sender can report the mismatch. */
		conversation_answer_start(r, source, &m, MESSAGE_UNWILLING, at);
	} else if (run->phase == RECEIVER_RECEIVING && !run->raw && conversation_with(r, source)) {
		np_flow_damaged(r->stream[0].flow, 1);
	} else {
		r->strays++;
	}
}

void receiver_tick(struct receiver *r, np_time now)
{
	const struct receiver_source to = {.address = &r->held.from, .bytes = MESSAGE_CONTROL_MAX};
	const np_time wait = r->session->options->wait.wait;
	const np_time silent = now - r->sender.end_heard;

	if (r->held.there && now >= r->held.due) {
		r->held.there = false;
		conversation_answer_start(r, &to, &r->held.message, MESSAGE_READY,
					  r->held.received);
	}
	switch (r->run.phase) {
	case RECEIVER_IDLE:
		if (!wait || r->served || clients_busy(r) || now - r->opened < wait)
			break;
		r->over = true;
		/* Who was announced has gone. */
		if (r->session->options->place.served)
			break;
		np_log_error(r->session->log, NULL, "no sender came within %g s",
			     np_clock_seconds(wait));
		r->status = 2;
		break;
	case RECEIVER_RECEIVING:
		conversation_tick(r, now);
		/* By datagrams it may go on, which begins no run. */
		if (r->run.result.report.status == MESSAGE_INTERRUPTED)
			r->refused = r->sender.id;
		break;
	case RECEIVER_REPORTED:
		/* A stream delivers END only once. */
		if ((r->transport.face->datagrams && silent < END_QUIET) ||
		    (more_runs(r) && silent < NEXT_RUN))
			break;
		if (more_runs(r)) {
			np_log_error(r->session->log, "sender", "did not return for run %u",
				     r->run.number + 1);
			r->status = 1;
		}
		next_sender(r);
		break;
	}
}

np_time receiver_deadline(const struct receiver *r)
{
	const np_time wait = r->session->options->wait.wait;
	const np_time next = wait && !r->served ? r->opened + wait : NP_TIME_NEVER;

	return r->held.there && r->held.due < next ? r->held.due : next;
}

void receiver_stop(struct receiver *r)
{
	conversation_finish(r, MESSAGE_INTERRUPTED);
	r->over = true;
}

int receive_open(struct receiver **receiver, struct session *session)
{
	const struct options *o = session->options;
	const char *allow = o->place.allow;
	const bool clients = o->load.clients && !o->place.served;
	struct transport *t;
	struct receiver *r;
	size_t longest;
	int rc = receiver_create(&r, session, transport_faces[o->place.transport]), status;

	*receiver = r;
	if (rc)
		return np_log_refuse(session->log, NULL, "out of memory");
	t = &r->transport;
	status = t->face->open(t);
	if (status)
		return status;
	longest = t->longest ? t->longest : NP_DATAGRAM_BYTES_MAX;
	r->pattern = malloc(longest);
	if (clients)
		r->clients = calloc(1, sizeof(*r->clients));
	if (!r->pattern || (clients && !r->clients) ||
	    (allow && np_address_networks_parse(&r->allowed, allow)))
		return np_log_refuse(session->log, NULL, "out of memory");
	message_fill(r->pattern, longest);
	/* In a group the members answer, and the monitor stays invisible. */
	r->answers = o->task != TASK_MONITOR || !t->group;
	/* Resolving and opening may have taken a while. */
	r->opened = session_now(session);
	if (getrandom(&r->secret, sizeof(r->secret), 0) < 0 ||
	    (o->place.reverse && getrandom(&r->id, sizeof(r->id), 0) < 0))
		return np_log_refuse(session->log, "random numbers", "%s", strerror(errno));
	/* 0 is nobody's. */
	r->id += o->place.reverse && !r->id;
	return files_begin(&r->files, session, 1, 1);
}

int receive_close(struct receiver *receiver, int status)
{
	if (!receiver)
		return status;
	receiver->transport.face->close(&receiver->transport);
	status = files_close(&receiver->files, status);
	receiver_free(receiver);
	return status;
}

/* Does what is due by time, some fifty times a second during a run. */
static void look(struct receiver *r, np_time now)
{
	if (session_look(r->session))
		receiver_stop(r);
	if (r->run.phase == RECEIVER_RECEIVING)
		receive_look(r, now);
	/* Its transactions wait for a descriptor, of which none is left. */
	if (r->run.phase == RECEIVER_RECEIVING && r->run.result.transactions.connects &&
	    r->transport.crowded && now - r->transport.crowded >= CROWDED_MOST)
		conversation_break_off(r, "has connections for which no descriptor is left here; "
					  "raise ulimit -n");
	if (r->clients && r->session->report_asked)
		clients_step(r);
	r->session->report_asked = false;
	receiver_tick(r, now);
	r->look_at = now + TRANSPORT_LOOK;
}

void receiver_step(struct transport *t)
{
	struct receiver *r = t->owner;
	const np_time now = np_clock_now();

	if (now < r->look_at)
		return;
	(void)session_look(r->session);
	if (r->reverse)
		reverse_step(r);
	look(r, now);
}

/*
 * One iteration takes what has arrived. It reads the clock once; messages that the kernel stamps
 * have their own stamps.
 */
static int loop(struct receiver *r)
{
	struct transport *t = &r->transport;
	const struct transport_face *face = t->face;
	const struct receiver_run *run = &r->run;
	np_time now = np_clock_now();
	struct np_busy_poll busy = {.since = now};
	int came = 0;

	r->look_at = now;
	while (!receiver_over(r) && came >= 0) {
		/*
		 * A single stream may sleep in its receive call, without a poll before; of
		 * datagrams if nothing comes before the last answer was sent.
		 */
		const bool alone =
			run->phase == RECEIVER_RECEIVING && run->streams == 1 &&
			!run->result.transactions.connects &&
			(!face->datagrams || (!t->group && run->flags & MESSAGE_PING_PONG));

		if (face->receive_timeout && (face->datagrams || (r->first && !r->first->taken)))
			(void)face->receive_timeout(t, r->first, alone ? TRANSPORT_LOOK : 0,
						    receive_stream_least(r));
		came = face->receive(t);
		now = np_clock_now();
		if (came > 0)
			busy.messages += (unsigned)came;
		if (r->reverse)
			reverse_step(r);
		if (r->clients)
			clients_step(r);
		if (r->transactions)
			transactions_step(r);
		if (now >= r->look_at)
			look(r, now);
		t->rested = !came && np_busy_poll_pays(&busy, now);
		if (t->rested) {
			np_busy_poll_spin(now);
		} else if (!came && !receiver_over(r)) {
			const bool idle = run->phase == RECEIVER_IDLE;
			const bool beside = r->reverse || clients_busy(r);

			if (idle && beside)
				look(r, now);
			came = face->wait(t, idle && !beside ? receiver_deadline(r) : r->look_at,
					  0);
			/* A signal, or something is due. */
			if (!came)
				r->look_at = now;
		}
	}
	return came < 0 ? came : 0;
}

int receive_run(struct receiver *r)
{
	const struct transport_face *face = r->transport.face;
	const struct np_log *log = r->session->log;
	struct console *console = &r->session->console;
	char self[NP_ADDRESS_TEXT];
	int rc = files_open(&r->files, 1, 1);

	if (rc)
		return rc;
	np_wait_end_on_time();
	threads_pin(r->session->options, 0, log);
	console_run(console, 1, face->self ? face->self(&r->transport, self) : NULL);
	console_listening(console);
	if (r->session->options->place.reverse && !r->session->of)
		rc = reverse_call(r, false);
	if (rc)
		return rc;
	rc = loop(r);
	if (rc) {
		np_log_error(log, NULL, "%s", strerror(-rc));
		r->status = 1;
	}
	if (r->not_allowed)
		np_log_warning(log, "--allow",
			       "ignored %" PRIu64 " datagram%s or connections of other hosts",
			       r->not_allowed, np_plural(r->not_allowed));
	receive_summary(r);
	return r->status;
}

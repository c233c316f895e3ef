// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receiver: from the sockets to the exit status: decides which sender is served, one after the
 * other, or in place of another. With --clients it serves many: it looks at the first message of
 * each connection, or at STARTs, and gives the connection, or a socket of its own, to the receiver
 * that serves that sender, and no other, in a thread.
 */
#include "side.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/random.h>

/* A raw stream that was silent for this long gives way to another sender. */
#define RAW_SILENCE (20 * NP_SECOND)
/* If END was not repeated for this long, the sender has its answer or has given up. */
#define END_QUIET (300 * NP_MILLISECOND)
/* How long the sender of a run that was broken off may take to close its connections. */
#define DRAIN (2 * NP_SECOND)
/* --crr: without a descriptor for the next transaction. */
#define CROWDED_MOST (2 * NP_SECOND)
/* Beyond the sender's pause between two runs. */
#define NEXT_RUN (30 * NP_SECOND)
/* Who has said that he sends, and then does not, is forgotten. */
#define COMES (5 * NP_SECOND)

int receiver_create(struct receiver **receiver, struct session *session,
		    const struct transport_face *face)
{
	const struct options *o = session->options;
	struct receiver *r = calloc(1, sizeof(*r));

	*receiver = r;
	if (!r)
		return -ENOMEM;
	r->session = session;
	r->name = session->client ? session->client : "sender";
	r->transport = (struct transport){
		.face = face, .user = &receiver_user, .owner = r, .session = session};
	r->senders = o->wait.once ? 1 : o->task == TASK_MONITOR ? 0 : o->load.runs;
	r->opened = session_now(session);
	r->answers = true;
	r->records = o->task == TASK_MONITOR || o->files.bandwidth || o->files.sequence;
	/* One stream always exists, so that anything that comes can be counted. */
	return conversation_begin_stream(r, 0, 0, false);
}

void receiver_free(struct receiver *receiver)
{
	if (!receiver)
		return;
	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++) {
		np_flow_free(receiver->stream[i].flow);
		np_histogram_free(receiver->stream[i].before);
	}
	transactions_free(receiver->transactions);
	free(receiver->clients);
	free(receiver->pattern);
	np_address_networks_free(receiver->allowed);
	free(receiver);
}

bool conversation_with(const struct receiver *r, const struct source *source)
{
	return r->run.phase != RECEIVER_IDLE &&
	       np_address_same_host(source->address, &r->run.sender);
}

bool conversation_proves(const struct receiver *r, const struct source *source,
			 const struct message *m)
{
	const bool starts = m->type == MESSAGE_START || m->type == MESSAGE_REVERSE;
	const uint32_t proof = starts ? m->start.proof : m->type == MESSAGE_END ? m->end.proof : 0;

	return !r->transport.face->datagrams ||
	       (proof && proof == message_proof(&r->secret, source->address, m->session));
}

bool conversation_serves(const struct receiver *r, uint32_t session, uint32_t run)
{
	return session == r->sender.id && run == r->run.number && r->run.phase != RECEIVER_IDLE;
}

bool conversation_has(const struct receiver *r, const struct message *message)
{
	return conversation_serves(r, message->session, message->run) && !r->run.raw;
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
	    r->session->options->load.to_stdout || at - r->sender.heard < RAW_SILENCE)
		return;
	np_log_warning(r->session->log, r->name,
		       "was silent for %.0f s after %" PRIu64
		       " reads, and made way for another sender",
		       np_clock_seconds(RAW_SILENCE), run->messages);
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

bool receiver_displace(struct receiver *r, const struct source *source, const struct message *m)
{
	const struct receiver_run *run = &r->run;

	drop_deserted(r, session_now(r->session));
	/* The run before is over, though that was not noticed yet. */
	if (run->phase == RECEIVER_REPORTED && m->session != r->sender.id && !more_runs(r))
		next_sender(r);
	/*
	 * A run whose sender never proved its address gives way to one that did, of the same
	 * session, too, for who began it may have overheard that; so does a run of datagrams
	 * without headers, which prove nothing.
	 */
	if (run->phase != RECEIVER_RECEIVING || !r->answers || r->sender.proven ||
	    (run->raw && !r->transport.face->datagrams) ||
	    (m->session == r->sender.id && conversation_with(r, source)))
		return false;
	if (!conversation_proves(r, source, m))
		return true;
	np_log_warning(r->session->log, r->name,
		       "was displaced, with %" PRIu64
		       " messages, by a sender that proved its address",
		       run->messages);
	forget(r);
	return true;
}

bool receiver_refuses(struct receiver *r, const struct source *source, const struct message *m)
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

void receiver_take_unknown(struct receiver *r, const struct source *source, int error, np_time at)
{
	const struct message m = {.type = MESSAGE_START, .session = 0, .run = 1};
	const struct receiver_run *run = &r->run;
	const bool marker = source->bytes <= MESSAGE_CLASSIC_MARKER;
	/*
	 * Classic: a marker, data, then end markers, all of one host and port. An empty datagram
	 * begins nothing; data do, since the marker may have been lost.
	 */
	const bool classic =
		error == -EPROTO &&
		(run->phase == RECEIVER_IDLE
			 ? source->bytes && r->session->options->wait.max_rate_bits <= 0
			 : run->raw && np_address_equal(source->address, &run->sender));

	if (classic && run->phase == RECEIVER_REPORTED) {
		/* Further end markers of the last run start nothing. */
		r->sender.end_heard = at;
		r->strays += !marker;
	} else if (classic) {
		receiver_take_raw(r, source, !marker, marker ? 0 : source->bytes, at);
		if (marker && run->messages)
			conversation_finish(r, MESSAGE_COMPLETE);
	} else if (error == -EPROTONOSUPPORT) {
		if (!r->strays++)
			np_log_warning(r->session->log, r->name,
				       "speaks another version of ttcp's messages");
		/* In our version, so that the sender can report the mismatch. */
		conversation_answer_start(r, source, &m, MESSAGE_UNWILLING, at);
	} else if (error != -EPROTO && run->phase == RECEIVER_RECEIVING && !run->raw &&
		   conversation_with(r, source)) {
		np_flow_damaged(r->stream[0].flow, 1);
	} else {
		r->strays++;
	}
}

void receiver_tick(struct receiver *r, np_time now)
{
	const struct source to = {.address = &r->held.from, .bytes = MESSAGE_CONTROL_MAX};
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
		    (receiver_drains(r) && silent < DRAIN && r->session->interrupts < 2) ||
		    (more_runs(r) && silent < NEXT_RUN))
			break;
		if (more_runs(r)) {
			np_log_error(r->session->log, r->name, "did not return for run %u",
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
	r->over = r->sender.bye = true;
}

struct client {
	struct np_address from;
	struct message request; /* its options point to it */
	char name[NP_ADDRESS_TEXT];
	uint64_t streams; /* a bit for each, of datagrams, that has a socket */
	bool paired;	  /* the other way of its sender was served beside it */
	struct side side; /* it sends to who asks for datagrams */
};

/* Over connections a receiver handles a REVERSE itself. */
static bool is_reverse(const struct receiver *r, const struct message *m)
{
	return r->transport.face->datagrams && m->type == MESSAGE_REVERSE;
}

/* In the one way or the other. */
static struct client *find(const struct receiver *r, const struct np_address *from,
			   uint32_t session, bool reverse)
{
	const struct clients *clients = r->clients;

	for (unsigned i = 0; i < clients->count; i++) {
		struct client *c = clients->client[i];

		if (c->request.session == session && np_address_same_host(&c->from, from) &&
		    !c->side.send == !reverse)
			return c;
	}
	return NULL;
}

/* Whether it is one too many: not in the other way of a sender that is served. */
static bool is_full(const struct receiver *r, const struct np_address *from,
		    const struct message *m)
{
	const struct clients *clients = r->clients;
	uint64_t places = 0, coming = r->served;

	for (unsigned i = 0; i < clients->count; i++) {
		const struct client *c = clients->client[i];
		const bool sends = c->side.receive;

		places += sends || !find(r, &c->from, c->request.session, false);
		coming += sends || !c->paired;
	}
	return r->over || clients->count == 2 * OPTIONS_CLIENTS ||
	       (!find(r, from, m->session, !is_reverse(r, m)) &&
		(places >= r->session->options->load.clients ||
		 (r->senders && coming >= r->senders)));
}

static struct client *begin_client(struct receiver *r, const struct np_address *from,
				   const struct message *m)
{
	struct clients *clients = r->clients;
	struct client *c = calloc(1, sizeof(*c)), *other;
	struct session *s = r->session;
	struct options *o;
	int rc;

	if (!c)
		return NULL;
	c->from = *from;
	c->request = *m;
	other = find(r, from, m->session, !is_reverse(r, m));
	c->paired = other;
	peer_name(from, c->name);
	c->side.session.client = c->name;
	if (is_reverse(r, m)) {
		rc = reverse_open(r, &c->side, from, &c->request);
	} else {
		o = &c->side.options;
		*o = *s->options;
		o->place.served = true;
		o->load.runs = 1;
		o->wait.wait = COMES;
		rc = side_open(&c->side, s);
	}
	c->side.session.console.rows = s->console.out;
	/* What it was given to prove its address stays valid. */
	if (c->side.receive)
		c->side.receive->secret = r->secret;
	if (rc || side_start(&c->side)) {
		np_log_error(s->log, c->name, "cannot be served");
		side_close(&c->side);
		free(c);
		return NULL;
	}
	if (other)
		other->paired = true;
	clients->client[clients->count++] = c;
	return c;
}

/* Who is served by START or REVERSE @m, perhaps from now on. NULL: it was answered, or will be. */
static struct client *find_or_begin(struct receiver *r, const struct source *source,
				    const struct message *m, np_time at)
{
	struct client *c = find(r, source->address, m->session, is_reverse(r, m));
	const bool full = is_full(r, source->address, m);
	uint8_t verdict = MESSAGE_BUSY;

	/* Whoever has proved that he is there needs not do so for each stream. */
	if (c)
		return side_runs(&c->side) ? c : NULL;
	if (m->type == MESSAGE_REVERSE ? reverse_refuses(r, source, m)
				       : receiver_refuses(r, source, m))
		verdict = MESSAGE_UNWILLING;
	else if (m->flags & MESSAGE_PROBE || (!full && !conversation_proves(r, source, m)))
		verdict = MESSAGE_READY;
	else if (!full && (c = begin_client(r, source->address, m)))
		return c;
	/* The others of its streams wait until the first has proved it. */
	if (!r->transport.face->datagrams || !m->stream)
		conversation_answer_start(r, source, m, verdict, at);
	return NULL;
}

struct receiver *clients_take(struct receiver *r, const struct source *source,
			      const struct message *m, np_time at)
{
	struct transport *t = &r->transport;
	const uint64_t stream = UINT64_C(1) << (m ? m->stream : 0);
	struct client *c = NULL;

	if (m && (m->type == MESSAGE_START || m->type == MESSAGE_REVERSE))
		c = find_or_begin(r, source, m, at);
	else if (m && m->type == MESSAGE_TRANSACT && source->channel)
		c = find(r, source->address, m->session, false);
	else
		r->strays += t->face->datagrams;
	/* It answers itself what is repeated. */
	if (t->face->datagrams && c && c->side.receive && !(c->streams & stream) &&
	    !t->face->serve(t, source->address, &c->side.receive->transport))
		c->streams |= stream;
	return c ? c->side.receive : NULL;
}

static void clients_step(struct receiver *r)
{
	struct clients *clients = r->clients;
	struct np_record *record;

	for (unsigned i = clients->count; i-- > 0;) {
		struct client *c = clients->client[i];
		const struct session *s = &c->side.session;
		struct record_receive *sum = &r->sum;
		const struct record_transmit *sent;

		side_pass_signals(&c->side, r->session);
		if (side_runs(&c->side))
			continue;
		clients->client[i] = clients->client[--clients->count];
		if (c->side.status)
			r->status = 1;
		if (s->runs && c->side.receive) {
			receive_add(sum, &c->side.receive->sum, true);
			/* They have neither a clock nor a path in common. */
			sum->stream = NULL;
			sum->dropped = NULL;
			sum->grace = 0;
			sum->report.clock.known = false;
			sum->report.delays.count = 0;
			sum->tcp.known = false;
			sum->path = (struct np_path_drops){.softnet_known = false};
		}
		sent = NULL;
		if (c->side.send && s->runs)
			sent = &c->side.send->sum;
		/* Over connections a receiver is asked by each for what it sends. */
		if (c->side.receive && c->side.receive->sent.runs)
			sent = &c->side.receive->sent.sum;
		if (sent) {
			/* They have neither a rate nor a connection in common. */
			r->sent.sum.run++;
			np_flow_counts_add(&r->sent.sum.figures, &sent->figures);
			r->sent.sum.send_errors += sent->send_errors;
		}
		/* The other way of one that sends, too, is no further sender. */
		if (c->side.receive || !(c->request.flags & MESSAGE_BOTH_WAYS))
			r->served += s->runs ? s->runs : 1;
		r->over |= r->senders && r->served >= r->senders;
		record = s->summary;
		np_record_text(record, "type", "client");
		np_record_count(record, "exit_status", (uint64_t)c->side.status);
		session_write(r->session, record);
		side_close(&c->side);
		free(c);
	}
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
		t->rested = !came && np_busy_poll_spin(&busy, now);
		if (!t->rested && !came && !receiver_over(r)) {
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* reverse: asks the other end to send; sends to who asks for it; and both at once. */
#include "side.h"

#include <errno.h>
#include <netperf/clock.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* How long the other end may take to answer. */
#define ANSWER_LIMIT (10 * NP_SECOND)
/* The most memory for the messages of all streams: who asks decides on their number and size. */
#define MEMORY_MOST (UINT64_C(256) << 20)

/* Somebody who asks for data, by all his connections. */
struct reverse {
	struct message request; /* REVERSE of the first one */
	struct np_address from;
	struct channel *lane[MESSAGE_STREAMS_MAX];
	unsigned lanes; /* that are there */
	bool begun;	/* they are the sender's */
	char to[NP_ADDRESS_TEXT];
	struct side side;
};

/* What a part of this program's run has of the whole. Its block is printed at its end. */
static void init_side(struct side *side, struct session *s)
{
	FILE *text = s->console.block ? open_memstream(&side->text, &side->bytes) : NULL;

	side->finished = -1;
	side->session = (struct session){
		.log = s->log,
		.report = s->report,
		.outputs = s->outputs,
		.records = s->records,
		.begun = s->begun,
		.ahead = s->ahead,
		.usage = s->usage,
		.direction = "reverse",
		.beside = true,
	};
	console_init(&side->session.console, NULL, &side->options);
	side->session.console.block = text;
}

/* Ends it. Returns its exit status. */
static int end_side(struct side *side, struct session *s)
{
	FILE *text = side->session.console.block;

	if (text)
		fclose(text);
	if (text && s->console.block) {
		fwrite(side->text, 1, side->bytes, s->console.block);
		fflush(s->console.block);
	}
	free(side->text);
	np_record_free(s->summary);
	s->summary = side->session.summary;
	side_close(side);
	return side->status;
}

/* The next signal for each of this session's. */
static void pass_signals(struct side *side, const struct session *s)
{
	while (side->stops < s->interrupts)
		side_stop(side);
}

static int send_request(struct receiver *r, unsigned lane, bool both_ways)
{
	const struct load_options *load = &r->session->options->load;
	struct transport *t = &r->transport;
	uint8_t data[MESSAGE_CONTROL_MAX];
	const struct message m = {
		.version = MESSAGE_VERSION_LAST,
		.type = MESSAGE_REVERSE,
		.flags = (uint8_t)((load->ping_pong ? MESSAGE_PING_PONG : 0) |
				   (both_ways ? MESSAGE_BOTH_WAYS : 0)),
		.stream = (uint16_t)lane,
		.session = r->id,
		.run = 1,
		.time = session_wall(r->session, session_now(r->session)),
		.start = sender_announcement(load, options_rate_bits(load, 1)),
	};

	return t->face->call(t, lane, data, message_encode(data, &m));
}

/* Waits for the answer, which stays unread. Returns what is wrong with it, or NULL. */
static const char *await_answer(struct receiver *r)
{
	const int fd = np_stream_fd(r->transport.face->stream(&r->transport));
	const np_time limit = np_clock_now() + ANSWER_LIMIT;
	struct pollfd wait[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = np_signals_fd(r->session->signals), .events = POLLIN},
	};
	uint8_t data[MESSAGE_CONTROL_MAX];
	int64_t size = 0;

	while (!size) {
		ssize_t got;

		if (np_clock_now() >= limit)
			return "does not answer --reverse; is it ttcp -r?";
		(void)np_wait_ready(wait, 2, limit);
		if (session_look(r->session))
			return "interrupted before it answered";
		got = recv(fd, data, sizeof(data), MSG_PEEK | MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN))
			return "closed the connection; it does not know --reverse, or is full";
		size = got < 0 ? 0 : message_next(data, (size_t)got, &r->message[0]);
		/* More of it is on its way. */
		if (got > 0 && !size)
			(void)session_sleep(r->session, np_clock_now() + NP_MILLISECOND);
	}
	if (size > 0 && r->message[0].type == MESSAGE_START)
		return NULL;
	if (size < 0 || r->message[0].type != MESSAGE_START_OK)
		return "the program that answers there is not ttcp";
	return r->message[0].start_ok.verdict == MESSAGE_BUSY
		       ? "is busy with another sender; try again, or use --wait"
		       : "refuses to send; it reports why itself";
}

int reverse_call(struct receiver *r, bool both_ways)
{
	const struct options *o = r->session->options;
	const np_time until = np_clock_now() + o->wait.wait;
	struct transport *t = &r->transport;
	const char *why;
	int rc;

	do {
		rc = 0;
		for (unsigned i = 0; i < o->load.streams && !rc; i++)
			rc = send_request(r, i, both_ways);
		if (rc == -ECANCELED) {
			np_log_error(r->session->log, o->place.to,
				     "interrupted before a receiver was there");
			return 2;
		}
		if (rc) {
			session_blame(r->session, o->place.to, rc);
			return 2;
		}
		why = await_answer(r);
		if (!why)
			return 0;
		t->face->release(t, 0);
	} while (r->message[0].type == MESSAGE_START_OK &&
		 r->message[0].start_ok.verdict == MESSAGE_BUSY && np_clock_now() < until &&
		 session_sleep(r->session, np_clock_now() + 200 * NP_MILLISECOND));
	np_log_error(r->session->log, o->place.to, "%s", why);
	return 2;
}

/* What is wrong with a request; NULL: nothing. */
static const char *refusal(const struct receiver *r, const struct message *m)
{
	const struct options *o = r->session->options;

	if (o->place.no_reverse || o->task == TASK_MONITOR)
		return "is refused by --no-reverse";
	if (!m->start.messages && !m->start.duration)
		return "has no end";
	if ((uint64_t)m->start.streams * m->start.message_bytes > MEMORY_MOST)
		return "needs more than 256 MiB for its messages";
	return NULL;
}

static bool is_of(const struct reverse *v, const struct receiver_source *source,
		  const struct message *m)
{
	return v->request.session == m->session && np_address_same_host(&v->from, source->address);
}

bool reverse_excludes(const struct receiver *r, const struct receiver_source *source,
		      const struct message *m)
{
	return r->reverse && !(r->reverse->request.flags & MESSAGE_BOTH_WAYS && m &&
			       is_of(r->reverse, source, m));
}

bool reverse_take(struct receiver *r, const struct receiver_source *source, const struct message *m,
		  np_time at)
{
	const struct receiver_run *run = &r->with.run;
	const bool idle = run->phase == RECEIVER_IDLE || r->with.sender.id == m->session;
	const char *why = refusal(r, m);
	struct reverse *v = r->reverse;
	uint8_t verdict = MESSAGE_BUSY;

	if (why) {
		np_log_warning(r->session->log, "--reverse", "a request of %s %s",
			       peer_name(source->address, (char[NP_ADDRESS_TEXT]){0}), why);
		verdict = MESSAGE_UNWILLING;
	} else if (!v && idle && !receiver_over(r)) {
		v = r->reverse = calloc(1, sizeof(*v));
		if (v) {
			v->request = *m;
			v->from = *source->address;
		}
	}
	if (why || !v || v->begun || !is_of(v, source, m) || v->lane[m->stream] ||
	    m->stream >= v->request.start.streams) {
		conversation_answer_start(&r->with, source, m, verdict, at);
		return false;
	}
	v->lane[m->stream] = source->channel;
	v->lanes++;
	return true;
}

void reverse_lost(struct receiver *r, const struct channel *channel)
{
	struct reverse *v = r->reverse;

	for (unsigned i = 0; v && !v->begun && i < MESSAGE_STREAMS_MAX; i++) {
		if (v->lane[i] != channel)
			continue;
		/* It was closed, or its others did not come: they will be closed, too. */
		free(v);
		r->reverse = v = NULL;
	}
}

/* What is asked for, and nothing of this program's own run. */
static void set_options(struct reverse *v, const struct options *own)
{
	const struct message_start *start = &v->request.start;
	struct options *o = &v->side.options;
	const char *literal = strrchr(np_address_format(&v->from, v->to), '/') + 1;

	memmove(v->to, literal, strlen(literal) + 1);
	*o = *own;
	o->task = TASK_TRANSMIT;
	o->place.to = v->to;
	o->place.port = np_address_port(&v->from);
	o->load = (struct load_options){
		.message_bytes = start->message_bytes,
		.messages = start->messages,
		.duration = start->duration,
		.runs = 1,
		.rate_bits = (double)start->rate_bits,
		.streams = start->streams,
		.session = start->session,
		.ping_pong = v->request.flags & MESSAGE_PING_PONG,
	};
	o->files = (struct file_options){.window = own->files.window};
	o->wait = (struct wait_options){.wait = ANSWER_LIMIT, .no_wait = true};
	o->socket.batch_messages = 0;
}

static int begin(struct receiver *r)
{
	struct reverse *v = r->reverse;
	struct transport *t = &r->transport;
	int status;

	set_options(v, r->session->options);
	init_side(&v->side, r->session);
	v->side.session.partner_warns = true;
	v->begun = true;
	status = side_open(&v->side);
	if (status)
		return status;
	v->side.send->id = v->request.session;
	for (unsigned i = 0; i < v->lanes; i++)
		t->face->hand_over(t, v->lane[i], &v->side.send->transport, i);
	return side_start(&v->side) ? 1 : 0;
}

void reverse_step(struct receiver *r)
{
	struct reverse *v = r->reverse;
	struct session *s = r->session;

	if (!v->begun && v->lanes < v->request.start.streams)
		return;
	if (!v->begun)
		v->side.status = begin(r);
	pass_signals(&v->side, s);
	if (side_runs(&v->side))
		return;
	if (end_side(&v->side, s))
		r->with.status = 1;
	if (!(v->request.flags & MESSAGE_BOTH_WAYS)) {
		r->served++;
		r->over |= r->senders && r->served >= r->senders;
	}
	free(v);
	r->reverse = NULL;
	if (!receiver_over(r))
		console_listening(&s->console);
}

void reverse_begin_beside(struct sender *s)
{
	const int rc = side_start(s->beside);

	if (rc) {
		np_log_error(s->session->log, "--bidir", "%s", strerror(-rc));
		s->beside->status = 1;
	}
}

int reverse_end_beside(struct sender *s)
{
	struct side *side = s->beside;

	while (side_runs(side)) {
		(void)session_sleep(s->session, np_clock_now() + TRANSPORT_LOOK);
		pass_signals(side, s->session);
	}
	s->beside = NULL;
	return end_side(side, s->session);
}

int reverse_send_both(struct sender *s)
{
	struct side side = {.options = *s->options};
	struct options *o = &side.options;
	int status;

	o->task = TASK_RECEIVE;
	o->place.reverse = true;
	o->place.both_ways = false;
	o->place.source_port = 0;
	o->files = (struct file_options){.window = o->files.window};
	init_side(&side, s->session);
	status = side_open(&side);
	if (!status) {
		side.receive->id = s->id;
		status = reverse_call(side.receive, true);
	}
	if (status) {
		side.status = status;
		return end_side(&side, s->session);
	}
	s->beside = &side;
	status = send_run(s);
	/* It has not begun. */
	if (s->beside)
		(void)reverse_end_beside(s);
	return side.status > status ? side.status : status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* reverse: asks the other end to send; sends to who asks for it; and both at once. */
#include "side.h"

#include <errno.h>
#include <stdlib.h>

/* How long the other end may take to answer. */
#define ANSWER_LIMIT (10 * NP_SECOND)
#define AGAIN	     (100 * NP_MILLISECOND)
/*
 * The most memory for the messages of all streams, of all clients: who asks decides on their number
 * and size.
 */
#define MEMORY_MOST (UINT64_C(256) << 20)

/* Somebody who asks for data, by all his connections. */
struct reverse {
	struct message request; /* REVERSE of the first one */
	struct np_address from;
	struct channel *lane[MESSAGE_STREAMS_MAX];
	unsigned lanes; /* that are there */
	bool begun;	/* they are the sender's */
	struct side side;
};

/* Asks by all connections, or by one datagram. Returns what call does. */
static int ask(struct receiver *r, uint32_t proof, bool both_ways)
{
	const struct load_options *load = &r->session->options->load;
	struct transport *t = &r->transport;
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.version = MESSAGE_VERSION_LAST,
		.type = MESSAGE_REVERSE,
		.flags = (uint8_t)((load->ping_pong ? MESSAGE_PING_PONG : 0) |
				   (both_ways ? MESSAGE_BOTH_WAYS : 0)),
		.session = r->id,
		.run = 1,
		.time = session_wall(r->session, session_now(r->session)),
		.start = sender_announcement(load, options_rate_bits(load, 1)),
	};
	int fd = -1;

	m.start.proof = proof;
	/* The answer comes by the first one. */
	for (unsigned i = t->face->datagrams ? 1 : (unsigned)load->streams; i-- > 0;) {
		m.stream = (uint16_t)i;
		fd = t->face->call(t, i, data, message_encode(data, &m));
		if (fd < 0)
			break;
	}
	return fd;
}

/* While it asks, an overlay hands over what has come: one by one, and START will be repeated. */
static int take_answer(struct transport *t, const struct np_packet *packet, unsigned count,
		       bool by_group)
{
	struct receiver *r = t->owner;
	struct message *m = &r->message[0];

	(void)by_group;
	if (message_decode(packet->data, packet->length, m) ||
	    !np_address_equal(packet->source, &t->to) || (m->session && m->session != r->id))
		m->type = 0;
	return (int)count;
}

/*
 * Looks at what has come, and takes it, unless it is the other end's START: returns the type of a
 * message; 0: nothing; or -errno: what happened to the connection, -EPROTO: it is not ttcp's.
 */
static int next_answer(struct receiver *r, int fd)
{
	struct transport *t = &r->transport;
	struct message *m = &r->message[0];
	struct np_address from = {.length = sizeof(from.storage)};
	uint8_t data[MESSAGE_CONTROL_MAX];
	ssize_t got;
	int64_t size;

	if (t->face->self) {
		m->type = 0;
		got = t->face->receive(t);
		return got < 0 ? (int)got : m->type;
	}
	got = recvfrom(fd, data, sizeof(data), MSG_PEEK | MSG_DONTWAIT, &from.any, &from.length);
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!got && !t->face->datagrams)
		return -ECONNRESET;
	size = message_next(data, (size_t)got, m);
	if (!t->face->datagrams)
		return size > 0 ? m->type : (int)size;
	/* An answer to all has no session. */
	if (size != got || !np_address_equal(&from, &t->to) || (m->session && m->session != r->id))
		m->type = 0;
	if (m->type != MESSAGE_START)
		(void)recv(fd, data, 1, MSG_DONTWAIT);
	return m->type;
}

/* Whether to ask again after a START_OK; else *@why is set, perhaps to @text. */
static bool is_to_ask(struct receiver *r, uint32_t *proof, bool patient, const char **why,
		      char text[MESSAGE_LIMIT_TEXT])
{
	const struct message *m = &r->message[0];

	if (m->start_ok.verdict == MESSAGE_READY && m->start_ok.challenge != *proof) {
		*proof = m->start_ok.challenge;
		return true;
	}
	if (m->start_ok.verdict == MESSAGE_BUSY && !patient)
		*why = MESSAGE_BUSY_TEXT;
	else if (m->start_ok.verdict == MESSAGE_UNWILLING)
		*why = *message_limit_text(&m->start_ok, "refuses to send",
					   r->session->options->report.unit, text)
			       ? text
		       : m->session ? "refuses to send; it reports why itself"
				    : "does not know --reverse";
	return false;
}

int reverse_call(struct receiver *r, bool both_ways)
{
	static const struct transport_user asking = {.packets = take_answer};
	const struct options *o = r->session->options;
	struct transport *t = &r->transport;
	const np_time begin = np_clock_now(), patient = begin + o->wait.wait;
	np_time now = begin, again = begin, limit = begin + ANSWER_LIMIT;
	struct pollfd wait[] = {
		{.fd = -1, .events = POLLIN},
		{.fd = np_signals_fd(r->session->signals), .events = POLLIN},
	};
	char text[MESSAGE_LIMIT_TEXT];
	const char *why = NULL;
	uint32_t proof = 0;
	int type = 0;

	if (t->face->self)
		t->user = &asking;
	while (type != MESSAGE_START && !why) {
		if (now >= again) {
			wait[0].fd = ask(r, proof, both_ways);
			again = t->face->datagrams ? now + AGAIN : NP_TIME_NEVER;
			limit = t->face->datagrams ? limit : np_clock_now() + ANSWER_LIMIT;
		}
		type = wait[0].fd;
		if (type >= 0) {
			(void)np_wait_ready(wait, 2, again < limit ? again : limit);
			type = next_answer(r, wait[0].fd);
		}
		now = np_clock_now();
		if (session_look(r->session))
			why = "interrupted before it answered";
		else if (type == -ECONNREFUSED && now < patient)
			type = 0;
		else if (type == -ECONNRESET || type == -EPIPE)
			why = "closed the connection; it does not know --reverse, or is full";
		else if (type == -EPROTO || type == -EBADMSG || type == -EPROTONOSUPPORT)
			why = "the program that answers there is not ttcp";
		else if (type < 0)
			break;
		else if (type == MESSAGE_START_OK &&
			 is_to_ask(r, &proof, now < patient, &why, text))
			again = now;
		else if (type != MESSAGE_START && now >= limit && now >= patient)
			why = o->load.streams > 1
				      ? "does not answer --reverse; is it ttcp -r, with "
					"room for all streams?"
				      : "does not answer --reverse; is it ttcp -r?";
		/* Nobody is there, or an answer that is not here as a whole, makes no wait. */
		if (!type)
			(void)session_sleep(r->session, np_clock_now() + NP_MILLISECOND);
		/* It is busy: later. */
		if (type == MESSAGE_START_OK && again != now && !why && t->face->release) {
			t->face->release(t, 0);
			(void)session_sleep(r->session, now + AGAIN);
			again = now;
		}
	}
	if (type < 0 && !why)
		session_blame(r->session, o->place.to, type);
	else if (why)
		np_log_error(r->session->log, o->place.to, "%s", why);
	/* A part of a sender's run takes nothing before that begins. */
	if (!both_ways)
		t->user = &receiver_user;
	return type == MESSAGE_START && !why ? 0 : 2;
}

bool reverse_refuses(struct receiver *r, const struct source *source, const struct message *m)
{
	const struct transport_face *face = r->transport.face;
	const struct options *o = r->session->options;
	const uint64_t places = o->load.clients ? o->load.clients : 1;
	const char *why = NULL;
	char text[NP_ADDRESS_TEXT];

	if (receiver_refuses(r, source, m))
		return true;
	if (o->place.no_reverse)
		why = "is refused by --no-reverse";
	else if (r->id)
		why = "came to one that asks itself";
	else if (r->transport.group)
		why = "came to a member of a group";
	else if (o->task == TASK_MONITOR)
		why = "came to -monitor, which sends nothing";
	else if (!m->start.messages && !m->start.duration)
		why = "has no end";
	else if ((uint64_t)m->start.streams * m->start.message_bytes > MEMORY_MOST / places)
		why = "needs more than its share of 256 MiB for its messages";
	else if (face->self && m->start.streams > 1)
		why = "needs several streams, and an overlay has one";
	/* Once, however many connections it comes by. */
	if (why && r->refused != m->session) {
		np_log_warning(r->session->log, "--reverse", "a request of %s %s",
			       (face->name ? face->name : peer_name)(source->address, text), why);
		r->refused = m->session;
	}
	return why;
}

static bool is_of(const struct reverse *v, const struct source *source, const struct message *m)
{
	return v->request.session == m->session && np_address_same_host(&v->from, source->address);
}

bool reverse_excludes(const struct receiver *r, const struct source *source,
		      const struct message *m)
{
	return r->reverse &&
	       !(r->reverse->request.flags & MESSAGE_BOTH_WAYS && is_of(r->reverse, source, m));
}

bool reverse_take(struct receiver *r, const struct source *source, const struct message *m,
		  np_time at)
{
	const bool datagrams = r->transport.face->datagrams;
	struct reverse *v = r->reverse;
	enum message_verdict verdict = MESSAGE_READY;

	/* Of a datagram there may be copies. */
	if (datagrams && (m->session == r->reversed || (v && is_of(v, source, m))))
		return true;
	/*
	 * Sends what @m asks for to nobody else than who is there. A request by datagrams comes to
	 * the receiver that has the port. A connection tells its end.
	 */
	if (reverse_refuses(r, source, m) || (datagrams && r->session->options->place.served))
		verdict = MESSAGE_UNWILLING;
	else if (v ? v->begun || !is_of(v, source, m)
		   : !(datagrams && receiver_displace(r, source, m)) &&
				 ((r->run.phase != RECEIVER_IDLE && r->sender.id != m->session) ||
				  receiver_over(r)))
		verdict = MESSAGE_BUSY;
	if (verdict == MESSAGE_READY && !v && conversation_proves(r, source, m)) {
		v = r->reverse = calloc(1, sizeof(*v));
		if (v) {
			v->request = *m;
			v->from = *source->address;
		}
	}
	if (verdict == MESSAGE_READY && v && !datagrams && m->stream < v->request.start.streams &&
	    !v->lane[m->stream]) {
		v->lane[m->stream] = source->channel;
		v->lanes++;
		return true;
	}
	if (verdict == MESSAGE_READY && datagrams && v)
		return true;
	/* This asks who sends datagrams to prove his address. */
	conversation_answer_start(r, source, m,
				  (uint8_t)(verdict || datagrams ? verdict : MESSAGE_BUSY), at);
	return false;
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

int reverse_open(struct receiver *r, struct side *side, const struct np_address *from,
		 const struct message *request)
{
	const struct options *own = r->session->options;
	const struct message_start *start = &request->start;
	struct options *o = &side->options;
	struct transport *t = &r->transport;

	if (t->face->name)
		t->face->name(from, side->to);
	else
		memcpy(side->to, np_address_literal(from).text, NP_ADDRESS_TEXT);
	*o = *own;
	o->task = TASK_TRANSMIT;
	o->place.to = side->to;
	o->place.port = np_address_port(from);
	o->place.shared = true;
	o->place.served = false;
	o->place.source_port = own->place.port;
	o->load = (struct load_options){
		.message_bytes = start->message_bytes,
		.messages = start->messages,
		.duration = start->duration ? start->duration : own->wait.max_duration,
		.runs = 1,
		.rate_bits = (double)start->rate_bits,
		.streams = start->streams,
		.session = start->session,
		.ping_pong = request->flags & MESSAGE_PING_PONG,
	};
	o->files = (struct file_options){.window = own->files.window};
	o->wait = (struct wait_options){.wait = ANSWER_LIMIT, .no_wait = true};
	o->socket.batch_messages = 0;
	side->session.direction = "reverse";
	if (t->face->share)
		t->face->share(t, true);
	if (!side_open(side, r->session))
		side->send->id = request->session;
	if (t->face->share)
		t->face->share(t, false);
	return side->status;
}

/* All are there who will send: begins to. */
static void begin(struct receiver *r, struct reverse *v)
{
	const struct source to = {.address = &v->from, .bytes = MESSAGE_CONTROL_MAX};
	struct transport *t = &r->transport;
	struct session *s = &v->side.session;
	struct np_drops *drops = t->face->datagrams ? r->session->drops : NULL;
	const struct np_drops_packets packets = {
		.direction = NP_DROPS_OUT,
		.local = drops ? t->face->local(t, NULL) : NULL,
		.socket = -1,
	};

	v->begun = true;
	s->partner_warns = true;
	r->reversed = v->request.session;
	/*
	 * Counts what this host drops of what is sent. Watches are few: one is enough for all
	 * senders, which have the same port.
	 */
	if (drops && !r->sent_watch)
		r->sent_watch = session_watch_drops(drops, packets);
	if (drops && r->sent_watch >= 0) {
		s->drops = drops;
		s->drops_watch = r->sent_watch;
	}
	if (t->face->datagrams && !t->face->share)
		s->shares = t;
	if (!reverse_open(r, &v->side, &v->from, &v->request)) {
		s->runs = r->sent.runs;
		s->dropped.all = r->sent.dropped;
		v->side.send->sum = r->sent.sum;
	}
	for (unsigned i = 0; !v->side.status && i < v->lanes; i++)
		t->face->hand_over(t, v->lane[i], &v->side.send->transport, i);
	if ((v->side.status || side_start(&v->side)) && t->face->datagrams)
		conversation_answer_start(r, &to, &v->request, MESSAGE_UNWILLING,
					  session_now(r->session));
}

void reverse_step(struct receiver *r)
{
	struct reverse *v = r->reverse;
	struct session *s = r->session;

	if (!v->begun && !r->transport.face->datagrams && v->lanes < v->request.start.streams)
		return;
	if (!v->begun)
		begin(r, v);
	side_pass_signals(&v->side, s);
	if (side_runs(&v->side))
		return;
	/* It goes on from what was sent to others before. */
	if (v->side.session.summary) {
		np_record_free(s->summary);
		s->summary = v->side.session.summary;
		r->sent.runs = v->side.session.runs;
		r->sent.dropped = v->side.session.dropped.all;
		r->sent.sum = v->side.send->sum;
		r->sent.sum.receivers = NULL; /* they go with the side */
	}
	if (v->side.status)
		r->status = 1;
	side_close(&v->side);
	if (!(v->request.flags & MESSAGE_BOTH_WAYS)) {
		r->served++;
		r->over |= r->senders && r->served >= r->senders;
	}
	free(v);
	r->reverse = NULL;
	if (!receiver_over(r))
		console_listening(&s->console);
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
	side.session.direction = "reverse";
	if (s->transport.face->datagrams && !s->transport.face->share)
		side.session.shares = &s->transport;
	/* Each has a watch of its own, the sender one for each of several sockets. */
	if (s->transport.face->datagrams) {
		if (s->session->drops_watch == NP_DROPS_ALL)
			s->session->drops_watch = NP_DROPS_SENT;
		side.session.drops = s->session->drops;
		side.session.drops_watch = NP_DROPS_ALL;
	}
	status = side_open(&side, s->session);
	if (!status) {
		side.receive->id = s->id;
		status = reverse_call(side.receive, true);
	}
	if (status) {
		side_close(&side);
		return status;
	}
	s->beside = &side;
	return send_run(s);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_tcp: the connections of one sender, a stream each. */
#include "../report/record.h"
#include "connection.h"

#include <errno.h>
#include <netperf/output.h>
#include <netperf/wait.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define CONNECTIONS 192			      /* of the run, and of others that must be told no */
#define SHARE	    (MESSAGE_STREAMS_MAX + 8) /* of one host before their STARTs have come */
#define SILENT	    (20 * NP_SECOND)	      /* one whose START does not come is closed */
#define DEAF	    NP_SECOND		      /* without descriptors: to the next try */
/* A partner without a word for so long that does not even answer its kernel's question is dead. */
#define KEEP_ALIVE (20 * NP_SECOND)

struct tcp_sockets {
	struct np_stream *listener;
	struct connection *connection[CONNECTIONS];
	unsigned count;
	np_time polled; /* for the last time, by the monotonic clock */
	np_time deaf;	/* nobody is accepted before; 0: no limit */
	bool complained;
	uint8_t *memory;
};

static int open_tcp(struct transport *r)
{
	const struct options *o = transport_options(r);
	struct tcp_sockets *t = calloc(1, sizeof(*t));
	struct np_address local;
	const struct np_stream_options how = {
		.local = &local,
		.receive_bytes = o->socket.buffer_bytes,
		.send_bytes = o->socket.buffer_bytes,
		/* Answers are for people who measure. */
		.no_delay = true,
		.congestion = o->socket.congestion,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl > 0 ? o->socket.asked.ttl : 0,
		.device = o->socket.asked.device,
		.keep_alive = KEEP_ALIVE,
	};
	char text[NP_ADDRESS_TEXT];
	int rc, status;

	r->sockets = t;
	if (t)
		t->memory = aligned_alloc(CONNECTION_BEFORE, CONNECTION_BEFORE + CONNECTION_READ);
	if (!t || !t->memory) {
		np_log_error(r->session->log, NULL, "out of memory");
		return 2;
	}
	/* The next program in a pipeline may end first. */
	if (o->load.to_stdout)
		(void)signal(SIGPIPE, SIG_IGN);
	status = session_resolve(r->session, o->place.bind, o->place.port, AF_UNSPEC, &local);
	if (status)
		return status;
	rc = np_stream_listen(&t->listener, &how, CONNECTIONS);
	if (!rc)
		return 0;
	session_blame(r->session, np_address_format(&local, text), rc);
	return 2;
}

/* The others stay in the order in which they came. */
static void drop(struct transport *r, struct connection *c)
{
	struct tcp_sockets *t = r->sockets;
	unsigned index = 0;

	while (t->connection[index] != c)
		index++;
	connection_free(c);
	for (t->count--; index < t->count; index++)
		t->connection[index] = t->connection[index + 1];
}

/* The oldest whose START has not come, of @host or (NULL) of anybody; and how many there are. */
static struct connection *find_waiting(const struct tcp_sockets *t, const struct np_address *host,
				       unsigned *count)
{
	struct connection *oldest = NULL;

	*count = 0;
	for (unsigned i = 0; i < t->count; i++) {
		struct connection *c = t->connection[i];

		if (c->used || (host && !np_address_same_host(host, &c->peer)))
			continue;
		++*count;
		if (!oldest)
			oldest = c;
	}
	return oldest;
}

/*
 * To make room. What it has sent is read before it is judged: its START may be there, found at once
 * with all that came while this program had no processor.
 */
static void close_waiting(struct transport *r, struct connection *c)
{
	struct tcp_sockets *t = r->sockets;

	if (!c->gone)
		(void)connection_take(r, c, t->memory);
	if (!c->used)
		drop(r, c);
}

/* So that nobody keeps others out by connections alone. False: there is no room. */
static bool make_room(struct transport *r, const struct np_address *host)
{
	struct tcp_sockets *t = r->sockets;
	struct connection *oldest;
	unsigned count;

	while ((oldest = find_waiting(t, host, &count)) && count >= SHARE)
		close_waiting(r, oldest);
	while (t->count == CONNECTIONS && (oldest = find_waiting(t, NULL, &count)))
		close_waiting(r, oldest);
	return t->count < CONNECTIONS;
}

/* No descriptor, or no memory: those whose START has not come go first, then nobody is heard. */
static bool give_way(struct transport *r, int error, np_time now)
{
	struct tcp_sockets *t = r->sockets;
	const unsigned before = t->count;
	struct connection *oldest;
	unsigned count;

	if (error != -EMFILE && error != -ENFILE && error != -ENOBUFS && error != -ENOMEM)
		return false;
	while (t->count == before && (oldest = find_waiting(t, NULL, &count)))
		close_waiting(r, oldest);
	if (t->count < before)
		return true;
	if (!t->complained)
		np_log_warning(r->session->log, NULL, "cannot accept more connections: %s",
			       strerror(-error));
	t->complained = true;
	t->deaf = now + DEAF;
	return false;
}

static void accept_one(struct transport *r, struct np_stream *stream, np_time now)
{
	struct tcp_sockets *t = r->sockets;
	struct connection *c;

	if (!make_room(r, &np_stream_info(stream)->remote)) {
		np_stream_free(stream);
		return;
	}
	c = connection_new(stream, now);
	if (c)
		t->connection[t->count++] = c;
}

static void accept_all(struct transport *r, np_time now)
{
	struct tcp_sockets *t = r->sockets;
	struct np_stream *stream;
	unsigned turns = 0;
	int rc;

	t->deaf = 0;
	/* However many come, those that are here are read in between. */
	do {
		rc = np_stream_accept(t->listener, &stream);
		if (!rc)
			accept_one(r, stream, now);
	} while ((!rc || give_way(r, rc, now)) && ++turns < CONNECTIONS);
}

/* An empty file through a pipeline has come whole; else it was a probe. */
static void take_empty(struct transport *r, struct connection *c)
{
	const struct receiver_source source = {.address = &c->peer, .way = c};

	if (c->error || receiver_run(r->receiver)->phase != RECEIVER_IDLE ||
	    !transport_options(r)->load.to_stdout)
		return;
	c->raw = c->used = true;
	receiver_take_raw(r->receiver, &source, 0, 0, np_clock_now());
}

/* Its stream will bring no more: what that means for the run. */
static void lose(struct transport *r, const struct connection *c)
{
	if (!c->used || c->ended || receiver_run(r->receiver)->phase != RECEIVER_RECEIVING)
		return;
	if (c->raw && !c->error) {
		receiver_end_raw(r->receiver);
		return;
	}
	if (c->stdout_failed)
		np_log_error(r->session->log, "stdout", "%s", np_output_reason(c->error));
	else if (c->error != -ECANCELED)
		np_log_error(r->session->log, "sender", "%s before its END",
			     c->error == -EBADMSG || c->error == -EPROTO
				     ? "sent what is no message of ttcp's"
			     : c->error ? strerror(-c->error)
					: "closed the connection");
	r->failed = true;
	receiver_cut_off(r->receiver);
}

/* Half closed behind its END, it still has to carry the report that the other streams end with. */
static bool awaits_report(const struct transport *r, const struct connection *c)
{
	return c->ended && !c->error && receiver_run(r->receiver)->phase == RECEIVER_RECEIVING &&
	       receiver_serves(r->receiver, c->session, c->run);
}

static int take_ready(struct transport *r, np_time now)
{
	struct tcp_sockets *t = r->sockets;
	int count = 0;

	for (unsigned i = 0; i < t->count; i++) {
		struct connection *c = t->connection[i];

		if (!c->gone && (c->ready || r->rested))
			count += connection_take(r, c, t->memory);
		if (!c->gone && !c->used && now - c->since >= SILENT) {
			c->gone = true;
			c->error = -ETIMEDOUT;
		}
		if (!c->gone || awaits_report(r, c))
			continue;
		if (!c->heard)
			take_empty(r, c);
		lose(r, c);
		if (c->error == -EPROTONOSUPPORT)
			np_log_warning(r->session->log, "sender",
				       "speaks another version of ttcp's messages");
		drop(r, c);
		i--;
	}
	return count;
}

static void mark_ready(struct tcp_sockets *t, const struct pollfd *fds)
{
	for (unsigned i = 0; i < t->count; i++)
		t->connection[i]->ready |= fds[i].revents != 0;
}

/* When somebody's time to say START is over, or there may be descriptors again. */
static np_time next_change(const struct tcp_sockets *t, np_time deadline)
{
	unsigned count;
	const struct connection *oldest = find_waiting(t, NULL, &count);

	if (t->deaf && t->deaf < deadline)
		deadline = t->deaf;
	return oldest && oldest->since + SILENT < deadline ? oldest->since + SILENT : deadline;
}

static int wait_tcp(struct transport *r, np_time latest, bool writable)
{
	struct tcp_sockets *t = r->sockets;
	struct pollfd fds[CONNECTIONS + 2];
	np_time now = np_clock_now();
	int came;

	(void)writable;
	t->polled = now;
	if (now >= t->deaf)
		t->deaf = 0;
	for (unsigned i = 0; i < t->count; i++) {
		const struct connection *c = t->connection[i];

		fds[i] = (struct pollfd){.fd = c->gone ? -1 : np_stream_fd(c->stream),
					 .events = c->filled ? POLLOUT : POLLIN};
	}
	fds[t->count] = (struct pollfd){
		.fd = now < t->deaf ? -1 : np_stream_fd(t->listener),
		.events = POLLIN,
	};
	fds[t->count + 1] =
		(struct pollfd){.fd = np_signals_fd(r->session->signals), .events = POLLIN};
	came = np_wait_ready(fds, t->count + 2, next_change(t, latest));
	if (came < 0)
		return came;
	mark_ready(t, fds);
	if (fds[t->count].revents)
		accept_all(r, now);
	return came - (fds[t->count + 1].revents != 0) > 0;
}

/* The report goes by the first stream, as all that concerns the whole run. */
static struct connection *find_lane(struct tcp_sockets *t, uint16_t lane)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->connection[i]->used && t->connection[i]->lane == lane)
			return t->connection[i];
	return NULL;
}

static void choose_patience(struct transport *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct connection *c = find_lane(r->sockets, 0);
	/* One stream alone: to sleep in its receive call saves the poll before each. */
	bool wanted = run->streams == 1 && run->phase == RECEIVER_RECEIVING;
	size_t least;

	if (!c)
		return;
	/* Of a message that is not looked at only the end matters, when its last byte is here. */
	least = wanted && connection_drops(r, c) ? run->start.message_bytes : 0;
	if (c->least != least && !np_stream_set_low_watermark(c->stream, least ? least : 1))
		c->least = least;
	if (c->patient != wanted &&
	    !np_stream_set_receive_timeout(c->stream, wanted ? TRANSPORT_LOOK : 0))
		c->patient = wanted;
	c->ready |= c->patient;
}

static int receive_tcp(struct transport *r)
{
	struct tcp_sockets *t = r->sockets;
	np_time now = np_clock_now();
	int rc = 0;

	/* While one keeps us busy, others wait to be told so. */
	if (now - t->polled >= TRANSPORT_LOOK)
		rc = wait_tcp(r, 0, false);
	choose_patience(r);
	return rc < 0 ? rc : take_ready(r, now);
}

static int send_tcp(struct transport *r, void *way, const struct np_address *to,
		    const void *message, size_t bytes)
{
	struct connection *c = way ? way : find_lane(r->sockets, 0);
	int rc = c ? connection_answer(c, message, bytes) : -ENOTCONN;

	(void)to;
	/* Who is not being read now would send it late, or never. */
	if (!rc && !way)
		connection_flush(c);
	return rc;
}

/* What is dropped is sent again. */
static void count_tcp(const struct transport *r, struct transport_counts *counts)
{
	(void)r;
	*counts = (struct transport_counts){.drop_unit = NULL};
}

static void release_tcp(struct transport *r, int lane)
{
	struct tcp_sockets *t = r->sockets;

	(void)lane;
	for (unsigned i = t->count; i-- > 0;)
		if (t->connection[i]->used)
			drop(r, t->connection[i]);
}

static const struct np_address *local_tcp(const struct transport *r, const void *way)
{
	const struct connection *c = way;

	(void)r;
	return c ? &np_stream_info(c->stream)->local : NULL;
}

static void describe_tcp(const struct transport *r, struct np_record *start)
{
	const struct tcp_sockets *t = r->sockets;

	if (t->count)
		record_start_stream(start, np_stream_info(t->connection[0]->stream));
}

static void close_tcp(struct transport *r)
{
	struct tcp_sockets *t = r->sockets;

	if (!t)
		return;
	while (t->count)
		drop(r, t->connection[0]);
	np_stream_free(t->listener);
	free(t->memory);
	free(t);
	r->sockets = NULL;
}

const struct transport_face transport_receiver_tcp = {
	.open = open_tcp,
	.receive = receive_tcp,
	.wait = wait_tcp,
	.send = send_tcp,
	.release = release_tcp,
	.counts = count_tcp,
	.local = local_tcp,
	.describe = describe_tcp,
	.close = close_tcp,
};

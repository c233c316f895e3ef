// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* connection: finds the messages in a stream, in place; throws away what nobody wants to see. */
#include "connection.h"

#include "../files/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TRUNCATE_MAX ((size_t)1 << 30)
/* From here on two system calls a message cost less than to copy it. */
#define LARGE 16384

struct connection *connection_new(struct np_stream *stream, np_time now)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (c)
		c->answers = malloc(CONNECTION_ANSWER_ROOM);
	if (!c || !c->answers) {
		np_stream_free(stream);
		free(c);
		return NULL;
	}
	c->stream = stream;
	c->peer = np_stream_info(stream)->remote;
	c->since = now;
	c->ready = true;
	return c;
}

void connection_free(struct connection *connection)
{
	if (!connection)
		return;
	np_stream_free(connection->stream);
	free(connection->answers);
	free(connection);
}

void connection_flush(struct connection *c)
{
	while (c->went < c->filled) {
		ssize_t sent = np_stream_send(c->stream, c->answers + c->went, c->filled - c->went);

		if (sent == -EAGAIN)
			return;
		if (sent < 0) {
			/* What came before is still there to be read. */
			c->went = c->filled;
			return;
		}
		c->went += (size_t)sent;
	}
	c->went = c->filled = 0;
}

int connection_answer(struct connection *c, const void *message, size_t bytes)
{
	if (c->filled + bytes > CONNECTION_ANSWER_ROOM)
		connection_flush(c);
	if (c->filled + bytes > CONNECTION_ANSWER_ROOM)
		return -EAGAIN;
	memcpy(c->answers + c->filled, message, bytes);
	c->filled += bytes;
	return 0;
}

static void fail(struct connection *c, int error)
{
	c->gone = true;
	c->error = error;
}

/* A message of this connection tells which stream it carries. */
static void deliver(struct transport *r, struct connection *c, const struct message *m, np_time at)
{
	const struct receiver_source source = {.address = &c->peer, .way = c};

	/* A connection has one stream of one run in it. */
	if (c->used && (m->session != c->session || m->run != c->run || m->stream != c->lane)) {
		fail(c, -EPROTO);
		return;
	}
	receiver_take(r->receiver, &source, m, at);
	if (m->type == MESSAGE_DATA)
		return;
	if (!receiver_serves(r->receiver, m->session, m->run)) {
		/* Another sender has been told that it is not its turn. */
		connection_flush(c);
		fail(c, -EBUSY);
		return;
	}
	c->used = true;
	c->session = m->session;
	c->run = m->run;
	c->lane = m->stream;
	c->ended |= m->type == MESSAGE_END;
}

/* Whether what DATA carries may be thrown away. */
static bool may_drop(const struct transport *r, const struct connection *c)
{
	const struct receiver_run *run = receiver_run(r->receiver);

	return c->used && !c->ended && run->phase == RECEIVER_RECEIVING && run->started &&
	       (run->flags & MESSAGE_NO_COPY || transport_options(r)->load.no_copy);
}

bool connection_drops(const struct transport *r, const struct connection *c)
{
	return receiver_run(r->receiver)->start.message_bytes >= LARGE && may_drop(r, c);
}

/* All DATA of the connection unread, when it is known how much that will be. */
static bool may_truncate(const struct transport *r, const struct connection *c)
{
	const struct message_start *start = &receiver_run(r->receiver)->start;

	return start->messages && !start->duration && start->message_bytes < LARGE &&
	       may_drop(r, c);
}

/* @bytes of them have gone; a message counts when its last byte has. */
static void count_truncated(struct transport *r, struct connection *c, size_t bytes, np_time at)
{
	uint64_t size = receiver_run(r->receiver)->start.message_bytes;
	uint64_t messages = (c->truncate + size - 1) / size;

	c->truncate -= bytes;
	messages -= (c->truncate + size - 1) / size;
	receiver_take_unread(r->receiver, c->lane, messages, bytes, at);
}

/* The first DATA: what is here of them all, the others need not be seen. */
static size_t begin_truncating(struct transport *r, struct connection *c, size_t length, np_time at)
{
	const struct message_start *start = &receiver_run(r->receiver)->start;
	size_t here;

	receiver_begin_unread(r->receiver, c->lane);
	c->truncate = start->messages * start->message_bytes;
	here = length < c->truncate ? length : (size_t)c->truncate;
	count_truncated(r, c, here, at);
	return here;
}

/* A DATA whose end has not come: it counts when that has, but the run begins here. */
static size_t begin_data(struct transport *r, struct connection *c, size_t length, np_time at)
{
	const struct message *data = &c->message;

	c->data = *data;
	c->lacking = data->size - length;
	/* One that is dropped unread is not looked at before most of it is here. */
	if (c->used && data->stream == c->lane && !c->least)
		receiver_take_part(r->receiver, data, length, at);
	return length;
}

static size_t end_data(struct transport *r, struct connection *c, size_t length, np_time at)
{
	size_t used = length < c->lacking ? length : c->lacking;

	c->lacking -= used;
	if (!c->lacking)
		deliver(r, c, &c->data, at);
	return used;
}

/* Takes the message that begins at @data: how many bytes of it are used; 0: it is not whole yet. */
static size_t step(struct transport *r, struct connection *c, const uint8_t *data, size_t length,
		   np_time at)
{
	int64_t size = message_next(data, length, &c->message);

	if (size < 0) {
		fail(c, (int)size);
		return 0;
	}
	if (!size) {
		memcpy(c->carry, data, length);
		c->carried = length;
		return 0;
	}
	if (c->message.type == MESSAGE_DATA && may_truncate(r, c))
		return begin_truncating(r, c, length, at);
	if ((uint64_t)size > length)
		return begin_data(r, c, length, at);
	deliver(r, c, &c->message, at);
	return (size_t)size;
}

/* All whole messages in @length bytes; part of one stays for the next turn. How many. */
static int walk(struct transport *r, struct connection *c, const uint8_t *data, size_t length,
		np_time at)
{
	int count = 0;

	while (length && !c->gone) {
		size_t used =
			c->lacking ? end_data(r, c, length, at) : step(r, c, data, length, at);

		if (!used)
			break;
		data += used;
		length -= used;
		count++;
	}
	return count;
}

/* The first bytes tell what it is. */
static int look_first(struct transport *r, struct connection *c, const uint8_t *data, size_t length,
		      np_time at)
{
	const struct receiver_source source = {.address = &c->peer, .way = c};

	const struct load_options *load = &transport_options(r)->load;

	c->heard = true;
	if (!load->to_stdout && !load->classic && message_is_ours(data, length))
		return 0;
	/* One raw partner at a time. */
	if (receiver_run(r->receiver)->phase != RECEIVER_IDLE) {
		fail(c, -EBUSY);
		return -EBUSY;
	}
	c->raw = c->used = true;
	receiver_take_raw(r->receiver, &source, 0, 0, at);
	return 0;
}

static int take_raw(struct transport *r, struct connection *c, const uint8_t *data, size_t length,
		    np_time at)
{
	const struct receiver_source source = {.address = &c->peer, .way = c};

	if (transport_options(r)->load.to_stdout) {
		int rc = pipeline_write(r->session, data, length);

		if (rc) {
			c->stdout_failed = rc != -ECANCELED;
			fail(c, rc);
			return 1;
		}
	}
	receiver_take_raw(r->receiver, &source, 1, length, at);
	return 1;
}

/* Nothing now (1): wait. The end, or an error (1): gone. */
static bool nothing(struct connection *c, ssize_t got)
{
	if (got == -EAGAIN)
		c->ready = false;
	else if (got <= 0)
		fail(c, (int)got);
	return got <= 0;
}

static int take_truncated(struct transport *r, struct connection *c)
{
	ssize_t got = np_stream_truncate(c->stream, c->truncate < TRUNCATE_MAX ? (size_t)c->truncate
									       : TRUNCATE_MAX);

	if (nothing(c, got))
		return 0;
	count_truncated(r, c, (size_t)got, np_clock_now());
	return 1;
}

/* The rest of a large message; its header has been read. */
static int drop_fill(struct transport *r, struct connection *c)
{
	ssize_t got = np_stream_truncate(c->stream, c->lacking);
	np_time at;

	if (nothing(c, got))
		return 0;
	at = np_clock_now();
	receiver_heard(r->receiver, at);
	end_data(r, c, (size_t)got, at);
	return 1;
}

int connection_take(struct transport *r, struct connection *c, uint8_t *memory)
{
	bool drops = connection_drops(r, c);
	uint8_t *data = memory + CONNECTION_BEFORE;
	size_t length;
	ssize_t got;
	np_time at;
	int count;

	/* Whoever does not read its answers is not read either. */
	connection_flush(c);
	if (c->filled) {
		c->ready = false;
		return 0;
	}
	if (c->truncate)
		return take_truncated(r, c);
	if (drops && c->lacking)
		return drop_fill(r, c);
	/* Any message but DATA is in it whole. */
	got = np_stream_receive(c->stream, data, drops ? MESSAGE_CONTROL_MAX : CONNECTION_READ);
	at = np_clock_now();
	if (nothing(c, got))
		return 0;
	/* Part of a message, too: a large one may take long. */
	if (c->used && receiver_serves(r->receiver, c->session, c->run))
		receiver_heard(r->receiver, at);
	data -= c->carried;
	memcpy(data, c->carry, c->carried);
	length = (size_t)got + c->carried;
	c->carried = 0;
	if (!c->heard && look_first(r, c, data, length, at))
		return 0;
	count = c->raw ? take_raw(r, c, data, length, at) : walk(r, c, data, length, at);
	connection_flush(c);
	return count;
}

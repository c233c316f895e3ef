// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* connection: finds the messages in a stream, in place; discards data that nobody wants to see. */
#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* From this size on, two system calls for a message cost less than copying it. */
#define LARGE 16384

struct connection {
	struct channel *channel; /* ->kept: it carries a stream of the current run */
	bool heard, raw;
	bool pass_failed;
	bool ended; /* and has delivered its END */
	uint32_t session, run;
	uint16_t lane; /* the number of that stream */
	/* Bytes of the start of an incomplete message. */
	size_t carried;
	uint8_t carry[MESSAGE_CONTROL_MAX];
	/* Bytes that a DATA still lacks. */
	size_t lacking;
	size_t low_watermark; /* fewer bytes are held back; 0: none are */
	struct message data;
	struct message message; /* buffer for a received message */
	uint64_t truncate;	/* bytes to come that nobody wants to see */
};

static struct connection *connection_of(const struct channel *channel)
{
	return channel->user;
}

void connections_begin(struct connections *all, struct receiver *receiver)
{
	all->receiver = receiver;
	all->with = receiver_conversation(receiver);
	all->run = conversation_run(all->with);
}

int connection_open(struct connections *all, struct channel *channel)
{
	struct connection *c = calloc(1, sizeof(*c));

	(void)all;
	channel->user = c;
	if (!c)
		return -ENOMEM;
	c->channel = channel;
	return 0;
}

void connection_close(struct connections *all, struct channel *channel)
{
	if (all->first == channel->user)
		all->first = NULL;
	free(channel->user);
	channel->user = NULL;
}

struct channel *connection_first(const struct connections *all)
{
	return all->first ? all->first->channel : NULL;
}

bool connection_heard(const struct channel *channel)
{
	return connection_of(channel)->heard;
}

bool connection_raw(const struct channel *channel)
{
	return connection_of(channel)->raw;
}

bool connection_pass_failed(const struct channel *channel)
{
	return connection_of(channel)->pass_failed;
}

bool connection_broke_off(const struct connections *all, const struct channel *channel)
{
	return channel->kept && !connection_of(channel)->ended &&
	       all->run->phase == RECEIVER_RECEIVING;
}

bool connection_awaits_report(const struct connections *all, const struct channel *channel)
{
	const struct connection *c = connection_of(channel);

	return c->ended && !channel->error && all->run->phase == RECEIVER_RECEIVING &&
	       receiver_serves(all->receiver, c->session, c->run);
}

static void fail(struct connection *c, int error)
{
	c->channel->gone = true;
	c->channel->error = error;
}

static struct receiver_source source_of(struct connection *c)
{
	return (struct receiver_source){.address = &c->channel->peer, .way = c->channel};
}

/* The first connection that claims to carry lane 0 of a run is believed. */
static void keep(struct connections *all, struct connection *c, const struct message *m)
{
	const struct connection *first = all->first;

	c->channel->kept = true;
	c->session = m->session;
	c->run = m->run;
	c->lane = m->stream;
	c->ended |= m->type == MESSAGE_END;
	if (!c->lane && (!first || first->session != c->session || first->run != c->run))
		all->first = c;
}

/* Each message names the stream that this connection carries. */
static void deliver(struct connections *all, struct connection *c, const struct message *m,
		    np_time at)
{
	const struct receiver_source source = source_of(c);

	/* A connection carries only one stream of one run. */
	if (c->channel->kept &&
	    (m->session != c->session || m->run != c->run || m->stream != c->lane)) {
		fail(c, -EPROTO);
		return;
	}
	receiver_take(all->receiver, &source, m, at);
	if (m->type == MESSAGE_DATA)
		return;
	/* Another sender has been refused already. */
	if (receiver_serves(all->receiver, m->session, m->run))
		keep(all, c, m);
	else
		fail(c, -EBUSY);
}

/* Whether the content of DATA may be discarded. */
static bool may_drop(const struct connections *all, const struct connection *c)
{
	const struct receiver_run *run = all->run;

	return c->channel->kept && !c->ended && run->phase == RECEIVER_RECEIVING && run->started &&
	       (run->flags & MESSAGE_NO_COPY || all->no_copy);
}

/*
 * Whether the rest of a message is discarded unread once its header is here: then it may arrive as
 * a whole.
 */
static bool drops(const struct connections *all, const struct connection *c)
{
	return all->run->start.message_bytes >= LARGE && may_drop(all, c);
}

/* Whether all DATA of the connection may be discarded, since their size and number are known. */
static bool may_truncate(const struct connections *all, const struct connection *c)
{
	const struct message_start *start = &all->run->start;

	return start->messages && !start->duration && start->message_bytes < LARGE &&
	       may_drop(all, c);
}

/* @bytes of them were discarded; a message counts when its last byte was. */
static void count_truncated(struct connections *all, struct connection *c, size_t bytes, np_time at)
{
	uint64_t size = all->run->start.message_bytes;
	uint64_t messages = (c->truncate + size - 1) / size;

	c->truncate -= bytes;
	messages -= (c->truncate + size - 1) / size;
	conversation_take_unread(all->with, c->lane, messages, bytes, at);
}

/* After the first DATA: counts what is here, and lets the rest be discarded. */
static size_t begin_truncating(struct connections *all, struct connection *c, size_t length,
			       np_time at)
{
	const struct message_start *start = &all->run->start;
	size_t here;

	conversation_begin_unread(all->with, c->lane);
	c->truncate = start->messages * start->message_bytes;
	here = length < c->truncate ? length : (size_t)c->truncate;
	count_truncated(all, c, here, at);
	return here;
}

/*
 * Handles a DATA whose end has not arrived: it counts only when that has, but the run starts here.
 */
static size_t begin_data(struct connections *all, struct connection *c, size_t length, np_time at)
{
	const struct message *data = &c->message;

	c->data = *data;
	c->lacking = data->size - length;
	/* A message that will be discarded need not be looked at before most of it is here. */
	if (c->channel->kept && data->stream == c->lane && !c->low_watermark)
		conversation_take_part(all->with, data, length, at);
	return length;
}

static size_t end_data(struct connections *all, struct connection *c, size_t length, np_time at)
{
	size_t used = length < c->lacking ? length : c->lacking;

	c->lacking -= used;
	if (!c->lacking)
		deliver(all, c, &c->data, at);
	return used;
}

/* Handles the message that starts at @data. Returns how many bytes it took; 0: it is incomplete. */
static size_t step(struct connections *all, struct connection *c, const uint8_t *data,
		   size_t length, np_time at)
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
	if (c->message.type == MESSAGE_DATA && may_truncate(all, c))
		return begin_truncating(all, c, length, at);
	if ((uint64_t)size > length)
		return begin_data(all, c, length, at);
	deliver(all, c, &c->message, at);
	return (size_t)size;
}

/*
 * Handles all complete messages in @length bytes; the rest stays for the next call. Returns how
 * many.
 */
static int walk(struct connections *all, struct connection *c, const uint8_t *data, size_t length,
		np_time at)
{
	int count = 0;

	while (length && !c->channel->gone) {
		size_t used =
			c->lacking ? end_data(all, c, length, at) : step(all, c, data, length, at);

		if (!used)
			break;
		data += used;
		length -= used;
		count++;
	}
	return count;
}

/* Only one raw partner at a time. */
static bool begin_raw(struct connections *all, struct connection *c, np_time at)
{
	const struct receiver_source source = source_of(c);

	if (!receiver_may_begin_raw(all->receiver, at))
		return false;
	c->raw = c->channel->kept = true;
	all->first = c;
	receiver_take_raw(all->receiver, &source, 0, 0, at);
	return true;
}

void connection_take_empty(struct connections *all, struct channel *channel, np_time at)
{
	if (!channel->error && all->pass_on)
		(void)begin_raw(all, connection_of(channel), at);
}

/* The first bytes show what kind of partner it is. */
static void look_first(struct connections *all, struct connection *c, const uint8_t *data,
		       size_t length, np_time at)
{
	c->heard = true;
	if ((all->raw || !message_is_ours(data, length)) && !begin_raw(all, c, at))
		fail(c, -EBUSY);
}

static int take_raw(struct connections *all, struct connection *c, const uint8_t *data,
		    size_t length, np_time at)
{
	const struct receiver_source source = source_of(c);
	int rc = all->pass_on ? all->pass_on(all->context, data, length) : 0;

	if (rc) {
		c->pass_failed = rc != -ECANCELED;
		fail(c, rc);
		return 1;
	}
	receiver_take_raw(all->receiver, &source, 1, length, at);
	return 1;
}

size_t connection_wish(const struct connections *all, const struct channel *channel, bool *unread)
{
	const struct connection *c = connection_of(channel);
	const bool dropped = !c->truncate && drops(all, c);
	const bool large = receiver_run(all->receiver)->start.message_bytes >= LARGE;

	*unread = c->truncate || (dropped && c->lacking);
	if (*unread)
		return c->truncate ? (size_t)c->truncate : c->lacking;
	/* Of a large message the header; any message but DATA fits completely. */
	if (dropped)
		return MESSAGE_CONTROL_MAX;
	/* The header of each small message is read: small reads stay in the nearest cache. */
	return c->channel->kept && !c->raw && large ? TRANSPORT_READ : TRANSPORT_READ_SMALL;
}

static void take_unread(struct connections *all, struct connection *c, size_t length, np_time at)
{
	if (c->truncate) {
		count_truncated(all, c, length, at);
		return;
	}
	conversation_heard(all->with, at);
	end_data(all, c, length, at);
}

int connection_take(struct connections *all, struct channel *channel, uint8_t *data, size_t length,
		    np_time at)
{
	struct connection *c = connection_of(channel);

	if (!data) {
		take_unread(all, c, length, at);
		return 1;
	}
	/* Part of a message counts as a sign of life, too: a large one may take long. */
	if (channel->kept && receiver_serves(all->receiver, c->session, c->run))
		conversation_heard(all->with, at);
	data -= c->carried;
	memcpy(data, c->carry, c->carried);
	length += c->carried;
	c->carried = 0;
	if (!c->heard)
		look_first(all, c, data, length, at);
	if (channel->gone)
		return 0;
	return c->raw ? take_raw(all, c, data, length, at) : walk(all, c, data, length, at);
}

bool connection_alone(const struct connections *all, size_t *low_watermark)
{
	const struct receiver_run *run = all->run;
	const bool alone = all->first && run->streams == 1 && run->phase == RECEIVER_RECEIVING;

	*low_watermark = alone && drops(all, all->first) ? run->start.message_bytes : 0;
	return alone;
}

void connection_hold_back(struct connections *all, size_t low_watermark)
{
	all->first->low_watermark = low_watermark;
}

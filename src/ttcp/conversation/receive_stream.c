// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive_stream: what arrives at a receiver: finds the messages that its connections carry, in
 * place, and discards data that nobody wants to see; or passes on the bytes of a sender that is not
 * ttcp; and finds messages in datagrams, and handles those that differ only by their numbers at
 * once.
 */
#include "conversation.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* From this size on, two system calls for a message cost less than copying it. */
#define LARGE 16384

struct connection {
	struct channel *channel; /* ->kept: it carries a stream of the current run */
	struct receiver *client; /* --clients: it is to be given to this one */
	bool heard;		 /* it has delivered a byte */
	bool raw;
	bool ended;  /* it has delivered its END */
	bool single; /* it is for one transaction */
	bool asked;  /* it has delivered a REVERSE */
	uint32_t session, run;
	uint16_t lane; /* the number of its stream */
	/* Bytes of the start of an incomplete message. */
	size_t carried;
	uint8_t carry[MESSAGE_CONTROL_MAX];
	struct message message; /* buffer for a received message */
	size_t lacking;		/* bytes of it, a DATA, or of a request, that are still to come */
	uint64_t truncate;	/* bytes to come that nobody wants to see */
};

/* Whether --allow lets @source in; counts those that it does not. */
static bool allows(struct receiver *r, const struct np_address *source)
{
	const bool allowed = np_address_networks_have(r->allowed, source);

	r->not_allowed += !allowed;
	return allowed;
}

static int opened(struct transport *t, struct channel *channel)
{
	struct receiver *r = t->owner;
	struct connection *c;

	if (!allows(r, &channel->peer))
		return -EACCES;
	c = calloc(1, sizeof(*c));
	channel->user = c;
	if (!c)
		return -ENOMEM;
	c->channel = channel;
	return 0;
}

static void closed(struct transport *t, struct channel *channel)
{
	struct receiver *r = t->owner;

	if (r->first == channel)
		r->first = NULL;
	reverse_lost(r, channel);
	transactions_finish(r, channel);
	free(channel->user);
	channel->user = NULL;
}

static void fail(struct connection *c, int error)
{
	c->channel->gone = true;
	c->channel->error = error;
}

static struct source source_of(struct connection *c)
{
	return (struct source){.address = &c->channel->peer, .channel = c->channel};
}

/* Each message names the stream that this connection carries. */
static void deliver(struct receiver *r, struct connection *c, const struct message *m, np_time at)
{
	const struct source source = source_of(c);
	const bool other = m->session != c->session || m->run != c->run || m->stream != c->lane;

	/*
	 * A connection carries only one stream of one run. What asks for a sender becomes one lane
	 * of it, and carries nothing else.
	 */
	if (c->asked || (c->channel->kept && (other || m->type == MESSAGE_REVERSE))) {
		fail(c, -EPROTO);
	} else if (m->type == MESSAGE_REVERSE) {
		c->asked = true;
		if (!reverse_take(r, &source, m, at))
			fail(c, -EBUSY);
	} else if (m->type == MESSAGE_TRANSACT) {
		c->single = !c->channel->kept;
		c->lacking = c->single ? m->transact.request_bytes : 0;
		if (!transactions_take(r, &source, m))
			fail(c, -EPROTO);
	} else {
		receiver_take(r, &source, m, at);
		if (m->type == MESSAGE_DATA)
			return;
		/* Another sender has been refused already. */
		if (!conversation_serves(r, m->session, m->run)) {
			fail(c, -EBUSY);
			return;
		}
		c->channel->kept = true;
		c->session = m->session;
		c->run = m->run;
		c->lane = m->stream;
		c->ended |= m->type == MESSAGE_END;
		/* The first connection that claims to carry lane 0 of a run is believed. */
		if (!c->lane && !r->first)
			r->first = c->channel;
	}
}

/* Whether the content of DATA may be discarded. */
static bool may_drop(const struct receiver *r, const struct connection *c)
{
	const struct receiver_run *run = &r->run;

	return c->channel->kept && !c->ended && run->phase == RECEIVER_RECEIVING && run->started &&
	       !(run->flags & MESSAGE_WARM_UP) &&
	       (run->flags & MESSAGE_NO_COPY || r->session->options->load.no_copy);
}

/*
 * Whether the rest of a message is discarded unread once its header is here: then it may arrive as
 * a whole.
 */
static bool drops(const struct receiver *r, const struct connection *c)
{
	return r->run.start.message_bytes >= LARGE && may_drop(r, c);
}

size_t receive_stream_least(const struct receiver *r)
{
	const struct receiver_run *run = &r->run;
	const struct channel *first = r->first;

	return first && run->streams == 1 && drops(r, first->user) ? run->start.message_bytes : 0;
}

/* @bytes of DATA were discarded; a message counts when its last byte was. */
static void count_truncated(struct receiver *r, struct connection *c, size_t bytes, np_time at)
{
	uint64_t size = r->run.start.message_bytes;
	uint64_t messages = (c->truncate + size - 1) / size;

	c->truncate -= bytes;
	messages -= (c->truncate + size - 1) / size;
	conversation_take_raw(r, c->lane, messages, bytes, at);
}

/* Takes what was lacking of a DATA, or of the request of a connection for one transaction. */
static size_t end_message(struct receiver *r, struct connection *c, size_t length, np_time at)
{
	size_t used = length < c->lacking ? length : c->lacking;

	c->lacking -= used;
	if (c->single)
		r->sender.heard = at;
	if (!c->lacking && c->single)
		transactions_answer(r, c->channel, at);
	else if (!c->lacking)
		deliver(r, c, &c->message, at);
	return used;
}

/* Handles the message that starts at @data. Returns how many bytes it took; 0: it is incomplete. */
static size_t step(struct receiver *r, struct connection *c, const uint8_t *data, size_t length,
		   np_time at)
{
	const struct message_start *start = &r->run.start;
	const int64_t size = message_next(data, length, &c->message);
	const struct message *m = &c->message;

	if (size < 0) {
		fail(c, (int)size);
		return 0;
	}
	if (!size) {
		memcpy(c->carry, data, length);
		c->carried = length;
		return 0;
	}
	/* The size and number of its DATA are known: counts what is here, and discards the rest. */
	if (m->type == MESSAGE_DATA && start->messages && !start->duration &&
	    start->message_bytes < LARGE && may_drop(r, c)) {
		r->run.unread = true;
		(void)conversation_begin_stream(r, c->lane, 0, false);
		c->truncate = start->messages * start->message_bytes;
		length = (size_t)np_least(length, c->truncate);
		count_truncated(r, c, length, at);
		return length;
	}
	if ((uint64_t)size <= length) {
		deliver(r, c, m, at);
		return (size_t)size;
	}
	/* A DATA counts only when its end has arrived, but the run starts here. */
	c->lacking = m->size - length;
	/* A message that will be discarded need not be looked at before most of it is here. */
	if (c->channel->kept && m->stream == c->lane && !receive_stream_least(r))
		conversation_take_part(r, m, length, at);
	return length;
}

/* Only one raw partner at a time. */
static bool begin_raw(struct receiver *r, struct connection *c, np_time at)
{
	const struct source source = source_of(c);

	if (!receiver_may_begin_raw(r, at))
		return false;
	c->raw = c->channel->kept = true;
	receiver_take_raw(r, &source, 0, 0, at);
	r->first = c->channel;
	return true;
}

/*
 * Writes everything to stdout, however long its reader takes, unless the user wants to stop:
 * -ECANCELED. Else returns 0 or -errno, -EPIPE: the reader is gone.
 */
static int write_pipeline(struct session *s, const uint8_t *data, size_t bytes)
{
	struct pollfd fds[] = {
		{.fd = STDOUT_FILENO, .events = POLLOUT},
		{.fd = np_signals_fd(s->signals), .events = POLLIN},
	};
	ssize_t written;
	int rc;

	while (bytes) {
		rc = np_wait_ready(fds, 2, NP_TIME_NEVER);
		if (rc < 0)
			return rc;
		if (fds[1].revents && session_look(s))
			return -ECANCELED;
		if (fds[0].revents & POLLERR)
			return -EPIPE;
		if (!fds[0].revents)
			continue;
		/* A writable pipe takes so much at once; it is shared, so it stays blocking. */
		written = write(STDOUT_FILENO, data, bytes < PIPE_BUF ? bytes : PIPE_BUF);
		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		data += written > 0 ? written : 0;
		bytes -= written > 0 ? (size_t)written : 0;
	}
	return 0;
}

static int take_bytes(struct transport *t, struct channel *channel, uint8_t *data, size_t length,
		      np_time at)
{
	struct receiver *r = t->owner;
	const struct load_options *load = &r->session->options->load;
	struct connection *c = channel->user;
	const struct source source = source_of(c);
	int64_t size;
	int count = 0, rc;

	if (channel->kept && receiver_drains(r))
		return 1;
	if (!data && c->truncate) {
		count_truncated(r, c, length, at);
		return 1;
	}
	if (!data) {
		r->sender.heard = at;
		end_message(r, c, length, at);
		return 1;
	}
	/* Part of a message counts as a sign of life, too: a large one may take long. */
	if (channel->kept && conversation_serves(r, c->session, c->run))
		r->sender.heard = at;
	data -= c->carried;
	memcpy(data, c->carry, c->carried);
	length += c->carried;
	c->carried = 0;
	if (r->clients) {
		/*
		 * Its first message shows who is to have it, with all that has come: once it is no
		 * longer read. Until then it is not to be closed for others.
		 */
		memcpy(c->carry, data, length);
		c->carried = length;
		size = message_is_ours(data, length) ? message_next(data, length, &c->message)
						     : -EPROTO;
		if (size > 0)
			c->client = clients_take(r, &source, &c->message, at);
		channel->kept = c->client;
		channel->gone = size;
		return 1;
	}
	/* The first bytes show what kind of partner it is. */
	if (!c->heard && (load->to_stdout || load->classic || !message_is_ours(data, length)) &&
	    !begin_raw(r, c, at))
		fail(c, -EBUSY);
	c->heard = true;
	if (c->raw && !channel->gone) {
		rc = load->to_stdout ? write_pipeline(r->session, data, length) : 0;
		if (!rc)
			receiver_take_raw(r, &source, 1, length, at);
		else if (rc != -ECANCELED)
			np_log_error(r->session->log, "stdout", "%s", np_output_reason(rc));
		if (rc)
			fail(c, -ECANCELED);
		return 1;
	}
	/* All complete messages; the rest stays for the next call. */
	while (length && !channel->gone) {
		const size_t used =
			c->lacking ? end_message(r, c, length, at) : step(r, c, data, length, at);

		if (!used)
			break;
		data += used;
		length -= used;
		count++;
	}
	return count;
}

static size_t wants(const struct transport *t, const struct channel *channel, bool *unread)
{
	const struct receiver *r = t->owner;
	const struct connection *c = channel->user;
	const bool dropped = !c->truncate && drops(r, c);
	const bool large = r->run.start.message_bytes >= LARGE;
	const bool over = channel->kept && receiver_drains(r);

	*unread = over || c->truncate || (dropped && c->lacking);
	if (r->clients)
		return sizeof(c->carry) - c->carried;
	if (over)
		return TRANSPORT_READ;
	if (*unread)
		return c->truncate ? (size_t)c->truncate : c->lacking;
	/* Of a large message the header; any message but DATA fits completely. */
	if (dropped)
		return MESSAGE_CONTROL_MAX;
	/* The header of each small message is read: small reads stay in the nearest cache. */
	return c->channel->kept && !c->raw && large ? TRANSPORT_READ : TRANSPORT_READ_SMALL;
}

static bool ended(struct transport *t, struct channel *channel)
{
	struct receiver *r = t->owner;
	struct connection *c = channel->user;
	const int error = channel->error;
	char why[96];

	if (c->client) {
		(void)t->face->give(channel, &c->client->transport, c->carry, c->carried);
		return true;
	}
	/*
	 * Half closed after its END, it is still needed for the report at the end of the other
	 * streams.
	 */
	if (c->ended && !error && r->run.phase == RECEIVER_RECEIVING &&
	    conversation_serves(r, c->session, c->run))
		return false;
	/* Without a byte an empty file has arrived through a pipeline. */
	if (!c->heard && !error && r->session->options->load.to_stdout)
		(void)begin_raw(r, c, np_clock_now());
	if (channel->kept && !c->ended && !c->single && r->run.phase == RECEIVER_RECEIVING) {
		/* It carried a stream of the current run, which has not ended. */
		if (c->raw && !error) {
			conversation_finish(r, MESSAGE_COMPLETE);
		} else {
			snprintf(why, sizeof(why), "%s before its END",
				 error == -EBADMSG || error == -EPROTO
					 ? "sent something that is not a ttcp message"
				 : error ? strerror(-error)
					 : "closed the connection");
			/* Of stdout it was said already. */
			conversation_break_off(r, error == -ECANCELED ? NULL : why);
		}
	}
	if (error == -EPROTONOSUPPORT)
		np_log_warning(r->session->log, r->name,
			       "speaks another version of ttcp's messages");
	return true;
}

/* DATA of one buffer with consecutive numbers that do not differ otherwise. */
struct data_series {
	const struct message *first; /* one of the receiver's buffers */
	struct source source;
	np_time at;
	unsigned count;
};

static void end_series(struct receiver *r, struct data_series *run)
{
	if (run->count)
		receiver_take_data(r, &run->source, run->first, run->count, false, run->at);
	run->count = 0;
}

static int take_packets(struct transport *t, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct receiver *r = t->owner;
	struct data_series run = {.count = 0};
	int taken = 0;

	for (const struct np_packet *end = packet + count; packet < end; packet++) {
		const struct source source = {
			.address = packet->source,
			.by_group = by_group,
			.bytes = packet->length,
			.packet = packet,
		};
		const struct message *first = run.first;
		struct message *m = &r->message[first == r->message];
		bool data, intact;
		int rc;

		if (r->allowed && !allows(r, packet->source))
			continue;
		taken++;
		rc = message_decode(packet->data, packet->length, m);
		data = !rc && m->type == MESSAGE_DATA;
		intact = data && message_fill_good(packet->data, packet->length, r->pattern);
		if (intact && run.count && m->number == first->number + run.count &&
		    m->time == first->time && m->session == first->session &&
		    m->run == first->run && m->stream == first->stream && m->size == first->size &&
		    m->flags == first->flags && !(m->flags & MESSAGE_ACK_WANTED) &&
		    packet->source == run.source.address && packet->stamp == run.at) {
			run.count++;
			continue;
		}
		end_series(r, &run);
		if (r->clients)
			(void)clients_take(r, &source, rc ? NULL : m, packet->stamp);
		/* Whoever does not see the run's messages does not know its session. */
		else if (rc == -EBADMSG && m->session != r->sender.id)
			r->strays++;
		else if (rc)
			receiver_take_unknown(r, &source, rc, packet->stamp);
		else if (!data)
			receiver_take(r, &source, m, packet->stamp);
		else if (!intact)
			receiver_take_data(r, &source, m, 1, true, packet->stamp);
		else
			run = (struct data_series){m, source, packet->stamp, 1};
	}
	end_series(r, &run);
	return taken;
}

const struct transport_user receiver_user = {
	.step = receiver_step,
	.packets = take_packets,
	.opened = opened,
	.wants = wants,
	.bytes = take_bytes,
	.ended = ended,
	.closed = closed,
};

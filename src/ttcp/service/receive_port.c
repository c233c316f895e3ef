// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive_port: connects the receiver's machine to the transport. */
#include "receive_session.h"

#include <errno.h>
#include <limits.h>
#include <netperf/output.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

/*
 * The number of bytes that a writable pipe accepts at once; the pipe is shared, so it is not made
 * non-blocking.
 */
static int wait_for_room(struct session *s)
{
	struct pollfd fds[] = {
		{.fd = STDOUT_FILENO, .events = POLLOUT},
		{.fd = np_signals_fd(s->signals), .events = POLLIN},
	};

	if (poll(fds, 2, -1) < 0)
		return errno == EINTR ? 0 : -errno;
	if (fds[1].revents && session_look(s))
		return -ECANCELED;
	if (fds[0].revents & POLLERR)
		return -EPIPE;
	return fds[0].revents != 0;
}

/*
 * Writes everything, however long the reader takes, unless the user wants to stop: -ECANCELED. Else
 * returns 0 or -errno, -EPIPE: the reader is gone.
 */
static int write_pipeline(struct session *session, const uint8_t *data, size_t bytes)
{
	while (bytes) {
		int rc = wait_for_room(session);
		ssize_t written;

		if (rc < 0)
			return rc;
		if (!rc)
			continue;
		written = write(STDOUT_FILENO, data, bytes < PIPE_BUF ? bytes : PIPE_BUF);
		if (written < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		data += written > 0 ? written : 0;
		bytes -= written > 0 ? (size_t)written : 0;
	}
	return 0;
}

static bool is_allowed(struct receive_session *r, const struct np_address *source)
{
	const bool allowed = np_address_networks_have(r->allowed, source);

	r->not_allowed += !allowed;
	return allowed;
}

static int take_packets(void *context, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct receive_session *r = context;
	int taken = 0;

	if (!r->allowed)
		return datagrams_take(&r->datagrams, packet, count, by_group);
	for (unsigned i = 0, end; i < count; i = end + 1) {
		for (end = i; end < count && is_allowed(r, packet[end].source);)
			end++;
		taken += datagrams_take(&r->datagrams, &packet[i], end - i, by_group);
	}
	return taken;
}

static int open_connection(void *context, struct channel *channel)
{
	struct receive_session *r = context;

	return is_allowed(r, &channel->peer) ? connection_open(&r->connections, channel) : -EACCES;
}

static size_t wish(void *context, const struct channel *channel, bool *unread)
{
	const struct receive_session *r = context;

	return connection_wish(&r->connections, channel, unread);
}

static int take_bytes(void *context, struct channel *channel, uint8_t *data, size_t length,
		      np_time at)
{
	struct receive_session *r = context;

	return connection_take(&r->connections, channel, data, length, at);
}

static void say_broken_off(const struct receive_session *r, const struct channel *channel)
{
	const struct np_log *log = r->session->log;
	const int error = channel->error;

	if (connection_pass_failed(channel))
		np_log_error(log, "stdout", "%s", np_output_reason(error));
	else if (error != -ECANCELED)
		np_log_error(log, "sender", "%s before its END",
			     error == -EBADMSG || error == -EPROTO
				     ? "sent something that is not a ttcp message"
			     : error ? strerror(-error)
				     : "closed the connection");
}

/* Reports the loss of a connection to the run. */
static void lose(struct receive_session *r, const struct channel *channel)
{
	if (!connection_broke_off(&r->connections, channel))
		return;
	if (connection_raw(channel) && !channel->error) {
		conversation_finish(receiver_conversation(r->receiver), MESSAGE_COMPLETE);
		return;
	}
	say_broken_off(r, channel);
	r->failed = r->cut_off = true;
	conversation_cut_off(receiver_conversation(r->receiver));
}

static bool end_connection(void *context, struct channel *channel)
{
	struct receive_session *r = context;

	if (connection_awaits_report(&r->connections, channel))
		return false;
	if (!connection_heard(channel))
		connection_take_empty(&r->connections, channel, np_clock_now());
	lose(r, channel);
	if (channel->error == -EPROTONOSUPPORT)
		np_log_warning(r->session->log, "sender",
			       "speaks another version of ttcp's messages");
	return true;
}

static void close_connection(void *context, struct channel *channel)
{
	struct receive_session *r = context;

	connection_close(&r->connections, channel);
}

static int pass_on(void *context, const uint8_t *data, size_t bytes)
{
	struct receive_session *r = context;

	return write_pipeline(r->session, data, bytes);
}

static void prepare_connections(struct receive_session *r)
{
	const struct load_options *load = &receive_options(r)->load;

	r->connections = (struct connections){
		.raw = load->to_stdout || load->classic,
		.no_copy = load->no_copy,
		.pass_on = load->to_stdout ? pass_on : NULL,
		.context = r,
	};
}

int receive_open_transport(struct receive_session *r)
{
	struct transport *t = &r->transport;
	int status;

	t->face = transport_face_of(receive_options(r)->place.transport);
	t->session = r->session;
	t->plan.control_bytes = MESSAGE_CONTROL_MAX;
	t->user = (struct transport_user){
		.context = r,
		.packets = take_packets,
		.opened = open_connection,
		.wish = wish,
		.bytes = take_bytes,
		.ended = end_connection,
		.closed = close_connection,
	};
	prepare_connections(r);
	if (receive_options(r)->place.allow &&
	    np_address_networks_parse(&r->allowed, receive_options(r)->place.allow))
		return np_log_refuse(r->session->log, NULL, "out of memory");
	status = t->face->resolve ? t->face->resolve(t) : 0;
	if (!status)
		status = t->face->open(t);
	if (status ||
	    !datagrams_open(&r->datagrams, t->longest ? t->longest : NP_DATAGRAM_BYTES_MAX))
		return status;
	np_log_error(r->session->log, NULL, "out of memory");
	return 2;
}

void receive_close_transport(struct receive_session *r)
{
	if (r->transport.face)
		r->transport.face->close(&r->transport);
	datagrams_close(&r->datagrams);
	np_address_networks_free(r->allowed);
}

/* A single stream may sleep in its receive call, without a poll before. */
static void choose_receive_timeout(struct receive_session *r)
{
	struct transport *t = &r->transport;
	struct channel *first = connection_first(&r->connections);
	size_t least = 0;
	bool alone;

	if (!t->face->receive_timeout)
		return;
	if (t->face->datagrams) {
		alone = !t->group && receiver_in_ping_pong(r->receiver);
		if (alone != r->patient &&
		    !t->face->receive_timeout(t, NULL, alone ? TRANSPORT_LOOK : 0, 0))
			r->patient = alone;
	} else if (first) {
		alone = connection_alone(&r->connections, &least);
		if (!t->face->receive_timeout(t, first, alone ? TRANSPORT_LOOK : 0, least))
			connection_hold_back(&r->connections, least);
	}
}

int receive_take(struct receive_session *r)
{
	choose_receive_timeout(r);
	return r->transport.face->receive(&r->transport);
}

static void answer(void *context, const struct receiver_source *to, const void *message,
		   size_t bytes)
{
	struct receive_session *r = context;
	struct transport *t = &r->transport;
	struct channel *way = to->way ? to->way : connection_first(&r->connections);

	/*
	 * Only a connection that is being read now is flushed soon: an answer on another one is
	 * sent at once.
	 */
	(void)t->face->send(t, way, to->address, message, bytes, to->way);
}

static np_time read_clock(void *context)
{
	(void)context;
	return np_clock_now();
}

static void account(void *context, struct message_report *report)
{
	receive_drops_account(context, report);
}

struct receiver_port receive_port(struct receive_session *r)
{
	return (struct receiver_port){
		.context = r,
		.answer = answer,
		.clock = read_clock,
		.account = account,
	};
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stream_transfer: sends and receives bytes by TCP, one system call at a time, and waits with a
 * deadline.
 */
#include "socket.h"
#include "stream_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netperf/wait.h>
#include <sys/socket.h>

/* Counts a call of send; returns its argument. */
static inline ssize_t count_sent(struct np_stream *stream, ssize_t sent)
{
	if (sent >= 0) {
		stream->stats.sent_bytes += (size_t)sent;
		stream->stats.send_calls++;
	}
	return sent;
}

ssize_t np_stream_send(struct np_stream *stream, const void *data, size_t bytes)
{
	ssize_t sent = send(stream->fd, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);

	return count_sent(stream, sent < 0 ? -errno : sent);
}

ssize_t np_stream_send_pieces(struct np_stream *stream, const struct iovec *pieces, unsigned count)
{
	const struct msghdr message = {
		.msg_iov = (struct iovec *)pieces,
		.msg_iovlen = count < IOV_MAX ? count : IOV_MAX,
	};
	ssize_t sent;

	if (count == 1)
		return np_stream_send(stream, pieces->iov_base, pieces->iov_len);
	sent = sendmsg(stream->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	return count_sent(stream, sent < 0 ? -errno : sent);
}

static ssize_t receive(struct np_stream *stream, void *data, size_t room, int flags)
{
	ssize_t got = recv(stream->fd, data, room, flags | stream->receive_flags);

	/* A signal ends the sleep of a receive with a timeout. */
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (got > 0) {
		stream->stats.received_bytes += (size_t)got;
		stream->stats.receive_calls++;
	}
	return got;
}

ssize_t np_stream_receive(struct np_stream *stream, void *data, size_t room)
{
	return receive(stream, data, room, 0);
}

ssize_t np_stream_truncate(struct np_stream *stream, size_t bytes)
{
	return receive(stream, NULL, bytes, MSG_TRUNC);
}

int np_stream_finish(struct np_stream *stream)
{
	return shutdown(stream->fd, SHUT_WR) < 0 ? -errno : 0;
}

/* MSG_DONTWAIT makes a blocking socket non-blocking for one call; no flag does the opposite. */
int np_stream_set_receive_timeout(struct np_stream *stream, np_time limit)
{
	const int flags = fcntl(stream->fd, F_GETFL);
	const int wanted = limit ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;

	if (limit < 0)
		return -EINVAL;
	if (flags < 0 || fcntl(stream->fd, F_SETFL, wanted) < 0)
		return -errno;
	stream->receive_flags = limit ? 0 : MSG_DONTWAIT;
	return limit ? socket_set_timeout(stream->fd, SO_RCVTIMEO, limit) : 0;
}

int np_stream_set_low_watermark(struct np_stream *stream, size_t bytes)
{
	if (bytes < 1 || bytes > INT_MAX)
		return -EINVAL;
	return socket_set(stream->fd, SOL_SOCKET, SO_RCVLOWAT, (int)bytes);
}

/*
 * Converts poll events to the caller's. The end of a connection counts as every event, so that the
 * next call reports it.
 */
static int events_of(short came, unsigned wanted)
{
	unsigned events = 0;

	if (came & (POLLIN | POLLHUP | POLLERR))
		events |= NP_STREAM_READABLE;
	if (came & (POLLOUT | POLLHUP | POLLERR))
		events |= NP_STREAM_WRITABLE;
	return (int)(events & wanted);
}

int np_stream_wait(struct np_stream *stream, unsigned events, int other_fd, np_time deadline)
{
	struct pollfd fds[] = {
		{.fd = stream->fd},
		{.fd = other_fd, .events = POLLIN},
	};
	int ready;

	if (events & NP_STREAM_READABLE)
		fds[0].events |= POLLIN;
	if (events & NP_STREAM_WRITABLE)
		fds[0].events |= POLLOUT;
	ready = np_wait_ready(fds, 2, deadline);
	return ready < 0 ? ready : events_of(fds[0].revents, events);
}

/* Returns 0 when one of @events has come, else why the wait ended. */
static int wait_for(struct np_stream *stream, unsigned events, int other_fd, np_time deadline)
{
	struct pollfd other = {.fd = other_fd, .events = POLLIN};
	int came;

	for (;;) {
		came = np_stream_wait(stream, events, other_fd, deadline);
		if (came)
			return came < 0 ? came : 0;
		if (other_fd >= 0 && np_wait_ready(&other, 1, 0) > 0)
			return -ECANCELED;
		if (np_clock_now() >= deadline)
			return -ETIMEDOUT;
	}
}

int np_stream_connect(struct np_stream **stream, const struct np_stream_options *options,
		      const struct np_address *to, int other_fd, np_time deadline)
{
	int error = np_stream_begin(stream, options, to);

	while (!error) {
		error = np_stream_connected(*stream);
		if (error != -EINPROGRESS)
			break;
		error = wait_for(*stream, NP_STREAM_WRITABLE, other_fd, deadline);
	}
	if (error) {
		np_stream_free(*stream);
		*stream = NULL;
	}
	return error;
}

int np_stream_send_all(struct np_stream *stream, const void *data, size_t bytes, int other_fd,
		       np_time deadline, size_t *sent)
{
	size_t done = 0;
	int error = 0;

	while (done < bytes && !error) {
		ssize_t turn = np_stream_send(stream, (const char *)data + done, bytes - done);

		if (turn >= 0)
			done += (size_t)turn;
		else if (turn == -EAGAIN)
			error = wait_for(stream, NP_STREAM_WRITABLE, other_fd, deadline);
		else
			error = (int)turn;
	}
	if (sent)
		*sent = done;
	return error;
}

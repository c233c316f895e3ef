// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stream: the face over the variants that move bytes by TCP. */
#include <netperf/stream.h>

#include "stream_variant.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *const np_stream_variants[] = {"socket", "null", NULL};

static const struct stream_variant *const variants[] = {
	&stream_socket_variant,
	&stream_null_variant,
};

static const struct stream_variant *find_variant(const char *name)
{
	if (!name)
		return variants[0];
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		if (!strcmp(variants[i]->name, name))
			return variants[i];
	return NULL;
}

static struct np_stream *make(const struct stream_variant *variant)
{
	struct np_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->variant = variant;
	stream->info.variant = variant->name;
	stream->fd = -1;
	stream->receive_flags = MSG_DONTWAIT;
	return stream;
}

/* Hands over @made, or frees it when it is none. */
static int hand_over(struct np_stream **stream, struct np_stream *made, int error)
{
	*stream = error ? NULL : made;
	if (error)
		np_stream_free(made);
	return error;
}

int np_stream_listen(struct np_stream **listener, const struct np_stream_options *options,
		     int backlog)
{
	const struct stream_variant *variant = find_variant(options->variant);
	struct np_stream *made;

	*listener = NULL;
	if (!variant)
		return -EPROTONOSUPPORT;
	if (!options->local)
		return -EINVAL;
	made = make(variant);
	if (!made)
		return -ENOMEM;
	return hand_over(listener, made, variant->listen(made, options, backlog));
}

int np_stream_accept(struct np_stream *listener, struct np_stream **stream)
{
	struct np_stream *made = make(listener->variant);

	*stream = NULL;
	if (!made)
		return -ENOMEM;
	return hand_over(stream, made, listener->variant->accept(listener, made));
}

int np_stream_begin(struct np_stream **stream, const struct np_stream_options *options,
		    const struct np_address *to)
{
	const struct stream_variant *variant = find_variant(options->variant);
	struct np_stream *made;

	*stream = NULL;
	if (!variant)
		return -EPROTONOSUPPORT;
	made = make(variant);
	if (!made)
		return -ENOMEM;
	return hand_over(stream, made, variant->begin(made, options, to));
}

int np_stream_connected(struct np_stream *stream)
{
	return stream->variant->connected(stream);
}

/* 0 when one of @events has come, else why the waiting ended. */
static int wait_for(struct np_stream *stream, unsigned events, int other_fd, np_time deadline)
{
	struct pollfd other = {.fd = other_fd, .events = POLLIN};
	int came;

	for (;;) {
		came = np_stream_wait(stream, events, other_fd, deadline);
		if (came)
			return came < 0 ? came : 0;
		if (other_fd >= 0 && poll(&other, 1, 0) > 0)
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
	return hand_over(stream, *stream, error);
}

void np_stream_free(struct np_stream *stream)
{
	if (!stream)
		return;
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream);
}

const struct np_stream_info *np_stream_info(struct np_stream *stream)
{
	stream->variant->look(stream);
	return &stream->info;
}

int np_stream_fd(const struct np_stream *stream)
{
	return stream->fd;
}

ssize_t np_stream_send(struct np_stream *stream, const void *data, size_t bytes)
{
	return stream->variant->send(stream, data, bytes);
}

ssize_t np_stream_send_pieces(struct np_stream *stream, const struct iovec *pieces, unsigned count)
{
	return stream->variant->send_pieces(stream, pieces, count);
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

static ssize_t count_received(struct np_stream *stream, ssize_t got)
{
	if (got > 0) {
		stream->stats.received_bytes += (size_t)got;
		stream->stats.receive_calls++;
	}
	return got;
}

ssize_t np_stream_receive(struct np_stream *stream, void *data, size_t room)
{
	return count_received(stream, stream->variant->receive(stream, data, room));
}

ssize_t np_stream_truncate(struct np_stream *stream, size_t bytes)
{
	return count_received(stream, stream->variant->truncate(stream, bytes));
}

int np_stream_finish(struct np_stream *stream)
{
	return stream->variant->finish(stream);
}

int np_stream_set_patience(struct np_stream *stream, np_time limit)
{
	return limit < 0 ? -EINVAL : stream->variant->patience(stream, limit);
}

int np_stream_set_least(struct np_stream *stream, size_t bytes)
{
	return bytes < 1 || bytes > INT_MAX ? -EINVAL : stream->variant->least(stream, bytes);
}

/* As the caller names them; what ends a connection is every event, so that the next call tells. */
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
	np_time now = np_clock_now(), left = deadline > now ? deadline - now : 0;
	struct timespec limit = {.tv_sec = left / NP_SECOND, .tv_nsec = left % NP_SECOND};

	if (events & NP_STREAM_READABLE)
		fds[0].events |= POLLIN;
	if (events & NP_STREAM_WRITABLE)
		fds[0].events |= POLLOUT;
	if (ppoll(fds, 2, deadline == NP_TIME_NEVER ? NULL : &limit, NULL) < 0)
		return errno == EINTR ? 0 : -errno;
	return events_of(fds[0].revents, events);
}

int np_stream_stats(struct np_stream *stream, struct np_stream_stats *stats)
{
	int error = stream->variant->count(stream);

	*stats = stream->stats;
	return error;
}

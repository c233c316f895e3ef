// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stream_null: sends into nothing and never receives; what the rest of a program costs. */
#include "stream_variant.h"

#include <errno.h>

static int null_listen(struct np_stream *stream, const struct np_stream_options *options,
		       int backlog)
{
	(void)backlog;
	stream->info.local = *options->local;
	return 0;
}

static int null_begin(struct np_stream *stream, const struct np_stream_options *options,
		      const struct np_address *to)
{
	if (options->local)
		stream->info.local = *options->local;
	stream->info.remote = *to;
	stream->connected = true;
	return 0;
}

static int null_accept(struct np_stream *listener, struct np_stream *stream)
{
	(void)listener;
	(void)stream;
	return -EAGAIN;
}

static int null_connected(struct np_stream *stream)
{
	(void)stream;
	return 0;
}

static ssize_t null_send(struct np_stream *stream, const void *data, size_t bytes)
{
	(void)data;
	return stream_sent(stream, (ssize_t)bytes);
}

static ssize_t null_send_pieces(struct np_stream *stream, const struct iovec *pieces,
				unsigned count)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < count; i++)
		bytes += pieces[i].iov_len;
	return stream_sent(stream, (ssize_t)bytes);
}

static ssize_t null_receive(struct np_stream *stream, void *data, size_t room)
{
	(void)stream;
	(void)data;
	(void)room;
	return -EAGAIN;
}

static ssize_t null_truncate(struct np_stream *stream, size_t bytes)
{
	return null_receive(stream, NULL, bytes);
}

static int null_patience(struct np_stream *stream, np_time limit)
{
	(void)stream;
	(void)limit;
	return 0;
}

static int null_least(struct np_stream *stream, size_t bytes)
{
	(void)stream;
	(void)bytes;
	return 0;
}

static void null_look(struct np_stream *stream)
{
	(void)stream;
}

const struct stream_variant stream_null_variant = {
	.name = "null",
	.listen = null_listen,
	.begin = null_begin,
	.accept = null_accept,
	.connected = null_connected,
	.send = null_send,
	.send_pieces = null_send_pieces,
	.receive = null_receive,
	.truncate = null_truncate,
	.finish = null_connected,
	.patience = null_patience,
	.least = null_least,
	.look = null_look,
	.count = null_connected,
};

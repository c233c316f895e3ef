/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stream_variant: what a variant of stream provides, and what the face keeps for each of them. */
#ifndef STREAM_VARIANT_H
#define STREAM_VARIANT_H

#include <errno.h>
#include <netperf/stream.h>

struct stream_variant {
	const char *name;
	/* Make stream->fd, if any. What they opened before a failure the face closes. */
	int (*listen)(struct np_stream *stream, const struct np_stream_options *options,
		      int backlog);
	int (*begin)(struct np_stream *stream, const struct np_stream_options *options,
		     const struct np_address *to);
	int (*accept)(struct np_stream *listener, struct np_stream *stream);
	int (*connected)(struct np_stream *stream);
	/* One turn: bytes or -errno, counted by stream_sent. */
	ssize_t (*send)(struct np_stream *stream, const void *data, size_t bytes);
	ssize_t (*send_pieces)(struct np_stream *stream, const struct iovec *pieces,
			       unsigned count);
	/* The same; the face counts. */
	ssize_t (*receive)(struct np_stream *stream, void *data, size_t room);
	ssize_t (*truncate)(struct np_stream *stream, size_t bytes);
	int (*finish)(struct np_stream *stream);
	int (*patience)(struct np_stream *stream, np_time limit);
	int (*least)(struct np_stream *stream, size_t bytes);
	/* Bring info and the kernel's part of stats up to date. */
	void (*look)(struct np_stream *stream);
	int (*count)(struct np_stream *stream);
};

struct np_stream {
	const struct stream_variant *variant;
	struct np_stream_info info;
	struct np_stream_stats stats;
	int fd;
	bool connected;
	int receive_flags; /* MSG_DONTWAIT, or none: patient */
};

/*
 * Counts a turn of sending; returns what it is given. Called by the variants, whose functions the
 * face ends with: the way through the kernel is so deep that the CPU forgets where user functions
 * return to, and each of them on top of the system call costs 5 ns.
 */
static inline ssize_t stream_sent(struct np_stream *stream, ssize_t sent)
{
	if (sent >= 0) {
		stream->stats.sent_bytes += (size_t)sent;
		stream->stats.send_calls++;
	} else if (sent == -EAGAIN) {
		stream->stats.send_full++;
	}
	return sent;
}

extern const struct stream_variant stream_socket_variant;
extern const struct stream_variant stream_null_variant;

#endif

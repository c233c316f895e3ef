// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* passthrough: sends without START, END and headers: a pipeline's bytes, classic markers. */
#include "sender.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/stream.h>
#include <netperf/units.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM	 131072
#define MARK_GAP (10 * NP_MILLISECOND)

int send_classic_mark(struct sender *s, unsigned count)
{
	uint8_t mark[MESSAGE_CLASSIC_MARKER];
	int rc = 0;

	message_fill(mark, sizeof(mark));
	for (unsigned i = 0; i < count && !rc; i++) {
		rc = sender_send_datagram(s, 0, NULL, mark, sizeof(mark));
		/* Spread over time, so that they are not all lost together. */
		if (count > 1)
			(void)session_sleep(s->session, np_clock_now() + MARK_GAP);
	}
	if (rc)
		np_log_error(s->session->log, s->name, "%s", strerror(-rc));
	return rc;
}

static struct np_stream *stream_of(const struct sender *s)
{
	return s->transport.face->stream(&s->transport);
}

/*
 * Waits until stdin can be read (1), or the user stops or the receiver is gone (0), or returns
 * -errno. While the receiver is alive there is no limit: the program that fills the pipe may need
 * time.
 */
static int wait_for_input(struct sender *s)
{
	struct pollfd fds[] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = np_signals_fd(s->session->signals), .events = POLLIN},
		{.fd = np_stream_fd(stream_of(s)), .events = POLLRDHUP},
	};

	if (poll(fds, 3, -1) < 0)
		return errno == EINTR ? 1 : -errno;
	if (fds[1].revents && session_look(s->session))
		return 0;
	if (fds[2].revents & (POLLERR | POLLHUP))
		return -ECONNRESET;
	return fds[0].revents != 0;
}

/*
 * Sends everything, as long as the receiver's kernel answers, or until the user stops twice.
 */
static int pass_on(struct sender *s, const uint8_t *data, size_t bytes)
{
	struct np_stream *stream = stream_of(s);
	int signals = np_signals_fd(s->session->signals);
	size_t done = 0, sent;
	int rc;

	do {
		rc = np_stream_send_all(stream, data + done, bytes - done, signals, NP_TIME_NEVER,
					&sent);
		done += sent;
		if (rc == -ECANCELED)
			session_look(s->session);
	} while (rc == -ECANCELED && s->session->interrupts < 2);
	s->raw_bytes += done;
	return rc;
}

/* How much may be read: -n messages of -l bytes, if -n was given. */
static size_t room_for(const struct sender *s)
{
	const struct load_options *load = s->load;
	uint64_t left;

	if (!load->messages_given)
		return ROOM;
	left = load->messages * load->message_bytes - s->raw_bytes;
	return left < ROOM ? (size_t)left : ROOM;
}

static int pump(struct sender *s, uint8_t *data)
{
	int rc = 0;

	while (!rc && room_for(s) && !s->session->interrupts) {
		int ready = wait_for_input(s);
		ssize_t got;

		if (ready <= 0)
			return ready;
		got = read(STDIN_FILENO, data, room_for(s));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : 0;
		rc = pass_on(s, data, (size_t)got);
		/* They are no messages, but count as one. */
		s->lane[0].number++;
		s->run.last = np_clock_now();
		console_count(&s->session->console, 1);
	}
	return rc;
}

/* Waits until the receiver's kernel has everything; as long as it is alive there is no limit. */
static int drain(struct sender *s)
{
	struct np_stream *stream = stream_of(s);
	struct np_stream_stats stats = {0};
	int rc = np_stream_finish(stream);

	while (!rc && s->session->interrupts < 2) {
		rc = np_stream_stats(stream, &stats);
		if (rc || !stats.unacknowledged_bytes)
			break;
		(void)session_sleep(s->session, np_clock_now() + TRANSPORT_LOOK);
		if (np_stream_wait(stream, NP_STREAM_READABLE, -1, 0) > 0) {
			uint8_t byte;
			ssize_t got = np_stream_receive(stream, &byte, 1);

			if (got < 0 && got != -EAGAIN)
				rc = (int)got;
			else if (!got)
				break;
		}
	}
	return rc;
}

int send_stdin(struct sender *s)
{
	uint8_t *data = malloc(ROOM);
	const np_time now = np_clock_now();
	int rc = data ? 0 : -ENOMEM;

	sender_start(s, now);
	send_progress_begin(s, now);
	if (!rc)
		rc = pump(s, data);
	if (!rc)
		rc = drain(s);
	s->lane[0].closed = true;
	free(data);
	if (rc)
		np_log_error(s->session->log, s->name, "lost after %" PRIu64 " byte%s: %s",
			     s->raw_bytes, np_plural(s->raw_bytes), strerror(-rc));
	return rc ? 1 : 0;
}

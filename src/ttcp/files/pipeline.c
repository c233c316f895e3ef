// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* pipeline: writes to stdout, but stops waiting when the user wants to stop. */
#include "pipeline.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
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

int pipeline_write(struct session *session, const uint8_t *data, size_t bytes)
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

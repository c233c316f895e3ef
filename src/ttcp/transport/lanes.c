// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* lanes: a sender's sockets, and the waiting for any of them. */
#include "lanes.h"

#include <netperf/wait.h>
#include <stdlib.h>

struct lanes *lanes_create(struct transport *t)
{
	struct lanes *lanes = calloc(1, sizeof(*lanes));

	if (!lanes) {
		np_log_error(t->session->log, NULL, "out of memory");
		return NULL;
	}
	t->sockets = lanes;
	lanes->count = t->plan->lanes;
	for (unsigned i = 0; i < lanes->count; i++)
		lanes->lane[i].of = sender_lane(t->sender, i);
	return lanes;
}

static void list(const struct lanes *lanes, struct pollfd *fds, bool writable)
{
	for (unsigned i = 0; i < lanes->count; i++) {
		const struct lane *lane = &lanes->lane[i];

		fds[i] = (struct pollfd){
			.fd = lane->stream ? np_stream_fd(lane->stream)
					   : np_datagram_fd(lane->datagram),
			.events = lane->of->closed ? 0 : POLLIN,
		};
		if (writable && lane->of->gone < lane->of->filled)
			fds[i].events |= POLLOUT;
		/* One that is closed would be readable for ever. */
		if (!fds[i].events)
			fds[i].fd = -1;
	}
}

int lanes_wait(struct transport *t, np_time deadline, bool writable)
{
	const struct lanes *lanes = lanes_of(t);
	struct pollfd fds[MESSAGE_STREAMS_MAX + 1];
	struct np_datagram_stats stats;
	int ready;

	if (deadline <= np_clock_now())
		return 0;
	list(lanes, fds, writable);
	fds[lanes->count] =
		(struct pollfd){.fd = np_signals_fd(t->session->signals), .events = POLLIN};
	ready = np_wait_ready(fds, lanes->count + 1, deadline);
	if (ready < 0)
		return ready;
	if (fds[lanes->count].revents)
		session_look(t->session);
	/* An ICMP error makes a socket readable until it is taken. */
	for (unsigned i = 0; i < lanes->count; i++)
		if (lanes->lane[i].datagram && fds[i].revents & POLLERR)
			(void)np_datagram_stats(lanes->lane[i].datagram, &stats);
	return ready;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* end_handshake: sends END every 50 ms until it is acknowledged. */
#include "end_handshake.h"

#include <netperf/wait.h>

#define ANSWER_TIMEOUT (2 * NP_SECOND)
#define CONFIRMATION   (500 * NP_MILLISECOND)

/* Whether the peer, which first got END at @begin, may still answer. */
static bool expected(struct shared_peer *peer, np_time begin, np_time now)
{
	np_time moved = atomic_load_explicit(&peer->moved, memory_order_relaxed);

	if (atomic_load_explicit(&peer->end_acked, memory_order_acquire))
		return false;
	if (!atomic_load(&peer->confirmed))
		return now - begin < CONFIRMATION;
	return now - (moved > begin ? moved : begin) < ANSWER_TIMEOUT;
}

static void tell(struct np_datagram *socket, struct shared *shared, np_time begin, np_time now)
{
	struct wire_control end = {
		.type = WIRE_END,
		.run = shared->run,
		.return_port = shared->return_port,
	};
	uint8_t data[WIRE_CONTROL_BYTES];
	size_t bytes;

	for (size_t i = 0; i < shared->peer_count; i++) {
		struct shared_peer *peer = &shared->peer[i];

		if (!expected(peer, begin, now) || !atomic_load(&peer->confirmed))
			continue;
		end.last = peer->last;
		end.unsent = peer->unsent;
		end.counts.host = peer->dropped;
		end.copies = peer->ends + 1;
		bytes = wire_control_encode(data, &end);
		/* A failed send is repeated like a lost datagram. */
		if (!np_datagram_send_one(socket, &peer->address, data, bytes))
			peer->ends++;
	}
}

static bool any_expected(struct shared *shared, np_time begin, np_time now)
{
	for (size_t i = 0; i < shared->peer_count; i++) {
		if (expected(&shared->peer[i], begin, now))
			return true;
	}
	return false;
}

void end_handshake(struct np_datagram *socket, struct shared *shared,
		   void (*count_dropped)(void *publisher), void *publisher)
{
	struct pollfd wake = {.fd = shared->publisher_wake, .events = POLLIN};
	np_time begin = np_clock_now(), now = begin, due = begin;

	while (atomic_load(&shared->publishing) != SHARED_LEAVING &&
	       any_expected(shared, begin, now)) {
		if (now >= due) {
			count_dropped(publisher);
			tell(socket, shared, begin, now);
			due = now + WIRE_END_EVERY;
		}
		if (np_wait_ready(&wake, 1, due) > 0)
			shared_woken(wake.fd);
		now = np_clock_now();
	}
}

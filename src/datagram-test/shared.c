// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* shared: what the threads of one local address share. */
#include "shared.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int shared_set_peers(struct shared *shared, const struct np_address_list *peers)
{
	struct shared_peer *peer = calloc(peers->count + 1, sizeof(*peer));

	if (!peer)
		return -ENOMEM;
	for (size_t i = 0; i < peers->count; i++)
		peer[i].address = peers->item[i];
	free(shared->peer);
	shared->peer = peer;
	shared->peer_count = peers->count;
	return 0;
}

int shared_create(struct shared **shared, const struct np_address_list *peers, uint32_t run)
{
	struct shared *made = calloc(1, sizeof(*made));
	int rc;

	*shared = NULL;
	if (!made)
		return -ENOMEM;
	made->run = run;
	made->publisher_wake = made->listener_wake = -1;
	rc = shared_set_peers(made, peers);
	if (rc)
		goto fail;
	made->publisher_wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	made->listener_wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (made->publisher_wake < 0 || made->listener_wake < 0) {
		rc = -errno;
		goto fail;
	}
	*shared = made;
	return 0;
fail:
	shared_free(made);
	return rc;
}

void shared_free(struct shared *shared)
{
	if (!shared)
		return;
	if (shared->publisher_wake >= 0)
		close(shared->publisher_wake);
	if (shared->listener_wake >= 0)
		close(shared->listener_wake);
	free(shared->peer);
	free(shared);
}

/* Fails only when the counter is full, which wakes the thread as well. */
void shared_wake(int fd)
{
	(void)!eventfd_write(fd, 1);
}

void shared_woken(int fd)
{
	eventfd_t wishes;

	(void)!eventfd_read(fd, &wishes);
}

int64_t shared_ack(struct shared_peer *peer, uint32_t *last, np_time *arrival)
{
	uint32_t before = atomic_load_explicit(&peer->heard, memory_order_acquire), after;
	int64_t send_time;

	/* A value that is being written now goes with the next packet. */
	if (before == *last || (before & 1))
		return WIRE_NO_ACK;
	send_time = atomic_load_explicit(&peer->send_time, memory_order_relaxed);
	*arrival = atomic_load_explicit(&peer->arrival, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&peer->heard, memory_order_relaxed);
	if (after != before)
		return WIRE_NO_ACK;
	*last = before;
	return send_time;
}

/* Hosts that answer for a group or a wildcard answer from their own addresses. */
static bool stands_for_others(const struct np_address *peer, const struct np_address *source)
{
	return (np_address_is_multicast(peer) || np_address_is_wildcard(peer)) &&
	       np_address_port(peer) == np_address_port(source);
}

struct shared_peer *shared_peer_of(struct shared *shared, const struct np_address *source)
{
	for (size_t i = 0; i < shared->peer_count; i++) {
		if (np_address_equal(&shared->peer[i].address, source))
			return &shared->peer[i];
	}
	for (size_t i = 0; i < shared->peer_count; i++) {
		if (stands_for_others(&shared->peer[i].address, source))
			return &shared->peer[i];
	}
	return NULL;
}

void shared_acked(struct shared_peer *peer, const struct wire_counts *counts)
{
	if (atomic_load_explicit(&peer->end_acked, memory_order_relaxed))
		return;
	peer->counts = *counts;
	atomic_store_explicit(&peer->end_acked, true, memory_order_release);
}

int shared_watch_drops(struct np_drops *drops, enum np_drops_direction direction,
		       const struct np_address *local, int socket)
{
	struct np_drops_packets packets = {
		.direction = direction,
		.local = local,
		.socket = socket,
	};
	uint8_t mark[4];

	/* Packets of either program, not control datagrams. */
	np_field_put32(mark, WIRE_MAGIC);
	np_drops_mark(&packets, mark, sizeof(mark));
	return np_drops_watch(drops, &packets);
}

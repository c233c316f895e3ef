// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* endpoint: what the threads of one local address share. */
#include "endpoint.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

int endpoint_set_peers(struct endpoint *endpoint, const struct np_address_list *peers)
{
	struct peer *peer = calloc(peers->count + 1, sizeof(*peer));

	if (!peer)
		return -ENOMEM;
	for (size_t i = 0; i < peers->count; i++)
		peer[i].address = peers->item[i];
	free(endpoint->peer);
	endpoint->peer = peer;
	endpoint->peer_count = peers->count;
	return 0;
}

int endpoint_open(struct endpoint *endpoint, const struct np_address_list *peers)
{
	endpoint->publisher_wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	endpoint->listener_wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (endpoint->publisher_wake < 0 || endpoint->listener_wake < 0)
		return -errno;
	return endpoint_set_peers(endpoint, peers);
}

void endpoint_close(struct endpoint *endpoint)
{
	if (endpoint->publisher_wake > 0)
		close(endpoint->publisher_wake);
	if (endpoint->listener_wake > 0)
		close(endpoint->listener_wake);
	free(endpoint->peer);
}

/* Fails only when the counter is full, which wakes the thread as well. */
void endpoint_wake(int fd)
{
	(void)!eventfd_write(fd, 1);
}

void endpoint_woken(int fd)
{
	eventfd_t wishes;

	(void)!eventfd_read(fd, &wishes);
}

int64_t peer_ack(struct peer *peer, np_time *arrival)
{
	uint32_t before = atomic_load_explicit(&peer->heard, memory_order_acquire), after;
	int64_t send_time;

	/* A value that is being written now goes with the next packet. */
	if (before == peer->acked || (before & 1))
		return WIRE_NO_ACK;
	send_time = atomic_load_explicit(&peer->send_time, memory_order_relaxed);
	*arrival = atomic_load_explicit(&peer->arrival, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&peer->heard, memory_order_relaxed);
	if (after != before)
		return WIRE_NO_ACK;
	peer->acked = before;
	return send_time;
}

/* Hosts that answer for a group or a wildcard answer from their own addresses. */
static bool stands_for_others(const struct np_address *peer, const struct np_address *source)
{
	return (np_address_is_multicast(peer) || np_address_is_wildcard(peer)) &&
	       np_address_port(peer) == np_address_port(source);
}

struct peer *endpoint_peer(struct endpoint *endpoint, const struct np_address *source)
{
	for (size_t i = 0; i < endpoint->peer_count; i++) {
		if (np_address_equal(&endpoint->peer[i].address, source))
			return &endpoint->peer[i];
	}
	for (size_t i = 0; i < endpoint->peer_count; i++) {
		if (stands_for_others(&endpoint->peer[i].address, source))
			return &endpoint->peer[i];
	}
	return NULL;
}

void peer_acked(struct peer *peer, const struct wire_counts *counts)
{
	if (atomic_load_explicit(&peer->end_acked, memory_order_relaxed))
		return;
	peer->counts = *counts;
	atomic_store_explicit(&peer->end_acked, true, memory_order_release);
}

int endpoint_watch_drops(struct np_drops *drops, enum np_drops_direction direction,
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

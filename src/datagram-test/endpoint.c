// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* endpoint: one local address: what its threads and the session share. */
#include "session.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

/* Draws a run id: random, never 0, and none of another publisher here. */
static int draw_run(const struct session *s, struct endpoint *endpoint)
{
	if (getrandom(&endpoint->run, sizeof(endpoint->run), 0) < 0)
		return -errno;
	endpoint->run += !endpoint->run;
	for (const struct endpoint *other = s->endpoint; other < endpoint; other++)
		endpoint->run += endpoint->run == other->run;
	return 0;
}

static int open_wakes(struct endpoint *endpoint)
{
	endpoint->publisher.worker.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	endpoint->listener.worker.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return endpoint->publisher.worker.wake < 0 || endpoint->listener.worker.wake < 0 ? -errno
											 : 0;
}

int endpoint_open(struct endpoint *endpoint, struct session *s, const struct np_address *local)
{
	int rc;

	endpoint->session = s;
	endpoint->options = s->options;
	endpoint->reporter = &s->reporter;
	endpoint->drops = s->run->drops;
	endpoint->local = local;
	endpoint->allowed = s->addresses.allowed;
	endpoint->listener.endpoint = endpoint->publisher.endpoint = endpoint;
	rc = draw_run(s, endpoint);
	if (!rc)
		rc = open_wakes(endpoint);
	if (!rc)
		rc = endpoint_set_peers(endpoint, &s->addresses.peers);
	if (rc)
		return endpoint_blame(endpoint, rc);
	rc = listener_open(&endpoint->listener);
	return rc || !endpoint->peer_count ? rc : publisher_open(&endpoint->publisher);
}

int endpoint_close(struct endpoint *endpoint, bool never_began)
{
	struct listener *l = &endpoint->listener;
	int rc = log_file_close(l->log_file, never_began);

	flows_free(&l->flows);
	np_datagram_free(l->socket);
	free(l->packets);
	free(l->flow);
	np_datagram_free(endpoint->publisher.socket);
	if (l->worker.wake > 0)
		close(l->worker.wake);
	if (endpoint->publisher.worker.wake > 0)
		close(endpoint->publisher.worker.wake);
	free(endpoint->peer);
	return rc;
}

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

int endpoint_blame(const struct endpoint *endpoint, int rc)
{
	const char *device = endpoint->options->socket.asked.device;
	char text[NP_ADDRESS_TEXT];

	if (rc == -ENODEV && device)
		return np_log_refuse(endpoint->reporter->log, "--device", "%s: %s", device,
				     strerror(-rc));
	return np_log_refuse(endpoint->reporter->log, np_address_format(endpoint->local, text),
			     "%s", strerror(-rc));
}

/* Fails only when the counter is full, which wakes the thread as well. */
void worker_wake(int fd)
{
	(void)!eventfd_write(fd, 1);
}

void worker_woken(int fd)
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

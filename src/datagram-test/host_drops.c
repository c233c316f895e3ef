// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host_drops: guards the library's count of drops, which belongs to one thread at a time. */
#include "host_drops.h"

#include "wire.h"

#include <netperf/field.h>
#include <pthread.h>
#include <stdlib.h>

struct host_drops {
	struct np_drops *drops;
	pthread_mutex_t lock;
};

int host_drops_open(struct host_drops **drops, unsigned mode, const struct np_log *log)
{
	struct host_drops *d = calloc(1, sizeof(*d));

	*drops = d;
	if (!d)
		return np_log_refuse(log, NULL, "out of memory");
	pthread_mutex_init(&d->lock, NULL);
	return np_drops_begin(&d->drops, (enum np_drops_mode)mode, log) < 0 ? 2 : 0;
}

void host_drops_free(struct host_drops *drops)
{
	if (!drops)
		return;
	np_drops_free(drops->drops);
	pthread_mutex_destroy(&drops->lock);
	free(drops);
}

int host_drops_watch(struct host_drops *drops, enum np_drops_direction direction,
		     const struct np_address *local, int socket)
{
	/* Packets of either program, not control datagrams. */
	struct np_drops_packets packets = {
		.direction = direction,
		.local = local,
		.socket = socket,
		.payload_bytes = 4,
		.payload_mask = {0xff, 0xff, 0xff, 0xff},
	};
	int watch;

	if (!drops)
		return -1;
	np_field_put32(packets.payload_value, WIRE_MAGIC);
	pthread_mutex_lock(&drops->lock);
	watch = np_drops_watch(drops->drops, &packets);
	pthread_mutex_unlock(&drops->lock);
	return watch < 0 ? -1 : watch;
}

void host_drops_update(struct host_drops *drops, bool named)
{
	if (!drops)
		return;
	pthread_mutex_lock(&drops->lock);
	/* A failure makes the counts unknown. */
	(void)(named ? np_drops_update(drops->drops) : np_drops_peek(drops->drops));
	pthread_mutex_unlock(&drops->lock);
}

void host_drops_count(struct host_drops *drops, int watch, const struct np_address *peer,
		      struct np_drops_counts *counts)
{
	if (watch < 0) {
		*counts = (struct np_drops_counts){.why = "not watched"};
		return;
	}
	pthread_mutex_lock(&drops->lock);
	np_drops_count(drops->drops, watch, peer, counts);
	pthread_mutex_unlock(&drops->lock);
}

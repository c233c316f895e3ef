// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* host_drops: guards the library's count of drops, which belongs to one thread at a time. */
#include "host_drops.h"

#include "../wire/message.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct host_drops {
	struct np_drops *library;
	pthread_mutex_t lock;
};

int host_drops_open(struct host_drops **drops, unsigned mode, const struct np_log *log)
{
	struct host_drops *d = calloc(1, sizeof(*d));

	*drops = d;
	if (!d)
		return np_log_refuse(log, NULL, "out of memory");
	pthread_mutex_init(&d->lock, NULL);
	return np_drops_begin(&d->library, (enum np_drops_mode)mode, log) < 0 ? 2 : 0;
}

void host_drops_free(struct host_drops *drops)
{
	if (!drops)
		return;
	np_drops_free(drops->library);
	pthread_mutex_destroy(&drops->lock);
	free(drops);
}

const char *host_drops_why(const struct host_drops *drops)
{
	return np_drops_info(drops->library)->why;
}

int host_drops_watch(struct host_drops *drops, struct np_drops_packets packets)
{
	int watch;

	message_mark_data(packets.payload_value);
	packets.payload_bytes = MESSAGE_MARK_BYTES;
	memset(packets.payload_mask, 0xff, MESSAGE_MARK_BYTES);
	pthread_mutex_lock(&drops->lock);
	watch = np_drops_watch(drops->library, &packets);
	pthread_mutex_unlock(&drops->lock);
	return watch;
}

void host_drops_update(struct host_drops *drops, bool named)
{
	pthread_mutex_lock(&drops->lock);
	/* A failure makes the counts unknown. */
	(void)(named ? np_drops_update(drops->library) : np_drops_peek(drops->library));
	pthread_mutex_unlock(&drops->lock);
}

void host_drops_count(struct host_drops *drops, int watch, const struct np_address *peer,
		      struct np_drops_counts *counts)
{
	pthread_mutex_lock(&drops->lock);
	np_drops_count(drops->library, watch, peer, counts);
	pthread_mutex_unlock(&drops->lock);
}

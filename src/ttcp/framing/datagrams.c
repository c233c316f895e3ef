// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagrams: handles messages that are a datagram each; those that differ only by their numbers at
 * once.
 */
#include "datagrams.h"

#include <errno.h>
#include <stdlib.h>

int datagrams_open(struct datagrams *d, size_t longest)
{
	d->pattern = malloc(longest);
	if (!d->pattern)
		return -ENOMEM;
	message_fill(d->pattern, longest);
	return 0;
}

void datagrams_close(struct datagrams *d)
{
	free(d->pattern);
	d->pattern = NULL;
}

/* DATA of one buffer with consecutive numbers that do not differ otherwise. */
struct data_series {
	struct message first;
	struct receiver_source source;
	np_time at;
	unsigned count;
};

static bool continues(const struct data_series *run, const struct np_packet *packet,
		      const struct message *m)
{
	const struct message *first = &run->first;

	return run->count && m->number == first->number + run->count && m->time == first->time &&
	       m->session == first->session && m->run == first->run && m->stream == first->stream &&
	       m->size == first->size && m->flags == first->flags &&
	       !(m->flags & MESSAGE_ACK_WANTED) && packet->source == run->source.address &&
	       packet->stamp == run->at;
}

static void end_run(struct datagrams *d, struct data_series *run)
{
	if (run->count)
		receiver_take_data(d->receiver, &run->source, &run->first, run->count, run->at);
	run->count = 0;
}

/* Takes one packet, or adds it to the run, which is handled before anything else. */
static void take_packet(struct datagrams *d, struct data_series *run,
			const struct np_packet *packet, bool by_group)
{
	const struct receiver_source source = {
		.address = packet->source,
		.by_group = by_group,
		.bytes = packet->length,
	};
	struct message *m = &d->message;
	int rc = message_decode(packet->data, packet->length, m);
	bool data = !rc && m->type == MESSAGE_DATA;
	bool intact = data && message_fill_good(packet->data, packet->length, d->pattern);

	if (intact && continues(run, packet, m)) {
		run->count++;
		return;
	}
	end_run(d, run);
	if (rc)
		receiver_take_unknown(d->receiver, &source, packet->length, rc, packet->stamp);
	else if (!data)
		receiver_take(d->receiver, &source, m, packet->stamp);
	else if (!intact)
		receiver_take_damaged(d->receiver, &source, m, packet->stamp);
	else
		*run = (struct data_series){*m, source, packet->stamp, 1};
}

int datagrams_take(struct datagrams *d, const struct np_packet *packet, unsigned count,
		   bool by_group)
{
	struct data_series run = {.count = 0};

	for (unsigned i = 0; i < count; i++)
		take_packet(d, &run, &packet[i], by_group);
	end_run(d, &run);
	return (int)count;
}

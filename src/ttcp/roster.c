// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* roster: who answered, and what. */
#include "roster.h"

#include "names.h"

#include <errno.h>
#include <stdlib.h>

int roster_create(struct roster *roster)
{
	*roster = (struct roster){.receiver = calloc(ROSTER_MAX, sizeof(*roster->receiver))};
	if (!roster->receiver)
		return -ENOMEM;
	if (np_histogram_create(&roster->rtt)) {
		free(roster->receiver);
		*roster = (struct roster){0};
		return -ENOMEM;
	}
	return 0;
}

void roster_free(struct roster *roster)
{
	for (size_t i = 0; i < roster->count; i++)
		np_sequence_free(roster->receiver[i].acked);
	np_histogram_free(roster->rtt);
	free(roster->receiver);
	*roster = (struct roster){0};
}

static void begin_receiver(struct roster_receiver *receiver)
{
	receiver->ready = false;
	receiver->joined_late = false;
	receiver->acks = 0;
	receiver->ack_duplicates = 0;
	receiver->reported = false;
	receiver->report = (struct message_report){0};
	if (receiver->acked) {
		np_sequence_clear(receiver->acked);
		np_sequence_expect(receiver->acked, 0);
	}
}

void roster_begin(struct roster *roster)
{
	for (size_t i = 0; i < roster->count; i++)
		begin_receiver(&roster->receiver[i]);
	roster->refused = 0;
	roster->acks = 0;
	roster->rtt_sum = 0;
	np_histogram_clear(roster->rtt);
}

/* Its place, or the count when it is not known. */
static size_t place_of(const struct roster *roster, const struct np_address *address)
{
	size_t i = 0;

	while (i < roster->count && !np_address_equal(&roster->receiver[i].address, address))
		i++;
	return i;
}

struct roster_receiver *roster_find(const struct roster *roster, const struct np_address *address)
{
	const size_t i = place_of(roster, address);

	return i < roster->count ? &roster->receiver[i] : NULL;
}

struct roster_receiver *roster_at(struct roster *roster, const struct np_address *address)
{
	const size_t i = place_of(roster, address);

	if (i < roster->count)
		return &roster->receiver[i];
	if (i == ROSTER_MAX) {
		roster->refused++;
		return NULL;
	}
	roster->receiver[i] = (struct roster_receiver){.address = *address};
	names_peer(address, roster->receiver[i].name);
	roster->count++;
	return &roster->receiver[i];
}

/* Whether this number's ACK came for the first time from this receiver. */
static bool first_ack(struct roster_receiver *receiver, uint64_t number, np_time now)
{
	if (!receiver->acked) {
		if (np_sequence_create(&receiver->acked, NP_SEQUENCE_WINDOW))
			return false;
		np_sequence_expect(receiver->acked, 0);
	}
	switch (np_sequence_add(receiver->acked, number, now)) {
	case NP_SEQUENCE_NEXT:
	case NP_SEQUENCE_GAP:
	case NP_SEQUENCE_REORDERED: return true;
	default: return false;
	}
}

bool roster_ack(struct roster *roster, struct roster_receiver *receiver, uint64_t number,
		np_time sent, np_time acked)
{
	np_time rtt;

	if (sent <= 0 || __builtin_sub_overflow(acked, sent, &rtt) || rtt < 0)
		return false;
	if (!first_ack(receiver, number, acked)) {
		receiver->ack_duplicates++;
		return false;
	}
	receiver->acks++;
	roster->acks++;
	roster->rtt_sum += rtt;
	np_histogram_add(roster->rtt, rtt);
	return true;
}

size_t roster_ready(const struct roster *roster)
{
	size_t ready = 0;

	for (size_t i = 0; i < roster->count; i++)
		ready += roster->receiver[i].ready;
	return ready;
}

size_t roster_reported(const struct roster *roster)
{
	size_t reported = 0;

	for (size_t i = 0; i < roster->count; i++)
		reported += roster->receiver[i].ready && roster->receiver[i].reported;
	return reported;
}

static void add_report(struct message_report *sum, const struct message_report *more)
{
	sum->exact = sum->exact && more->exact;
	if (more->status > sum->status)
		sum->status = more->status;
	if (more->drop_unit != sum->drop_unit)
		sum->drop_unit = MESSAGE_DROPS_UNKNOWN;
	sum->received += more->received;
	sum->lost += more->lost;
	sum->duplicates += more->duplicates;
	sum->reordered += more->reordered;
	sum->late += more->late;
	sum->damaged += more->damaged;
	sum->host_drops += more->host_drops;
	sum->host_drops_most += more->host_drops_most;
	sum->missed_before += more->missed_before;
	sum->bytes += more->bytes;
	if (more->first && (!sum->first || more->first < sum->first))
		sum->first = more->first;
	if (more->last > sum->last)
		sum->last = more->last;
	sum->delays = (struct np_histogram_figures){0};
	sum->clock = (struct message_clock){0};
}

bool roster_sum(const struct roster *roster, struct message_report *sum)
{
	bool any = false;

	for (size_t i = 0; i < roster->count; i++) {
		const struct roster_receiver *receiver = &roster->receiver[i];

		if (!receiver->reported)
			continue;
		if (any)
			add_report(sum, &receiver->report);
		else
			*sum = receiver->report;
		any = true;
	}
	return any;
}

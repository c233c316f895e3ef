/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * receivers: the receivers a sender knows, by what they answer: START-OK, ACK, REPORT; and the sum
 * of the ACKs. Pure; one thread at a time.
 */
#ifndef TTCP_CONVERSATION_RECEIVERS_H
#define TTCP_CONVERSATION_RECEIVERS_H

#include "../wire/message.h"

#include <netperf/address.h>
#include <netperf/histogram.h>
#include <netperf/sequence.h>

/* Most receivers; answers of further ones only count as refused. */
#define RECEIVERS_MAX 256

struct receivers_receiver {
	struct np_address address;
	char name[NP_ADDRESS_TEXT]; /* "10.0.0.2:5001", "[fd00::2]:5001": peer_name */
	bool ready;		    /* answered START in this run */
	bool joined_late;	    /* not known before the first DATA */
	uint32_t challenge;	    /* of its last START_OK */
	struct message_clock clock; /* the sender's best estimate; the session sets it */
	uint64_t acks;		    /* different messages acknowledged in this run */
	uint64_t ack_duplicates;
	struct np_sequence *acked; /* NULL before the first ACK */
	bool reported;
	struct message_report report; /* of this run */
};

struct receivers {
	struct receivers_receiver *receiver; /* in order of first sight */
	size_t count;
	uint64_t refused; /* answers of receivers there was no room for */
	uint64_t acks;	  /* of all, different ones */
	__int128 rtt_sum; /* ns, of acks */
	struct np_histogram *rtt;
	/* How people name who is at @address, with @context; NULL: peer_name. The owner's to set.
	 */
	char *(*name)(void *context, const struct np_address *address, char out[NP_ADDRESS_TEXT]);
	void *context;
};

/* Returns 0 or -ENOMEM. */
int receivers_create(struct receivers *receivers);
void receivers_free(struct receivers *receivers);

/* A new run: receivers and their clocks stay, counts and reports go. */
void receivers_begin(struct receivers *receivers);

/*
 * The receiver at @address, added when it is new; NULL when there is no room or memory. Pointers
 * are good until receivers_free.
 */
struct receivers_receiver *receivers_at(struct receivers *receivers,
					const struct np_address *address);

/*
 * An ACK of message @number, which was sent at @sent, arrived at @acked, both by the sender's
 * clock. Returns whether it counts: the first of this number and receiver, and not from the
 * future.
 */
bool receivers_ack(struct receivers *receivers, struct receivers_receiver *receiver,
		   uint64_t number, np_time sent, np_time acked);

/* How many are ready, and how many of those have reported. */
size_t receivers_ready(const struct receivers *receivers);
size_t receivers_reported(const struct receivers *receivers);

/* The one that reported of this run; NULL: none did, or several, who have no clock in common. */
const struct receivers_receiver *receivers_only(const struct receivers *receivers);

#endif

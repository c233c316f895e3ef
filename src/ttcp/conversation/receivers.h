/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * receivers: the receivers that a sender knows, by their answers: START-OK, ACK, REPORT; and the
 * sum of the ACKs; and the names of partners in text, files and records. Pure; one thread at a
 * time.
 */
#pragma once

#include "../wire/message.h"

/* The most receivers; answers of others are ignored. */
#define RECEIVERS_MAX 256

struct receivers_receiver {
	struct np_address address;
	char name[NP_ADDRESS_TEXT];	/* "10.0.0.2:5001", "[fd00::2]:5001": peer_name */
	bool ready;			/* it answered START in this run */
	bool joined_late;		/* unknown before the first DATA */
	struct message_start_ok answer; /* its last START_OK that was ready */
	struct np_offset offset;	/* of its clock, by what was exchanged with it */
	struct np_offset clock;		/* the best estimate, when the run is over */
	uint64_t acks;			/* distinct messages acknowledged in this run */
	struct np_flow *acked;		/* NULL until the first ACK */
	bool reported;
	struct message_report report; /* of this run */
};

/* Starts as {0}, but for the histogram. */
struct receivers {
	struct receivers_receiver receiver[RECEIVERS_MAX]; /* in the order of their first answers */
	size_t count;
	uint64_t acks;	  /* of all, distinct ones */
	__int128 rtt_sum; /* of the acks, in ns */
	struct np_histogram *rtt;
	size_t message_bytes; /* of the run's messages; set by the owner */
	/* Formats the name of the receiver at @address; NULL: peer_name. Set by the owner. */
	char *(*name)(const struct np_address *address, char out[NP_ADDRESS_TEXT]);
};

/* "10.0.0.2:5001", "[fd00::2]:5001", with "%eth0" where the address needs a scope. Returns @out. */
char *peer_name(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

/* Forgets who has answered so far, in this run and before. */
void receivers_forget(struct receivers *receivers);

/* A new run: keeps receivers and their clocks, resets counts and reports. */
void receivers_begin(struct receivers *receivers);

/*
 * The receiver at @address, added if it is new; NULL when there is no room. Pointers stay
 * valid until they are forgotten.
 */
struct receivers_receiver *receivers_at(struct receivers *receivers,
					const struct np_address *address);

/*
 * An ACK of message @number, which was sent at @sent, arrived at @acked, both by the sender's
 * clock. Returns whether it counts: it is the first of this number and receiver, and not from the
 * future.
 */
bool receivers_ack(struct receivers *receivers, struct receivers_receiver *receiver,
		   uint64_t number, np_time sent, np_time acked);

/* How many are ready, and how many of those have reported. */
size_t receivers_ready(const struct receivers *receivers);
size_t receivers_reported(const struct receivers *receivers);

/* The one that reported of this run; NULL: none did, or several, who have no clock in common. */
const struct receivers_receiver *receivers_only(const struct receivers *receivers);

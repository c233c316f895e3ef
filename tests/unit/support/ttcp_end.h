/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ttcp_end: what a sender or a receiver of ttcp is opened with by a test: options, a session whose
 * clock the test sets, and what it says, which is kept.
 */
#ifndef TTCP_END_H
#define TTCP_END_H

#include "../../../src/ttcp/conversation/conversation.h"
#include "../../../src/ttcp/conversation/sender.h"
#include "../address_of.h"

#include <stdlib.h>

#define MS	   NP_MILLISECOND
#define STEP	   NP_MILLISECOND
#define LOOK	   (20 * NP_MILLISECOND)
#define EPOCH	   (1000 * NP_SECOND)
#define DATA_BYTES 64
#define DATA_BATCH 4

/* The clocks of senders, and of receivers: wall clock minus monotonic clock. */
#define SENDER_AHEAD   (7 * NP_SECOND)
#define RECEIVER_AHEAD (12 * NP_SECOND)

/* What is 0 is usual: one stream, 10 messages unless it has a duration or is classic, one run. */
struct sender_plan {
	bool datagrams, group, acks, classic, ping_pong, no_wait;
	np_time wait, duration;
	uint32_t id;
	unsigned lanes, batch;
	uint64_t messages;
	uint32_t runs;
	const struct np_address *to;
};

struct receiver_plan {
	bool datagrams;
	bool invisible;	  /* the monitor of a group */
	uint64_t senders; /* 0: no limit */
	np_time wait;
	uint64_t secret;
};

struct end {
	struct options options;
	struct np_log log;
	struct session session;
	const np_time *now;
	char *text;
	size_t bytes;
	FILE *stream;
	struct channel channel[MESSAGE_STREAMS_MAX];
	uint8_t batch[MESSAGE_STREAMS_MAX][DATA_BATCH * DATA_BYTES];
};

/* The end of a sender, or of a receiver. */
struct sender *end_send(struct end *e, const struct sender_plan *plan,
			const struct transport_face *face, const np_time *now);
struct receiver *end_receive(struct end *e, const struct receiver_plan *plan,
			     const struct transport_face *face, const np_time *now);
void end_close_sender(struct end *e, struct sender *s);
void end_close_receiver(struct end *e, struct receiver *r);

/* Of struct transport_face: its transport has none. */
bool end_no_socket(const struct transport *t, unsigned index, const struct np_address *peer,
		   struct record_socket *socket);

/* How often it has said @text, to the user or as a warning. */
unsigned end_said(const struct end *e, const char *text);

#endif

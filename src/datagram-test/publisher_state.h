/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* publisher_state: what the parts of a publisher - opening, loop, send_batch - work on. */
#ifndef DATAGRAM_TEST_PUBLISHER_STATE_H
#define DATAGRAM_TEST_PUBLISHER_STATE_H

#include "pace.h"
#include "publisher.h"

#include <netperf/interval.h>

struct publisher {
	struct publisher_plan plan;
	struct np_datagram *socket;
	struct wire_layout layout;
	struct publisher_result result;
	struct pace pace;
	struct np_interval interval;
	uint32_t *heard; /* of each peer, for shared_ack */
	uint64_t counted_bytes;
	unsigned turn_rounds;
	unsigned portion; /* packets handed over at a time, fewer where that takes long */
	np_time begin;
	np_time first;		     /* packet */
	np_time deadline;	     /* -txDurationMs */
	struct np_flow_counts mark;  /* as of the last report */
	struct np_flow_counts rowed; /* as of the last record of what was sent */
	unsigned reports;	     /* of those asked for by signals */
	uint64_t random;
	struct np_datagram_kernel kernel; /* as of the opening */
};

/* Of a packet: those that are counted, and that a rate is about. */
static inline double publisher_mean_bytes(const struct packet_options *o)
{
	return o->random ? (double)(o->shortest_bytes + o->packet_bytes) / 2
			 : (double)o->counted_bytes;
}

/* Nothing more is to be published. */
static inline bool publisher_over(const struct publisher *p)
{
	return atomic_load_explicit(&p->plan.shared->publishing, memory_order_relaxed) !=
	       SHARED_RUNNING;
}

/* What banner and reports say of it. */
struct console_publisher publisher_about(const struct publisher *p);

/*
 * send_batch: sends packets @first .. @first + @wanted - 1 to a peer, when their moment has come.
 * Returns how many of them were sent or given up: less than @wanted when the run was over before.
 */
unsigned send_batch(struct publisher *p, size_t peer, uint64_t first, unsigned wanted);
/* The reports that are due by time, or by a signal. */
void send_batch_look_for_reports(struct publisher *p, np_time now);

/* All is sent: the record of what came after the last one, when there was one. */
void send_batch_write_rest(struct publisher *p, np_time now);

#endif

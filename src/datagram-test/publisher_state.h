/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* publisher_state: the state that the parts of a publisher (opening, loop, send_batch) share. */
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
	uint32_t *heard; /* the peers' @heard as of the last ack, for shared_ack */
	uint64_t counted_bytes;
	int drops_watch;
	unsigned batch_rounds;
	unsigned portion; /* packets handed over at a time; fewer where that takes long */
	np_time begin;
	np_time first;		     /* when the first packet was sent */
	np_time deadline;	     /* from -txDurationMs */
	struct np_flow_counts mark;  /* counts as of the last report */
	struct np_flow_counts rowed; /* counts as of the last "transmit" record */
	unsigned reports;	     /* of those asked for by signals */
	uint64_t random;
	struct np_datagram_kernel kernel; /* as of the opening */
};

/* True when nothing more is to be published. */
static inline bool publisher_over(const struct publisher *p)
{
	return atomic_load_explicit(&p->plan.shared->publishing, memory_order_relaxed) !=
	       SHARED_RUNNING;
}

/* What the banner and reports print of it. */
struct console_publisher publisher_about(const struct publisher *p);

/*
 * send_batch: sends packets @first .. @first + @wanted - 1 to a peer when they are due. Returns how
 * many were sent or given up: fewer than @wanted if the run ended first.
 */
unsigned send_batch(struct publisher *p, size_t peer, uint64_t first, unsigned wanted);
/* Writes the reports that are due by time or by a signal. */
void send_batch_look_for_reports(struct publisher *p, np_time now);

/* Everything is sent: writes the last "transmit" record, if there were any before. */
void send_batch_write_rest(struct publisher *p, np_time now);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * record: what became of the packets of a flow, a listener or a peer, and where they were lost: the
 * one account that the records of netperf-json(5) and the result block give. Attribution is pure.
 */
#ifndef DATAGRAM_TEST_RECORD_H
#define DATAGRAM_TEST_RECORD_H

#include "listener.h"
#include "publisher.h"

#include <netperf/process.h>
#include <netperf/result.h>

/* One of the flows of @listener. */
void attribute_flow(struct np_result *to, const struct listener_result *listener,
		    const struct listener_flow *flow);

/* All flows of a listener. */
void attribute_listener(struct np_result *to, const struct listener_result *listener);

/* What was sent to a peer; the rest stays unknown unless its listener reported. */
void attribute_peer(struct np_result *to, const struct peer *peer);

/* An "interval": one flow since the last report. */
struct np_record *record_interval(const struct np_address *listener, struct flow *flow,
				  const struct np_flow_counts *span);

/* A "transmit": a publisher since its last report, @at after it started. */
struct np_record *record_transmit(const struct np_address *publisher, np_time at,
				  const struct np_flow_counts *span);

/* The sockets of a "start"; each publisher's result shows how it sends. */
void record_start_listener(struct np_record *start, const struct listener_result *listener);
void record_start_publisher(struct np_record *start, const struct publisher_result *publisher);

/* For a "summary": each listener and publisher, then their sum. */
struct record_sum {
	/*
	 * No publisher was heard, and some here have sent: the result is of what their peers
	 * reported, and of the counts there are unsent, missed_before and those of the rate: bytes,
	 * without those of each first packet, and elapsed, the longest; 0: unknown.
	 */
	bool published;
	struct np_flow_counts counts;
	struct np_result result;
	struct np_drops_counts dropped; /* by this host, by the kernel's reasons */
	uint64_t errors;
	const char *drop_unit;
};
void record_summary_listener(struct np_record *summary, const struct listener_result *listener);
void record_summary_publisher(struct np_record *summary, const struct endpoint *endpoint);
void record_summary_sum(struct np_record *summary, const struct record_sum *sum,
			const struct np_usage *usage, bool interrupted);

/* --report=full: what was asked for, before the run's own facts. */
void result_block_describe(struct np_block_full *full, const struct options *o);

/* Of this process. */
struct result_block_process {
	struct np_usage usage;
	bool several; /* both ends, or several sockets, used it */
	bool interrupted;
};

/* What a publisher's peers confirmed. */
void result_block_publisher(const struct endpoint *endpoint,
			    const struct result_block_process *process);

/* What a listener received; nothing if nobody came. */
void result_block_listener(const struct endpoint *endpoint,
			   const struct result_block_process *process);

#endif

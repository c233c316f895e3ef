/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * flow: what one publisher's packets tell: the counts of its sequence, bytes, times, acks, delays;
 * and the table of all flows by their source. Pure: packets and the clock are arguments.
 */
#ifndef DATAGRAM_TEST_FLOW_H
#define DATAGRAM_TEST_FLOW_H

#include "wire.h"

#include <netperf/address.h>
#include <netperf/flow.h>

/* Most flows at a time; packets of further sources only count as refused. */
#define FLOWS_MAX 1024

/* Packets of a run that has ended find its flow for so long, however late they are. */
#define FLOW_KEPT (60 * NP_SECOND)

/* Requests whose answers are waited for. */
#define FLOW_QUESTIONS 32

/* The partner's clock against ours, from TIME exchanges. */
struct flow_clock {
	struct np_offset offset;
	np_time asked; /* when the last request went */
	unsigned asks;
	unsigned replies;
	np_time open[FLOW_QUESTIONS]; /* t1 of the last requests, 0: answered */
	np_time answered;	      /* when the last reply came */
	np_time refused;	      /* when its host said that nobody is there */
};

/* Round trips by acks, the time the partner held them included: ns. */
struct flow_acks {
	uint64_t count, sum;
};

/* The figures the report prints, over one span: derived as Java does (spec 4.3), but distinct. */
struct flow_figures {
	struct np_flow_counts counts;
	uint64_t after_end; /* of received: when the flow's end had been told */
	struct flow_acks acks;
};

struct flow {
	struct np_address source;
	struct np_address printed; /* source IP with the return port: what reports show */
	bool ours;
	bool confirmed;
	bool proven;	   /* its publisher answered what we asked at its address */
	bool touched;	   /* since the search for a flow to displace came by */
	bool own_loopback; /* sent by a publisher of this process */
	bool told;	   /* the listener's to set: its end has been reported */
	bool past;	   /* ended before a silence: not listed, unless a packet comes late */
	unsigned peer;	   /* the listener's to set: which of our peers @printed is, from 1 on, so
			      that its acks count; 0: none */
	bool ended;	   /* END came, rxTimeout closed it, or a newer run of its source began */
	bool late_start;   /* the run began before this listener */
	uint32_t run;
	bool wide;	 /* its packets' numbers have 64 bits */
	uint64_t last;	 /* by END; 0: unknown */
	uint64_t behind; /* of a late start, with @last: its numbers less those counted here */
	np_time end_at;	 /* when END came first */
	struct wire_copies ends;
	uint64_t acks_sent;
	struct np_flow *account;
	np_time begun, heard; /* the first arrival and the last, but for damaged packets */
	uint64_t packets;     /* all arrivals */
	struct flow_acks acks, marked_acks;
	struct flow_figures rowed; /* life at the last interval record */
	bool has_rows;
	uint64_t content_errors;
	uint64_t after_end; /* of received: when the end had been told */
	np_time grace;	    /* the listener's to set: how long these were waited for until then */
	/* What came from its source, and went there: never more before the address is proved. */
	uint64_t came_bytes, gone_bytes;
	struct flow_clock clock;
	struct np_histogram *rtt; /* acks, without the time they were held; NULL until the first */
	struct flow *next, *prev; /* in order of first sight */
	struct flow *chain;	  /* the table's own */
};

struct flows;

/* @opened: when the listener began. Returns 0 or -ENOMEM. */
int flows_create(struct flows **flows, uint64_t key, np_time opened);
void flows_free(struct flows *flows);

/*
 * The flow of ours of @source with that run, or NULL; with @run 0 (a packet without a trailer that
 * checks) the newest flow of @source that is not past, ours or not, or NULL. The last one found is
 * found fast.
 */
struct flow *flows_find(struct flows *flows, const struct np_address *source, uint32_t run);

/*
 * The flow of a packet that flows_find does not know; @trailer NULL: foreign. NULL when the table
 * is full or memory is short (counted as refused). A foreign flow of the same source becomes ours
 * with the first trailer: begun anew, what came before counts as damaged. Other runs of the
 * source have ended. The packet itself is yet to be counted.
 */
struct flow *flows_add(struct flows *flows, const struct np_address *source,
		       const struct wire_packet *head, const struct wire_trailer *trailer,
		       np_time now);

struct flow *flows_first(const struct flows *flows);
/* Of those that are not past. */
size_t flows_count(const struct flows *flows);
uint64_t flows_refused(const struct flows *flows);

bool flows_full(const struct flows *flows);
/*
 * One to make room: not proven, or told, and quiet since the last search came by it, the first of
 * those in turn. NULL: none.
 */
struct flow *flows_victim(struct flows *flows);
/*
 * Whether a flow of ours with this run has ended and was removed: a packet of it is a stray one,
 * and begins no other. The last thousands are known.
 */
bool flows_departed(const struct flows *flows, const struct np_address *source, uint32_t run);
/* Frees it. */
void flows_remove(struct flows *flows, struct flow *flow);

/*
 * Counts @count packets of @length bytes each (already cut to packetSize) that came together,
 * @head's and those numbered behind it, which carry no ack; @trailer NULL unless they are
 * WIRE_OURS. In a flow of ours such packets are damaged. Hot.
 */
void flow_count(struct flow *flow, const struct wire_packet *head,
		const struct wire_trailer *trailer, uint64_t count, size_t length, np_time now);

/* A TIME_REQUEST goes out at @t1: remembers it. */
void flow_clock_ask(struct flow *flow, np_time t1);

/*
 * A TIME_REPLY for this flow arrived at @t4: the exchange with the smallest bound by now is kept,
 * and the flow is proven. One of another run, to no question of ours, or that cannot be true, is
 * ignored.
 */
void flow_clock_reply(struct flow *flow, const struct wire_control *reply, np_time t4);

/*
 * END came: what is missing up to @last is so for good, though nothing came behind it, but for
 * @unsent of them that never left the sender.
 */
void flow_end(struct flow *flow, uint64_t last, uint64_t unsent, np_time now);

/*
 * All are silent at @now: one of ours that has ended is past. Returns whether nothing more is
 * awaited of the flow, so that it may go: it is foreign, or was quiet for FLOW_KEPT.
 */
bool flow_over(struct flow *flow, np_time now);

/*
 * How long after END packets of the flow may still be on their way: twice the spread of the times
 * they took, 200 ms at least, 10 s at most.
 */
np_time flow_grace(const struct flow *flow);

/*
 * Whether nothing is waited for any longer of one whose end was told: when its grace is over, or
 * its least with nothing missing and nothing doubled, for where one came twice others may.
 */
bool flow_accounted(const struct flow *flow, np_time now);

/*
 * Whether the publisher is known to be there still at @now, though nothing may come from it: it has
 * proved its address, and answers.
 */
bool flow_alive(const struct flow *flow, np_time now);

/* How many control datagrams of its publisher may have been lost. */
uint64_t flow_controls_missing(const struct flow *flow);

void flow_life(const struct flow *flow, struct flow_figures *figures);
void flow_now(const struct flow *flow, struct flow_figures *figures);

/* Its delays so far, one way; false: there are none. */
bool flow_delay(const struct flow *flow, struct np_histogram_figures *delay);

/* The report is out: now begins anew. */
void flow_mark(struct flow *flow, np_time now);

/* Adds @more's sums to @sum, as the Rx Summary does: from the first begin to the last end. */
void flow_figures_add(struct flow_figures *sum, const struct flow_figures *more);

/* Takes off what was counted @before. Modulo 2^64: what comes late takes back a loss. */
void flow_figures_since(struct flow_figures *now, const struct flow_figures *before);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * flow: what one publisher's packets show: the counts of its sequence, bytes, times, acks, delays;
 * and the table of all flows by their source. A flow or packet is "ours" if the packets carry this
 * program's trailer (wire.h), else "foreign". Pure: packets and the clock are arguments.
 */
#pragma once

#include "wire.h"

/* Most flows at a time; packets of further sources are only counted as refused. */
#define FLOWS_MAX 1024

/* A flow that has ended is kept this long, to count packets that arrive late. */
#define FLOW_KEPT (60 * NP_SECOND)

/* How many time requests can await their replies. */
#define FLOW_QUESTIONS 32

/* The offset of the partner's clock from ours, from TIME exchanges. */
struct flow_clock {
	struct np_offset offset;
	np_time asked; /* when the last request was sent */
	unsigned asks;
	unsigned replies;
	np_time open[FLOW_QUESTIONS]; /* t1 of the last requests; 0: answered */
	np_time answered;	      /* when the last reply arrived */
	np_time refused;	      /* when its host reported that nobody listens there */
};

struct flow {
	/* There may be many flows, so what each packet touches is in one cache line. */
	_Alignas(NP_CACHE_LINE) struct flow *chain; /* for the table's use */
	uint64_t hash; /* of the source: by a key of 64 bits it stands for it */
	struct np_flow *account;
	np_time heard;	  /* the last arrival, except for damaged packets */
	uint64_t packets; /* all arrivals, damaged ones, too */
	uint32_t run;	  /* 0: foreign */
	bool ours : 1;
	bool wide : 1;	     /* its packet numbers have 64 bits */
	bool past : 1;	     /* ended before a silence: not listed, unless a packet comes late */
	bool late_start : 1; /* the run started before this listener, or before it was displaced */
	bool reported : 1;   /* its end has been reported; set by the listener */
	bool ended : 1;	     /* END came, or a newer run of its source began */
	bool proven : 1;     /* its publisher replied from its address, so that is not forged */
	struct np_headers headers; /* the beginning of it */

	struct peer *peer; /* which of ours @printed is, so that its acks count; NULL: none. Set by
			      the listener */
	/*
	 * Bytes received from its source and sent to it, with the headers of IP and UDP, before the
	 * address was proved: never more sent than received.
	 */
	uint64_t came_bytes, gone_bytes;
	uint64_t after_end; /* of those received: after END had arrived */
	struct flow *alike; /* the next one for flows_of_run; NULL: none */
	struct np_address source;
	struct np_address printed;  /* source IP with the return port: what reports show */
	char name[NP_ADDRESS_TEXT]; /* the same */
	uint64_t last;		    /* from END; 0: unknown */
	uint64_t behind; /* of a late start, once @last is known: its number less the one counted
			    here */
	np_time end_at;	 /* when the first END arrived */
	np_time acked;	 /* when that was last answered; set by the listener */
	struct wire_copies ends;
	uint64_t ends_behind; /* may have been dropped behind the latest one before that was read */
	uint64_t acks_sent;
	struct np_drops_total sender; /* what its publisher's host dropped, by the last END */
	np_time begun;		      /* the first arrival */
	uint64_t damaged; /* of the packets, which the listener counts as damaged by itself; set by
			     it */
	struct np_flow_counts rowed; /* life as of the last interval record; zeros: there is none */
	np_time rowed_to;	     /* its end */
	uint64_t content_errors;
	np_time grace; /* how long the listener waited after END; set by it */
	struct flow_clock clock;
	struct np_histogram
		*rtt; /* round trips without the time that acks were held; NULL until the first */
	struct flow *next, *prev; /* in the order in which the flows were added */
	/*
	 * What this host dropped of it, by the kernel's reasons, and of earlier runs of its source,
	 * which is known if @follows: they all had ended when it began. Set by the listener.
	 */
	struct np_drops_counts dropped, dropped_before;
	bool follows;
	/* When it is over; set by the listener. */
	struct wire_counts counts;
	struct np_histogram_figures rtt_figures; /* count 0: none */
	struct np_result result;		 /* see attribute */
};

#define FLOWS_BUCKETS (8 * FLOWS_MAX) /* a power of two */
#define FLOWS_GONE    4096	      /* runs that are remembered after their flow was removed */

/* Starts as zeros but for @key, which is random, and @opened: when the listener started. */
struct flows {
	uint64_t key;
	np_time opened;
	struct flow *first, *last; /* in the order in which they were added */
	size_t count;
	uint64_t refused; /* packets that got no flow */
	/* Internal: */
	struct {
		struct flow *first;
		const struct np_flow *account; /* of the first */
	} bucket[FLOWS_BUCKETS];	       /* by their source, newest first */
	struct flow *of_run[FLOWS_BUCKETS];    /* those of ours */
	struct flow *turn;		       /* the next one of flows_turn; NULL: the first */
	struct flow *found;		       /* the result of the last search */
	struct np_address sought;	       /* its source, without the name */
	/*
	 * Runs whose flows were removed: displaced, and ended. Hash tables in which a later run may
	 * replace an earlier one. 0: none.
	 */
	uint64_t gone[2][FLOWS_GONE];
};

/* Frees the flows. */
void flows_free(struct flows *flows);

/*
 * The flow of ours from @source with that run, or NULL. With @run 0 (no trailer, or a damaged one)
 * the newest flow of @source that is not past, ours or foreign, or NULL. @hash: as flows_expect set
 * it, or 0. Finding the same flow again is fast.
 */
struct flow *flows_find(struct flows *flows, const struct np_address *source, uint64_t hash,
			uint32_t run);

/*
 * Has the processor load what counting these packets, at most FLOWS_AHEAD, will need, and sets the
 * @hash of their sources for flows_find. Where there are few flows, it does neither. Hot.
 */
#define FLOWS_AHEAD 16
void flows_expect(const struct flows *flows, const struct np_packet *packets, size_t count,
		  uint64_t *hash);

/*
 * Adds a flow for a packet that flows_find found none for. Returns NULL when the table is full or
 * memory is short. A foreign flow of the same source becomes ours with the first trailer: it starts
 * over, and its earlier packets count as damaged. Other runs of the source are marked as ended,
 * unless they are proven. Does not count the packet itself.
 */
struct flow *flows_add(struct flows *flows, const struct np_address *source,
		       const struct wire_packet *head, np_time now);
/* @flow is proven now: marks the earlier runs of its source as ended. */
void flows_end_former(struct flows *flows, const struct flow *flow);

/* Where the first of those that may have this run is, or NULL; the others are its ->alike. */
static inline struct flow **flows_of_run(struct flows *flows, uint32_t run)
{
	return &flows->of_run[run % FLOWS_BUCKETS];
}

/* The flow whose turn it is, or NULL. The turn passes on: behind the last one comes the first. */
struct flow *flows_turn(struct flows *flows);

/* The number of flows that are not past. */
size_t flows_count(const struct flows *flows);
/*
 * Chooses a flow that may be displaced by a new one: of those that are unproven or reported the one
 * silent longest. NULL: none. Looks at all, at most FLOWS_MAX.
 */
struct flow *flows_victim(const struct flows *flows);
/*
 * Whether a flow of ours with this run was removed: after it had @ended, so that its packet is a
 * stray one and starts no new flow; or before, displaced. Remembers the last few thousand.
 */
bool flows_departed(const struct flows *flows, const struct np_address *source, uint32_t run,
		    bool ended);
/* Removes and frees @flow. */
void flows_remove(struct flows *flows, struct flow *flow);

/*
 * Counts @count packets of @length bytes each (already cut to packetSize) that arrived together:
 * @head's, and those with the next numbers, which carry no ack. Those without a trailer damage a
 * flow of ours. Hot.
 */
void flow_count(struct flow *flow, const struct wire_packet *head, uint64_t count, size_t length,
		np_time now);

/*
 * A TIME_REPLY arrived at @t4. Keeps the exchange with the smallest bound so far and marks the flow
 * as proven. Ignores a reply of another run, from another address than the printed one, to no
 * request of ours, or with impossible times. True: it was not proven before.
 */
bool flow_clock_reply(struct flow *flow, const struct np_address *source,
		      const struct wire_control *reply, np_time t4);

/*
 * END arrived, and @waited so long to be read: further copies may have come meanwhile. By the first
 * one, packets missing up to its last are lost for good, even if nothing came after them, except
 * those that never left the sender.
 */
void flow_end(struct flow *flow, const struct wire_control *end, np_time now, np_time waited);

/*
 * The listener has been silent until @now: a flow of ours that has ended becomes past. Returns
 * whether the flow can be removed: it is foreign, or was quiet for FLOW_KEPT.
 */
bool flow_over(struct flow *flow, np_time now);

/*
 * How long after END packets of the flow may still be on their way: twice the spread of their
 * travel times, at least 200 ms and at most 10 s.
 */
np_time flow_grace(const struct flow *flow);

/*
 * Whether its publisher, which is unproven, can prove its address. Its END is acknowledged once it
 * has, or after this time: until then it waits, and can answer.
 */
#define FLOW_PROVE_WITHIN (1500 * NP_MILLISECOND)
static inline bool flow_may_prove(const struct flow *flow)
{
	return flow->ours && !flow->proven && !flow->reported && np_address_port(&flow->printed);
}

/*
 * Whether a flow with END need not be waited for any longer: its address is proved or will not be,
 * and its grace is over, or the minimum of the grace is and nothing is missing or duplicated (where
 * one packet came twice, others may).
 */
bool flow_accounted(const struct flow *flow, np_time now);

/*
 * Whether the publisher is known to be alive at @now, even if it sends nothing: its address is
 * proved and it replies.
 */
bool flow_alive(const struct flow *flow, np_time now);

/* How many control datagrams of its publisher may have been lost. */
uint64_t flow_controls_missing(const struct flow *flow);

/* The counts of its life. */
void flow_life(const struct flow *flow, struct np_flow_counts *counts);

/* What it reports to its publisher, but for what the socket dropped; @flow->dropped is known. */
void flow_report(const struct flow *flow, struct wire_counts *counts);

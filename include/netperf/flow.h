/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * flow: the account of a stream of numbered messages, or packets, from one sender: which of them
 * came, when, how many bytes they had and how long they were under way; what was damaged; how the
 * flow ended; and the sums of several. All programs count with it and write their records from it.
 *
 * Pure: messages and the clock are arguments. One thread at a time for each flow. At all times
 * sent = received + lost + late.
 */
#ifndef NETPERF_FLOW_H
#define NETPERF_FLOW_H

#include <netperf/clock.h>
#include <netperf/delay.h>
#include <netperf/loss.h>
#include <netperf/offset.h>
#include <netperf/sequence.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_flow;

/* What is known of a flow before its first message. */
struct np_flow_plan {
	uint64_t first;	    /* its lowest number */
	uint64_t announced; /* how many messages it will have; 0: not known */
	uint64_t reach;	    /* when not known: a number so far ahead is stray; 0: none is */
	bool late;	 /* it had begun before: what is below the lowest that comes is not lost */
	bool raw_delays; /* delays by the two clocks as they are, not corrected */
};

/* The order of what came, as struct np_sequence_counts has it. */
struct np_flow_order {
	uint64_t offset_sum;
	uint64_t gaps, gap_packets;
	np_time gap_time;
	uint64_t extent_sum, extent_max;
	bool extent_exact;
};

/* What became of a flow's messages, in its life or since a mark; or of those of several flows. */
struct np_flow_counts {
	uint64_t flows; /* summed up here; 0: nothing is */
	uint64_t sent;	/* numbers that left the sender, as far as is known */
	bool sent_known;
	uint64_t received;	 /* different ones */
	uint64_t lost;		 /* never came, or damaged */
	uint64_t duplicates;	 /* came again */
	uint64_t reordered;	 /* of received: numbered below one that came before */
	uint64_t late;		 /* below the window: whether they came before is not known */
	uint64_t stray;		 /* their numbers cannot be of the flow */
	uint64_t damaged;	 /* known to be of the flow; their numbers are among the lost */
	uint64_t unsent;	 /* never left the sender, by its end: neither sent nor lost */
	uint64_t unsent_perhaps; /* of a late flow: so many of lost at most, or none */
	uint64_t missed_before;	 /* of a late flow: below the first that came; not in sent */
	uint64_t bytes;		 /* of received */
	uint64_t head_bytes;	 /* of them those that came at @first: no time passed before */
	np_time first, last;	 /* arrivals of the flow, duplicates too; 0: none */
	np_time elapsed;	 /* between them; of an interval its length */
	struct np_flow_order order;
};

/* @window: see np_sequence_create. Returns 0, -ENOMEM or -EINVAL. It is to be started. */
int np_flow_create(struct np_flow **flow, uint64_t window);

/* NULL is allowed. */
void np_flow_free(struct np_flow *flow);

/*
 * Forgets all but the clock: what comes is of a new flow. Returns 0, or -ENOMEM when there is no
 * room for raw delays.
 */
int np_flow_start(struct np_flow *flow, const struct np_flow_plan *plan);

/*
 * @count messages of @bytes each, numbered one behind the other from @first on, that were sent at
 * @sent by the sender's clock and came at @at by ours, together: in order they cost what one does.
 * Returns how many came for the first time. Hot.
 */
uint64_t np_flow_add(struct np_flow *flow, uint64_t first, uint64_t count, uint64_t bytes,
		     np_time sent, np_time at);

/* Messages without numbers, of @bytes in all: nothing is known of their loss or delay. Hot. */
void np_flow_add_unnumbered(struct np_flow *flow, uint64_t count, uint64_t bytes, np_time at);

/* The first @bytes of a message came, which is not whole yet: the time begins with them. */
void np_flow_open(struct np_flow *flow, uint64_t bytes, np_time at);

/* So many are known to be of this flow, but not which. */
void np_flow_damaged(struct np_flow *flow, uint64_t count);

/* So many cannot be of this flow: of another run, or not to be counted. */
void np_flow_stray(struct np_flow *flow, uint64_t count);

/*
 * The sender says that it numbered those below @end, of which @unsent never left it: what is
 * missing is so for good, though nothing came behind it. Again is no harm. False, and nothing
 * changes, for one that cannot be: beyond what was announced, or 2^63.
 */
bool np_flow_end(struct np_flow *flow, uint64_t end, uint64_t unsent);

/* Its sender told the end. */
bool np_flow_ended(const struct np_flow *flow);

/* All that it was to have, by its end or by its plan, is here. */
bool np_flow_complete(const struct np_flow *flow);

/* Different ones that came, those without numbers, too. */
uint64_t np_flow_received(const struct np_flow *flow);

/* As np_sequence_lowest, np_sequence_highest and np_sequence_unwrap. */
uint64_t np_flow_lowest(const struct np_flow *flow);
uint64_t np_flow_highest(const struct np_flow *flow);
uint64_t np_flow_unwrap(const struct np_flow *flow, uint32_t number32);

/*
 * The sender's clock as it is known from now on: by it delays are corrected, and counted from the
 * first one that is known. A bound of 0: it is ours.
 */
void np_flow_set_clock(struct np_flow *flow, const struct np_offset *clock);

/* The delays of what came for the first time; NULL: there can be none. The flow's own. */
struct np_delay *np_flow_delay(const struct np_flow *flow);

/* The worst bound of the corrected ones; 0: one clock, or raw. */
np_time np_flow_delay_bound(const struct np_flow *flow);

/* The least and the most time that messages took, by clocks a constant apart. */
struct np_flow_spread {
	bool known;
	np_time least, most;
};

/* Widens @spread, which begins as {0}, to that of @flow. */
void np_flow_spread(const struct np_flow *flow, struct np_flow_spread *spread);

/*
 * How long behind an end others may still be on their way: as long as the spread of those that
 * came, and again as long, NP_FLOW_GRACE_LEAST at least and NP_FLOW_GRACE_MOST at most.
 */
#define NP_FLOW_GRACE_LEAST (200 * NP_MILLISECOND)
#define NP_FLOW_GRACE_MOST  (10 * NP_SECOND)
np_time np_flow_grace(const struct np_flow_spread *spread);

/* So far: what was announced and has not come yet is not lost. */
void np_flow_life(const struct np_flow *flow, struct np_flow_counts *counts);

/* Nothing comes any more: what was announced and has not come is lost, though no end was told. */
void np_flow_final(const struct np_flow *flow, struct np_flow_counts *counts);

/*
 * Since the last mark, or the begin: of the numbers above the highest one then; those below it
 * correct the life alone.
 */
void np_flow_now(const struct np_flow *flow, struct np_flow_counts *counts);
void np_flow_mark(struct np_flow *flow, np_time now);

/*
 * Adds @more to @sum, which begins as {0}: a flow beside it, the time being that from the first
 * arrival of both to the last; or, appended, a flow after it, whose time is added.
 */
void np_flow_counts_add(struct np_flow_counts *sum, const struct np_flow_counts *more);
void np_flow_counts_append(struct np_flow_counts *sum, const struct np_flow_counts *more);

/*
 * Takes off what was counted @before of the same flow. The sums of such differences are the life's
 * to the message; modulo 2^64, for a message that comes late takes back a loss. The extent_max
 * stays the life's.
 */
void np_flow_counts_since(struct np_flow_counts *now, const struct np_flow_counts *before);

/* Nothing came, was lost or was damaged. */
bool np_flow_counts_empty(const struct np_flow_counts *counts);

/* Sent and lost are known to the message. */
bool np_flow_counts_exact(const struct np_flow_counts *counts);

/*
 * Of what was received, the part that came after the first moment, by which a rate is taken; 0:
 * there is no rate.
 */
double np_flow_counts_share(const struct np_flow_counts *counts);

/*
 * Where the lost were lost. @drops NULL: nothing is known of drops. What may never have left the
 * sender is not put on the way.
 */
struct np_loss np_flow_attribute(const struct np_flow_counts *counts,
				 const struct np_loss_drops *drops);

struct np_record;

/* What a record says beyond the counts that all programs have. */
#define NP_FLOW_DAMAGE 1  /* unsent and damaged */
#define NP_FLOW_ORDER  2  /* offsets, extents and gaps */
#define NP_FLOW_WHOLE  4  /* no interval: missed_before and whether the end is known */
#define NP_FLOW_SENDER 8  /* only sent, bytes and rates are known; in CSV others have a column */
#define NP_FLOW_SUMS   16 /* of receivers that share no clock: neither time nor rates */
#define NP_FLOW_BARE   32 /* messages without numbers: only received, bytes and rates are known */

/*
 * Adds the counts under the names of netperf-json(5), each with "_@noun" ("packets", "messages"),
 * and bytes, time and rates. @what: the flags above.
 */
void np_record_flow(struct np_record *record, const char *noun, const struct np_flow_counts *counts,
		    unsigned what);

/*
 * Bytes, time and both rates of @messages. @share: of them those that came or went in the time
 * @elapsed; 0: there is no rate.
 */
void np_record_rates(struct np_record *record, const char *noun, uint64_t messages, uint64_t bytes,
		     np_time elapsed, double share);

/* Whose loss it was, and whether it and @counts are exact. */
void np_record_loss(struct np_record *record, const char *noun, const struct np_loss *loss,
		    const struct np_flow_counts *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

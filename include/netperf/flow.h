/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * flow: the counts of a stream of numbered messages, or packets, from one sender: which of them
 * arrived, when, their bytes and travel times; damage; the end of the flow; and sums over several
 * flows. Pure: messages and the clock are arguments. At all times sent = received + lost + late.
 */
#pragma once

#include <netperf/histogram.h>
#include <netperf/options.h>

enum np_known { NP_UNKNOWN = 0, NP_AT_LEAST, NP_EXACT }; /* NP_AT_LEAST: a lower bound */

struct np_count {
	uint64_t n;
	enum np_known known;
};

#define NP_COUNT_EXACT(count)	 ((struct np_count){.n = (count), .known = NP_EXACT})
#define NP_COUNT_AT_LEAST(count) ((struct np_count){.n = (count), .known = NP_AT_LEAST})

/*
 * Tables of the columns of a counted struct: where each is, what it is called and how two of it
 * merge. Sums, JSON records and the result block walk them, so that a new figure is one row. Not
 * for hot loops.
 */
enum np_column_kind {
	NP_COLUMN_COUNT, /* a struct np_count; the sum is as exact as its parts */
	NP_COLUMN_SUM,	 /* a uint64_t or np_time that adds up; differences are modulo 2^64 */
	NP_COLUMN_MOST,	 /* a uint64_t or np_time >= 0: the largest; a difference keeps it */
	/* A uint64_t or np_time that adds up; 0: unknown, not in records; a difference keeps it. */
	NP_COLUMN_GAUGE,
	/* An np_time: the least that is not 0, which is not in records; a difference keeps it. */
	NP_COLUMN_FIRST,
	NP_COLUMN_ALL, /* a bool: whether it is true of all; a difference keeps it */
};

struct np_column {
	const char *name; /* in JSON, before "_" and its unit; the last column has NULL */
	size_t offset;
	enum np_column_kind kind;
	const char *unit; /* NULL: that of what is counted; "": the name has none */
	unsigned part;	  /* in records that have all these flags; NP_COLUMN_HIDDEN: in none */
};
#define NP_COLUMN_HIDDEN 0x80000000u
#define NP_COLUMN(type, member)                                                                    \
	{                                                                                          \
		.name = #member, .offset = offsetof(type, member)                                  \
	}

/* Of a column that is NP_COLUMN_COUNT. */
const struct np_count *np_column_of(const struct np_column *column, const void *values);

/* Whether a record that has @parts has the column. */
bool np_column_shown(const struct np_column *column, unsigned parts, const void *values);

/* Adds each column. A sum with an unknown part is a lower bound, of two unknown ones unknown. */
void np_schema_add(const struct np_column *columns, void *sum, const void *more);

/* Subtracts what was counted @before from @now, which has no NP_COLUMN_COUNT. */
void np_schema_since(const struct np_column *columns, void *now, const void *before);

/* The reverse: adds what was counted @before, in an earlier run, to @now. */
void np_schema_append(const struct np_column *columns, void *now, const void *before);

/*
 * Adds the columns of @parts to @record, as "lost_path_messages" with @unit "messages". Differences
 * may be negative; unknown counts are left out, and lower bounds are written as they are.
 */
void np_schema_record(struct np_record *record, const struct np_column *columns, unsigned parts,
		      const void *values, const char *unit);

/* "12", ">= 12" or "unknown"; a difference may be negative. */
struct np_text np_count_format(const struct np_count *count);

/*
 * Where packets were lost, on the way or in this host, as far as the kernel's drop counter
 * shows (np_datagram_stats.dropped and its unit). The way ends at this host's UDP or packet layer:
 * what its card, its backlog or its packet filter dropped was lost on the way.
 */

/*
 * The row of --max-loss. @member: the percentage, a double; @percent: its default; @when: a literal
 * such as "loss exceeds PERCENT".
 */
#define NP_LOSS_MAX(member, percent, when)                                                         \
	NP_VALUE(LIMITS, NUMBER, "max-loss", NULL, "PERCENT", member, "exit with 1 if " when,      \
		 .initial = percent, .max = 100)

/* Where what is missing was lost, in sum; when not exact, path and host are lower bounds. */
struct np_loss {
	uint64_t path, host, unattributed;
	bool exact;
};

/*
 * What this host dropped because a buffer was full: @least to @upmost drops, of 1 to @most packets
 * each. At most @others of the dropped packets are not among the missing: duplicates of packets
 * that arrived, control datagrams, packets of other programs; NP_LOSS_UNKNOWN when they cannot be
 * counted.
 */
struct np_loss_drops {
	uint64_t least, upmost;
	uint64_t most;
	uint64_t others;
};
#define NP_LOSS_UNKNOWN UINT64_MAX

/*
 * How many of a socket's @dropped drops were due to a full buffer. Some may be due to wrong
 * checksums, which is the fault of the way, and the counters cover all sockets: @full
 * (RcvbufErrors) and @damaged (InCsumErrors) over the same time. Fills least and upmost.
 */
void np_loss_drops_full(struct np_loss_drops *drops, uint64_t dropped, uint64_t full,
			uint64_t damaged);

/*
 * The most packets that one drop can stand for: @unit as in np_datagram_info, @shortest the size in
 * bytes of the shortest packet in use.
 */
uint64_t np_loss_most(const char *unit, size_t shortest);

/* @lost in percent of @sent; 0 when nothing was sent. */
double np_loss_percent(uint64_t lost, uint64_t sent);

/*
 * Whether @percent is more than the @most of --max-loss, which is then logged as an error of
 * @object (may be NULL): exit status 1.
 */
bool np_loss_exceeds(double percent, double most, const char *object, const struct np_log *log);

/* Adds @more to @sum, which starts as {.exact = true}. */
void np_loss_add(struct np_loss *sum, const struct np_loss *more);

/* Where @missing packets were lost. */
struct np_loss np_loss_attribute(uint64_t missing, const struct np_loss_drops *drops);

/* Arrivals in order wait, some at a time, to be counted together: who reads may count them. */
struct np_flow;

/* The usual size of the bitmap that distinguishes a duplicate from a first arrival, in numbers. */
#define NP_FLOW_WINDOW (1u << 20)

/* What is known of a flow before its first message. */
struct np_flow_plan {
	uint64_t first;	    /* its lowest number */
	uint64_t announced; /* how many messages it will have; 0: unknown */
	uint64_t reach;	    /* if unknown: a number this far ahead is stray; 0: none is */
	bool late; /* it may have begun before: what is below the lowest that arrives is not lost */
	bool raw_delays; /* keep delays by the two clocks as they are, uncorrected */
};

/* In what order the packets of a flow came. */
struct np_flow_order {
	/* Over reordered ones, at arrival: abs(received - (number - lowest + 1)) of the period. */
	uint64_t offset_sum;
	uint64_t gaps;	      /* jumps beyond the next expected; the first arrival makes none */
	uint64_t gap_packets; /* passed over by them, whether or not they arrived later */
	np_time gap_time;     /* between the arrivals around each gap, summed */
	uint64_t extent_sum;  /* RFC 4737 4.2.2, over reordered: distinct arrivals since the first
				 higher one */
	uint64_t extent_max;
	/*
	 * False: the extents are lower bounds, since a packet was old, or was passed over before
	 * the last 4095 gaps.
	 */
	bool extent_exact;
};

/* What became of the messages of a flow, in its life or since a mark; or of several flows. */
struct np_flow_counts {
	uint64_t flows; /* how many are added up here; 0: none */
	uint64_t sent;	/* numbers that left the sender, as far as known */
	bool sent_known;
	uint64_t received;	 /* distinct ones */
	uint64_t bytes;		 /* of those received */
	uint64_t lost;		 /* never arrived, or damaged */
	uint64_t duplicates;	 /* arrived again */
	uint64_t reordered;	 /* of those received: numbered below one that arrived before */
	uint64_t late;		 /* below the window: unknown whether they arrived before */
	uint64_t stray;		 /* their numbers cannot belong to the flow */
	uint64_t damaged;	 /* known to belong to the flow; their numbers are among the lost */
	uint64_t unsent;	 /* by its end, never left the sender: neither sent nor lost */
	uint64_t unsent_perhaps; /* in a late flow: at most this many of those lost */
	/* In a late flow: sent before the first that arrived; not in sent. */
	uint64_t missed_before;
	uint64_t head_bytes; /* of the bytes, that arrived at @first, before any time had passed */
	np_time first, last; /* arrivals in the flow, duplicates included; 0: none */
	np_time elapsed;     /* between the two; the length of an interval */
	struct np_flow_order order;
	uint64_t after_end; /* of those received, after the end was settled; by the program */
	/* Of ours that came back in them, by np_flow_ack, and their round trips, summed, in ns. */
	uint64_t acks, ack_time;
};

/*
 * @window is the size of the bitmap, rounded up to a power of two, at least 64. It takes window / 8
 * bytes, and 16 for each of up to 4096 gaps (192 KiB for NP_FLOW_WINDOW), none resident before use.
 * Returns 0, -ENOMEM, or -EINVAL for more than 2^32. Start it next.
 */
int np_flow_create(struct np_flow **flow, uint64_t window);
void np_flow_free(struct np_flow *flow);

/* Resets all but the clock, for a new flow. -ENOMEM: there is no memory for raw delays. */
int np_flow_start(struct np_flow *flow, const struct np_flow_plan *plan);

/*
 * Counts @count messages of @bytes each, with consecutive numbers from @first on, that were sent at
 * @sent by the sender's clock and arrived together at @at by ours. If they are in order, many cost
 * as much as one. Returns how many arrived for the first time. Hot.
 */
uint64_t np_flow_add(struct np_flow *flow, uint64_t first, uint64_t count, uint64_t bytes,
		     np_time sent, np_time at);

/* Counts messages without numbers, of @bytes in all: their loss and delay are unknown. Hot. */
void np_flow_add_unnumbered(struct np_flow *flow, uint64_t count, uint64_t bytes, np_time at);

/* Counts what came back in a message of the flow: an ack of one of ours, after @round_trip. */
void np_flow_ack(struct np_flow *flow, np_time round_trip);

/* The first @bytes of an incomplete message arrived: the measured time starts with them. */
void np_flow_open(struct np_flow *flow, uint64_t bytes, np_time at);

/*
 * Counts messages that are known to belong to this flow, but without a valid number; or stray ones,
 * that cannot belong to it: of another run, or not to be counted.
 */
void np_flow_damaged(struct np_flow *flow, uint64_t count);
void np_flow_stray(struct np_flow *flow, uint64_t count);

/*
 * The sender reports that it numbered the messages below @end, of which @unsent never left it: what
 * is missing is lost for good, even if nothing arrived after it. May be repeated. Returns false,
 * and changes nothing, for an impossible end: beyond what was announced, or 2^63.
 */
bool np_flow_end(struct np_flow *flow, uint64_t end, uint64_t unsent);

/* Everything that the end or the plan announced has arrived. */
bool np_flow_complete(const struct np_flow *flow);

/* Distinct messages that arrived, including those without numbers. */
uint64_t np_flow_received(const struct np_flow *flow);

/* The lowest number, or the plan's first; the highest, or the end's. Both 0 before the first. */
uint64_t np_flow_lowest(const struct np_flow *flow);
uint64_t np_flow_highest(const struct np_flow *flow);

/*
 * The 64-bit number that ends in @number32 and is nearest to the highest that arrived (serial
 * number arithmetic, RFC 1982); one below 0 is stray. Before the first arrival, the lowest such
 * number from the plan's first on; in a late flow 2^32 + @number32, which leaves room for lower
 * ones.
 */
uint64_t np_flow_unwrap(const struct np_flow *flow, uint32_t number32);

/*
 * Sets what is known of the sender's clock: from now on delays are corrected by it; delays before
 * the first known clock are not counted. A bound of 0: it is our clock.
 */
void np_flow_set_clock(struct np_flow *flow, const struct np_offset *clock);

/* The delays of first arrivals so far, owned by the flow; NULL: none are possible. */
struct np_histogram *np_flow_delay(struct np_flow *flow);

/* The worst bound of the corrected delays; 0: one clock, or raw. */
np_time np_flow_delay_bound(struct np_flow *flow);

/* The shortest and the longest travel time, by clocks a constant apart; widened to @flow's. */
struct np_flow_spread {
	bool known; /* false at the start */
	np_time least, most;
};
void np_flow_spread(struct np_flow *flow, struct np_flow_spread *spread);

/*
 * How long after the end other messages may still be on their way: twice the spread of those that
 * arrived, at least NP_FLOW_GRACE_LEAST and at most NP_FLOW_GRACE_MOST.
 */
#define NP_FLOW_GRACE_LEAST (200 * NP_MILLISECOND)
#define NP_FLOW_GRACE_MOST  (10 * NP_SECOND)
np_time np_flow_grace(const struct np_flow_spread *spread);

/*
 * The counts so far. Who announced messages need not have sent them: without an end none is lost
 * beyond the highest that arrived.
 */
void np_flow_life(struct np_flow *flow, struct np_flow_counts *counts);

/*
 * The counts since the last mark, or the start: of numbers above the highest one at that time;
 * arrivals below it correct the life alone.
 */
void np_flow_now(struct np_flow *flow, struct np_flow_counts *counts);
void np_flow_mark(struct np_flow *flow, np_time now);

/*
 * Adds @more to @sum, which starts as {0}: a concurrent flow, so that the time is that from the
 * earliest first to the latest last arrival; or, appended, a later flow, whose time is added.
 */
void np_flow_counts_add(struct np_flow_counts *sum, const struct np_flow_counts *more);
void np_flow_counts_append(struct np_flow_counts *sum, const struct np_flow_counts *more);

/*
 * Subtracts what was counted @before in the same flow. Such differences add up to the life, to the
 * message; modulo 2^64, since a late message takes back a loss. extent_max stays that of the life.
 */
void np_flow_counts_since(struct np_flow_counts *now, const struct np_flow_counts *before);

/* Whether nothing arrived, was lost or damaged; whether sent and lost are known to the message. */
bool np_flow_counts_empty(const struct np_flow_counts *counts);
bool np_flow_counts_exact(const struct np_flow_counts *counts);

/* The part of what was received that is in the rate: after the first moment. 0: there is none. */
double np_flow_counts_share(const struct np_flow_counts *counts);

/*
 * Attributes the losses. @drops NULL: nothing is known of drops. Messages that may never have left
 * the sender are not attributed to the way.
 */
struct np_loss np_flow_attribute(const struct np_flow_counts *counts,
				 const struct np_loss_drops *drops);

/* What is known of the messages of a run, and of where the lost ones were lost. */
struct np_result {
	struct np_count sent, received;
	struct np_count lost;
	struct np_count lost_sender_host, lost_path, lost_receiver_host, lost_unattributed;
	struct np_count duplicates, reordered, late, damaged;
};

/*
 * The columns of a struct np_result, in the order of the block: those of the CSV, and of --metrics.
 * A program may have added stray messages to the damaged ones.
 */
extern const struct np_column np_result_columns[];

/* Adds @more to @sum, which starts as {0}. */
static inline void np_result_add(struct np_result *sum, const struct np_result *more)
{
	if (sum->sent.known == NP_UNKNOWN && sum->received.known == NP_UNKNOWN)
		*sum = *more;
	else
		np_schema_add(np_result_columns, sum, more);
}

/* What @counts say; nothing of where the lost ones were lost. */
struct np_result np_result_of(const struct np_flow_counts *counts);

/*
 * Adds where the lost ones were lost, as far as that is known, as "lost_path_@unit" and so on;
 * lower bounds are written as they are. Returns whether there are none.
 */
bool np_record_lost(struct np_record *record, const struct np_result *result, const char *unit);

/*
 * The columns of a struct np_flow_counts, but for elapsed, which is not a sum: what they do and how
 * the counts of several flows merge. Their parts are the flags below.
 */
extern const struct np_column np_flow_columns[];

/* What a record contains beyond the counts that all programs have. */
#define NP_FLOW_DAMAGE 1  /* unsent and damaged */
#define NP_FLOW_ORDER  2  /* offsets, extents and gaps */
#define NP_FLOW_WHOLE  4  /* not for an interval: missed_before and whether the end is known */
#define NP_FLOW_SUMS   8  /* of receivers without a common clock: neither time nor rates */
#define NP_FLOW_BARE   16 /* messages without numbers: only received, bytes and rates are known */

/*
 * Adds the counts under the names of netperf-json(5), each with "_@noun" ("packets", "messages"),
 * and bytes, time and rates. @what: the flags above.
 */
void np_record_flow(struct np_record *record, const char *noun, const struct np_flow_counts *counts,
		    unsigned what);

/*
 * Adds bytes, time and both rates of @messages. @share: the part of them that belongs to the time
 * @elapsed; 0: there is no rate.
 */
void np_record_rates(struct np_record *record, const char *noun, uint64_t messages, uint64_t bytes,
		     np_time elapsed, double share);

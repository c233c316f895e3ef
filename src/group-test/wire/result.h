/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * result: what one run of the group showed: for every member, what it received of every sender;
 * who was lost on the way; and the sums over them. Plain data; between measuring and printing.
 */
#ifndef GROUP_TEST_WIRE_RESULT_H
#define GROUP_TEST_WIRE_RESULT_H

#include "identity.h"

#include <netperf/clock.h>
#include <netperf/flow.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What one member received of one sender. Sent are the messages that the sender says it sent, else
 * what it announced: received + lost + late when @exact. Arrivals are by the member's own clock.
 */
struct result_row {
	struct identity sender;
	struct np_flow_counts counts;
	/*
	 * How many streams the messages are of, one of each sender or of each of its lanes that
	 * pause behind each message: @paced. 0: not known (Java's totals).
	 */
	unsigned streams, paced;
	bool exact; /* numbered messages, and the sender's own count is known */
	bool ended; /* the sender said that it was done */
	struct np_histogram_figures delay; /* from the sender to the member, one way */
	np_time delay_bound; /* worst error of the clocks' difference; 0: the same clock */
};

/* What the run took of a member's machine. */
struct result_host {
	np_time cpu_user, cpu_system;
	uint64_t dropped;   /* by its kernel, in the transport's unit */
	uint64_t malformed; /* bad messages and connections, all kinds */
};

/* What became of a member. */
enum result_outcome {
	FATE_STAYED,
	FATE_SILENT,  /* nothing heard of it for the limit */
	FATE_CUT,     /* its connection broke, or it took nothing for the limit */
	FATE_QUIT,    /* it left by itself before the end */
	FATE_NEVER,   /* it did not become ready, or did not report, in time */
	FATE_REFUSED, /* too many, too late, other settings: no part of the group */
};

struct result_member {
	struct identity who;
	bool sender;
	bool myself;
	enum result_outcome outcome;
	np_time outcome_after;	/* since the group formed, when that was found out */
	char why[96];		/* for people: "silent for 5 s", "connection reset by peer" */
	bool reported;		/* @row is what it says; else what is known of it: nothing */
	struct result_row *row; /* one for each sender, in the order of result.sender */
	size_t rows;
	struct result_host host;
	/* jgroups3: its MemberInfo over all senders; rows are ours alone, for myself. */
	struct result_row total;
};

struct result {
	unsigned run;	/* from 0: --repeat */
	size_t members; /* in the order of joining; the refused ones last */
	struct result_member *member;
	size_t senders;
	struct identity *sender;
	bool formed;	  /* false: the group never was; members says who was there */
	bool complete;	  /* all members that stayed have reported */
	bool interrupted; /* by the user */
	np_time ended_at; /* own clock; 0: never */
	uint64_t sent;	  /* by myself */
};

/* The sums of a member's rows: from its first to its last arrival. @exact: all are. */
struct result_row result_combined(const struct result_member *member);

/*
 * From the first to the last arrival; where all streams are paced each message has an interval, the
 * last one, too. Messages or bytes over that are a rate, but of one message a stream there is none.
 */
np_time result_elapsed(const struct result_row *row);
bool result_rate_known(const struct result_row *row);

/* MPerf's averages over the members that reported. */
struct result_average {
	unsigned nodes;
	double node_messages_per_s, node_bytes_per_s; /* mean of the members' own rates */
	/* All members' messages over the mean of their times. */
	double cluster_messages_per_s, cluster_bytes_per_s;
};
struct result_average result_average(const struct result *result);

/* Whether a member was lost (where this one was interrupted: before that), and the worst loss of a
 * row of those that reported, in percent. */
bool result_lost_members(const struct result *result);
double result_worst_loss(const struct result *result);

void result_free(struct result *result);

#endif

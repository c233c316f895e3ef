/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * result: what one run of the group showed: for every member, what it received from every sender;
 * which members were lost; and the sums. Plain data, between measuring and printing.
 */
#pragma once

#include "identity.h"

/*
 * What a member's host dropped, by its kernel's word. @reasons is known of this member only: owned
 * by its transport, NULL where nobody asked.
 */
struct result_drops {
	struct np_drops_total total;
	const struct np_drops_counts *reasons;
};

/*
 * What one member received from one sender. Sent is what the sender reported as sent, else what it
 * announced: received + lost + late when @exact. Arrivals are by the member's own clock.
 */
struct result_row {
	struct identity sender;
	struct np_flow_counts counts;
	/*
	 * How many streams the messages form, one for each sender, or for each of its lanes that
	 * pause after each message: @paced. 0: unknown (Java's totals).
	 */
	unsigned streams, paced;
	bool exact; /* the messages are numbered, and the sender's own count is known */
	bool ended; /* the sender reported that it was done */
	struct np_histogram_figures delay; /* from the sender to the member, one way */
	np_time delay_bound;	   /* the largest error of the clock offset; 0: the same clock */
	struct result_drops drops; /* by the member's host, of what was coming in */
	bool local; /* the sender is on that host: its copy left before others could be dropped */
};

/* What the run used of a member's machine. */
struct result_host {
	np_time cpu_user, cpu_system;
	uint64_t dropped;   /* by its kernel, in the transport's unit */
	uint64_t malformed; /* bad messages and connections of all kinds */
};

/* What became of a member. */
enum result_outcome {
	FATE_STAYED,
	FATE_SILENT,  /* silent for longer than the limit */
	FATE_CUT,     /* its connection broke, or it accepted nothing for the limit */
	FATE_QUIT,    /* it left before the end */
	FATE_NEVER,   /* it did not become ready, or did not report, in time */
	FATE_REFUSED, /* too many, too late, other settings: not part of the group */
};

struct result_member {
	struct identity who;
	bool sender;
	bool myself;
	enum result_outcome outcome;
	np_time outcome_after;	/* since the group formed, when that was noticed */
	char why[96];		/* for the user: "silent for 5 s", "connection reset by peer" */
	bool reported;		/* @row is what it reported; else @row is empty */
	struct result_row *row; /* one for each sender, in the order of result.sender */
	size_t rows;
	struct result_host host;
	/* Of what it sent: lost, not sent again; all that its host dropped, in and out. */
	struct result_drops sent_drops, all_drops;
	/* jgroups3: its MemberInfo over all senders; only this member's own rows are known. */
	struct result_row total;
};

struct result {
	unsigned run;	/* from 0, see --repeat */
	size_t members; /* in the order of joining; refused ones last; 0: it has not formed */
	struct result_member *member;
	size_t senders;
	struct identity *sender;
	bool complete;	  /* all members that stayed have reported */
	bool interrupted; /* by the user */
	bool numbered;	  /* false, with jgroups3: neither copies nor order are known */
	/*
	 * How many messages one drop of a member's host can stand for; 0: its counter does not say
	 * where the group's messages were lost.
	 */
	uint64_t drop_most;
	/*
	 * Sent by this member; and the time from the first @sent_first of them, which went at once,
	 * to the last.
	 */
	uint64_t sent, sent_first;
	np_time sent_elapsed;
	np_time behind; /* the most by which sending was later than --rate asks; -1: no rate */
};

/* The sums of a member's rows, from its first to its last arrival. @exact: all are. */
struct result_row result_combined(const struct result_member *member);

/*
 * The time from the first to the last arrival; where all streams are paced, each message, including
 * the last, has one interval. Messages or bytes over that time are a rate, except for one message
 * per stream.
 */
np_time result_elapsed(const struct result_row *row);
bool result_rate_known(const struct result_row *row);

/* Messages, or bytes, a second from the first to the last arrival; negative: unknown. */
double result_rate(uint64_t amount, const struct result_row *row);

/* Bytes a second sent by this member, of @bytes each; negative: unknown. */
double result_rate_sent(const struct result *result, uint64_t bytes);

/* What this member has counted; NULL: nothing. */
const struct result_member *result_myself(const struct result *result);

/* The member of the group with that identity, not a refused one; NULL: none. */
const struct result_member *result_find(const struct result *result, const struct identity *who);

/* MPerf's averages over the members that reported. */
struct result_average {
	unsigned nodes;
	double node_messages_per_s, node_bytes_per_s; /* the mean of the members' own rates */
	/* The messages of all members over the mean of their times. */
	double cluster_messages_per_s, cluster_bytes_per_s;
};
struct result_average result_average(const struct result *result);

/*
 * Whether a member was lost (before this one was interrupted, if it was); and the highest loss, in
 * percent, in a row of those that reported; @at becomes the member of that row if it is not 0.
 */
bool result_lost_members(const struct result *result);
double result_worst_loss(const struct result *result, struct identity *at);

/*
 * What became of the messages of @row, at @member; and of all that @member expected. They were lost
 * where both hosts' reasons say, else by the counter of the member's host.
 */
struct np_result result_of_row(const struct result *result, const struct result_member *member,
			       const struct result_row *row);
struct np_result result_of_member(const struct result *result, const struct result_member *member);

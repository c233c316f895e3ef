/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* result: what one exchange with a target measured, and what follows from it. Plain data. */
#pragma once

#include "discover.h"

/*
 * Packets, each counted once: sent = received + late + lost + outstanding. An answer that carries
 * an error is received, too.
 */
struct tally {
	uint64_t sent;
	uint64_t received;
	uint64_t late;
	uint64_t lost;	      /* in a difference modulo 2^64: late answers may take back more */
	uint64_t outstanding; /* only when a run was cut short */
	uint64_t duplicates;
	uint64_t stray;
	uint64_t errors;	/* answers that carry an AoE or ATA error */
	uint64_t retransmitted; /* of those sent */
	uint64_t given_up;	/* requests whose last packet timed out */
	uint64_t refused;	/* attempts to send that this host's queue refused; sent later */
	uint64_t bytes;		/* of sector data in good answers */
	uint64_t damaged;	/* sectors with a data error */
	/* Where those lost were lost; these four add up to @lost, by result_attribute. */
	uint64_t lost_sender_host;   /* requests, in this host */
	uint64_t lost_path;	     /* or in the target */
	uint64_t lost_receiver_host; /* answers, in this host */
	uint64_t lost_unattributed;
};

/* Its columns: those of all records, what else clients and results have, and the places. */
enum { TALLY_OF_ALL = 1, TALLY_OF_CLIENT = 2, TALLY_OF_RESULT = 4, TALLY_PLACES = 8 };
extern const struct np_column tally_columns[];

enum ending {
	ENDING_DONE,
	ENDING_INTERRUPTED,
	ENDING_TARGET_DEAD,  /* no answer within --give-up, or none at all */
	ENDING_HOST_REFUSES, /* this host sent no frame within --give-up */
	ENDING_LINK_LOST,    /* the interface went down or disappeared */
	ENDING_OTHER_HOST,   /* another host answered for the target to be written */
	ENDING_CHANGED,	     /* the target is not what was examined before it was written */
};

/* The first answer that carried an error. */
struct answer_error {
	uint64_t lba;
	uint8_t aoe_error; /* 0: none; see the ATA registers */
	uint8_t ata_status;
	uint8_t ata_error;
};

/* What the examinations of a target that is written took during a run. */
struct rechecks {
	uint64_t rounds;    /* completed */
	uint64_t questions; /* frames */
	np_time held;	    /* how long writes were held */
};

/* What was counted up to a row of the report. */
struct row_mark {
	struct tally tally;
	np_time at;
};

struct result {
	unsigned window;
	struct tally tally;
	bool loss_exact;	     /* else the places of loss but unattributed are lower bounds */
	np_time elapsed;	     /* see result_rate_known */
	uint64_t passes;	     /* over the region */
	struct np_histogram *rtt;    /* as of the latest row, at the end of all */
	struct np_histogram *recent; /* the same since that row */
	struct np_histogram *paced;  /* answer against intended sending; empty without a rate */
	np_time worst_behind;	     /* the furthest that the pacer fell behind */
	struct np_damage damage;
	struct answer_error first_error;
	struct other_host other;     /* its answers are among the stray ones */
	uint64_t dropped;	     /* answers that this host's kernel dropped */
	struct np_drops_counts host; /* packets and answers that it dropped, by its reasons */
	struct np_path_drops
		path; /* bounds on the part of lost_path that this host's interface lost */
	struct rechecks rechecks; /* of a target that is written */
	enum ending ending;
	np_time silence;	/* since an answer, if packets were lost after it; else 0 */
	bool silent;		/* nor did the target answer when it was asked at the end */
	int refused_error;	/* -errno of this host's latest refusal to send, */
	uint64_t refused_calls; /* and how often it refused, questions included, in all runs so far
				 */
	int link_error;		/* -errno for ENDING_LINK_LOST */
	struct np_usage usage;
	struct row_mark row; /* as of the latest row, of which there are @rows */
	unsigned rows;
};

/* Returns 0 or -ENOMEM. */
int result_create(struct result **result);

/* Starts a row: what is recent is so no more. */
void result_settle(struct result *result);

/* For a result to be kept: its times take a few KiB then. Without memory for that it stays as it
 * is. */
void result_pack(struct result *result);

/* NULL is allowed. */
void result_free(struct result *result);

/*
 * Splits tally.lost among the places: by the kernel's reasons in @result->host if these are exact,
 * else by
 * @result->dropped. @known: the link variant can tell that. A send that this host refused was tried
 * again, so what the kernel dropped of it is not lost.
 */
void result_attribute(struct result *result, bool known);

/*
 * Whether bytes and packets over result->elapsed are a rate. That time runs from the first packet
 * to to the last answer or the last request, whichever is later; n paced packets take n intervals.
 * One packet alone has no rate.
 */
bool result_rate_known(const struct result *result);

/*
 * Whether --rate, @packets_per_s (0: none), and not the window or the target limited the rate:
 * within 3 % of it was reached.
 */
bool result_held_by_rate(const struct result *result, double packets_per_s);

/* True when packets were sent, all were waited for, and none was answered, not even late. */
bool result_is_unanswered(const struct tally *tally);

/* True when data came back and none of it is test data: such errors are no damage. */
bool result_is_no_test_data(const struct result *result);

/* True when data came back, with nothing but zeros in the places of the stamps. */
bool result_is_all_zero(const struct result *result);

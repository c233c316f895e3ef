/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* result: what one exchange with a target measured, and what that means. Plain data. */
#ifndef AOE_EXERCISE_RESULT_H
#define AOE_EXERCISE_RESULT_H

#include "stranger.h"

#include <netperf/clock.h>
#include <netperf/histogram.h>
#include <netperf/loss.h>
#include <netperf/path.h>
#include <netperf/pattern.h>
#include <netperf/usage.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Packets, each counted once: sent = received + late + lost + outstanding. An answer that carries
 * an error is received, too.
 */
struct tally {
	uint64_t sent;
	uint64_t received;
	uint64_t late;
	uint64_t lost;
	uint64_t outstanding; /* only when a run was cut short */
	uint64_t duplicates;
	uint64_t stray;
	uint64_t errors;	/* answers that carry an AoE or ATA error */
	uint64_t retransmitted; /* of those sent */
	uint64_t given_up;	/* requests of which the last packet timed out */
	uint64_t refused;	/* tries to send that this host's queue turned down; sent later */
	uint64_t bytes;		/* of sector data in good answers */
};

enum ending {
	ENDING_DONE,
	ENDING_INTERRUPTED,
	ENDING_TARGET_DEAD,  /* no answer for the time of --give-up, or to anything at all */
	ENDING_HOST_REFUSES, /* this host took no frame for the time of --give-up */
	ENDING_LINK_LOST,    /* the interface went down or away */
	ENDING_STRANGER,     /* another host answered for the target that was to be written */
	ENDING_DOUBLED,	     /* so did another target with the same address, or the path doubles */
	ENDING_CHANGED,	     /* the target is not what was examined before it was written */
};

/* The first answer that carried an error. */
struct answer_error {
	uint64_t lba;
	uint8_t aoe_error; /* 0: none, look at the ATA registers */
	uint8_t ata_status;
	uint8_t ata_error;
};

/* Of a target that is written: see recheck.h. */
struct rechecks {
	uint64_t rounds;
	uint64_t questions; /* frames */
	np_time held;	    /* so long the writes waited for answers */
	int error;	    /* for ENDING_CHANGED: -errno for examination_explain */
};

struct result {
	unsigned window;
	struct tally tally;
	struct np_loss loss; /* network: on the way, or in the target */
	np_time elapsed;     /* see result_rate_known */
	uint64_t passes;     /* over the region */
	struct np_histogram *rtt;
	struct np_histogram *paced; /* answer against intended sending; empty without a rate */
	np_time worst_behind;	    /* furthest the pacer fell behind */
	struct np_damage damage;
	struct answer_error first_error;
	struct stranger stranger;  /* its answers are among the stray ones */
	uint64_t dropped;	   /* answers that the kernel dropped in this host */
	struct np_path_drops path; /* bounds of what of loss.path this host's interface lost */
	struct rechecks rechecks;
	enum ending ending;
	int refused_error; /* -errno of the last try that tally.refused counts */
	int link_error;	   /* -errno for ENDING_LINK_LOST */
	struct np_usage usage;
};

/* Returns 0 or -ENOMEM. */
int result_create(struct result **result);

/* NULL is allowed. */
void result_free(struct result *result);

/* Splits tally.lost by what the kernel dropped; @known: the link variant can tell. */
void result_attribute(struct result *result, bool known);

/*
 * Whether bytes and packets over result->elapsed are a rate: that time begins with the first packet
 * and ends with the last answer or the last moment at which something was asked, and paced packets
 * have an interval each; but one packet alone has none.
 */
bool result_rate_known(const struct result *result);

/* True when packets were sent, all were waited for, and not one was answered, late ones neither. */
bool result_is_unanswered(const struct tally *tally);

/* Lost packets in percent of those sent; 0 when nothing was sent. */
double result_loss_percent(const struct tally *tally);

/* True when data came back, and none of it carries test data: such errors are no damage. */
bool result_is_no_test_data(const struct result *result);

/* True when data came back, and nothing but zeros where stamps belong. */
bool result_is_all_zero(const struct result *result);

#endif

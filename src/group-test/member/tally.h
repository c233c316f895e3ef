/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tally: what has arrived from one sender in one run, by message number or only counted, as a row
 * of the result. Pure: the clock is an argument. One thread at a time.
 */
#ifndef GROUP_TEST_MEMBER_TALLY_H
#define GROUP_TEST_MEMBER_TALLY_H

#include "../wire/result.h"

struct tally_plan {
	bool numbered;	   /* native; else messages are only counted (jgroups3) */
	uint64_t expected; /* as announced; 0: unknown (--duration) */
};

/* Read only, but for the flow's clock (np_flow_set_clock, before the run) and np_flow_stray. */
struct tally {
	struct tally_plan plan;
	struct np_flow *flow;
	uint64_t sent; /* as the sender reports */
	bool ended;    /* the sender's count is known */
};

/* Returns 0 or -ENOMEM. */
int tally_create(struct tally **tally, const struct tally_plan *plan);
void tally_free(struct tally *tally); /* NULL is allowed */

/* Resets everything but the plan and the clock, for the next run. */
void tally_clear(struct tally *tally);

/*
 * Hot. Counts a message of @payload bytes with number @number (from 1), sent at @sent by its
 * sender's clock, which arrived at @at. Without numbers, @number and @sent are ignored.
 */
void tally_count(struct tally *tally, uint64_t number, np_time sent, np_time at, uint64_t payload);

/*
 * The sender reports that it has sent @sent messages and is done. Impossible numbers are ignored.
 */
void tally_end(struct tally *tally, uint64_t sent);

/* The sender's count is known and all of it has arrived (without numbers: as many as announced). */
bool tally_complete(const struct tally *tally);

/* Fills in all of @row but its sender. */
void tally_row(const struct tally *tally, struct result_row *row);

#endif

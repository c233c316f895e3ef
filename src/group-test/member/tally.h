/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tally: what has arrived of one sender in one run, numbered or only counted, as a row of the
 * result. Pure: the clock is an argument. One thread at a time.
 */
#ifndef GROUP_TEST_MEMBER_TALLY_H
#define GROUP_TEST_MEMBER_TALLY_H

#include "../wire/result.h"

struct tally;

struct tally_plan {
	bool numbered;	   /* native; else messages are only counted (jgroups3) */
	uint64_t expected; /* as announced; 0: not known (--duration) */
};

/* Returns 0 or -ENOMEM. */
int tally_create(struct tally **tally, const struct tally_plan *plan);
void tally_free(struct tally *tally); /* NULL is allowed */

/* Forgets all but the plan and the clock: the next run. */
void tally_clear(struct tally *tally);

/* The sender's clock: see np_flow_set_clock. Before the run, that memory for delays is there. */
void tally_set_clock(struct tally *tally, const struct np_offset *clock);

/* Hot. A message of @payload bytes numbered @number (from 1), sent at @sent by its sender's clock,
 * came at @at. @number and @sent do not count when not numbered. */
void tally_count(struct tally *tally, uint64_t number, np_time sent, np_time at, uint64_t payload);

/* Not of this run, or beyond what was sent. */
void tally_stray(struct tally *tally);

/* The sender says that it has sent so many, and is done. Impossible ones change nothing. */
void tally_end(struct tally *tally, uint64_t sent);

/* Distinct messages so far. */
uint64_t tally_received(const struct tally *tally);

/* The sender's count is known. */
bool tally_ended(const struct tally *tally);

/* The sender's count is known and all of it is here (not numbered: as many as announced). */
bool tally_complete(const struct tally *tally);

/* All of @row but its sender. */
void tally_row(const struct tally *tally, struct result_row *row);

#endif

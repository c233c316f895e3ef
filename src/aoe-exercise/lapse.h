/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * lapse: how long nothing was heard of a target that is written, and whether it must be examined
 * again before the next write goes: meanwhile another disk may have taken its place. Pure.
 */
#ifndef AOE_EXERCISE_LAPSE_H
#define AOE_EXERCISE_LAPSE_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

enum lapse_need {
	LAPSE_NONE,
	LAPSE_BESIDE, /* a few questions, beside the writes */
	LAPSE_FEW,    /* a few questions, before the next write */
	LAPSE_ALL,    /* all that was examined, before the next write */
};

struct lapse {
	np_time srtt, deviation; /* as in RFC 6298 */
	np_time heard;		 /* latest answer; 0: none yet */
	np_time waiting;	 /* when the first request since then had been sent; 0: none was */
	np_time silent;		 /* the writes are held: since when it has been silent; 0: not */
	bool doubted;		 /* another target may have ended a silence */
	np_time examined;	 /* when the last examination ended, */
	np_time took;		 /* and what it took */
	uint64_t lost;		 /* packets, by then */
};

/* Answers will take about @rtt. */
void lapse_start(struct lapse *lapse, np_time rtt);

/* A request had been sent by @now. */
void lapse_sent(struct lapse *lapse, np_time now);

/*
 * A write was answered that took @rtt. The target that answers is the one that the write was sent
 * to: true when that was before the silence for which the writes are held, so that nobody took the
 * target's place in it.
 */
bool lapse_heard(struct lapse *lapse, np_time now, np_time rtt);

/* The writes are held; something else than a write was answered, which proves nothing. */
void lapse_hold(struct lapse *lapse, np_time now);
void lapse_spoke(struct lapse *lapse, np_time now);

/* An examination ended well, after @took, @lost packets being lost until then. */
void lapse_examined(struct lapse *lapse, np_time now, np_time took, uint64_t lost);

/* What is due at @now, before a write may go. */
enum lapse_need lapse_need(const struct lapse *lapse, np_time now, uint64_t lost);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * lapse: how long a target that is written has been silent, and whether it must be examined again
 * before the next write: another disk may have taken its place meanwhile. Pure.
 */
#ifndef AOE_EXERCISE_LAPSE_H
#define AOE_EXERCISE_LAPSE_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

enum lapse_need {
	LAPSE_NONE,
	LAPSE_BESIDE, /* a few questions, while writes go on */
	LAPSE_FEW,    /* a few questions, before the next write */
	LAPSE_ALL,    /* everything that was examined, before the next write */
};

struct lapse {
	np_time srtt, deviation; /* as in RFC 6298 */
	np_time heard;		 /* latest answer; 0: none yet */
	np_time waiting;	 /* when the first request after the latest answer was sent; 0: none
				    was */
	np_time silent;		 /* while writes are held: the start of the silence; else 0 */
	bool doubted;		 /* another target may have ended a silence */
	np_time examined;	 /* when the last examination ended, */
	np_time took;		 /* and what it took */
	uint64_t lost;		 /* packets lost by then */
};

/* Starts with @rtt as the expected round-trip time. */
void lapse_start(struct lapse *lapse, np_time rtt);

/* A request was sent, not after @now. */
void lapse_sent(struct lapse *lapse, np_time now);

/*
 * A write was answered after @rtt. Returns true when it was sent before the silence for which
 * writes are held: then the target that answers is the one it was sent to, and nobody has taken its
 * place.
 */
bool lapse_heard(struct lapse *lapse, np_time now, np_time rtt);

/* Writes are held from now on. */
void lapse_hold(struct lapse *lapse, np_time now);
void lapse_spoke(struct lapse *lapse, np_time now);

/* An examination succeeded; it took @took, and @lost packets had been lost by then. */
void lapse_examined(struct lapse *lapse, np_time now, np_time took, uint64_t lost);

/* What must be done at @now before a write may be sent. */
enum lapse_need lapse_need(const struct lapse *lapse, np_time now, uint64_t lost);

#endif

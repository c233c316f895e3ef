// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * lapse: judges a silence by the usual round-trip time; a long pause between two paced requests
 * counts, too.
 */
#include "lapse.h"

/* A busy disk is silent for as long now and then; to replace a disk in less time is hard. */
#define SILENCE_FEW (20 * NP_MILLISECOND)
#define SILENCE_ALL (100 * NP_MILLISECOND)
#define PAUSE	    (20 * NP_MILLISECOND)
/*
 * The time between two examinations that run beside the writes: they take a hundredth of the time,
 * or a tenth after a loss.
 */
#define BESIDE_MIN     (50 * NP_MILLISECOND)
#define BESIDE_PART    100
#define BESIDE_AT_LOSS 10

void lapse_start(struct lapse *lapse, np_time rtt)
{
	*lapse = (struct lapse){.srtt = rtt, .deviation = rtt / 2};
}

void lapse_sent(struct lapse *lapse, np_time now)
{
	if (!lapse->waiting)
		lapse->waiting = now;
}

/* A silence longer than this is unusual. */
static np_time few(const struct lapse *lapse)
{
	np_time time = lapse->srtt + 4 * lapse->deviation;

	return time > SILENCE_FEW ? time : SILENCE_FEW;
}

bool lapse_heard(struct lapse *lapse, np_time now, np_time rtt)
{
	np_time off = rtt > lapse->srtt ? rtt - lapse->srtt : lapse->srtt - rtt;
	np_time sent = now - rtt;
	bool proves = lapse->silent && sent <= lapse->silent;

	if (lapse->waiting && sent > lapse->waiting && now - lapse->waiting >= few(lapse))
		lapse->doubted = true;
	lapse->deviation += (off - lapse->deviation) / 4;
	lapse->srtt += (rtt - lapse->srtt) / 8;
	lapse_spoke(lapse, now);
	if (proves)
		lapse->silent = 0;
	return proves;
}

void lapse_hold(struct lapse *lapse, np_time now)
{
	lapse->silent = lapse->waiting ? lapse->waiting : lapse->heard;
	if (!lapse->silent)
		lapse->silent = now;
}

void lapse_spoke(struct lapse *lapse, np_time now)
{
	lapse->waiting = 0;
	if (now > lapse->heard)
		lapse->heard = now;
}

void lapse_examined(struct lapse *lapse, np_time now, np_time took, uint64_t lost)
{
	lapse->waiting = lapse->silent = 0;
	lapse->doubted = false;
	lapse->heard = now;
	lapse->examined = now;
	lapse->took = took;
	lapse->lost = lost;
}

static np_time all(const struct lapse *lapse)
{
	np_time time = 4 * few(lapse);

	return time > SILENCE_ALL ? time : SILENCE_ALL;
}

static bool is_beside(const struct lapse *lapse, np_time now, uint64_t lost)
{
	np_time rest = lapse->took * (lost == lapse->lost ? BESIDE_PART : BESIDE_AT_LOSS);

	return now - lapse->examined >= (rest > BESIDE_MIN ? rest : BESIDE_MIN);
}

enum lapse_need lapse_need(const struct lapse *lapse, np_time now, uint64_t lost)
{
	np_time silence = lapse->waiting ? now - lapse->waiting : 0;

	if (silence >= all(lapse))
		return LAPSE_ALL;
	if (lapse->doubted || silence >= few(lapse) || now - lapse->heard >= PAUSE + few(lapse))
		return LAPSE_FEW;
	return is_beside(lapse, now, lost) ? LAPSE_BESIDE : LAPSE_NONE;
}

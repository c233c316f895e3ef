/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * examine: asks a target who it is and reads what the guard wants to see of its disk; later asks
 * again, in whole or in part, whether it is still that target with that disk.
 */
#ifndef AOE_EXERCISE_EXAMINE_H
#define AOE_EXERCISE_EXAMINE_H

#include "target.h"

#include <netperf/guard.h>

struct examination;

enum examine_scope {
	EXAMINE_FEW, /* identity, where signatures are, and some samples: some milliseconds */
	EXAMINE_ALL,
};

/*
 * The image of the disk is kept in memory: the places of np_guard_places of the disk and of
 * @region, the part that is to be written, as they were, holes between them. Later rounds wait
 * @patience for an answer. Returns 0 or -errno.
 */
int examination_create(struct examination **examination, struct wire *wire, struct target *target,
		       const struct np_guard_place *region, np_time patience);

/* NULL is allowed. */
void examination_free(struct examination *examination);

/* A file with the image, of the size of the disk; the examination's. */
int examination_image(const struct examination *examination);

/*
 * The first round, to its end. A request is sent again until it is answered, eight times at most: a
 * place that cannot be read is never taken for blank. Goes on listening until two seconds after the
 * discovery began. Who else answers is noted in the target's stranger. Returns 0, -ETIMEDOUT, -EIO
 * (the target refused a read), -ESTALE (two answers to one question differ), -ENOTUNIQ (more than a
 * quarter of the questions had more answers than were asked for, or those of the discovery are
 * answered again), -EINTR (a signal asks to stop), or -errno.
 */
int examination_first(struct examination *examination);

/*
 * Begins another round; it is over by examination_wait, or by asking and taking until
 * examination_done. Each sector must hold what it held in the first round, or test data, which this
 * run may have written since; only who it is is asked where the disk could not be read. Tags begin
 * at @tag. Leaves a round that is under way.
 */
void examination_again(struct examination *examination, enum examine_scope scope, uint32_t tag,
		       np_time now);

/* The round to its end. Returns as examination_first does; -ESTALE: it is not what it was. */
int examination_wait(struct examination *examination);

/* Sends what is due at @now, with at most @room questions in flight. Returns 0 or -errno. */
int examination_ask(struct examination *examination, np_time now, unsigned room);

/* Takes a frame of the target's. Returns 1 when it is an answer to a question, 0, or -errno. */
int examination_take(struct examination *examination, const struct np_aoe_header *header,
		     const struct np_frame *frame);

bool examination_done(const struct examination *examination);

/* Was any question of this round? */
bool examination_is_answered(const struct examination *examination);

/* When examination_ask has something to do; in the past once there was an answer. */
np_time examination_due(const struct examination *examination);

/* Questions without an answer until now, and all frames sent in rounds behind the first. */
unsigned examination_in_flight(const struct examination *examination);
uint64_t examination_asked_again(const struct examination *examination);

/* What an answer takes, smoothed. */
np_time examination_rtt(const struct examination *examination);

/* What @error of one of the functions above means; the text is in @out or constant. */
#define EXAMINATION_TEXT 160
const char *examination_explain(const struct examination *examination, int error,
				char out[EXAMINATION_TEXT]);

#endif

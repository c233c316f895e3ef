/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * examine: asks a target for its identity and reads the parts of its disk that the guard judges;
 * later verifies that it is still that target with that disk.
 */
#ifndef AOE_EXERCISE_EXAMINE_H
#define AOE_EXERCISE_EXAMINE_H

#include "target.h"

#include <netperf/guard.h>

struct examination;

/*
 * Keeps an image of the disk in memory: the places that np_guard_places chooses of the disk and of
 * @region, the part to be written, with holes between them. Later rounds wait @answer_timeout for
 * an answer. Returns 0 or -errno.
 */
int examination_create(struct examination **examination, struct channel *channel,
		       struct target *target, const struct np_guard_place *region,
		       np_time answer_timeout);

/* NULL is allowed. */
void examination_free(struct examination *examination);

/* A file descriptor of the image, which has the size of the disk; owned by the examination. */
int examination_image(const struct examination *examination);

/*
 * Runs the first round to its end. Sends a request until it is answered, at most eight times: a
 * place that cannot be read never passes for blank. Goes on listening until two seconds after the
 * discovery began. Records in the target's stranger who else answers. Returns 0, -ETIMEDOUT, -EIO
 * (the target refused a read), -ESTALE (two answers to one question differ), -ENOTUNIQ (more than a
 * quarter of the questions were answered more often than they were asked, or questions of the
 * discovery were answered again), -EINTR (a signal asks to stop), or -errno.
 */
int examination_first(struct examination *examination);

/*
 * Starts another round, and abandons one that is still running. The caller completes it by
 * examination_wait, or by examination_ask and examination_take until examination_done. Each sector
 * must hold what it held in the first round, or test data, which this run may have written since.
 * Where the disk could not be read, only the identity is asked.
 */
void examination_again(struct examination *examination, np_time now);

/* Runs the round to its end. Returns as examination_first does; -ESTALE: the target has changed. */
int examination_wait(struct examination *examination);

/*
 * Sends the questions that are due at @now, with at most @room of them in flight. Returns 0 or
 * -errno.
 */
int examination_ask(struct examination *examination, np_time now, unsigned room);

/* Takes a frame from the target. Returns 1 when it answers a question, 0 when not, or -errno. */
int examination_take(struct examination *examination, const struct np_aoe_header *header,
		     const struct np_frame *frame);

bool examination_done(const struct examination *examination);

/* True when this host has sent any frame since the round began. */
bool examination_was_sent(const struct examination *examination);

/* True when any question of this round was answered. */
bool examination_is_answered(const struct examination *examination);

/* When examination_ask next has something to send; in the past once an answer came. */
np_time examination_due(const struct examination *examination);

/* All frames sent in the rounds after the first. */
uint64_t examination_asked_again(const struct examination *examination);

/* What @error of one of the functions above means; the text is in @out or constant. */
#define EXAMINATION_TEXT 160
const char *examination_explain(const struct examination *examination, int error,
				char out[EXAMINATION_TEXT]);

#endif

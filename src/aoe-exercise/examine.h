/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * examine: asks a target for its identity and reads the parts of its disk that the guard judges;
 * later verifies that it is still that target with that disk.
 */
#ifndef AOE_EXERCISE_EXAMINE_H
#define AOE_EXERCISE_EXAMINE_H

#include "discover.h"

enum question_kind { QUESTION_CONFIG, QUESTION_IDENTITY, QUESTION_READ };

/* The questions that start each examination. */
#define QUESTIONS_OF_IDENTITY 2

struct question {
	enum question_kind kind;
	uint64_t lba; /* of a read */
	uint8_t sectors;
	uint8_t tries; /* saturates at 255 */
	uint8_t answers;
	bool done;
	np_time sent;
	np_time due; /* when it is to be sent again */
};

/*
 * Makes the list of all questions about a disk of @bytes: configuration, identity, and reads of the
 * places that np_guard_places chooses of the disk and of @region, the part to be written. Reads
 * have at most @most sectors, ascend, and never overlap. Returns 0 and an array in *@questions,
 * which the caller frees, -EMSGSIZE when @most is 0, or -ENOMEM.
 */
int questions_list(struct question **questions, size_t *count, uint64_t bytes,
		   const struct np_guard_place *region, uint8_t most);

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
 * discovery began. Records in the target who else answers. Returns 0, -ETIMEDOUT, -EIO
 * (the target refused a read), -ESTALE (two answers to one question differ), -ENOTUNIQ (more than a
 * quarter of the questions were answered more often than they were asked, or questions of the
 * discovery were answered again), -EINTR (a signal asks to stop), or -errno.
 */
int examination_first(struct examination *examination);

/* What @error of one of the functions above means; the text is in @out or constant. */
#define EXAMINATION_TEXT 160
const char *examination_explain(const struct examination *examination, int error,
				char out[EXAMINATION_TEXT]);

/* What that took. */
struct rechecks {
	uint64_t rounds;    /* completed */
	uint64_t questions; /* frames */
	np_time held;	    /* how long writes were held */
};

/*
 * Examines a target again that was silent while it is written, and holds the writes until that is
 * done: another disk may have taken its place meanwhile.
 */
struct recheck {
	struct examination *examination;
	np_time silence; /* one that is longer needs a round */
	np_time heard;	 /* the latest answer, or the end of the latest round */
	bool doubted;	 /* another target may have ended a silence */
	bool holds;	 /* a round is running; no write may be sent before it ends */
	np_time held_since;
	struct rechecks done; /* since an exchange began */
	int error;	      /* -errno for examination_explain: no more may be written; 0: none */
};

/*
 * The first round of @examination is complete; the caller owns @examination. A request of the run
 * is lost after @timeout.
 */
void recheck_start(struct recheck *recheck, struct examination *examination, np_time timeout);

/*
 * Before a measured exchange: examines again if the target has been silent for long. Returns 0 or
 * -errno.
 */
int recheck_before(struct recheck *recheck);

/*
 * Called once per loop iteration, before writes are sent at @now: starts a round if one is needed,
 * and sends the questions that are due, with @room places of the window free. Returns 0 or -errno
 * of the link; a fault of the target is in @recheck->error.
 */
int recheck_step(struct recheck *recheck, np_time now, unsigned room);

/* Ends the running round, since nothing more will be sent. */
void recheck_stop(struct recheck *recheck, np_time now);

/* Takes a frame from the target: true when it answers a question. */
bool recheck_take(struct recheck *recheck, const struct np_aoe_header *header,
		  const struct np_frame *frame);

/* A write was answered @at. */
void recheck_heard(struct recheck *recheck, np_time at);

/* True when the round failed because this host accepted no frame: the target was asked nothing. */
bool recheck_is_unsent(const struct recheck *recheck);

/* True when the round that failed had no answer at all: the target is dead, not replaced. */
bool recheck_is_silent(const struct recheck *recheck);

/* When recheck_step next has something to do; NP_TIME_NEVER when no round is running. */
np_time recheck_due(const struct recheck *recheck);

#endif

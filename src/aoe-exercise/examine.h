/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * examine: asks a target for its identity and reads the parts of its disk that the guard judges;
 * later verifies that it is still that target with that disk.
 */
#pragma once

#include "session.h"

enum question_kind { QUESTION_CONFIG, QUESTION_IDENTITY, QUESTION_READ };

/* The questions that start each examination. */
#define QUESTIONS_OF_IDENTITY 2

struct question {
	enum question_kind kind;
	uint64_t lba; /* of a read */
	uint8_t sectors;
	uint8_t tries; /* saturates at 255 */
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

/*
 * Examines a target before the first write, and again after a silence while it is written: another
 * disk may have taken its place meanwhile. Writes are held until that is done. Each examination is
 * a round of questions.
 */
struct examination {
	struct session *s;
	int image; /* a descriptor of what was read: a file of the size of the disk, with holes */
	struct np_aoe_header header;
	unsigned window; /* questions in flight, at most */
	struct question *question;
	size_t listed; /* all of them; a round asks the first @count */
	bool unread;   /* the first round could not read the disk */

	/* The round: */
	uint32_t round; /* its number; 1: the first one */
	uint32_t tag;	/* of its first question; the others' follow */
	size_t count;
	size_t first; /* all before it are answered */
	size_t next;  /* the next one that was never sent */
	unsigned in_flight;
	bool answered;	       /* any of them */
	np_time rtt;	       /* smoothed */
	np_time progress;      /* its start, then its latest answer */
	np_time deadline;      /* when ask has something to do, or listening ends */
	uint64_t sent;	       /* what the channel had sent at its start */
	struct question fault; /* the question whose answer differed from an earlier one */

	/* While it is written: */
	np_time heard; /* the latest answer, or the end of the latest round */
	bool doubted;  /* another target may have ended a silence */
	bool holds;    /* a round is running; no write may be sent before it ends */
	np_time held_since;
	struct rechecks done; /* since an exchange began */
	int error;	      /* -errno for examination_explain: no more may be written; 0: none */
};

/*
 * Prepares @s->examination: questions about the places that np_guard_places chooses of the disk and
 * of the region, the part to be written. --give-up is the limit for an answer in later rounds, and
 * --timeout of a request is a silence. Returns 0 or -errno; examination_free in any case.
 */
int examination_create(struct session *s);

/* NULL is allowed. */
void examination_free(struct examination *x);

/*
 * Runs the first round to its end. Sends a request until it is answered, at most eight times: a
 * place that cannot be read never passes for blank. Goes on listening until two seconds after the
 * discovery began. Records in the target who else answers. Returns 0, -ETIMEDOUT, -EIO
 * (the target refused a read), -ESTALE (two answers to one question differ), -EINTR (a signal asks
 * to stop), or -errno.
 */
int examination_first(struct examination *x);

/* What @error of one of these functions means; the text is in @out or constant. */
#define EXAMINATION_TEXT 160
const char *examination_explain(const struct examination *x, int error, char out[EXAMINATION_TEXT]);

/*
 * Before a measured exchange: examines again if the target has been silent for long. Returns 0 or
 * -errno.
 */
int examination_before(struct examination *x);

/*
 * Called once per loop iteration, before writes are sent at @now: starts a round if one is needed,
 * and sends the questions that are due, with @room places of the window free. Returns 0 or -errno
 * of the link; a fault of the target is in @error.
 */
int examination_step(struct examination *x, np_time now, unsigned room);

/* Ends the running round, since nothing more will be sent. */
void examination_stop(struct examination *x, np_time now);

/* Takes a frame from the target: true when it answers a question. */
bool examination_take(struct examination *x, const struct np_aoe_header *header,
		      const struct np_frame *frame);

/* A write was answered @at. */
void examination_heard(struct examination *x, np_time at);

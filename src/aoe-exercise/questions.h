/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* questions: what an examination asks a target: its identity, and the content of chosen places. */
#ifndef AOE_EXERCISE_QUESTIONS_H
#define AOE_EXERCISE_QUESTIONS_H

#include <netperf/clock.h>
#include <netperf/guard.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif

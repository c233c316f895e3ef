/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* questions: what an examination asks a target: who it is, and what stands in which places. */
#ifndef AOE_EXERCISE_QUESTIONS_H
#define AOE_EXERCISE_QUESTIONS_H

#include <netperf/clock.h>
#include <netperf/guard.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum question_kind { QUESTION_CONFIG, QUESTION_IDENTITY, QUESTION_READ };

/* What each examination begins with. */
#define QUESTIONS_OF_IDENTITY 2

struct question {
	enum question_kind kind;
	uint64_t lba; /* of a read */
	uint8_t sectors;
	uint8_t tries; /* so many at least, once they are 255 */
	uint8_t answers;
	bool done;
	np_time sent;
	np_time due; /* when it is to be asked again */
};

/*
 * All questions about a disk of @bytes: configuration, identity, and reads of the places of
 * np_guard_places, of the disk and of @region, the part that is to be written; at most @most
 * sectors each, in ascending order, no sector twice. Returns 0 and an array in *@questions, which
 * is the caller's to free, -EMSGSIZE when @most is 0, or -ENOMEM.
 */
int questions_list(struct question **questions, size_t *count, uint64_t bytes,
		   const struct np_guard_place *region, uint8_t most);

/*
 * Some of @all[0..count-1] for a look in passing, into @few, which has room for as many:
 * configuration, identity, where most signatures are (the first 8 KiB and the last place), and four
 * reads chosen by @seed. Returns how many.
 */
size_t questions_choose(const struct question *all, size_t count, uint32_t seed,
			struct question *few);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tags: whose answer a frame is. Runs that share an interface share its MAC address, so that a
 * target's answers to one reach all of them; each run therefore has tags of its own.
 *
 * From the highest bit: 1 for programs (0: the kernel's driver), seven for the run, one for
 * questions that are no requests, and 23 that count.
 */
#ifndef AOE_EXERCISE_TAGS_H
#define AOE_EXERCISE_TAGS_H

#include <netperf/aoe.h>
#include <netperf/log.h>
#include <stdbool.h>
#include <stdint.h>

#define TAGS_RUN      0xff000000u
#define TAGS_QUESTION 0x00800000u
#define TAGS_NUMBER   0x007fffffu

/* How many runs can be told apart. */
#define TAGS_RUNS 128

struct tags {
	uint32_t run; /* NP_AOE_TAG_USER and the run's bits */
	int claim;    /* a socket whose name is the run's; -1: none */
};

/*
 * Takes a run's number that no other run of this network namespace has; if all are taken, one of
 * theirs after a warning.
 */
void tags_claim(struct tags *tags, const struct np_log *log);
void tags_release(struct tags *tags);

/* The tag that is @number after @tag, of the same kind and run. */
static inline uint32_t tags_after(uint32_t tag, uint32_t number)
{
	return (tag & ~TAGS_NUMBER) | ((tag + number) & TAGS_NUMBER);
}

/* How far @tag is after @first; UINT32_MAX: of another kind or run. */
static inline uint32_t tags_distance(uint32_t tag, uint32_t first)
{
	return (tag ^ first) & ~TAGS_NUMBER ? UINT32_MAX : (tag - first) & TAGS_NUMBER;
}

/* A random tag for requests. Without entropy the first one: then answers to an earlier run may be
 * counted as ours.
 */
uint32_t tags_random(const struct tags *tags);

/* A random tag for questions, which 4096 others can follow. */
uint32_t tags_question(const struct tags *tags);

/*
 * The first tag of an examination's round @number, for TAGS_ROUND questions. No two of 128 rounds
 * share one, and none shares one with tags_question.
 */
#define TAGS_ROUND 0x8000u
uint32_t tags_round(const struct tags *tags, uint32_t number);

#endif

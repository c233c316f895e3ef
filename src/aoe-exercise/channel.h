/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * channel: the link to the targets, with what is sent and received copied to the capture file, and
 * the tags by which an answer is known. Runs that share an interface share its MAC address, so that
 * a target's answers to one reach all of them; each run therefore has tags of its own.
 */
#pragma once

#include "options.h"

/*
 * A tag from its highest bit: 1 for programs (0: the kernel's driver), seven for the run, one for
 * questions that are no requests, and 23 that count.
 */
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

/* Most frames in one batch. */
#define CHANNEL_BATCH 64

struct channel {
	struct np_link *link;
	struct np_capture *capture; /* NULL: none */
	struct np_signals *signals; /* wakes channel_wait; lent, set once they are open */
	struct tags tags;	    /* of this run */
	unsigned pending;	    /* NP_SIGNALS_ bits that were raised so far */
	uint64_t sent;		    /* frames that this host has accepted so far */
};

/* Targets that --list finds, at most. */
#define LIST_TARGETS_MAX 4096

/*
 * Opens link and capture. Returns 0, or the exit status after a message. Needs
 * CAP_NET_RAW; nothing privileged is opened later.
 */
int channel_open(struct channel *channel, const struct options *options, const struct np_log *log);

/*
 * Closes all. The first frame written replaces the old content of the capture file; @begun: a run
 * that began replaces it in any case. Returns 0 or -errno of a failed write to it.
 */
int channel_close(struct channel *channel, bool begun);

/* Like np_link_send and np_link_receive. */
int channel_send(struct channel *channel, struct np_frame *frames, unsigned count);
int channel_receive(struct channel *channel, struct np_frame *frames, unsigned count);

/* Like np_link_wait; also returns 0 when a signal came, which @pending then shows. */
int channel_wait(struct channel *channel, np_time deadline);

/* Reads signals; returns true when one asks to stop. */
bool channel_stopped(struct channel *channel);

/* What to do with an answer. Returns 0 to go on listening, 1 to end, or -errno. */
typedef int ask_take(void *owner, const struct np_aoe_header *header, const struct np_frame *frame);

/*
 * Sends a question under @header: the command @ata, or, if that is NULL, one for the configuration.
 * Returns 0 or -errno.
 */
int ask_send(struct channel *channel, const struct np_aoe_header *header,
	     const struct np_aoe_ata *ata);

/*
 * Hands each answer (flag R) to @take until that returns other than 0 or *@deadline, which @take
 * may move, has passed. Returns take's result, 0 at the deadline, -EINTR when a signal asks to
 * stop, or -errno.
 */
int ask_listen(struct channel *channel, ask_take *take, void *owner, const np_time *deadline);

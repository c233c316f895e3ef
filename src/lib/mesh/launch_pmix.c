// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_pmix: a run that a launcher with a PMIx server has started: mpirun or srun --mpi=pmix. */
#include "../base/late.h"
#include "config.h"
#include "launch_state.h"

#include <pmix.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define KEY "netperf.rank0"

/* The functions of libpmix that are called here; its macros call others. */
#define LIBPMIX(ENTRY)                                                                             \
	ENTRY(PMIx_Abort)                                                                          \
	ENTRY(PMIx_Commit)                                                                         \
	ENTRY(PMIx_Finalize)                                                                       \
	ENTRY(PMIx_Get)                                                                            \
	ENTRY(PMIx_Init)                                                                           \
	ENTRY(PMIx_Put)

struct libpmix {
	LIBPMIX(LATE_POINTER)
};

static const char *const names[] = {LIBPMIX(LATE_NAME) NULL};
static const struct late_library library = {LIBPMIX_SONAME, names};

/*
 * How long to wait where no deadline is given: for an answer on which the run depends, which comes
 * at once, or after the second that a look-up may take; for one at its end.
 */
#define ANSWER (30 * NP_SECOND)
#define END    (10 * NP_SECOND)

struct pmix_state {
	struct libpmix lib;
	pmix_proc_t own;
	bool left;  /* finalized */
	bool stuck; /* a call has not returned, and has the rest of the state for ever */
	/* The call in hand, what it is about, and its result. */
	int (*work)(struct pmix_state *state);
	int result;
	uint32_t size;
	char text[LAUNCH_TEXT_MAX];
	pmix_proc_t *ended;
	uint32_t ended_count;
};

static void *carry_out(void *state)
{
	struct pmix_state *s = state;

	s->result = s->work(s);
	return NULL;
}

/*
 * libpmix waits for the launcher without a limit, and Open MPI's was seen to answer nobody any more
 * after a rank had died while it connected. So each call has a thread of its own, which is left
 * behind at @deadline. Returns the call's result, -ETIME or -ENOMEM.
 */
static int call(struct pmix_state *state, int (*work)(struct pmix_state *), np_time deadline)
{
	const struct timespec until = {.tv_sec = deadline / NP_SECOND,
				       .tv_nsec = deadline % NP_SECOND};
	pthread_t thread;

	if (state->stuck)
		return -ETIME;
	state->work = work;
	if (pthread_create(&thread, NULL, carry_out, state))
		return -ENOMEM;
	if (!pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until))
		return state->result;
	state->stuck = true;
	pthread_detach(thread);
	return -ETIME;
}

static void set_process(pmix_proc_t *process, const char *namespace, pmix_rank_t rank)
{
	*process = (pmix_proc_t){.rank = rank};
	snprintf(process->nspace, sizeof(process->nspace), "%s", namespace);
}

static int init(struct pmix_state *state)
{
	pmix_proc_t all;
	pmix_value_t *value;
	int rc = -EIO;

	if (state->lib.PMIx_Init(&state->own, NULL, 0) != PMIX_SUCCESS)
		return -EIO;
	set_process(&all, state->own.nspace, PMIX_RANK_WILDCARD);
	if (state->lib.PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value) == PMIX_SUCCESS) {
		rc = value->type == PMIX_UINT32 ? 0 : -EIO;
		state->size = value->data.uint32;
		free(value); /* a number: nothing hangs on it */
	}
	if (rc)
		state->lib.PMIx_Finalize(NULL, 0);
	return rc;
}

static int pmix_expect(uint32_t *rank)
{
	const char *text = getenv("PMIX_RANK");
	uint64_t value;

	if (!getenv("PMIX_NAMESPACE") || !text)
		return -ENOENT;
	if (np_units_parse_count(text, 0, UINT32_MAX, &value))
		return -ENOENT;
	*rank = (uint32_t)value;
	return 0;
}

static int pmix_open(struct launch_place *place, np_time deadline)
{
	uint32_t expected;
	struct pmix_state *state;
	int rc = pmix_expect(&expected);

	if (rc)
		return rc;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	place->state = state;
	rc = late_load(&library, &state->lib);
	if (!rc)
		rc = call(state, init, deadline);
	if (rc) {
		if (!state->stuck)
			free(state);
		place->state = NULL;
		return rc;
	}
	place->size = state->size;
	place->rank = state->own.rank;
	place->text = state->text;
	return 0;
}

static int finalize(struct pmix_state *state)
{
	state->lib.PMIx_Finalize(NULL, 0);
	return 0;
}

static void pmix_leave(struct launch_place *place)
{
	struct pmix_state *state = place->state;

	if (!state->left)
		call(state, finalize, np_clock_now() + END);
	state->left = true;
}

static int put(struct pmix_state *state)
{
	/* It is copied. */
	pmix_value_t value = {.type = PMIX_STRING, .data.string = state->text};

	return state->lib.PMIx_Put(PMIX_GLOBAL, KEY, &value) == PMIX_SUCCESS &&
			       state->lib.PMIx_Commit() == PMIX_SUCCESS
		       ? 0
		       : -EIO;
}

static int pmix_publish(struct launch_place *place)
{
	return call(place->state, put, np_clock_now() + ANSWER);
}

/*
 * No fence is used: it waits for every rank, forever for one that never starts. The server answers
 * "not found", or lets the caller wait, until rank 0 has committed.
 */
static int get(struct pmix_state *state)
{
	pmix_proc_t first;
	pmix_value_t *value;
	pmix_info_t limit = {.key = PMIX_TIMEOUT, .value = {.type = PMIX_INT, .data.integer = 1}};
	int rc;

	set_process(&first, state->own.nspace, 0);
	rc = state->lib.PMIx_Get(&first, KEY, &limit, 1, &value);
	if (rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_TIMEOUT)
		return -EAGAIN;
	if (rc != PMIX_SUCCESS)
		return -EIO;
	rc = value->type == PMIX_STRING && strlen(value->data.string) < LAUNCH_TEXT_MAX ? 0 : -EIO;
	if (!rc)
		snprintf(state->text, sizeof(state->text), "%s", value->data.string);
	if (value->type == PMIX_STRING)
		free(value->data.string);
	free(value);
	return rc;
}

static int pmix_lookup(struct launch_place *place)
{
	return call(place->state, get, np_clock_now() + ANSWER);
}

static int end(struct pmix_state *state)
{
	/* Only a client of the server can ask for that, and it may connect again. */
	if (state->left && state->lib.PMIx_Init(&state->own, NULL, 0) != PMIX_SUCCESS)
		return -EIO;
	state->left = false;
	state->lib.PMIx_Abort(1, "silent ranks", state->ended, state->ended_count);
	return 0;
}

static void pmix_end(const struct np_launch *launch)
{
	struct pmix_state *state = launch->place.state;

	if (state->stuck)
		return;
	state->ended = calloc(launch->place.size, sizeof(*state->ended));
	for (uint32_t i = 0; state->ended && i < launch->place.size; i++) {
		if (launch_hangs(launch, i))
			set_process(&state->ended[state->ended_count++], state->own.nspace, i);
	}
	if (state->ended_count)
		call(state, end, np_clock_now() + END);
	if (state->stuck)
		return;
	free(state->ended);
	state->ended = NULL;
}

static void pmix_close(struct launch_place *place)
{
	struct pmix_state *state = place->state;

	pmix_leave(place);
	if (!state->stuck)
		free(state);
}

const struct launch_pmix launch_pmix = {
	.expect = pmix_expect,
	.open = pmix_open,
	.publish = pmix_publish,
	.lookup = pmix_lookup,
	.leave = pmix_leave,
	.end = pmix_end,
	.close = pmix_close,
};

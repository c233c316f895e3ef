// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_pmix: a run that a launcher with a PMIx server has started: mpirun or srun --mpi=pmix. */
#include "launch_variant.h"

#include <errno.h>
#include <netperf/units.h>
#include <pmix.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY "netperf.rank0"

struct pmix_state {
	pmix_proc_t own;
	bool left; /* finalized */
};

static int read_size(const pmix_proc_t *own, uint32_t *size)
{
	pmix_proc_t all;
	pmix_value_t *value;
	int rc;

	PMIX_LOAD_PROCID(&all, own->nspace, PMIX_RANK_WILDCARD);
	if (PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &value) != PMIX_SUCCESS)
		return -EIO;
	rc = value->type == PMIX_UINT32 ? 0 : -EIO;
	if (!rc)
		*size = value->data.uint32;
	PMIX_VALUE_RELEASE(value);
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

static int pmix_open(struct launch_place *place)
{
	uint32_t expected;
	struct pmix_state *state;
	int rc = pmix_expect(&expected);

	if (rc)
		return rc;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	if (PMIx_Init(&state->own, NULL, 0) != PMIX_SUCCESS) {
		free(state);
		return -EIO;
	}
	if (read_size(&state->own, &place->size)) {
		PMIx_Finalize(NULL, 0);
		free(state);
		return -EIO;
	}
	place->rank = state->own.rank;
	place->state = state;
	return 0;
}

static void pmix_leave(struct launch_place *place)
{
	struct pmix_state *state = place->state;

	if (!state->left)
		PMIx_Finalize(NULL, 0);
	state->left = true;
}

static int pmix_publish(struct launch_place *place, const char *text)
{
	pmix_value_t value;
	int rc;

	(void)place;
	PMIX_VALUE_LOAD(&value, text, PMIX_STRING);
	rc = PMIx_Put(PMIX_GLOBAL, KEY, &value);
	PMIX_VALUE_DESTRUCT(&value);
	return rc == PMIX_SUCCESS && PMIx_Commit() == PMIX_SUCCESS ? 0 : -EIO;
}

/*
 * No fence is used: it waits for every rank, forever for one that never starts. The server answers
 * "not found", or lets the caller wait, until rank 0 has committed.
 */
static int pmix_lookup(struct launch_place *place, char text[LAUNCH_TEXT_MAX])
{
	const struct pmix_state *state = place->state;
	pmix_proc_t first;
	pmix_value_t *value;
	pmix_info_t limit;
	int rc, seconds = 1;

	PMIX_LOAD_PROCID(&first, state->own.nspace, 0);
	PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &seconds, PMIX_INT);
	rc = PMIx_Get(&first, KEY, &limit, 1, &value);
	PMIX_INFO_DESTRUCT(&limit);
	if (rc == PMIX_ERR_NOT_FOUND || rc == PMIX_ERR_TIMEOUT)
		return -EAGAIN;
	if (rc != PMIX_SUCCESS)
		return -EIO;
	rc = value->type == PMIX_STRING && strlen(value->data.string) < LAUNCH_TEXT_MAX ? 0 : -EIO;
	if (!rc)
		snprintf(text, LAUNCH_TEXT_MAX, "%s", value->data.string);
	PMIX_VALUE_RELEASE(value);
	return rc;
}

static void pmix_end(struct launch_place *place, const uint32_t *ranks, size_t count)
{
	struct pmix_state *state = place->state;
	pmix_proc_t *processes = calloc(count, sizeof(*processes));

	if (!processes)
		return;
	/* Only a client of the server can ask for that, and it may connect again. */
	if (state->left && PMIx_Init(&state->own, NULL, 0) != PMIX_SUCCESS) {
		free(processes);
		return;
	}
	state->left = false;
	for (size_t i = 0; i < count; i++)
		PMIX_LOAD_PROCID(&processes[i], state->own.nspace, ranks[i]);
	PMIx_Abort(1, "silent ranks", processes, count);
	free(processes);
}

static void pmix_close(struct launch_place *place)
{
	pmix_leave(place);
	free(place->state);
}

const struct launch_variant launch_pmix_variant = {
	.name = "pmix",
	.expect = pmix_expect,
	.open = pmix_open,
	.publish = pmix_publish,
	.lookup = pmix_lookup,
	.leave = pmix_leave,
	.end = pmix_end,
	.close = pmix_close,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * launch-rank: a rank of a run that does nothing but join, meet the others and send its number.
 * usage: launch-rank SECONDS [dies|hangs|leaves RANK STAGE]
 * SECONDS is the limit of each wait; that rank does so before STAGE: open, start (the first
 * barrier), ready (the second one), send, collect. Rank 0 prints what it was told and who is
 * missing, the others their exit status and its reason on stderr.
 */
#include "../../src/lib/mesh/launch_state.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
	char **argv; /* after SECONDS */
	np_time limit;
	uint32_t rank;
	struct np_launch *launch;
};

static np_time deadline(const struct run *run)
{
	return np_clock_now() + run->limit;
}

/* Does what the command line says, if that is for this rank at @stage. */
static void reach(const struct run *run, const char *stage)
{
	const char *how = run->argv[0];

	if (!how || strtoul(run->argv[1], NULL, 10) != run->rank || strcmp(run->argv[2], stage))
		return;
	if (!strcmp(how, "leaves"))
		exit(0);
	raise(!strcmp(how, "dies") ? SIGKILL : SIGSTOP);
}

static int take(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	uint32_t *sum = context, number;

	if (bytes != sizeof(number))
		return -1;
	memcpy(&number, piece, sizeof(number));
	*sum += number == rank ? rank : 1000;
	return 0;
}

static int meet(struct run *run)
{
	const uint32_t next = (run->rank + 1) % run->launch->place.size;
	int rc;

	reach(run, "start");
	rc = launch_set_blob(run->launch, "blob", 4);
	if (!rc)
		rc = launch_barrier(run->launch, deadline(run), -1);
	if (!rc)
		rc = launch_fetch(run->launch, &next, 1, deadline(run));
	if (!rc && run->launch->state[next] == LAUNCH_HERE && !launch_blob(run->launch, next, NULL))
		rc = -ENODATA;
	reach(run, "ready");
	return rc ? rc : launch_barrier(run->launch, deadline(run), -1);
}

/* Returns 0 or -errno, in rank 0 also 1: some are missing. */
static int tell(struct run *run)
{
	uint32_t sum = 0;
	char text[512];
	int rc = 0;

	reach(run, "send");
	if (run->rank)
		rc = spoke_message(run->launch, WIRE_PIECE, &run->rank, sizeof(run->rank));
	reach(run, "collect");
	if (!rc)
		rc = launch_collect(run->launch, take, &sum, deadline(run));
	if (rc || run->rank)
		return rc;
	launch_describe_missing(run->launch, text, sizeof(text));
	printf("%u ranks, sum %u, missing: %s\n", run->launch->place.size, sum, text);
	return launch_missing(run->launch) ? 1 : 0;
}

static int finish(const struct run *run, int rc, int status)
{
	if (run->rank)
		fprintf(stderr, "rank %u: %d, %s\n", run->rank, status,
			rc ? launch_reason(rc) : "done");
	return status;
}

int main(int argc, char **argv)
{
	const char *rank = getenv("PMIX_RANK");
	struct run run = {.rank = rank ? (uint32_t)strtoul(rank, NULL, 10) : 0};
	const struct np_launch plan = {.join.program = "launch-rank"};
	int rc;

	if (argc != 2 && argc != 5)
		return 2;
	run.limit = (np_time)strtoul(argv[1], NULL, 10) * NP_SECOND;
	run.argv = argv + 2;
	reach(&run, "open");
	rc = launch_open(&run.launch, &plan, NULL, deadline(&run), -1);
	if (rc)
		return finish(&run, rc, 2);
	rc = meet(&run);
	if (!rc)
		rc = tell(&run);
	finish(&run, rc, rc ? 1 : 0);
	launch_close(run.launch);
	return rc ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_end: gathers the results of a mesh, reports them in rank 0, and judges them. */
#include "mesh_state.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/loss.h>
#include <string.h>

/* Pairs that failed, named one by one, at most. */
#define NAMED 8

static bool present(const struct np_launch *launch, uint32_t rank)
{
	return rank == NP_MESH_OUTSIDE || np_launch_state(launch, rank) == NP_LAUNCH_HERE;
}

/* Why the run between two ranks that are here failed, or NULL. */
static const char *fault_of(const struct np_launch *launch, const struct np_mesh_pair *pair,
			    bool lossless)
{
	if (!present(launch, pair->from) || !present(launch, pair->to))
		return NULL;
	if (np_mesh_silent(pair))
		return "nothing was sent";
	if (pair->parts & NP_MESH_CUT)
		return "the receiver did not count to the end";
	if (pair->parts != (NP_MESH_FROM | NP_MESH_TO))
		return "its results are incomplete";
	return lossless && pair->lost ? "the connection was lost" : NULL;
}

static void name_pair(const struct np_mesh *mesh, const struct np_mesh_pair *pair,
		      const char *fault, const struct np_log *log)
{
	if (pair->to == NP_MESH_OUTSIDE)
		np_log_error(log, "mesh", "rank %u to %s: %s", (unsigned)pair->from,
			     mesh->words.outside, fault);
	else
		np_log_error(log, "mesh", "rank %u to rank %u: %s", (unsigned)pair->from,
			     (unsigned)pair->to, fault);
}

/* Returns whether some pair failed. */
static bool name_failed(const struct np_mesh *mesh, const struct np_launch *launch,
			const struct np_mesh_ending *how)
{
	size_t failed = 0;

	for (size_t i = 0; i < mesh->count; i++) {
		const char *fault = fault_of(launch, &mesh->pairs[i], how->lossless);

		if (fault && failed++ < NAMED)
			name_pair(mesh, &mesh->pairs[i], fault, how->log);
	}
	if (failed > NAMED)
		np_log_error(how->log, "mesh", "%zu more pairs failed", failed - NAMED);
	return failed;
}

/* The loss that is compared with the limit, percent. */
static double loss_of(const struct np_mesh *mesh, const struct np_mesh_ending *how)
{
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(mesh);
	const struct np_mesh_sum sum = np_mesh_total(mesh);

	if (how->each_pair)
		return lossiest ? np_mesh_loss(lossiest) : 0;
	return np_loss_percent(sum.lost, sum.received + sum.lost);
}

static int report(const struct np_mesh *mesh, const struct np_launch *launch,
		  const struct np_mesh_ending *how)
{
	char missing[1024];
	int status = 0;

	if (how->text) {
		np_mesh_print(mesh, launch, np_mesh_columns(how->text), how->text);
		fflush(how->text);
	}
	how->records(how->context);
	if (how->plot && np_mesh_plot(mesh, how->plot, how->log))
		status = 1;
	if (np_launch_not_allowed(launch))
		np_log_warning(how->log, "--allow", "closed %" PRIu64 " connections of other hosts",
			       np_launch_not_allowed(launch));
	if (np_launch_missing(launch)) {
		np_log_error(how->log, "mesh", "%s",
			     np_launch_describe_missing(launch, missing, sizeof(missing)));
		status = 1;
	}
	if (name_failed(mesh, launch, how))
		status = 1;
	if (np_loss_exceeds(loss_of(mesh, how), how->max_loss_percent, "mesh", how->log))
		status = 1;
	return status;
}

/* Rank 0 is gone: this rank's own results must not be lost. */
static int report_alone(const struct np_mesh *mesh, const struct np_launch *launch,
			const struct np_mesh_ending *how)
{
	if (!how->text)
		return 1;
	fprintf(how->text, "rank %u by itself:\n", (unsigned)np_launch_rank(launch));
	np_mesh_print(mesh, NULL, np_mesh_columns(how->text), how->text);
	fflush(how->text);
	return 1;
}

int np_mesh_end(struct np_mesh *mesh, struct np_launch *launch, bool connected, np_time deadline,
		const struct np_mesh_ending *how)
{
	const int rc = connected ? np_mesh_gather(mesh, launch, deadline) : -ECONNRESET;

	if (!rc)
		return np_launch_rank(launch) ? 0 : report(mesh, launch, how);
	if (connected)
		np_log_error(how->log, "mesh", "%s", np_launch_reason(rc));
	return report_alone(mesh, launch, how);
}

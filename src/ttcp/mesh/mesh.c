// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh: meets the other ranks, runs all ways, and gathers the results. */
#include "mesh.h"

#include "mesh_state.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* After a request to stop: how long ways may take to tell their partners. */
#define GOODBYE (300 * NP_MILLISECOND)
#define LOOK	50 /* ms */
#define SECOND	1000

static void stop_ways(struct mesh_peers *peers)
{
	for (size_t i = 0; i < peers->ways; i++) {
		if (way_runs(&peers->way[i]))
			way_stop(&peers->way[i]);
	}
}

static size_t count_running(struct mesh_peers *peers)
{
	size_t running = 0;

	for (size_t i = 0; i < peers->ways; i++)
		running += way_runs(&peers->way[i]);
	return running;
}

/* Sleeps until a way ends or a signal comes, or @ms have passed. */
static void await_events(struct mesh_run *m, int ms)
{
	struct pollfd wait[2] = {{.fd = np_signals_fd(m->s->signals), .events = POLLIN},
				 {.fd = m->finished, .events = POLLIN}};
	uint64_t ended;

	if (poll(wait, 2, ms) <= 0)
		return;
	if (wait[0].revents && (np_signals_take(m->s->signals) & NP_SIGNALS_STOP))
		m->s->interrupts++;
	if (wait[1].revents)
		(void)!read(m->finished, &ended, sizeof(ended));
}

/*
 * Waits until all of @peers have ended. At @deadline, or after a signal, they are told to stop, and
 * again each time they have taken longer than it takes to tell their partners: a launcher that
 * kills a job gives its ranks a second.
 */
static void finish(struct mesh_run *m, struct mesh_peers *peers, np_time deadline)
{
	np_time next = deadline;
	bool told = false;

	while (count_running(peers)) {
		const np_time now = np_clock_now();

		if (now >= next || (m->s->interrupts && !told)) {
			stop_ways(peers);
			told = true;
			next = now + GOODBYE;
		}
		await_events(m, told ? LOOK : SECOND);
	}
}

/* Sends until done, then waits for the others to be done. Returns 0 or -errno. */
static int run(struct mesh_run *m)
{
	const np_time deadline =
		np_clock_now() + m->s->options->load.duration + m->s->options->mesh.limit;
	int rc = 0;

	m->begun = np_clock_now();
	m->s->usage = np_usage_now();
	for (size_t i = 0; !rc && i < m->targets.ways; i++)
		rc = way_start(&m->targets.way[i]);
	if (rc)
		np_log_error(m->s->log, "mesh", "%s", strerror(-rc));
	finish(m, &m->targets, deadline);
	if (rc)
		return rc;
	rc = np_launch_barrier(m->launch, deadline + m->s->options->mesh.limit, -1);
	return rc ? mesh_complain(m, rc) : 0;
}

static void close_peers(struct mesh_peers *peers)
{
	for (size_t i = 0; i < peers->ways; i++)
		way_close(&peers->way[i]);
	free(peers->way);
	free(peers->rank);
}

int mesh_run(struct session *s)
{
	struct mesh_run m = {.s = s, .finished = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	int rc, status;

	if (m.finished < 0) {
		np_log_error(s->log, "mesh", "%s", strerror(errno));
		return 2;
	}
	rc = mesh_meet(&m);
	if (!rc) {
		rc = run(&m);
		/* Nobody sends any more. */
		finish(&m, &m.sources, 0);
		status = mesh_conclude(&m, !rc);
	} else {
		finish(&m, &m.sources, 0);
		status = m.launch ? np_launch_exit_status(rc) : 2;
	}
	np_report_settle(s->report, status, s->log);
	np_launch_close(m.launch);
	np_mesh_free(m.mesh);
	close_peers(&m.targets);
	close_peers(&m.sources);
	close(m.finished);
	return status;
}

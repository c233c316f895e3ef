// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: meets the other ranks, runs all edges, and gathers what all ranks measured, which rank 0
 * reports.
 */
#include "mesh.h"

#include "../report/record.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* After a request to stop: how long threads may take to notify their partners. */
#define GOODBYE (300 * NP_MILLISECOND)
#define LOOK	50 /* ms */
#define SECOND	1000

static size_t count_running(struct mesh_peers *peers)
{
	size_t running = 0;

	for (size_t i = 0; i < peers->edges; i++)
		running += mesh_edge_runs(&peers->edge[i]);
	return running;
}

/* Sleeps until the thread of an edge ends or a signal comes, or @ms have passed. */
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
 * Waits until all of @peers have ended. At @deadline, or after a signal, they are asked to stop,
 * and again each time they have taken longer than it takes to notify their partners: a launcher
 * that kills a job gives its ranks a second.
 */
static void finish(struct mesh_run *m, struct mesh_peers *peers, np_time deadline)
{
	np_time next = deadline;
	bool asked = false;

	while (count_running(peers)) {
		const np_time now = np_clock_now();

		if (now >= next || (m->s->interrupts && !asked)) {
			/* The second request ends it without a word to the other end. */
			for (size_t i = 0; i < peers->edges; i++)
				if (mesh_edge_runs(&peers->edge[i]))
					np_signals_tell(peers->edge[i].session.signals,
							NP_SIGNALS_STOP);
			asked = true;
			next = now + GOODBYE;
		}
		await_events(m, asked ? LOOK : SECOND);
	}
}

/* Sends until done, then waits for the others to be done. Returns 0 or -errno. */
static int run(struct mesh_run *m)
{
	const np_time deadline =
		np_clock_now() + m->s->options->load.duration + m->s->options->mesh.limit;
	int rc;

	m->begun = np_clock_now();
	m->s->usage = np_usage_now();
	rc = mesh_edge_start(m, &m->targets);
	finish(m, &m->targets, deadline);
	if (rc)
		return rc;
	rc = np_launch_barrier(m->launch, deadline + m->s->options->mesh.limit, -1);
	return rc ? mesh_complain(m, rc) : 0;
}

static int add(struct mesh_run *m, const struct mesh_peers *peers, struct np_drops_counts *dropped)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < peers->edges; i++) {
		const struct np_mesh_pair pair = mesh_edge_measured(&peers->edge[i], m->begun);

		rc = np_mesh_add(m->mesh, &pair);
		mesh_edge_add_dropped(&peers->edge[i], dropped);
	}
	return rc;
}

/* What this rank measured, and its host dropped. Returns 0 or -errno. */
static int fill(struct mesh_run *m)
{
	const struct session *s = m->s;
	const struct options *o = s->options;
	const struct np_mesh_words words = {
		.program = "ttcp",
		.transport = o->place.transport == TRANSPORT_TCP ? "TCP" : "UDP",
		.bytes = o->load.message_bytes,
		.rates_in_bytes = o->unit,
		.unit = "messages",
		.delay = "delay",
	};
	struct np_drops_counts dropped = {.known = true, .exact = true};
	int rc = np_mesh_create(&m->mesh, &m->plan, &words);

	if (s->drops && *np_drops_info(s->drops)->why)
		dropped = (struct np_drops_counts){.why = np_drops_info(s->drops)->why};
	if (!rc)
		rc = add(m, &m->targets, &dropped);
	if (!rc)
		rc = add(m, &m->sources, &dropped);
	if (rc || !s->drops || o->drops == NP_DROPS_OFF)
		return rc;
	return np_mesh_add_dropped(m->mesh, np_launch_rank(m->launch), &dropped);
}

static void write_records(void *context)
{
	struct mesh_run *m = context;
	struct session *s = m->s;
	const struct np_usage usage = np_usage_since(&s->usage);
	struct np_record *record;

	if (!s->records)
		return;
	session_write(s, record_start(s->options));
	np_mesh_write_pairs(m->mesh, m->launch, s->report);
	record = np_record_new("summary");
	np_mesh_record_sums(m->mesh, record);
	np_mesh_record(m->mesh, m->launch, record);
	record_ending(record, &usage, s->interrupts);
	session_write(s, record);
}

/* Returns the exit status. */
static int conclude(struct mesh_run *m, bool connected)
{
	const struct options *o = m->s->options;
	const struct np_mesh_ending ending = {
		.text = m->s->console.out,
		.plot = o->mesh.plot,
		.max_loss_percent = o->max_loss_percent,
		.lossless = o->place.transport == TRANSPORT_TCP,
		.interrupted = m->s->interrupts,
		.log = m->s->log,
		.records = write_records,
		.context = m,
	};
	const int rc = fill(m);

	if (!rc)
		return np_mesh_end(m->mesh, m->launch, connected, mesh_limit(m), &ending);
	np_log_error(m->s->log, "mesh", "%s", strerror(-rc));
	return 1;
}

static void close_peers(struct mesh_peers *peers)
{
	for (size_t i = 0; i < peers->edges; i++)
		mesh_edge_close(&peers->edge[i]);
	free(peers->edge);
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
	rc = np_mesh_probe_plot(&s->options->mesh, s->options->mesh_rank, s->log) ? -ECANCELED
										  : mesh_meet(&m);
	if (!rc) {
		rc = run(&m);
		/* Nobody sends any more. */
		finish(&m, &m.sources, 0);
		status = conclude(&m, !rc);
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

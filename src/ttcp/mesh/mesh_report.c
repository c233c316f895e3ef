// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_report: this rank's part of a mesh, and rank 0's report of all. */
#include "../report/record.h"
#include "mesh_state.h"

#include <string.h>

static int add(struct mesh_run *m, const struct mesh_peers *peers)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < peers->ways; i++) {
		const struct np_mesh_pair pair = way_measured(&peers->way[i], m->begun);

		rc = np_mesh_add(m->mesh, &pair);
	}
	return rc;
}

static void add_dropped(struct np_drops_counts *sum, const struct mesh_peers *peers)
{
	for (size_t i = 0; i < peers->ways; i++) {
		const struct np_drops_counts *dropped = way_dropped(&peers->way[i]);

		if (dropped)
			np_drops_add(sum, dropped);
		if (sum->known && !way_counts_drops(&peers->way[i])) {
			sum->exact = false;
			snprintf(sum->doubt, sizeof(sum->doubt), "%s",
				 "not counted for all pairs: too many streams");
		}
	}
}

/* What this host dropped of all ways. */
static int tell_dropped(struct mesh_run *m)
{
	const struct session *s = m->s;
	struct np_drops_counts sum = {.known = true, .exact = true};

	if (!s->drops || s->options->drops == NP_DROPS_OFF)
		return 0;
	if (*np_drops_info(s->drops)->why)
		sum = (struct np_drops_counts){.why = np_drops_info(s->drops)->why};
	add_dropped(&sum, &m->targets);
	add_dropped(&sum, &m->sources);
	return np_mesh_add_dropped(m->mesh, np_launch_rank(m->launch), &sum);
}

static int fill(struct mesh_run *m)
{
	const struct options *o = m->s->options;
	const struct np_mesh_words words = {
		.program = "ttcp",
		.transport = o->place.transport == TRANSPORT_TCP ? "TCP" : "UDP",
		.bytes = o->load.message_bytes,
		.rates_in_bytes = o->unit,
		.unit = "messages",
		.delay = "delay",
	};
	int rc = np_mesh_create(&m->mesh, &m->plan, &words);

	if (!rc)
		rc = add(m, &m->targets);
	if (!rc)
		rc = add(m, &m->sources);
	return rc ? rc : tell_dropped(m);
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

int mesh_conclude(struct mesh_run *m, bool connected)
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

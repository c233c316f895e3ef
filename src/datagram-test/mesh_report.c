// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_report: this rank's part of a mesh, and rank 0's report of all. */
#include "mesh_state.h"
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A listener's flow from the rank that listens at @address; NULL: nothing came from it. */
static const struct listener_flow *flow_from(const struct listener_result *r,
					     const struct np_address *address)
{
	const struct listener_flow *found = NULL;

	for (size_t i = 0; i < r->concluded_count; i++) {
		const struct listener_flow *flow = &r->concluded[i];

		if (!np_address_equal(&flow->printed, address))
			continue;
		if (!found || flow->life.counts.received > found->life.counts.received)
			found = flow;
	}
	return found;
}

static void take_flow(struct np_mesh_pair *pair, const struct listener_flow *flow, np_time begun)
{
	np_mesh_take_flow(pair, &flow->life.counts, begun);
	pair->dropped_to = np_drops_total(&flow->dropped);
	pair->delay_count = flow->delay.count;
	pair->delay_p50 = flow->delay.p50;
	pair->delay_p99 = flow->delay.p99;
	pair->delay_max = flow->delay.max;
	pair->delay_bound = flow->delay.count ? flow->delay_bound : 0;
}

static int add_received(struct mesh_run *m)
{
	const struct listener_result *r = listener_result(m->s->endpoint[0].listener);
	int rc = 0;

	for (size_t i = 0; !rc && i < m->sources.count; i++) {
		const struct listener_flow *flow = flow_from(r, &m->sources.address[i]);
		struct np_mesh_pair pair = {
			.from = m->sources.rank[i],
			.to = np_launch_rank(m->launch),
			.parts = NP_MESH_TO,
		};

		if (flow)
			take_flow(&pair, flow, m->begun);
		rc = np_mesh_add(m->mesh, &pair);
	}
	return rc;
}

static int add_sent(struct mesh_run *m)
{
	const struct shared *shared = m->s->endpoint[0].shared;
	int rc = 0;

	for (size_t i = 0; !rc && i < m->targets.count; i++) {
		const struct np_mesh_pair pair = {
			.from = np_launch_rank(m->launch),
			.to = m->targets.rank[i],
			.parts = NP_MESH_FROM,
			.sent = shared->peer[i].last - shared->peer[i].unsent,
			.unsent = shared->peer[i].unsent,
			.dropped_from = shared->peer[i].dropped,
		};

		rc = np_mesh_add(m->mesh, &pair);
	}
	return rc;
}

/* What this host dropped of what was received and sent. */
static int add_dropped(struct mesh_run *m)
{
	const struct endpoint *own = &m->s->endpoint[0];
	struct np_drops_counts sum = listener_result(own->listener)->dropped;

	if (m->s->options->drops == NP_DROPS_OFF)
		return 0;
	if (own->publisher)
		np_drops_add(&sum, &publisher_result(own->publisher)->dropped);
	return np_mesh_add_dropped(m->mesh, np_launch_rank(m->launch), &sum);
}

/* Fills the mesh with what this rank measured. */
static int measure(struct mesh_run *m)
{
	const struct options *o = m->s->options;
	const struct packet_options *packet = &o->packet;
	const struct np_mesh_words words = {
		.program = "datagram-test",
		.transport = "UDP",
		.bytes = packet->shortest_bytes == packet->packet_bytes ? packet->packet_bytes : 0,
		.rates_in_bytes = o->unit,
		.unit = "packets",
		.delay = "delay",
	};
	int rc = np_mesh_create(&m->mesh, &m->plan, &words);

	if (!rc)
		rc = add_received(m);
	if (!rc)
		rc = add_sent(m);
	return rc ? rc : add_dropped(m);
}

static void write_records(void *context)
{
	struct mesh_run *m = context;
	struct session *s = m->s;
	const struct np_usage usage = np_usage_since(&s->usage);
	struct np_record *record;

	if (!s->reporter.records)
		return;
	record = record_start(s->options);
	record_start_listener(record, listener_result(s->endpoint[0].listener));
	if (s->endpoint[0].publisher)
		record_start_publisher(record, publisher_result(s->endpoint[0].publisher));
	report_record(&s->reporter, record);
	np_mesh_write_pairs(m->mesh, m->launch, s->reporter.report);
	record = record_summary();
	np_mesh_record_sums(m->mesh, record);
	np_mesh_record(m->mesh, m->launch, record);
	np_record_usage(record, &usage);
	np_record_flag(record, "interrupted", s->interrupts);
	report_record(&s->reporter, record);
}

int mesh_report(struct mesh_run *m, bool connected)
{
	const struct options *o = m->s->options;
	const struct np_mesh_ending ending = {
		.text = m->text,
		.plot = o->mesh.plot,
		.max_loss_percent = o->max_loss_percent,
		.log = m->s->log,
		.records = write_records,
		.context = m,
	};
	const int rc = measure(m);

	if (!rc)
		return np_mesh_end(m->mesh, m->launch, connected, np_clock_now() + o->mesh.limit,
				   &ending);
	np_log_error(m->s->log, "mesh", "%s", strerror(-rc));
	return 1;
}

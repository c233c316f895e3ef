// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_edge: runs a sender or a receiver in a thread, and takes its figures. */
#include "mesh.h"

#include "../service/receive_session.h"
#include "../service/send_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* How late a receiver may answer: it is there, but its host may be busy. */
#define CONTACT_MAX (10 * NP_SECOND)

/* What np_address_format writes behind a slash. */
static void write_literal(const struct np_address *address, char text[NP_ADDRESS_TEXT])
{
	const char *literal = strrchr(np_address_format(address, text), '/') + 1;

	memmove(text, literal, strlen(literal) + 1);
}

/* The user's options, but without results of its own. */
static void set_options(struct mesh_edge *edge, const struct mesh_run *m,
			const struct np_address *to)
{
	struct options *o = &edge->options;

	*o = *m->s->options;
	o->task = to ? TASK_TRANSMIT : TASK_RECEIVE;
	o->load.runs = 1;
	o->place.port = 0;
	write_literal(&m->local, edge->bind);
	o->place.bind = edge->bind;
	o->wait.no_wait = true;
	o->wait.wait = 0;
	/* The figures of all edges are judged together. */
	o->max_loss_percent = 100;
	o->report = (struct np_report_options){.quiet = true};
	if (!to)
		return;
	write_literal(to, edge->to);
	o->place.to = edge->to;
	o->place.port = np_address_port(to);
	/* A rank's rate is that of all its senders together. */
	o->load.rate_bits = options_rate_bits(&o->load, 1) / (double)m->targets.count;
	o->wait.wait = o->mesh.limit < CONTACT_MAX ? o->mesh.limit : CONTACT_MAX;
}

int mesh_edge_open(struct mesh_edge *edge, const struct mesh_run *m, uint32_t other,
		   const struct np_address *to)
{
	const struct session *s = m->s;
	const uint32_t own = np_launch_rank(m->launch);
	int rc;

	edge->sends = to;
	edge->own = own;
	edge->other = other;
	edge->finished = m->finished;
	set_options(edge, m, to);
	snprintf(edge->program, sizeof(edge->program), "%s: rank %u to rank %u", s->log->program,
		 (unsigned)(to ? own : other), (unsigned)(to ? other : own));
	edge->log = *s->log;
	edge->log.program = edge->program;
	edge->session = (struct session){
		.options = &edge->options,
		.log = &edge->log,
		.begun = s->begun,
		.ahead = s->ahead,
		.usage = s->usage,
		.drops = s->drops,
		.partner_warns = to,
		.drops_watch = to ? m->drops_out : m->drops_in,
	};
	console_init(&edge->session.console, NULL, &edge->options);
	rc = np_signals_open_told(&edge->session.signals);
	if (rc)
		return np_log_refuse(&edge->log, NULL, "%s", strerror(-rc));
	return to ? send_open(&edge->send, &edge->session)
		  : receive_open(&edge->receive, &edge->session);
}

static void *run(void *context)
{
	struct mesh_edge *edge = context;
	const uint64_t one = 1;

	/* What went wrong is in the figures, and was logged. */
	(void)(edge->sends ? send_run(edge->send) : receive_run(edge->receive));
	__atomic_store_n(&edge->over, true, __ATOMIC_RELEASE);
	(void)!write(edge->finished, &one, sizeof(one));
	return NULL;
}

int mesh_edge_start(const struct mesh_run *m, struct mesh_peers *peers)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < peers->edges; i++) {
		struct mesh_edge *edge = &peers->edge[i];

		rc = -pthread_create(&edge->thread, NULL, run, edge);
		edge->running = !rc;
	}
	if (rc)
		np_log_error(m->s->log, "mesh", "%s", strerror(-rc));
	return rc;
}

bool mesh_edge_runs(struct mesh_edge *edge)
{
	if (!edge->running || !__atomic_load_n(&edge->over, __ATOMIC_ACQUIRE))
		return edge->running;
	pthread_join(edge->thread, NULL);
	edge->running = false;
	return false;
}

static struct np_mesh_pair measure_received(const struct mesh_edge *edge, np_time begun)
{
	const struct receive_session *receive = edge->receive;
	const struct record_receive *sum = &receive->sum;
	const struct receiver_run *run = receiver_run(receive->receiver);
	struct np_histogram_figures delay;
	struct np_mesh_pair pair = {.from = edge->other, .to = edge->own, .parts = NP_MESH_TO};

	if (!receive->runs)
		return pair;
	np_mesh_take_flow(&pair, &sum->figures, begun + edge->session.ahead);
	if (edge->session.drops)
		pair.dropped_to = np_drops_total(&receive->dropped);
	/* Without END the rest may still be in the connection, which loses nothing. */
	if (edge->options.place.transport == TRANSPORT_TCP &&
	    run->report.status >= MESSAGE_TIMED_OUT)
		pair.parts |= NP_MESH_CUT;
	if (!message_clock_correct(&run->clock, &sum->delays, &delay))
		return pair;
	pair.delay_count = delay.count;
	pair.delay_p50 = delay.p50;
	pair.delay_p99 = delay.p99;
	pair.delay_max = delay.max;
	pair.delay_bound = run->clock.bound;
	return pair;
}

struct np_mesh_pair mesh_edge_measured(const struct mesh_edge *edge, np_time begun)
{
	if (!edge->sends)
		return measure_received(edge, begun);
	return (struct np_mesh_pair){
		.from = edge->own,
		.to = edge->other,
		.parts = NP_MESH_FROM,
		.sent = edge->send->sum.messages, /* without the unsent */
		.unsent = edge->send->sum.unsent,
		.dropped_from = edge->send->drops.lost,
	};
}

void mesh_edge_add_dropped(const struct mesh_edge *edge, struct np_drops_counts *sum)
{
	if (edge->session.drops && edge->sends && edge->send->runs)
		np_drops_add(sum, &edge->send->dropped);
	else if (edge->session.drops && !edge->sends && edge->receive->runs)
		np_drops_add(sum, &edge->receive->dropped);
	if (!sum->known || edge->session.drops)
		return;
	sum->exact = false;
	snprintf(sum->doubt, sizeof(sum->doubt), "%s",
		 "not counted for all pairs: too many streams");
}

void mesh_edge_close(struct mesh_edge *edge)
{
	(void)send_close(edge->send, 0);
	(void)receive_close(edge->receive, 0);
	np_signals_free(edge->session.signals);
	edge->send = NULL;
	edge->receive = NULL;
	edge->session.signals = NULL;
}

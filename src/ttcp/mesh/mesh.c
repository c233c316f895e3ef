// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: a run between the ranks that a launcher starts. From one rank to another leads an edge; at
 * each of its ends is an ordinary sender, or a receiver for one sender, in a thread of its own,
 * that writes no result.
 */
#include "../conversation/side.h"

#include <errno.h>
#include <stdlib.h>

/* After a request to stop: how long threads may take to notify their partners. */
#define GOODBYE (300 * NP_MILLISECOND)
/* How late a receiver may answer: it is there, but its host may be busy. */
#define CONTACT_MAX (10 * NP_SECOND)

/* Does not move once it is open. */
struct edge {
	uint32_t other;	  /* rank */
	struct side side; /* the user's options, for this edge; they point to the text below */
	struct np_address_text bind, to;
	char program[64]; /* for messages: they name the edge */
	struct np_log log;
};

struct mesh {
	struct np_meet meet; /* the first: a step casts it back */
	struct session *s;
	int drops_in, drops_out; /* watches of all edges, or NP_DROPS_ALL: each has its own */
	struct edge *edge;	 /* from each source, then to each target */
	size_t count;
};

/* Opens a sender to @peer, or a receiver for it. Returns 0 or, after a message, -ECANCELED. */
static int open_edge(struct mesh *m, const struct np_meet_peer *peer, bool sends)
{
	struct edge *edge = &m->edge[m->count++];
	struct options *o = &edge->side.options;
	const struct session *s = m->s;
	const uint32_t own = m->meet.rank;

	edge->other = peer->rank;
	/* The user's options, but without results of its own. */
	*o = *s->options;
	o->task = sends ? TASK_TRANSMIT : TASK_RECEIVE;
	o->load.runs = 1;
	o->place.port = 0;
	edge->bind = np_address_literal(&m->meet.local);
	o->place.bind = edge->bind.text;
	o->wait.no_wait = true;
	o->wait.wait = 0;
	/* The figures of all edges are judged together. */
	o->max_loss_percent = 100;
	o->report = (struct np_report_options){.quiet = true};
	if (sends) {
		edge->to = np_address_literal(&peer->address);
		o->place.to = edge->to.text;
		o->place.port = np_address_port(&peer->address);
		/* A rank's rate is that of all its senders together. */
		o->load.rate_bits =
			options_rate_bits(&o->load, 1) / (double)m->meet.targets.planned;
		o->wait.wait = o->mesh.limit < CONTACT_MAX ? o->mesh.limit : CONTACT_MAX;
	}
	snprintf(edge->program, sizeof(edge->program), "%s: rank %u to rank %u", s->log->program,
		 (unsigned)(sends ? own : peer->rank), (unsigned)(sends ? peer->rank : own));
	edge->log = *s->log;
	edge->log.program = edge->program;
	edge->side.session = (struct session){
		.log = &edge->log,
		.begun = s->begun,
		.ahead = s->ahead,
		.usage = s->usage,
		.drops = s->drops,
		.partner_warns = sends,
		.drops_watch = sends ? m->drops_out : m->drops_in,
	};
	return side_open(&edge->side, NULL) ? -ECANCELED : 0;
}

/* Starts the threads of senders, or receivers. Returns 0 or, after a message, -ECANCELED. */
static int start(const struct mesh *m, bool senders)
{
	/* What goes wrong later is in the figures, and is logged. */
	for (size_t i = 0; i < m->count; i++)
		if ((m->edge[i].side.send != NULL) == senders && side_start(&m->edge[i].side))
			return -ECANCELED;
	return 0;
}

/*
 * Waits until all senders, or receivers, have ended. At @deadline, or after a signal, they are
 * asked to stop, and again each time they have taken longer than it takes to notify their partners:
 * a launcher that kills a job gives its ranks a second.
 */
static void finish(struct mesh *m, bool senders, np_time deadline)
{
	struct pollfd wait = {.fd = np_signals_fd(m->s->signals), .events = POLLIN};
	np_time next = deadline;
	bool asked = false;

	for (;;) {
		const np_time now = np_clock_now();
		/* The second request ends it without a word to the other end. */
		const bool ask = now >= next || (m->meet.interrupts && !asked);
		size_t running = 0;

		for (size_t i = 0; i < m->count; i++) {
			if ((m->edge[i].side.send != NULL) != senders ||
			    !side_runs(&m->edge[i].side))
				continue;
			running++;
			if (ask)
				side_stop(&m->edge[i].side);
		}
		if (!running)
			return;
		if (ask) {
			asked = true;
			next = now + GOODBYE;
		}
		(void)np_wait_ready(&wait, 1, now + TRANSPORT_LOOK);
		if (np_signals_take(m->s->signals) & NP_SIGNALS_STOP)
			m->meet.interrupts++;
	}
}

static int listen_for_sources(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	struct session *s = m->s;
	struct np_drops_packets packets = {
		.direction = NP_DROPS_OUT, .local = &meet->local, .socket = -1};

	/*
	 * Two watches are enough for all edges, however many there are: a port at the other end is
	 * of one edge only. But a receiver does not know the ports of its sender's streams before
	 * they send, and has a watch of its own.
	 */
	m->drops_in = m->drops_out = NP_DROPS_ALL;
	/* First, since what a queue has segmented looks like something that arrives. */
	if (s->drops)
		m->drops_out = session_watch_drops(s->drops, packets);
	packets.direction = NP_DROPS_IN;
	if (s->drops && m->drops_out >= 0 && s->options->load.streams == 1)
		m->drops_in = session_watch_drops(s->drops, packets);
	if (s->drops && (m->drops_out < 0 || m->drops_in < 0)) {
		np_log_warning(s->log, "--drops", "not counted");
		s->drops = NULL;
	}
	m->edge = calloc(meet->sources.count + meet->targets.count + 1, sizeof(struct edge));
	if (!m->edge)
		return np_meet_fault(meet, -ENOMEM);
	for (size_t i = 0; i < meet->sources.count; i++) {
		const struct transport *t;

		if (open_edge(m, &meet->sources.peer[i], false))
			return -ECANCELED;
		t = &m->edge[i].side.receive->transport;
		np_address_set_port(&meet->sources.peer[i].address,
				    np_address_port(t->face->local(t, NULL)));
	}
	return 0;
}

static int connect_to_targets(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	int rc = 0;

	for (size_t i = 0; !rc && i < meet->targets.count; i++)
		rc = open_edge(m, &meet->targets.peer[i], true);
	return rc ? rc : start(m, false);
}

static int send_all(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	const np_time end = meet->begun + m->s->options->load.duration + meet->options->limit;
	const int rc = start(m, true);

	finish(m, true, end);
	meet->deadline = end + meet->options->limit;
	return rc;
}

static void stop(struct np_meet *meet)
{
	finish((struct mesh *)meet, false, 0);
}

/* This end's part of the pair. */
static struct np_mesh_pair measure_edge(const struct edge *edge, const struct np_meet *meet)
{
	const struct record_receive *sum;
	const struct message_report *of;
	struct np_mesh_pair pair = {.from = edge->other, .to = meet->rank, .parts = NP_MESH_TO};

	if (edge->side.send)
		return (struct np_mesh_pair){
			.from = meet->rank,
			.to = edge->other,
			.parts = NP_MESH_FROM,
			.sent = edge->side.send->sum.figures.sent, /* without the unsent */
			.unsent = edge->side.send->sum.figures.unsent,
			.dropped_from = edge->side.send->sum.lost_here,
		};
	if (!edge->side.session.runs)
		return pair;
	sum = &edge->side.receive->sum;
	of = &edge->side.receive->run.result.report;
	np_mesh_take_flow(&pair, &sum->report.counts, meet->begun + edge->side.session.ahead);
	if (edge->side.session.drops)
		pair.dropped_to = np_drops_total(&edge->side.session.dropped.all);
	/* Without END the rest may still be in the connection, which loses nothing. */
	if (edge->side.options.place.transport == TRANSPORT_TCP && of->status >= MESSAGE_TIMED_OUT)
		pair.parts |= NP_MESH_CUT;
	if (np_delay_correct(&sum->report.delays, &of->clock, &pair.delay))
		pair.delay_bound = of->clock.bound;
	return pair;
}

static int measure(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	const struct session *s = m->s;
	struct np_drops_counts dropped = {.known = true, .exact = true};
	int rc = 0;

	if (s->drops && *np_drops_why(s->drops))
		dropped = (struct np_drops_counts){.why = np_drops_why(s->drops)};
	for (size_t i = 0; !rc && i < m->count; i++) {
		const struct edge *edge = &m->edge[i];
		const struct np_mesh_pair pair = measure_edge(edge, meet);

		rc = np_mesh_add(meet->mesh, &pair);
		if (edge->side.session.drops && edge->side.session.runs)
			np_drops_add(&dropped, &edge->side.session.dropped.all);
		/* Inexact if they were not counted of all edges. */
		if (!dropped.known || edge->side.session.drops)
			continue;
		dropped.exact = false;
		snprintf(dropped.doubt, sizeof(dropped.doubt), "%s",
			 "not counted for all pairs: too many streams");
	}
	if (rc || !s->drops || s->options->drops == NP_DROPS_OFF)
		return rc;
	return np_mesh_add_dropped(meet->mesh, meet->rank, &dropped);
}

static struct np_record *start_record(struct np_meet *meet)
{
	return record_start(((struct mesh *)meet)->s->options, NULL, NULL);
}

int mesh_run(struct np_run *run_of, struct session *s)
{
	static const struct np_meet_steps steps = {
		.peers_max = NP_MESH_PORTS_MAX,
		.listen = listen_for_sources,
		.connect = connect_to_targets,
		.send = send_all,
		.stop = stop,
		.measure = measure,
		.start = start_record,
	};
	const struct options *o = s->options;
	const bool tcp = o->place.transport == TRANSPORT_TCP;
	struct mesh m = {.s = s};
	int status;

	m.meet = (struct np_meet){
		.run = run_of,
		.options = &o->mesh,
		.steps = &steps,
		.family = np_socket_family(&o->socket.asked),
		.words = {.transport = tcp ? "TCP" : "UDP",
			  .bytes = o->load.message_bytes,
			  .rates_in_bytes = o->report.unit,
			  .unit = "messages",
			  .delay = "delay"},
		.text = s->console.out,
		.max_loss_percent = o->max_loss_percent,
		.lossless = tcp,
	};
	status = np_meet_run(&m.meet);
	for (size_t i = 0; i < m.count; i++)
		side_close(&m.edge[i].side);
	free(m.edge);
	return status;
}

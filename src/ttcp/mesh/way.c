// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* way: runs a sender or a receiver in a thread, and takes its figures. */
#include "way.h"

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

/* The session of a way: the user's clock and options, but no results of its own. */
static int prepare(struct way *way, const struct way_plan *plan, uint32_t other)
{
	const struct session *s = plan->session;
	struct options *o = &way->options;
	int rc;

	way->own = plan->own;
	way->other = other;
	way->finished = plan->finished;
	*o = *s->options;
	o->task = way->sends ? TASK_TRANSMIT : TASK_RECEIVE;
	o->load.runs = 1;
	o->place.port = 0;
	write_literal(plan->local, way->bind);
	o->place.bind = way->bind;
	o->wait.no_wait = true;
	o->wait.wait = 0;
	/* A rank's rate is that of all its senders together. */
	if (way->sends)
		o->load.rate_bits = options_rate_bits(&o->load, 1) / (double)plan->targets;
	if (way->sends)
		o->wait.wait = o->mesh.limit < CONTACT_MAX ? o->mesh.limit : CONTACT_MAX;
	/* The figures of all ways are judged together. */
	o->max_loss_percent = 100;
	o->report = (struct np_report_options){.quiet = true};
	snprintf(way->program, sizeof(way->program), "%s: rank %u to rank %u", s->log->program,
		 (unsigned)(way->sends ? plan->own : other),
		 (unsigned)(way->sends ? other : plan->own));
	way->log = *s->log;
	way->log.program = way->program;
	way->session = (struct session){
		.options = o,
		.log = &way->log,
		.begun = s->begun,
		.ahead = s->ahead,
		.usage = s->usage,
		.drops = s->drops,
		.partner_warns = way->sends,
		.drops_watch = way->sends ? plan->drops_out : plan->drops_in,
	};
	console_init(&way->session.console, NULL, o);
	rc = np_signals_open_told(&way->session.signals);
	if (rc)
		np_log_error(&way->log, NULL, "%s", strerror(-rc));
	return rc ? 2 : 0;
}

int way_open_receiver(struct way *way, const struct way_plan *plan, uint32_t other)
{
	int status;

	way->sends = false;
	status = prepare(way, plan, other);
	return status ? status : receive_open(&way->receive, &way->session);
}

int way_open_sender(struct way *way, const struct way_plan *plan, uint32_t other,
		    const struct np_address *to)
{
	int status;

	way->sends = true;
	status = prepare(way, plan, other);
	if (status)
		return status;
	write_literal(to, way->to);
	way->options.place.to = way->to;
	way->options.place.port = np_address_port(to);
	return send_open(&way->send, &way->session);
}

uint16_t way_port(const struct way *way)
{
	const struct transport *t = &way->receive->transport;

	return np_address_port(t->face->local(t, NULL));
}

static void *run(void *context)
{
	struct way *way = context;
	const uint64_t one = 1;

	/* What went wrong is in the figures, and was logged. */
	(void)(way->sends ? send_run(way->send) : receive_run(way->receive));
	__atomic_store_n(&way->over, true, __ATOMIC_RELEASE);
	(void)!write(way->finished, &one, sizeof(one));
	return NULL;
}

int way_start(struct way *way)
{
	const int rc = -pthread_create(&way->thread, NULL, run, way);

	way->running = !rc;
	return rc;
}

void way_stop(struct way *way)
{
	np_signals_tell(way->session.signals, NP_SIGNALS_STOP);
}

bool way_runs(struct way *way)
{
	if (!way->running || !__atomic_load_n(&way->over, __ATOMIC_ACQUIRE))
		return way->running;
	pthread_join(way->thread, NULL);
	way->running = false;
	return false;
}

static struct np_mesh_pair measure_sent(const struct way *way)
{
	const struct record_transmit *sum = &way->send->sum;

	return (struct np_mesh_pair){
		.from = way->own,
		.to = way->other,
		.parts = NP_MESH_FROM,
		.sent = sum->messages, /* without the unsent */
		.unsent = sum->unsent,
		.dropped_from = way->send->drops.lost,
	};
}

static struct np_mesh_pair measure_received(const struct way *way, np_time begun)
{
	const struct record_receive *sum = &way->receive->sum;
	const struct receiver_run *run = receiver_run(way->receive->receiver);
	const struct message_clock *clock = &run->clock;
	struct np_histogram_figures delay;
	struct np_mesh_pair pair = {.from = way->other, .to = way->own, .parts = NP_MESH_TO};

	if (!way->receive->runs)
		return pair;
	np_mesh_take_flow(&pair, &sum->figures, begun + way->session.ahead);
	if (way->session.drops)
		pair.dropped_to = np_drops_total(&way->receive->dropped);
	/* Without END the rest may still be in the connection, which loses nothing. */
	if (way->options.place.transport == TRANSPORT_TCP &&
	    run->report.status >= MESSAGE_TIMED_OUT)
		pair.parts |= NP_MESH_CUT;
	if (!message_clock_correct(clock, &sum->delays, &delay))
		return pair;
	pair.delay_count = delay.count;
	pair.delay_p50 = delay.p50;
	pair.delay_p99 = delay.p99;
	pair.delay_max = delay.max;
	pair.delay_bound = clock->bound;
	return pair;
}

struct np_mesh_pair way_measured(const struct way *way, np_time begun)
{
	return way->sends ? measure_sent(way) : measure_received(way, begun);
}

bool way_counts_drops(const struct way *way)
{
	return way->session.drops;
}

const struct np_drops_counts *way_dropped(const struct way *way)
{
	if (!way->session.drops)
		return NULL;
	if (way->sends)
		return way->send->runs ? &way->send->dropped : NULL;
	return way->receive->runs ? &way->receive->dropped : NULL;
}

void way_close(struct way *way)
{
	(void)send_close(way->send, 0);
	(void)receive_close(way->receive, 0);
	np_signals_free(way->session.signals);
	way->send = NULL;
	way->receive = NULL;
	way->session.signals = NULL;
}

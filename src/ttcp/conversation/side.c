// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * side: opens, runs and ends a sender or receiver that has a thread of its own; round trips of
 * small messages, before a load and beside it, by such a sender.
 */
#include "side.h"

#include <inttypes.h>
#include <stdlib.h>

#define IDLE	   (2 * NP_SECOND)
#define TRIP_BYTES 64
#define TRIPS_RATE 200.0 /* a second */

int side_open(struct side *side, struct session *of)
{
	struct session *s = &side->session;
	int rc;

	s->options = &side->options;
	console_init(&s->console, NULL, s->options);
	s->of = of;
	if (of) {
		s->log = of->log;
		s->report = of->report;
		s->client = s->client ? s->client : of->client;
		s->begun = of->begun;
		s->ahead = of->ahead;
		s->usage = of->usage;
		side->options.threads.first =
			threads_count(s->options, (unsigned)s->options->load.streams);
	}
	/* The result of round trips beside a load is nobody's. */
	if (of && of->console.block && !side->options.load.trips)
		s->console.block = open_memstream(&side->text, &side->bytes);
	rc = np_signals_open_told(&s->signals);
	if (rc)
		side->status = np_log_refuse(s->log, NULL, "%s", strerror(-rc));
	else
		side->status = side->options.task == TASK_TRANSMIT
				       ? send_open(&side->send, s)
				       : receive_open(&side->receive, s);
	return side->status;
}

static void *run(void *context)
{
	struct side *side = context;

	side->status = side->send ? send_run(side->send) : receive_run(side->receive);
	if (side->session.shares)
		side->running = false;
	return NULL;
}

int side_start(struct side *side)
{
	int rc = 0;

	side->running = true;
	side->begun = np_clock_now();
	if (!side->session.shares)
		rc = pthread_create(&side->thread, NULL, run, side);
	else if (side->send)
		(void)run(side);
	else /* It does the rest in side_end_with. */
		side->receive->transport.user = &receiver_user;
	if (!rc)
		return 0;
	np_log_error(side->session.log, NULL, "%s", strerror(rc));
	side->running = false;
	side->status = 1;
	return 1;
}

bool side_runs(struct side *side)
{
	if (side->running && !side->session.shares && !pthread_tryjoin_np(side->thread, NULL))
		side->running = false;
	return side->running;
}

void side_stop(struct side *side)
{
	side->stops++;
	np_signals_tell(side->session.signals, NP_SIGNALS_STOP);
}

void side_pass_signals(struct side *side, const struct session *s)
{
	const np_time most = s->options->wait.max_duration;
	const np_time late = np_clock_now() - side->begun - most - RECEIVER_LENIENT;
	/* Who asked for data may read them slowly: then it is asked to end each second. */
	const bool limited = side->send && side->running && most && late >= 0;
	const np_time stops = limited ? late / NP_SECOND + 1 : 0;

	if (stops && !side->stops)
		np_log_error(s->log, side->to, "took longer than --max-duration");
	while (side->stops < s->interrupts || side->stops < stops)
		side_stop(side);
	if (s->report_asked)
		np_signals_tell(side->session.signals, NP_SIGNALS_REPORT);
}

void side_look(struct side *side, struct session *s)
{
	(void)session_look(s);
	side_pass_signals(side, s);
	s->report_asked = false;
}

/* Waits until its thread has ended. */
static void wait_for(struct side *side, struct session *s)
{
	while (side_runs(side)) {
		(void)session_sleep(s, np_clock_now() + TRANSPORT_LOOK);
		side_look(side, s);
	}
}

/* Returns how many were not answered. */
static uint64_t take_trips(const struct sender *by, struct np_histogram_figures *trips)
{
	np_histogram_figures(by->receivers.rtt, trips);
	return by->sum.figures.sent - by->receivers.acks;
}

int side_end_with(struct sender *s)
{
	struct side *side = s->beside;
	/* Round trips end with the load; those that have ended by themselves are not late. */
	const bool late = side->send && side_runs(side);

	if (late)
		side_stop(side);
	if (side->session.shares && side->running)
		(void)run(side);
	wait_for(side, s->session);
	if (side->send)
		s->loaded_lost = take_trips(side->send, &s->loaded);
	/* The load was over before they began. */
	if (late && !s->loaded.count && !s->session->interrupts)
		side->status = 0;
	s->beside = NULL;
	s->session->summary = side->session.summary;
	side_close(side);
	return side->status;
}

void side_close(struct side *side)
{
	FILE *text = side->session.console.block;

	if (text) {
		fclose(text);
		fwrite(side->text, 1, side->bytes, side->session.of->console.block);
		fflush(side->session.of->console.block);
	}
	free(side->text);
	side->session.console.block = NULL;
	(void)send_close(side->send, 0);
	(void)receive_close(side->receive, 0);
	np_signals_free(side->session.signals);
}

/*
 * A sender of small messages to the same receiver, for @duration (0: no limit) or until a signal.
 * They are sent at a rate, however long those before take: else few of them would see what takes
 * long.
 */
static int open_trips(struct side *side, const struct sender *s, np_time duration)
{
	struct options *o = &side->options;

	*o = *s->options;
	o->load = (struct load_options){
		.message_bytes = TRIP_BYTES,
		.duration = duration,
		.runs = 1,
		.streams = 1,
		.session = o->load.session,
		.rate_bits = TRIPS_RATE * TRIP_BYTES * 8,
		.latency = true,
		.trips = true,
	};
	o->files = (struct file_options){.window = o->files.window};
	o->socket.zero_copy = false;
	o->threads.pin = NULL;
	o->socket.pacing = PACING_USER;
	o->place.source_port = 0;
	o->wait.no_wait = true;
	o->require_report = false;
	o->max_loss_percent = 100;
	side->session.partner_warns = true;
	(void)side_open(side, s->session);
	side->session.report = NULL;
	return side->status;
}

static void print_trips(FILE *out, const char *when, const struct np_histogram_figures *f,
			uint64_t lost)
{
	struct np_text remark = {""};

	if (lost)
		remark = np_text_of(", %" PRIu64 " lost", lost);
	np_block_figures(out, when, f, remark.text);
	if (!f->count)
		fprintf(out, "%sunknown%s\n", when, remark.text);
}

int latency_send(struct sender *s)
{
	FILE *out = s->session->console.block;
	struct side idle = {.status = 0}, loaded = {.status = 0};
	int status;

	if (!open_trips(&idle, s, IDLE) && !side_start(&idle)) {
		wait_for(&idle, s->session);
		s->idle_lost = take_trips(idle.send, &s->idle);
	}
	side_close(&idle);
	status = idle.status;
	if (s->session->interrupts)
		status = np_log_refuse(s->session->log, s->name, "interrupted before the load");
	/* A receiver may limit how long a run is. */
	if (!status)
		status = open_trips(&loaded, s, s->load->duration);
	if (status) {
		side_close(&loaded);
		return 2;
	}
	s->beside = &loaded;
	status = send_run(s);
	if (status == 2 && !s->session->interrupts && s->asking.verdict != MESSAGE_UNWILLING)
		np_log_error(
			s->session->log, s->name,
			"answered the round trips before the load, and then served no more: "
			"--latency-under-load takes two places of its receiver's --clients, and "
			"three runs of its -c");
	status = status == 2 && s->session->runs ? 1 : status;
	if (!out || status == 2)
		return status;
	print_trips(out, "  idle trips    ", &s->idle, s->idle_lost);
	print_trips(out, "  loaded trips  ", &s->loaded, s->loaded_lost);
	if (s->loaded.count)
		fprintf(out, "  %-13s %.0f a minute under load, by their mean\n", "round trips",
			60e9 / (double)s->loaded.mean);
	return status;
}

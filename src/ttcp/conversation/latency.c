// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * latency: --latency-under-load: round trips of small messages, before the load and beside it, by a
 * sender of their own.
 */
#include "side.h"

#define IDLE	   (2 * NP_SECOND)
#define TRIP_BYTES 64
#define TRIPS_RATE 200.0 /* a second */

/*
 * A sender of small messages to the same receiver, for @duration (0: no limit) or until a signal.
 * They are sent at a rate, however long those before take: else few of them would see what takes
 * long.
 */
static int open_trips(struct side *side, const struct sender *s, np_time duration)
{
	struct options *o = &side->options;
	int status;

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
	side->session.partner_warns = true;
	status = side_open(side, s->session);
	side->session.records = false;
	side->session.report = NULL;
	/* Its own result is nobody's. */
	side->of = NULL;
	return status;
}

/* Measures before the load. Returns 0 or the exit status. */
static int run_idle(struct sender *s)
{
	struct side side = {.status = 0};
	int status = open_trips(&side, s, IDLE);

	if (!status && side_start(&side))
		status = 1;
	while (!status && side_runs(&side)) {
		(void)session_sleep(s->session, np_clock_now() + TRANSPORT_LOOK);
		side_pass_signals(&side, s->session);
	}
	s->idle = side.trips;
	if (!status)
		status = side.status;
	side_close(&side);
	if (s->session->interrupts) {
		np_log_error(s->session->log, s->name, "interrupted before the load");
		status = 2;
	}
	return status ? 2 : 0;
}

static void print_trips(FILE *out, const char *when, const struct np_histogram_figures *f)
{
	if (!out)
		return;
	if (!f->count)
		fprintf(out, "  %-13s unknown\n", when);
	else
		fprintf(out, "  %-13s p50 %s, p99 %s, max %s\n", when,
			np_units_format_latency(f->p50).text, np_units_format_latency(f->p99).text,
			np_units_format_latency(f->max).text);
}

double latency_trips_per_minute(const struct np_histogram_figures *loaded)
{
	return loaded->count && loaded->mean > 0 ? 60 * 1e9 / (double)loaded->mean : 0;
}

int latency_send(struct sender *s)
{
	FILE *out = s->session->console.block;
	struct side loaded = {.follows = true};
	int status = run_idle(s);

	/* A receiver may limit how long a run is. */
	if (!status)
		status = open_trips(&loaded, s, s->load->duration);
	if (status) {
		side_close(&loaded);
		return status;
	}
	status = side_send_with(s, &loaded);
	if (status == 2)
		return status;
	print_trips(out, "idle trips", &s->idle);
	print_trips(out, "loaded trips", &s->loaded);
	if (out && s->loaded.count)
		fprintf(out, "  %-13s %.0f a minute under load, by their mean\n", "round trips",
			latency_trips_per_minute(&s->loaded));
	return status;
}

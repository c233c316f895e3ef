// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* side: opens, runs and ends a sender or receiver that has a thread of its own. */
#include "side.h"

#include <stdlib.h>
#include <string.h>

int side_open(struct side *side, struct session *of)
{
	struct session *s = &side->session;
	int rc;

	s->options = &side->options;
	console_init(&s->console, NULL, s->options);
	side->of = of;
	if (of) {
		s->log = of->log;
		s->report = of->report;
		s->outputs = of->outputs;
		s->records = of->records;
		s->client = s->client ? s->client : of->client;
		s->begun = of->begun;
		s->ahead = of->ahead;
		s->usage = of->usage;
		s->beside = true;
	}
	if (of && of->console.block)
		s->console.block = open_memstream(&side->text, &side->bytes);
	rc = np_signals_open_told(&s->signals);
	if (rc)
		return np_log_refuse(s->log, NULL, "%s", strerror(-rc));
	return side->options.task == TASK_TRANSMIT ? send_open(&side->send, s)
						   : receive_open(&side->receive, s);
}

static void *run(void *context)
{
	struct side *side = context;

	side->status = side->send ? send_run(side->send) : receive_run(side->receive);
	if (side->send)
		np_histogram_figures(side->send->receivers.rtt, &side->trips);
	__atomic_store_n(&side->over, true, __ATOMIC_RELEASE);
	return NULL;
}

int side_start(struct side *side)
{
	int rc = 0;

	side->running = true;
	if (!side->session.shares)
		rc = -pthread_create(&side->thread, NULL, run, side);
	else if (side->send)
		(void)run(side);
	else /* It does the rest in side_end_with. */
		side->receive->transport.user = &receiver_user;
	side->running = !rc;
	return rc;
}

bool side_runs(struct side *side)
{
	if (!side->running || !__atomic_load_n(&side->over, __ATOMIC_ACQUIRE))
		return side->running;
	if (!side->session.shares)
		pthread_join(side->thread, NULL);
	side->running = false;
	return false;
}

void side_stop(struct side *side)
{
	side->stops++;
	np_signals_tell(side->session.signals, NP_SIGNALS_STOP);
}

void side_pass_signals(struct side *side, const struct session *s)
{
	while (side->stops < s->interrupts)
		side_stop(side);
	if (s->report_asked)
		np_signals_tell(side->session.signals, NP_SIGNALS_REPORT);
}

void side_begin_with(struct sender *s)
{
	const int rc = side_start(s->beside);

	if (rc) {
		np_log_error(s->session->log, NULL, "%s", strerror(-rc));
		s->beside->status = 1;
	}
}

void side_look(struct sender *s)
{
	(void)session_look(s->session);
	side_pass_signals(s->beside, s->session);
	s->session->report_asked = false;
}

void side_end_with(struct sender *s)
{
	struct side *side = s->beside;
	const bool late = side->follows && side->running;

	if (late)
		side_stop(side);
	if (side->session.shares && side->running)
		(void)run(side);
	while (side_runs(side)) {
		(void)session_sleep(s->session, np_clock_now() + TRANSPORT_LOOK);
		side_look(s);
	}
	/* The load was over before they began. */
	if (late && !side->trips.count && !s->session->interrupts)
		side->status = 0;
	s->beside = NULL;
	s->loaded = side->trips;
	s->session->summary = side->session.summary;
	side_close(side);
}

int side_send_with(struct sender *s, struct side *side)
{
	int status;

	s->beside = side;
	status = send_run(s);
	/* It has not begun. */
	if (s->beside)
		side_end_with(s);
	return side->status > status ? side->status : status;
}

void side_close(struct side *side)
{
	FILE *text = side->session.console.block, *to = side->of ? side->of->console.block : NULL;

	if (text)
		fclose(text);
	if (text && to) {
		fwrite(side->text, 1, side->bytes, to);
		fflush(to);
	}
	free(side->text);
	side->session.console.block = NULL;
	(void)send_close(side->send, 0);
	(void)receive_close(side->receive, 0);
	np_signals_free(side->session.signals);
}

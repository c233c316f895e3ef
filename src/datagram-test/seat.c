// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* seat: makes and ends the two threads of a local address. */
#include "seat.h"

static int complain(const struct seat_plan *plan, const struct np_address *local, int rc)
{
	report_blame(plan->reporter, local, rc);
	return 2;
}

int seat_open(struct seat *seat, const struct seat_plan *plan, size_t index)
{
	const struct endpoints *e = plan->endpoints;
	const struct np_address *local = &e->locals.item[index];
	struct listener_plan listening = {
		.options = plan->options,
		.local = local,
		.group = e->has_group ? &e->group : NULL,
		.reporter = plan->reporter,
		.own_runs = plan->runs,
		.own_run_count = e->peers.count ? e->locals.count : 0,
		.several = e->locals.count > 1,
		.finished = plan->finished,
	};
	struct publisher_plan publishing = {
		.options = plan->options,
		.local = local,
		.peers = &e->peers,
		.reporter = plan->reporter,
		.rate_bytes_per_s =
			plan->options->publish.rate_mb_per_s * 1048576 / (double)e->locals.count,
		.finished = plan->finished,
	};
	int rc = partner_create(&seat->partner, &e->peers, plan->runs[index]);

	if (rc)
		return complain(plan, local, rc);
	listening.partner = publishing.partner = seat->partner;
	rc = listener_open(&seat->listener, &listening);
	if (rc || !e->peers.count)
		return rc;
	rc = publisher_open(&seat->publisher, &publishing);
	return rc ? complain(plan, local, rc) : 0;
}

int seat_close(struct seat *seat)
{
	int rc = listener_free(seat->listener);

	publisher_free(seat->publisher);
	partner_free(seat->partner);
	return rc;
}

void seat_banner(const struct seat *seat)
{
	listener_banner(seat->listener);
	if (seat->publisher)
		publisher_banner(seat->publisher);
}

static int start(struct seat_thread *thread, void *(*run)(void *), void *owner)
{
	int rc = pthread_create(&thread->thread, NULL, run, owner);

	thread->running = !rc;
	return -rc;
}

int seat_start(struct seat *seat)
{
	int rc = start(&seat->listening, listener_run, seat->listener);

	if (!rc && seat->publisher)
		rc = start(&seat->publishing, publisher_run, seat->publisher);
	return rc;
}

static unsigned join(struct seat_thread *thread)
{
	if (thread->running && !pthread_tryjoin_np(thread->thread, NULL))
		thread->running = false;
	return thread->running;
}

unsigned seat_join(struct seat *seat)
{
	return join(&seat->listening) + join(&seat->publishing);
}

static void raise_to(_Atomic int *phase, enum partner_phase to)
{
	if (atomic_load(phase) < (int)to)
		atomic_store(phase, (int)to);
}

void seat_tell(struct seat *seat, enum partner_phase publishing, enum partner_phase listening)
{
	raise_to(&seat->partner->publishing, publishing);
	raise_to(&seat->partner->listening, listening);
	partner_wake(seat->partner->publisher_wake);
	partner_wake(seat->partner->listener_wake);
}

void seat_report(struct seat *seat)
{
	atomic_fetch_add(&seat->partner->reports, 1);
	partner_wake(seat->partner->publisher_wake);
	partner_wake(seat->partner->listener_wake);
}

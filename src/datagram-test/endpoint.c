// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* endpoint: starts and ends the two threads of a local address. */
#include "endpoint.h"

static int complain(const struct endpoint_plan *plan, const struct np_address *local, int rc)
{
	report_blame(plan->reporter, local, rc);
	return 2;
}

static int open_publisher(struct endpoint *endpoint, const struct endpoint_plan *plan,
			  const struct np_address *local)
{
	const struct addresses *e = plan->addresses;
	const struct publisher_plan publishing = {
		.options = plan->options,
		.local = local,
		.peers = &e->peers,
		.shared = endpoint->shared,
		.reporter = plan->reporter,
		.drops = plan->drops,
		.rate_bytes_per_s =
			plan->options->publish.rate_bytes_per_s / (double)e->locals.count,
		.finished = plan->finished,
	};
	const int rc = publisher_open(&endpoint->publisher, &publishing);

	return rc ? complain(plan, local, rc) : 0;
}

int endpoint_open(struct endpoint *endpoint, const struct endpoint_plan *plan, size_t index)
{
	const struct addresses *e = plan->addresses;
	const struct np_address *local = &e->locals.item[index];
	struct listener_plan listening = {
		.options = plan->options,
		.local = local,
		.group = e->has_group ? &e->group : NULL,
		.reporter = plan->reporter,
		.drops = plan->drops,
		.several = e->locals.count > 1,
		.finished = plan->finished,
	};
	int rc = shared_create(&endpoint->shared, &e->peers, plan->runs[index]);

	if (rc)
		return complain(plan, local, rc);
	listening.shared = endpoint->shared;
	rc = listener_open(&endpoint->listener, &listening);
	if (rc || !e->peers.count)
		return rc;
	return open_publisher(endpoint, plan, local);
}

int endpoint_open_publisher(struct endpoint *endpoint, const struct endpoint_plan *plan,
			    size_t index)
{
	const struct np_address *local = &plan->addresses->locals.item[index];
	const int rc = shared_set_peers(endpoint->shared, &plan->addresses->peers);

	return rc ? complain(plan, local, rc) : open_publisher(endpoint, plan, local);
}

int endpoint_close(struct endpoint *endpoint, bool never_began)
{
	int rc = listener_free(endpoint->listener, never_began);

	publisher_free(endpoint->publisher);
	shared_free(endpoint->shared);
	return rc;
}

void endpoint_banner(const struct endpoint *endpoint)
{
	listener_banner(endpoint->listener);
	if (endpoint->publisher)
		publisher_banner(endpoint->publisher);
}

static int start(struct endpoint_thread *thread, void *(*run)(void *), void *owner)
{
	int rc = pthread_create(&thread->thread, NULL, run, owner);

	thread->running = !rc;
	return -rc;
}

int endpoint_start_listener(struct endpoint *endpoint)
{
	return start(&endpoint->listening, listener_run, endpoint->listener);
}

int endpoint_start_publisher(struct endpoint *endpoint)
{
	return endpoint->publisher
		       ? start(&endpoint->publishing, publisher_run, endpoint->publisher)
		       : 0;
}

int endpoint_start(struct endpoint *endpoint)
{
	const int rc = endpoint_start_listener(endpoint);

	return rc ? rc : endpoint_start_publisher(endpoint);
}

static unsigned join(struct endpoint_thread *thread)
{
	if (thread->running && !pthread_tryjoin_np(thread->thread, NULL))
		thread->running = false;
	return thread->running;
}

unsigned endpoint_join(struct endpoint *endpoint)
{
	return join(&endpoint->listening) + join(&endpoint->publishing);
}

static void raise_to(_Atomic int *phase, enum shared_phase to)
{
	if (atomic_load(phase) < (int)to)
		atomic_store(phase, (int)to);
}

void endpoint_tell(struct endpoint *endpoint, enum shared_phase publishing,
		   enum shared_phase listening)
{
	raise_to(&endpoint->shared->publishing, publishing);
	raise_to(&endpoint->shared->listening, listening);
	shared_wake(endpoint->shared->publisher_wake);
	shared_wake(endpoint->shared->listener_wake);
}

void endpoint_report(struct endpoint *endpoint)
{
	atomic_fetch_add(&endpoint->shared->reports, 1);
	shared_wake(endpoint->shared->publisher_wake);
	shared_wake(endpoint->shared->listener_wake);
}

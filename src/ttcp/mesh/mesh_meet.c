// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_meet: finds the other ranks, and opens an edge to or from each. */
#include "mesh.h"

#include "../service/receive_session.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Descriptors of an edge, beside its streams: what tells it to stop, and a listener. */
#define EDGE_DESCRIPTORS 8

int mesh_complain(const struct mesh_run *m, int rc)
{
	np_log_error(m->s->log, "mesh", "%s", np_launch_reason(rc));
	return rc;
}

np_time mesh_limit(const struct mesh_run *m)
{
	return np_clock_now() + m->s->options->mesh.limit;
}

static int meet_all(struct mesh_run *m)
{
	const int rc = np_launch_barrier(m->launch, mesh_limit(m), np_signals_fd(m->s->signals));

	return rc ? mesh_complain(m, rc) : 0;
}

static int join(struct mesh_run *m)
{
	const struct np_launch_plan plan = {
		.program = "ttcp " PACKAGE_VERSION,
		.local = &m->local,
		.deadline = mesh_limit(m),
		.other_fd = np_signals_fd(m->s->signals),
		.log = m->s->log,
	};
	int rc = np_launch_open(&m->launch, &plan);

	if (rc)
		return mesh_complain(m, rc);
	m->plan = (struct np_mesh_plan){
		.pattern = (enum np_mesh_pattern)m->s->options->mesh.pattern,
		.ranks = np_launch_size(m->launch),
		.sample = m->s->options->mesh.sample,
	};
	if (m->plan.ranks > 1)
		return meet_all(m);
	np_log_error(m->s->log, "mesh", "one rank has no peer to measure with");
	return -ENOENT;
}

static int choose(struct mesh_run *m, struct mesh_peers *peers,
		  size_t (*pick)(const struct np_mesh_plan *, uint32_t, uint32_t *))
{
	peers->rank = calloc(m->plan.ranks, sizeof(*peers->rank));
	if (peers->rank)
		peers->count = pick(&m->plan, np_launch_rank(m->launch), peers->rank);
	if (peers->count > PLACE_PORTS_MAX) {
		np_log_error(m->s->log, "mesh",
			     "%zu peers of a rank are too many; at most %d, see --sample",
			     peers->count, PLACE_PORTS_MAX);
		return -E2BIG;
	}
	peers->edge = calloc(peers->count + 1, sizeof(*peers->edge));
	if (peers->rank && peers->edge)
		return 0;
	np_log_error(m->s->log, "mesh", "%s", strerror(ENOMEM));
	return -ENOMEM;
}

/* Asks for as many descriptors as the edges may need; one that lacks them reports that. */
static void raise_descriptor_limit(const struct mesh_run *m)
{
	const rlim_t edges = m->targets.count + m->sources.count;
	const rlim_t wanted = 64 + edges * (EDGE_DESCRIPTORS + m->s->options->load.streams);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Opens a receiver for each source that has started, and tells the others the ports. */
static int open_receivers(struct mesh_run *m)
{
	struct mesh_peers *peers = &m->sources;
	uint16_t ports[PLACE_PORTS_MAX] = {0};
	uint8_t place[PLACE_BYTES_MAX];
	int rc;

	for (size_t i = 0; i < peers->count; i++) {
		struct mesh_edge *edge = &peers->edge[peers->edges];
		const struct transport *t;

		if (np_launch_state(m->launch, peers->rank[i]) != NP_LAUNCH_HERE)
			continue;
		peers->edges++;
		if (mesh_edge_open(edge, m, peers->rank[i], NULL))
			return -ECANCELED;
		t = &edge->receive->transport;
		ports[i] = np_address_port(t->face->local(t, NULL));
	}
	rc = np_launch_set_blob(m->launch, place,
				place_write(&m->local, ports, peers->count, place));
	return rc ? mesh_complain(m, rc) : 0;
}

static int open_sender(struct mesh_run *m, uint32_t rank, uint32_t *room)
{
	struct np_address to;
	size_t bytes = 0;
	const void *blob = np_launch_blob(m->launch, rank, &bytes);
	const size_t count = np_mesh_sources(&m->plan, rank, room);
	size_t index = 0;
	int rc;

	/* Which of its ports the rank has for this one. */
	while (index < count && room[index] != np_launch_rank(m->launch))
		index++;
	rc = blob ? place_read(blob, bytes, index, &to) : -EBADMSG;
	if (!rc && to.any.sa_family != m->local.any.sa_family)
		rc = -EAFNOSUPPORT;
	if (rc) {
		np_log_error(m->s->log, "mesh", "rank %u: no address to send to from here",
			     (unsigned)rank);
		return rc;
	}
	rc = mesh_edge_open(&m->targets.edge[m->targets.edges++], m, rank, &to);
	return rc ? -ECANCELED : 0;
}

static int open_senders(struct mesh_run *m)
{
	struct mesh_peers *peers = &m->targets;
	uint32_t *room;
	int rc = np_launch_fetch(m->launch, peers->rank, peers->count, mesh_limit(m));

	if (rc)
		return mesh_complain(m, rc);
	room = calloc(m->plan.ranks, sizeof(*room));
	if (!room)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < peers->count; i++) {
		if (np_launch_state(m->launch, peers->rank[i]) == NP_LAUNCH_HERE)
			rc = open_sender(m, peers->rank[i], room);
	}
	free(room);
	return rc;
}

/*
 * Two watches are enough for all edges, however many there are: a port at the other end is of one
 * edge only. But a receiver does not know the ports of its sender's streams before they send, and
 * has a watch of its own.
 */
static void watch_drops(struct mesh_run *m)
{
	const struct np_drops_packets out = {
		.direction = NP_DROPS_OUT, .local = &m->local, .socket = -1};
	const struct np_drops_packets in = {
		.direction = NP_DROPS_IN, .local = &m->local, .socket = -1};

	m->drops_in = m->drops_out = NP_DROPS_ALL;
	if (!m->s->drops)
		return;
	/* First, since what a queue has segmented looks like something that arrives. */
	m->drops_out = session_watch_drops(m->s->drops, out);
	if (m->drops_out >= 0 && m->s->options->load.streams == 1)
		m->drops_in = session_watch_drops(m->s->drops, in);
	if (m->drops_out >= 0 && m->drops_in >= 0)
		return;
	np_log_warning(m->s->log, "--drops", "not counted");
	m->s->drops = NULL;
}

int mesh_meet(struct mesh_run *m)
{
	const struct options *o = m->s->options;
	const int family = np_socket_family(&o->socket.asked);
	int rc = np_mesh_address(&o->mesh, family, o->mesh_rank, &m->local, m->s->log) ? -ECANCELED
										       : join(m);

	if (!rc)
		rc = choose(m, &m->targets, np_mesh_targets);
	if (!rc)
		rc = choose(m, &m->sources, np_mesh_sources);
	if (rc)
		return rc;
	raise_descriptor_limit(m);
	watch_drops(m);
	rc = open_receivers(m);
	if (!rc)
		rc = meet_all(m);
	if (!rc)
		rc = open_senders(m);
	if (!rc)
		rc = mesh_edge_start(m, &m->sources);
	return rc ? rc : meet_all(m);
}

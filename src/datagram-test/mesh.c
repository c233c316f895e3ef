// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh: meets the other ranks, publishes to them and listens to them, and gathers the results. */
#include "session.h"

#include "config.h"
#include "record.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long the end handshakes with peers that no longer answer may take at most. */
#define HANDSHAKES (3 * NP_SECOND)
/* After a signal: how long to wait for packets on their way, and how often to check. */
#define INTERRUPTED_WAIT (300 * NP_MILLISECOND)
#define INTERRUPTED_LOOK 50   /* ms */
#define SECOND		 1000 /* ms */

/* The ranks that this one sends to, or hears from, and their listeners. */
struct mesh_peers {
	uint32_t *rank;
	struct np_address *address;
	size_t count;
};

struct mesh_run {
	struct session *s;
	struct np_launch *launch;
	struct np_mesh_plan plan;
	struct np_mesh *mesh;
	struct mesh_peers targets, sources;
	FILE *text; /* for the report; the threads write none */
	np_time begun;
};

static int complain(const struct mesh_run *m, int rc)
{
	np_log_error(m->s->log, "mesh", "%s", np_launch_reason(rc));
	return rc;
}

static np_time limit_from_now(const struct mesh_run *m)
{
	return np_clock_now() + m->s->options->mesh.limit;
}

static int join(struct mesh_run *m)
{
	struct session *s = m->s;
	const struct np_address *at = &s->endpoint[0].listener->result.local;
	char text[NP_ADDRESS_TEXT];
	const struct np_launch_plan plan = {
		.program = "datagram-test " PACKAGE_VERSION,
		.local = at,
		.allow = s->addresses.allowed,
		.blob = np_address_format(at, text) + 1, /* after the slash */
		.blob_bytes = strlen(text) - 1,
		.deadline = limit_from_now(m),
		.other_fd = np_signals_fd(s->run->signals),
		.log = s->log,
	};
	int rc = np_launch_open(&m->launch, &plan);

	if (!rc)
		rc = np_launch_barrier(m->launch, limit_from_now(m), plan.other_fd);
	if (rc)
		return complain(m, rc);
	m->plan = (struct np_mesh_plan){
		.pattern = (enum np_mesh_pattern)s->options->mesh.pattern,
		.ranks = np_launch_size(m->launch),
		.sample = s->options->mesh.sample,
	};
	return 0;
}

/* The listener of a rank, by what it announced. */
static int read_address(struct mesh_run *m, uint32_t rank, struct np_address *address)
{
	const struct np_address *own = &m->s->addresses.locals.item[0];
	struct np_address_list list = {0};
	char text[NP_ADDRESS_TEXT] = "";
	size_t bytes;
	const void *blob = np_launch_blob(m->launch, rank, &bytes);
	int rc = blob && bytes < sizeof(text) ? 0 : -EBADMSG;

	if (!rc) {
		memcpy(text, blob, bytes);
		rc = np_address_list_parse_numeric(&list, text, 0);
	}
	if (!rc && (list.count != 1 || list.item[0].any.sa_family != own->any.sa_family))
		rc = -EAFNOSUPPORT;
	if (rc)
		np_log_error(m->s->log, "mesh", "rank %u: %s: no address to send to from here",
			     (unsigned)rank, text);
	else
		*address = list.item[0];
	np_address_list_clear(&list);
	return rc;
}

/* Keeps those that are present, with their addresses. */
static int look_up(struct mesh_run *m, struct mesh_peers *peers)
{
	size_t kept = 0;
	int rc = 0;

	peers->address = calloc(peers->count + 1, sizeof(*peers->address));
	if (!peers->address)
		return -ENOMEM;
	for (size_t i = 0; !rc && i < peers->count; i++) {
		if (np_launch_state(m->launch, peers->rank[i]) != NP_LAUNCH_HERE)
			continue;
		rc = read_address(m, peers->rank[i], &peers->address[kept]);
		peers->rank[kept++] = peers->rank[i];
	}
	peers->count = kept;
	return rc;
}

static int fetch(struct mesh_run *m, struct mesh_peers *peers,
		 size_t (*choose)(const struct np_mesh_plan *, uint32_t, uint32_t *))
{
	int rc;

	peers->rank = calloc(m->plan.ranks, sizeof(*peers->rank));
	if (!peers->rank)
		return -ENOMEM;
	peers->count = choose(&m->plan, np_launch_rank(m->launch), peers->rank);
	if (peers->count > FLOWS_MAX) {
		np_log_error(m->s->log, "mesh",
			     "%zu peers of a rank are too many; at most %u, see --sample",
			     peers->count, FLOWS_MAX);
		return -E2BIG;
	}
	rc = np_launch_fetch(m->launch, peers->rank, peers->count, limit_from_now(m));
	return rc ? complain(m, rc) : look_up(m, peers);
}

/* Opens the publisher, if there is somebody to publish to. */
static int open_publisher(struct mesh_run *m)
{
	struct endpoint *own = &m->s->endpoint[0];
	struct np_address_list *peers = &m->s->addresses.peers;

	if (!m->targets.count)
		return 0;
	peers->item = calloc(m->targets.count, sizeof(*peers->item));
	if (!peers->item)
		return -ENOMEM;
	memcpy(peers->item, m->targets.address, m->targets.count * sizeof(*peers->item));
	peers->count = m->targets.count;
	if (endpoint_set_peers(own, peers))
		return -ENOMEM;
	return session_open_publisher(own) ? -ECANCELED : 0;
}

/* Meets the others: nobody publishes before everybody listens. */
static int meet(struct mesh_run *m)
{
	int rc = join(m);

	if (!rc && m->plan.ranks == 1) {
		np_log_error(m->s->log, "mesh", "one rank has no peer to measure with");
		rc = -ENOENT;
	}
	if (!rc)
		rc = fetch(m, &m->targets, np_mesh_targets);
	if (!rc)
		rc = fetch(m, &m->sources, np_mesh_sources);
	if (!rc)
		rc = open_publisher(m);
	if (rc)
		return rc;
	rc = session_start_listener(&m->s->endpoint[0]);
	if (!rc)
		rc = np_launch_barrier(m->launch, limit_from_now(m),
				       np_signals_fd(m->s->run->signals));
	return rc ? complain(m, rc) : 0;
}

/*
 * A signal ends publishing at once: the launch reports what was sent, so that no end handshake
 * is needed, and a launcher that kills a job gives its ranks a second.
 */
static void take_signals(struct session *s)
{
	if (!(np_signals_take(s->run->signals) & NP_SIGNALS_STOP))
		return;
	s->interrupts++;
	session_set_phase(s, PHASE_LEAVING, PHASE_RUNNING);
}

/* Sleeps until a thread ends or a signal comes, or @ms have passed. */
static void await_events(struct session *s, int ms)
{
	struct pollfd wait[2] = {{.fd = np_signals_fd(s->run->signals), .events = POLLIN},
				 {.fd = s->finished, .events = POLLIN}};

	/* A thread signals shortly before it can be joined. */
	if (poll(wait, 2, ms) > 0 && wait[0].revents)
		take_signals(s);
	if (wait[1].revents) {
		endpoint_woken(s->finished);
		usleep(1000);
	}
}

/* Publishes until done, then waits for the others to be done. Returns 0 or -errno. */
static int publish(struct mesh_run *m)
{
	struct endpoint *own = &m->s->endpoint[0];
	np_time deadline;
	int rc;

	m->begun = np_clock_now();
	m->s->usage = np_usage_now();
	deadline =
		m->begun + m->s->options->publish.duration + m->s->options->mesh.limit + HANDSHAKES;
	rc = session_start_publisher(own);
	while (!rc) {
		session_join(own);
		if (!own->publisher_thread.running)
			break;
		if (!own->listener_thread.running)
			session_set_phase(m->s, PHASE_CLOSING, PHASE_RUNNING);
		await_events(m->s, SECOND);
	}
	if (!rc)
		rc = np_launch_barrier(m->launch, deadline, -1);
	return rc ? complain(m, rc) : 0;
}

/*
 * Ends both threads. What is on its way is still waited for, but after a signal only so long that
 * the report is written before a launcher kills this rank.
 */
static void stop(struct mesh_run *m)
{
	const np_time leave = np_clock_now() + INTERRUPTED_WAIT;

	session_set_phase(m->s, PHASE_CLOSING, PHASE_CLOSING);
	while (session_join(&m->s->endpoint[0])) {
		if (m->s->interrupts && np_clock_now() >= leave)
			session_set_phase(m->s, PHASE_LEAVING, PHASE_LEAVING);
		await_events(m->s, m->s->interrupts ? INTERRUPTED_LOOK : SECOND);
	}
}

/* A listener's flow from the rank that listens at @address; NULL: nothing came from it. */
static const struct listener_flow *flow_from(const struct listener_result *r,
					     const struct np_address *address)
{
	const struct listener_flow *found = NULL;

	for (size_t i = 0; i < r->concluded_count; i++) {
		const struct listener_flow *flow = &r->concluded[i];

		if (!np_address_equal(&flow->printed, address))
			continue;
		if (!found || flow->life.received > found->life.received)
			found = flow;
	}
	return found;
}

static void take_flow(struct np_mesh_pair *pair, const struct listener_flow *flow, np_time begun)
{
	np_mesh_take_flow(pair, &flow->life, begun);
	pair->dropped_to = np_drops_total(&flow->dropped);
	pair->delay_count = flow->delay.count;
	pair->delay_p50 = flow->delay.p50;
	pair->delay_p99 = flow->delay.p99;
	pair->delay_max = flow->delay.max;
	pair->delay_bound = flow->delay.count ? flow->delay_bound : 0;
}

static int add_received(struct mesh_run *m)
{
	const struct listener_result *r = &m->s->endpoint[0].listener->result;
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
	const struct endpoint *endpoint = &m->s->endpoint[0];
	int rc = 0;

	for (size_t i = 0; !rc && i < m->targets.count; i++) {
		const struct np_mesh_pair pair = {
			.from = np_launch_rank(m->launch),
			.to = m->targets.rank[i],
			.parts = NP_MESH_FROM,
			.sent = endpoint->peer[i].last - endpoint->peer[i].unsent,
			.unsent = endpoint->peer[i].unsent,
			.dropped_from = endpoint->peer[i].dropped,
		};

		rc = np_mesh_add(m->mesh, &pair);
	}
	return rc;
}

/* What this host dropped of what was received and sent. */
static int add_dropped(struct mesh_run *m)
{
	const struct endpoint *own = &m->s->endpoint[0];
	struct np_drops_counts sum = own->listener->result.dropped;

	if (m->s->options->drops == NP_DROPS_OFF)
		return 0;
	if (own->publisher)
		np_drops_add(&sum, &own->publisher->result.dropped);
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

/*
 * Gathers what all ranks measured; rank 0 reports it. @connected: rank 0 is there. Returns the exit
 * status.
 */
static int report(struct mesh_run *m, bool connected)
{
	const struct options *o = m->s->options;
	struct np_mesh_ending ending = {
		.text = m->text,
		.max_loss_percent = o->max_loss_percent,
		.log = m->s->log,
		.interrupted = m->s->interrupts,
		.report = m->s->reporter.report,
		.usage = &m->s->usage,
	};
	int rc = measure(m);

	ending.start = session_start_record(m->s);
	if (!rc && m->s->reporter.records && !ending.start)
		rc = -ENOMEM;
	if (!rc)
		return np_mesh_end(m->mesh, m->launch, connected, np_clock_now() + o->mesh.limit,
				   &ending);
	np_record_free(ending.start);
	np_log_error(m->s->log, "mesh", "%s", strerror(-rc));
	return 1;
}

static int conclude(struct mesh_run *m, bool connected)
{
	struct session *s = m->s;
	const struct endpoint *own = &s->endpoint[0];
	int status = session_judge_listener(s, &own->listener->result);

	if (own->publisher && session_judge_publisher(s, &own->publisher->result))
		status = 1;
	if (report(m, connected))
		status = 1;
	return status;
}

static void close_run(struct mesh_run *m)
{
	np_launch_close(m->launch);
	np_mesh_free(m->mesh);
	free(m->targets.rank);
	free(m->targets.address);
	free(m->sources.rank);
	free(m->sources.address);
}

int mesh_run(struct session *s)
{
	struct mesh_run m = {.s = s, .text = s->reporter.text};
	int rc, status;

	s->reporter.text = NULL;
	s->reporter.ticks = false;
	rc = meet(&m);
	if (rc) {
		session_set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
		while (session_join(&s->endpoint[0]))
			await_events(s, SECOND);
		status = m.launch ? np_launch_exit_status(rc) : 2;
	} else {
		rc = publish(&m);
		stop(&m);
		status = conclude(&m, !rc);
	}
	np_report_settle(s->reporter.report, status, s->log);
	close_run(&m);
	return status;
}

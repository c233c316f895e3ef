// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * meet: finds the other ranks, tells them where this one receives, carries out the program's steps
 * between the barriers, gathers the results, and has rank 0 report and judge.
 */
#include "meet.h"

#include "../base/record.h"
#include "../mesh/mesh_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int np_meet_fault(const struct np_meet *meet, int rc)
{
	np_log_error(meet->run->log, "mesh", "%s", launch_reason(rc));
	return rc;
}

static np_time limit(const struct np_meet *m)
{
	return np_clock_now() + m->options->limit;
}

int np_meet_all(struct np_meet *m)
{
	const int rc = launch_barrier(m->launch, limit(m), np_signals_fd(m->run->signals));

	return rc ? np_meet_fault(m, rc) : 0;
}

const char *np_meet_missing(const struct np_meet *m, uint32_t rank)
{
	return launch_state_text((enum launch_state)m->launch->state[rank]);
}

const char *np_meet_host(const struct np_meet *m, uint32_t rank)
{
	return launch_host(m->launch, rank);
}

static int choose(struct np_meet *m, struct np_meet_peers *peers)
{
	const uint32_t *room = m->room;
	const size_t planned = mesh_peers(&m->plan, m->rank, peers == &m->sources, m->room);

	if (planned > m->steps->peers_max) {
		np_log_error(m->run->log, "mesh",
			     "%zu peers of a rank are too many; at most %zu, see --sample", planned,
			     m->steps->peers_max);
		return -E2BIG;
	}
	peers->planned = planned;
	peers->peer = calloc(planned + 1, sizeof(*peers->peer));
	if (!peers->peer)
		return np_meet_fault(m, -ENOMEM);
	for (size_t i = 0; i < planned; i++) {
		if (np_meet_missing(m, room[i]))
			continue;
		peers->peer[peers->count++] =
			(struct np_meet_peer){.rank = room[i], .slot = i, .address = m->local};
	}
	return 0;
}

/*
 * Chooses the peers, opens the receivers, tells the others their ports, and learns theirs. Nobody
 * sends before everybody listens.
 */
static int find_peers(struct np_meet *m)
{
	const struct np_meet_peers *sources = &m->sources;
	uint16_t ports[NP_MESH_PORTS_MAX] = {};
	uint8_t place[MESH_PLACE_BYTES_MAX];
	bool differ = false;
	size_t count = 1;
	int rc = choose(m, &m->targets);

	if (!rc)
		rc = choose(m, &m->sources);
	if (!rc && m->steps->listen)
		rc = m->steps->listen(m);
	if (rc)
		return rc;
	ports[0] = np_address_port(&m->local);
	for (size_t i = 0; i < sources->count; i++) {
		const uint16_t port = np_address_port(&sources->peer[i].address);
		const size_t slot = sources->peer[i].slot;

		differ |= port != np_address_port(&sources->peer[0].address);
		if (slot >= NP_MESH_PORTS_MAX)
			continue;
		ports[slot] = port;
		count = slot + 1;
	}
	if (!differ && sources->count) {
		ports[0] = np_address_port(&sources->peer[0].address);
		count = 1;
	}
	rc = launch_set_blob(m->launch, place, mesh_place_write(&m->local, ports, count, place));
	if (rc)
		return np_meet_fault(m, rc);
	rc = np_meet_all(m);
	return rc ? rc : np_meet_find(m, &m->targets);
}

int np_meet_find(struct np_meet *m, struct np_meet_peers *peers)
{
	uint32_t *room = m->room;
	size_t kept = 0;
	int rc;

	for (size_t i = 0; i < peers->count; i++)
		room[i] = peers->peer[i].rank;
	rc = launch_fetch(m->launch, room, peers->count, limit(m));
	if (rc)
		np_meet_fault(m, rc);
	for (size_t i = 0; !rc && i < peers->count; i++) {
		struct np_meet_peer *peer = &peers->peer[kept];
		size_t bytes = 0, slot = 0, count;
		const void *blob;

		if (np_meet_missing(m, peers->peer[i].rank))
			continue;
		*peer = peers->peer[i];
		kept++;
		/* Which of its ports the rank has for this one. */
		count = mesh_peers(&m->plan, peer->rank, true, room);
		while (slot < count && room[slot] != m->rank)
			slot++;
		blob = launch_blob(m->launch, peer->rank, &bytes);
		rc = blob ? mesh_place_read(blob, bytes, slot, &peer->address) : -EBADMSG;
		if (!rc && peer->address.any.sa_family != m->local.any.sa_family)
			rc = -EAFNOSUPPORT;
		if (rc)
			np_log_error(m->run->log, "mesh",
				     "rank %u: no address to send to from here",
				     (unsigned)peer->rank);
	}
	peers->count = kept;
	return rc;
}

static int meet(struct np_meet *m)
{
	const struct np_options *options = m->run->tool->options;
	const bool outside = m->words.outside;
	struct np_launch plan = {.allow = m->allow, .log = m->run->log};
	int rc;

	snprintf(plan.join.program, WIRE_NAME, "%s %s", options->program, options->version);
	rc = launch_open(&m->launch, &plan, &m->local, limit(m), np_signals_fd(m->run->signals));
	if (rc)
		return np_meet_fault(m, rc);
	m->rank = m->launch->place.rank;
	m->port = m->launch->port;
	m->plan = (struct np_mesh_plan){
		.pattern = (enum np_mesh_pattern)m->options->pattern,
		.ranks = m->launch->place.size,
		.sample = m->options->sample,
	};
	if (m->plan.ranks == 1 && !outside) {
		np_log_error(m->run->log, "mesh", "one rank has no peer to measure with");
		return -ENOENT;
	}
	m->room = calloc(m->plan.ranks, sizeof(*m->room));
	if (!m->room)
		return np_meet_fault(m, -ENOMEM);
	rc = np_meet_all(m);
	if (!rc && !outside)
		rc = find_peers(m);
	if (!rc && m->steps->connect)
		rc = m->steps->connect(m);
	return rc ? rc : np_meet_all(m);
}

static int take(void *meet, uint32_t rank, const void *piece, size_t bytes)
{
	struct np_meet *m = meet;

	if (m->steps->take && !mesh_is_dropped(piece, bytes))
		return m->steps->take(m, rank, piece, bytes);
	return mesh_take(m->mesh, rank, piece, bytes);
}

/*
 * Sends the program's own piece, the pairs, and what this host dropped, as far as they were added,
 * to rank 0 or, there, receives and settles them. Returns 0 or -errno.
 */
static int gather(struct np_meet *m)
{
	const struct np_mesh *mesh = m->mesh;
	const struct np_drops_counts *dropped = np_mesh_dropped(mesh, m->rank);
	const size_t count = m->rank ? mesh->count : 0;
	uint8_t *piece = malloc(MESH_PIECE_PAIRS * MESH_PAIR_BYTES);
	int rc = piece ? 0 : -ENOMEM;

	if (!rc && m->rank && m->piece)
		rc = spoke_message(m->launch, WIRE_PIECE, m->piece, m->piece_bytes);
	for (size_t done = 0; !rc && done < count;) {
		const size_t n = np_least(count - done, MESH_PIECE_PAIRS);
		const size_t bytes = mesh_pack(mesh->pairs + done, n, piece);

		rc = spoke_message(m->launch, WIRE_PIECE, piece, bytes);
		done += n;
	}
	if (!rc && m->rank && dropped)
		rc = spoke_message(m->launch, WIRE_PIECE, piece, mesh_pack_dropped(dropped, piece));
	free(piece);
	if (!rc)
		rc = launch_collect(m->launch, take, m, m->deadline);
	return rc || m->rank ? rc : mesh_settle(m->mesh);
}

/* Pairs that failed, named one by one, at most. */
#define NAMED 8

bool np_meet_name_missing(const struct np_meet *m)
{
	char missing[1024];

	if (!launch_missing(m->launch))
		return false;
	np_log_error(m->run->log, "mesh", "%s",
		     launch_describe_missing(m->launch, missing, sizeof(missing)));
	return true;
}

/* Returns whether some pair failed. */
static bool name_failed(const struct np_meet *m)
{
	size_t failed = 0;

	for (size_t i = 0; i < m->mesh->count; i++) {
		const struct np_mesh_pair *pair = &m->mesh->pairs[i];
		const char *fault = NULL;

		/* Between two ranks that are here. */
		if (np_meet_missing(m, pair->from) || np_meet_missing(m, pair->to))
			continue;
		if (mesh_silent(pair))
			fault = "nothing was sent";
		else if (pair->parts & NP_MESH_CUT)
			fault = "the receiver did not count to the end";
		else if (pair->parts != (NP_MESH_FROM | NP_MESH_TO))
			fault = "its results are incomplete";
		else if (m->lossless && pair->lost)
			fault = "the connection was lost";
		if (fault && failed++ < NAMED)
			np_log_error(m->run->log, "mesh", "rank %u to rank %u: %s",
				     (unsigned)pair->from, (unsigned)pair->to, fault);
	}
	if (failed > NAMED)
		np_log_error(m->run->log, "mesh", "%zu more pair%s failed", failed - NAMED,
			     np_plural(failed - NAMED));
	return failed;
}

static int report(struct np_meet *m)
{
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(m->mesh);
	const struct mesh_sum sum = mesh_total(m->mesh);
	double percent = np_loss_percent(sum.lost, sum.received + sum.lost);
	const uint64_t refused = m->launch->not_allowed;
	struct np_report *records = m->run->report;
	bool failed;

	if (m->each_pair)
		percent = lossiest ? np_mesh_loss(lossiest) : 0;
	if (m->text) {
		mesh_print(m->mesh, 0, m->text);
		if (m->interrupts)
			fputs("interrupted by a signal\n", m->text);
		fflush(m->text);
	}
	if (records && np_report_wants_records(records)) {
		if (m->steps->start)
			(void)np_report_write(records, m->steps->start(m));
		mesh_write_records(m->mesh, records, &m->usage, m->interrupts);
	}
	if (refused)
		np_log_warning(m->run->log, "--allow",
			       "closed %" PRIu64 " connection%s of other hosts", refused,
			       np_plural(refused));
	failed = np_meet_name_missing(m);
	failed |= name_failed(m);
	failed |= np_loss_exceeds(percent, m->max_loss_percent, "mesh", m->run->log);
	return failed ? 1 : 0;
}

int meet_end(struct np_meet *m, bool connected)
{
	int rc;

	m->words.program = m->run->tool->options->program;
	rc = mesh_create(&m->mesh, &m->plan, &m->words, m->launch);
	if (!rc)
		rc = m->steps->measure(m);
	if (rc) {
		np_log_error(m->run->log, "mesh", "%s", strerror(-rc));
		return 1;
	}
	rc = connected ? gather(m) : -ECONNRESET;
	if (!rc && m->rank)
		return 0;
	if (rc && connected)
		np_meet_fault(m, rc);
	if (m->steps->report)
		return m->steps->report(m, rc);
	if (!rc)
		return report(m);
	/* Rank 0 is gone: this rank's own results must not be lost. */
	if (m->text) {
		fprintf(m->text, "rank %u by itself:\n", (unsigned)m->rank);
		m->mesh->launch = NULL;
		mesh_print(m->mesh, 0, m->text);
		fflush(m->text);
	}
	return 1;
}

void meet_close(struct np_meet *m, int status)
{
	/* The launcher may end this process as it leaves. */
	report_settle(m->run->report, status, m->run->log);
	launch_close(m->launch);
	mesh_free(m->mesh);
	free(m->room);
	free(m->sources.peer);
	free(m->targets.peer);
}

int np_meet_run(struct np_meet *m)
{
	int status = 0, rc;

	if (!m->local.length)
		status = np_mesh_address(m->options, m->family, &m->local, m->run->log);
	if (status)
		return status;
	rc = meet(m);
	/* Before the run began; 1: rank 0 was lost, or has lost this rank. */
	if (rc) {
		status = m->launch && (rc == -ECONNRESET || rc == -ETIMEDOUT || rc == -ESTALE) ? 1
											       : 2;
	} else {
		m->begun = np_clock_now();
		m->usage = np_usage_now();
		rc = m->steps->send(m);
		if (!rc) {
			/* Until the others are done, too. */
			rc = launch_barrier(m->launch, m->deadline, -1);
			rc = rc ? np_meet_fault(m, rc) : 0;
		}
	}
	if (rc > 0)
		status = rc;
	if (m->steps->stop)
		m->steps->stop(m);
	if (!status) {
		m->deadline = limit(m);
		status = meet_end(m, !rc);
		if (m->failed && !status)
			status = 1;
	}
	meet_close(m, status);
	return status;
}

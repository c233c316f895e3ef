// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * meet: finds the other ranks, tells them where this one receives, carries out the program's steps
 * between the barriers, and ends the mesh. What a rank tells: a count and ports, 2 bytes each,
 * big-endian, then its address as text.
 */
#include "meet_place.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

size_t meet_place_write(const struct np_address *address, const uint16_t *ports, size_t count,
			uint8_t *out)
{
	const struct np_address_text literal = np_address_literal(address);
	const size_t length = strlen(literal.text);
	uint8_t *at = out + 2 + 2 * count;

	np_field_put16(out, (uint16_t)count);
	for (size_t i = 0; i < count; i++)
		np_field_put16(out + 2 + 2 * i, ports[i]);
	memcpy(at, literal.text, length);
	return (size_t)(at - out) + length;
}

int meet_place_read(const void *data, size_t bytes, size_t slot, struct np_address *address)
{
	const uint8_t *at = data;
	char text[NP_ADDRESS_TEXT] = "";
	const size_t count = bytes < 2 ? 0 : np_field_get16(at), head = 2 + 2 * count;
	uint16_t port;

	if (bytes <= head || bytes - head >= sizeof(text))
		return -EBADMSG;
	if (count == 1)
		slot = 0;
	port = slot < count ? np_field_get16(at + 2 + 2 * slot) : 0;
	if (!port)
		return -ENOENT;
	/* A single literal address; names are not looked up. */
	memcpy(text, at + head, bytes - head);
	if (np_address_parse(address, text, 0, NP_ADDRESS_NUMERIC))
		return -EBADMSG;
	np_address_set_port(address, port);
	return 0;
}

int np_meet_fault(const struct np_meet *meet, int rc)
{
	np_log_error(meet->run->log, "mesh", "%s", np_launch_reason(rc));
	return rc;
}

static np_time limit(const struct np_meet *m)
{
	return np_clock_now() + m->options->limit;
}

int np_meet_all(struct np_meet *m)
{
	const int rc = np_launch_barrier(m->launch, limit(m), np_signals_fd(m->run->signals));

	return rc ? np_meet_fault(m, rc) : 0;
}

int np_meet_join(struct np_meet *m)
{
	const struct np_options *options = m->run->tool->options;
	char program[64];
	const struct np_launch_plan plan = {
		.program = program,
		.local = m->local.length ? &m->local : NULL,
		.allow = m->allow,
		.deadline = limit(m),
		.other_fd = np_signals_fd(m->run->signals),
		.log = m->run->log,
	};
	int rc;

	snprintf(program, sizeof(program), "%s %s", options->program, options->version);
	rc = np_launch_open(&m->launch, &plan);
	if (rc)
		return np_meet_fault(m, rc);
	m->plan = (struct np_mesh_plan){
		.pattern = (enum np_mesh_pattern)m->options->pattern,
		.ranks = np_launch_size(m->launch),
		.sample = m->options->sample,
	};
	return 0;
}

static bool is_here(const struct np_meet *m, uint32_t rank)
{
	return np_launch_state(m->launch, rank) == NP_LAUNCH_HERE;
}

/* @room: for as many ranks as there are. */
static int choose(struct np_meet *m, struct np_meet_peers *peers,
		  size_t (*pick)(const struct np_mesh_plan *, uint32_t, uint32_t *), uint32_t *room)
{
	const size_t planned = pick(&m->plan, np_launch_rank(m->launch), room);

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
		if (!is_here(m, room[i]))
			continue;
		peers->peer[peers->count++] =
			(struct np_meet_peer){.rank = room[i], .slot = i, .address = m->local};
	}
	return 0;
}

/* Opens the receivers, and tells the others their ports. */
static int listen_to_sources(struct np_meet *m)
{
	const struct np_meet_peers *sources = &m->sources;
	uint16_t ports[NP_MEET_PORTS_MAX] = {0};
	uint8_t place[MEET_PLACE_BYTES_MAX];
	bool differ = false;
	size_t count = 1;
	int rc = m->steps->listen ? m->steps->listen(m) : 0;

	if (rc)
		return rc;
	if (!m->steps->listen)
		ports[0] = np_address_port(&m->local);
	for (size_t i = 0; i < sources->count; i++) {
		const uint16_t port = np_address_port(&sources->peer[i].address);
		const size_t slot = sources->peer[i].slot;

		differ |= port != np_address_port(&sources->peer[0].address);
		if (slot >= NP_MEET_PORTS_MAX)
			continue;
		ports[slot] = port;
		count = slot + 1;
	}
	if (!differ && sources->count) {
		ports[0] = np_address_port(&sources->peer[0].address);
		count = 1;
	}
	rc = np_launch_set_blob(m->launch, place, meet_place_write(&m->local, ports, count, place));
	return rc ? np_meet_fault(m, rc) : 0;
}

static int read_place(struct np_meet *m, struct np_meet_peer *peer, uint32_t *room)
{
	const size_t count = np_mesh_sources(&m->plan, peer->rank, room);
	size_t bytes = 0, slot = 0;
	const void *blob = np_launch_blob(m->launch, peer->rank, &bytes);
	int rc;

	/* Which of its ports the rank has for this one. */
	while (slot < count && room[slot] != np_launch_rank(m->launch))
		slot++;
	rc = blob ? meet_place_read(blob, bytes, slot, &peer->address) : -EBADMSG;
	if (!rc && peer->address.any.sa_family != m->local.any.sa_family)
		rc = -EAFNOSUPPORT;
	if (rc)
		np_log_error(m->run->log, "mesh", "rank %u: no address to send to from here",
			     (unsigned)peer->rank);
	return rc;
}

int np_meet_find(struct np_meet *m, struct np_meet_peers *peers)
{
	uint32_t *room = calloc(m->plan.ranks, sizeof(*room));
	size_t kept = 0;
	int rc = room ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < peers->count; i++)
		room[i] = peers->peer[i].rank;
	if (!rc)
		rc = np_launch_fetch(m->launch, room, peers->count, limit(m));
	if (rc)
		np_meet_fault(m, rc);
	for (size_t i = 0; !rc && i < peers->count; i++) {
		if (!is_here(m, peers->peer[i].rank))
			continue;
		peers->peer[kept] = peers->peer[i];
		rc = read_place(m, &peers->peer[kept++], room);
	}
	peers->count = kept;
	free(room);
	return rc;
}

/* Nobody sends before everybody listens. */
static int gather(struct np_meet *m)
{
	uint32_t *room = NULL;
	int rc = np_meet_join(m);

	if (!rc && m->plan.ranks == 1) {
		np_log_error(m->run->log, "mesh", "one rank has no peer to measure with");
		rc = -ENOENT;
	}
	if (!rc)
		rc = np_meet_all(m);
	if (rc)
		return rc;
	room = calloc(m->plan.ranks, sizeof(*room));
	if (!room)
		return np_meet_fault(m, -ENOMEM);
	rc = choose(m, &m->targets, np_mesh_targets, room);
	if (!rc)
		rc = choose(m, &m->sources, np_mesh_sources, room);
	if (!rc)
		rc = listen_to_sources(m);
	if (!rc)
		rc = np_meet_all(m);
	if (!rc)
		rc = np_meet_find(m, &m->targets);
	free(room);
	if (!rc)
		rc = m->steps->connect(m);
	return rc ? rc : np_meet_all(m);
}

/* Sends until done, then waits for the others to be done. Returns 0 or -errno. */
static int carry_out(struct np_meet *m)
{
	int rc;

	m->begun = np_clock_now();
	m->usage = np_usage_now();
	rc = m->steps->send(m);
	if (rc)
		return rc;
	rc = np_launch_barrier(m->launch, m->deadline, -1);
	return rc ? np_meet_fault(m, rc) : 0;
}

int np_meet_end(struct np_meet *m, bool connected)
{
	int rc = np_mesh_create(&m->mesh, &m->plan, &m->words);

	if (!rc)
		rc = m->steps->measure(m);
	m->ending.report = m->run->report;
	m->ending.usage = &m->usage;
	m->ending.interrupted = m->interrupts;
	m->ending.log = m->run->log;
	if (!rc)
		return np_mesh_end(m->mesh, m->launch, connected, m->deadline, &m->ending);
	np_record_free(m->ending.start);
	np_log_error(m->run->log, "mesh", "%s", strerror(-rc));
	return 1;
}

int np_meet_run(struct np_meet *m)
{
	const struct np_log *log = m->run->log;
	int status = 0, rc;

	if (!m->local.length)
		status = np_mesh_address(m->options, m->family, &m->local, log);
	if (status)
		return status;
	rc = gather(m);
	if (rc) {
		m->steps->stop(m);
		status = m->launch ? np_launch_exit_status(rc) : 2;
	} else {
		rc = carry_out(m);
		m->steps->stop(m);
		m->deadline = limit(m);
		status = np_meet_end(m, !rc);
		if (m->failed && !status)
			status = 1;
	}
	np_report_settle(m->run->report, status, log);
	np_launch_close(m->launch);
	np_mesh_free(m->mesh);
	free(m->sources.peer);
	free(m->targets.peer);
	return status;
}

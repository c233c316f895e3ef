// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh: meets the other ranks, loads the target together with them, and collects the results. */
#include "mesh.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* From here on the session is that of one client of several. */
static int join(struct mesh_run *m)
{
	struct np_meet *meet = &m->meet;
	int rc;

	meet->run = m->s->run;
	meet->options = &m->options.mesh;
	if (np_mesh_address(meet->options, AF_UNSPEC, m->options.mesh_rank, &meet->local, m->log))
		return -EADDRNOTAVAIL;
	rc = np_meet_join(meet);
	if (rc)
		return rc;
	m->options.clients = np_launch_size(meet->launch);
	m->options.mesh_rank = np_launch_rank(meet->launch);
	snprintf(m->program, sizeof(m->program), "%s: rank %u", m->log->program,
		 (unsigned)m->options.mesh_rank);
	m->rank_log = *m->log;
	m->rank_log.program = m->program;
	m->s->log = &m->rank_log;
	m->s->options = &m->options;
	m->s->reporter.options = &m->options;
	m->s->run->progress = false;
	return np_meet_all(meet);
}

/* Each rank writes a part of its own of the region; these are equal. Returns 0 or 2. */
static int take_part(struct mesh_run *m)
{
	struct data_options *data = &m->options.data;
	const uint64_t disk = m->s->target.identity.sectors * NP_AOE_SECTOR_BYTES;
	const uint64_t bytes = data->size_bytes ? data->size_bytes : disk - data->offset_bytes;
	const uint64_t request = m->options.traffic.sector_count * NP_AOE_SECTOR_BYTES;
	const uint64_t part = bytes / m->options.clients / request * request;

	if (!part)
		return np_log_refuse(
			m->s->log, data->size_bytes ? "--size" : "--mesh",
			"a region of %" PRIu64
			" bytes is too small for %u clients, which need at least %" PRIu64,
			bytes, (unsigned)m->options.clients, request * m->options.clients);
	data->offset_bytes += part * m->options.mesh_rank;
	data->size_bytes = part;
	return 0;
}

/* Returns 0, or 2 after a message. The others go on without this rank. */
static int prepare(struct mesh_run *m)
{
	const bool write = m->options.operation == OPERATION_WRITE;
	int status = session_find_target(m->s);

	if (!status && write)
		status = take_part(m);
	if (!status && write)
		status = session_examine(m->s);
	if (status)
		return status;
	session_bound_windows(m->s);
	if (!m->options.mesh_rank)
		report_start(&m->s->reporter);
	m->started = true;
	return 0;
}

/* All begin together. Returns 0, or -errno of the launch. */
static int load(struct mesh_run *m)
{
	int status = prepare(m), rc = np_meet_all(&m->meet);

	if (!rc && !status)
		status = session_warm_up(m->s, m->s->sweep.from) ? 1 : 0;
	if (!rc)
		rc = np_meet_all(&m->meet);
	m->meet.usage = np_usage_now();
	m->meet.begun = np_clock_now();
	if (!rc && !status && !session_exchange(m->s, m->s->sweep.from, false, &m->result))
		session_report_others(m->s, m->result->ending);
	return rc;
}

/* Waits until all others have ended, too. Nobody may take longer than this. */
static int await_others(struct mesh_run *m)
{
	const struct traffic_options *t = &m->options.traffic;
	/* Before it writes, a client may ask the target for its identity again. */
	const np_time ask = m->options.operation == OPERATION_WRITE ? t->give_up : 0;
	const np_time end = m->meet.begun + ask + t->duration + 2 * t->timeout;
	const int rc = np_launch_barrier(m->meet.launch, end + m->options.mesh.limit, -1);

	return rc ? np_meet_fault(&m->meet, rc) : 0;
}

static int take_client(void *context, uint32_t rank, const void *piece, size_t bytes)
{
	struct mesh_run *m = context;
	int rc;

	if (np_mesh_is_dropped(piece, bytes))
		return np_mesh_take(m->meet.mesh, rank, piece, bytes);
	rc = m->known[rank] ? -EBADMSG : client_unpack(&m->client[rank], piece, bytes);
	m->known[rank] |= !rc;
	return rc;
}

/* Sends what this rank measured and what its host dropped to rank 0, or makes room for all there.
 */
static int submit(struct mesh_run *m, np_time deadline)
{
	const struct client own = m->result ? client_of(m->result) : (struct client){0};
	const bool drops = m->result && m->options.drops != NP_DROPS_OFF;
	uint8_t piece[CLIENT_BYTES], dropped[NP_MESH_DROPPED_BYTES];
	int rc;

	if (np_launch_rank(m->meet.launch)) {
		client_pack(&own, piece);
		rc = np_launch_send(m->meet.launch, piece, sizeof(piece), deadline);
		if (rc || !drops)
			return rc;
		return np_launch_send(m->meet.launch, dropped,
				      np_mesh_pack_dropped(&m->result->host, dropped), deadline);
	}
	m->client = calloc(m->options.clients, sizeof(*m->client));
	m->known = calloc(m->options.clients, sizeof(*m->known));
	rc = m->client && m->known ? mesh_create(m) : -ENOMEM;
	if (rc)
		return rc;
	m->client[0] = own;
	m->known[0] = true;
	return drops ? np_mesh_add_dropped(m->meet.mesh, 0, &m->result->host) : 0;
}

/* Sends the result to rank 0 or, in rank 0, receives those of the others. Returns 0 or -errno. */
static int gather(struct mesh_run *m)
{
	const np_time deadline = np_clock_now() + m->options.mesh.limit;
	int rc = submit(m, deadline);

	if (!rc)
		rc = np_launch_collect(m->meet.launch, take_client, m, deadline);
	return rc ? np_meet_fault(&m->meet, rc) : 0;
}

/* Rank 0 is gone: this rank's own results must not be lost. */
static int report_alone(const struct mesh_run *m)
{
	FILE *text = np_report_text(m->s->run->report);

	if (text && m->result)
		fprintf(text, "rank %u by itself:\n", (unsigned)np_launch_rank(m->meet.launch));
	if (m->result)
		report_summary(&m->s->reporter, m->result, 0);
	return 1;
}

int mesh_run(struct session *s)
{
	struct mesh_run m = {.s = s, .log = s->log, .options = *s->options};
	const struct options *asked = s->options;
	int status = 2, rc = join(&m);

	if (rc)
		goto close;
	rc = load(&m);
	if (rc && !m.result)
		goto close;
	if (!rc)
		rc = await_others(&m);
	if (!rc)
		rc = gather(&m);
	if (rc)
		status = report_alone(&m);
	else
		status = np_launch_rank(m.meet.launch) ? 0 : mesh_report(&m);
close:
	np_report_settle(s->run->report, status, s->log);
	np_launch_close(m.meet.launch);
	np_mesh_free(m.meet.mesh);
	result_free(m.result);
	free(m.client);
	free(m.known);
	/* Those of the rank live as long as this run. */
	s->log = m.log;
	s->options = asked;
	s->reporter.options = asked;
	return status;
}

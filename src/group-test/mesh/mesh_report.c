// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_report: what this rank has counted, and rank 0's report of all. */
#include "mesh.h"

#include <string.h>

/* The rank of a member, or UINT32_MAX. */
static uint32_t rank_of(const struct mesh *m, const struct identity *who)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (identity_equal(&m->who[i], who))
			return m->rank[i];
	}
	return UINT32_MAX;
}

/* Whether more of its messages may have arrived after this member stopped counting. */
static bool is_cut(const struct result *result, const struct result_row *row)
{
	const struct result_member *sender = result_find(result, &row->sender);
	const struct np_flow_counts *c = &row->counts;

	if (row->ended && c->received >= c->sent)
		return false;
	return !row->ended || result->interrupted || c->late || c->stray || !sender ||
	       sender->outcome != FATE_STAYED;
}

static struct np_mesh_pair received(const struct mesh *m, const struct result *result,
				    const struct result_row *row)
{
	struct np_mesh_pair pair = {.parts = NP_MESH_TO};

	np_mesh_take_flow(&pair, &row->counts, m->meet.begun);
	pair.elapsed = result_rate_known(row) ? result_elapsed(row) : 0;
	if (is_cut(result, row))
		pair.parts |= NP_MESH_CUT;
	pair.delay_count = row->delay.count;
	pair.delay_p50 = row->delay.p50;
	pair.delay_p99 = row->delay.p99;
	pair.delay_max = row->delay.max;
	pair.delay_bound = row->delay.count ? row->delay_bound : 0;
	return pair;
}

/* A sender's own copies are no pair. */
static int add_received(struct mesh *m, const struct result *result)
{
	const struct result_member *own = result_myself(result);
	int rc = 0;

	for (size_t i = 0; !rc && own && i < own->rows; i++) {
		const uint32_t from = rank_of(m, &own->row[i].sender);
		struct np_mesh_pair pair = received(m, result, &own->row[i]);

		if (from == UINT32_MAX || from == np_launch_rank(m->meet.launch))
			continue;
		pair.from = from;
		pair.dropped_to = own->row[i].drops.total;
		pair.to = np_launch_rank(m->meet.launch);
		rc = np_mesh_add(m->meet.mesh, &pair);
	}
	return rc;
}

/* A member on this host had its copies before others could be dropped: which is not known. */
static struct np_drops_total dropped_for(const struct result_member *own, const struct identity *to)
{
	const struct np_address address = identity_address(to);
	struct np_drops_total total = {.known = false};

	if (own)
		total = own->sent_drops.total;
	if (total.packets && np_address_is_local(&address))
		total.exact = false;
	return total;
}

static int add_sent(struct mesh *m, const struct result *result)
{
	const struct result_member *own = result_myself(result);
	int rc = 0;

	for (unsigned i = 0; !rc && m->s->plan.member.sender && i < m->count; i++) {
		const struct np_mesh_pair pair = {
			.from = np_launch_rank(m->meet.launch),
			.to = m->rank[i],
			.parts = NP_MESH_FROM,
			.sent = result->sent,
			.dropped_from = dropped_for(own, &m->who[i]),
		};

		if (pair.to != pair.from)
			rc = np_mesh_add(m->meet.mesh, &pair);
	}
	return rc;
}

static int add_dropped(struct mesh *m, const struct result *result)
{
	const struct result_member *own = result_myself(result);

	if (m->s->options->drops == NP_DROPS_OFF || !own || !own->all_drops.reasons)
		return 0;
	return np_mesh_add_dropped(m->meet.mesh, np_launch_rank(m->meet.launch),
				   own->all_drops.reasons);
}

int mesh_measure(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	const struct result *result = member_result(m->s->member);
	int rc = add_received(m, result);

	if (!rc)
		rc = add_sent(m, result);
	return rc ? rc : add_dropped(m, result);
}

/*
 * When all have told their results. A rank that left the group early waits for the end of the run:
 * rank 0 knows when that is, or is given up by the others.
 */
static np_time deadline(const struct mesh *m)
{
	const struct session *s = m->s;
	const struct result_member *own = result_myself(member_result(s->member));
	const struct group_options *group = &s->options->group;
	const np_time now = np_clock_now(), end = m->meet.begun + group->warm_up + group->duration;
	const bool early = s->interrupts || !own || own->outcome != FATE_STAYED;

	if (early && np_launch_rank(m->meet.launch) && !group->duration)
		return NP_TIME_NEVER;
	return (end > now ? end : now) + s->options->mesh.limit;
}

/* Rank 0 names the ranks that it does not hear, so that no group forms. */
static void name_silent(const struct mesh *m)
{
	const np_time limit = m->s->plan.member.limits.silent, now = np_clock_now();

	for (unsigned i = 0; i < m->count; i++) {
		const np_time since = m->heard[i] ? m->heard[i] : m->meet.begun;
		const char *host = np_launch_host(m->meet.launch, m->rank[i]);

		if (!m->heard[i] || now - since >= limit)
			np_log_error(m->s->log, "mesh", "rank %u (%s): silent for %.1f s",
				     (unsigned)m->rank[i], host ? host : "?",
				     np_clock_seconds(now - since));
	}
}

/* The group did not form: nothing was measured. */
static int fail(const struct mesh *m, const struct np_fault *fault)
{
	char missing[1024];

	if (*fault->reason)
		session_refuse(m->s, fault);
	if (np_launch_rank(m->meet.launch))
		return 2;
	if (!m->s->interrupts)
		name_silent(m);
	if (np_launch_missing(m->meet.launch))
		np_log_error(m->s->log, "mesh", "%s",
			     np_launch_describe_missing(m->meet.launch, missing, sizeof(missing)));
	return 2;
}

int mesh_conclude(struct mesh *m, int error)
{
	const struct session *s = m->s;
	struct np_fault fault = {};
	int status;

	if (error)
		np_log_error(s->log, s->plan.transport.variant, "%s", strerror(-error));
	if (member_status(s->member, &fault) == 2)
		return fail(m, &fault);
	m->meet.words = (struct np_mesh_words){
		.program = "group-test",
		.transport = s->plan.transport.variant,
		.bytes = s->plan.member.payload,
		.unit = "messages",
		.delay = "delay",
	};
	m->meet.usage = s->usage;
	m->meet.interrupts = s->interrupts;
	m->meet.deadline = deadline(m);
	status = np_meet_end(&m->meet, true) || error || m->cut ? 1 : 0;
	/* The launcher may end this process as it leaves. */
	np_report_settle(s->run->report, status, s->log);
	return status;
}

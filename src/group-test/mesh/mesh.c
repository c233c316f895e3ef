// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: a group whose members are the ranks that a launcher starts, as steps of np_meet: opens the
 * transport, makes a group of the ranks that are there, runs it, and adds what this rank has
 * counted.
 */
#include "../session.h"

#include <errno.h>
#include <inttypes.h>

/* This rank's place among the ranks of a mesh. */
struct mesh {
	struct np_meet meet; /* ->local: what this member binds to, unless something else says it */
	struct session *s;
	bool bound;			  /* nothing else says it */
	struct identity who[MEMBERS_MAX]; /* of each rank; all zeros: it is no member */
	np_time heard[MEMBERS_MAX];	  /* the latest message of each; 0: none */
	uint32_t hint;			  /* the rank that was found last */
	bool cut;			  /* this host refused to send the rest */
	bool unmeasured;		  /* it was reported that nothing was measured here */
};

static bool uses(const struct mesh *m, const char *transport)
{
	return !strcmp(m->s->settings.transport.variant, transport);
}

/* The members are the ranks that are here as of the last barrier, the same in all. */
static void count_members(struct mesh *m)
{
	struct member_plan *group = &m->s->settings.member;

	group->members = group->senders = 0;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		if (np_meet_missing(&m->meet, i))
			continue;
		group->members++;
		group->senders += i < m->meet.plan.senders;
	}
}

/* np_meet's step: opens the transport. */
static int open_transport(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	struct session *s = m->s;
	struct settings *settings = &s->settings;
	const struct member_plan *group = &settings->member;
	const uint64_t asked = s->options->mesh_senders;
	const uint32_t size = meet->plan.ranks;
	struct np_fault fault = {};

	/* What the user asked for must fit the number of ranks. All find the same; one says it. */
	if (size > MEMBERS_MAX)
		np_fault_set(&fault, -EINVAL, "mesh",
			     "%u ranks are too many; a group has at most %d members", size,
			     MEMBERS_MAX);
	else if (asked > size)
		np_fault_set(&fault, -EINVAL, "--senders",
			     "%" PRIu64 ": there are %u ranks; expected 1 to %u", asked, size,
			     size);
	else if (group->members && group->members != size)
		settings_wrong(settings, &fault, "num_members",
			       "with --mesh the members are the ranks, and there are %u; expected "
			       "that, or no such line",
			       size);
	else if (!asked && group->senders > size)
		settings_wrong(settings, &fault, "num_senders",
			       "there are %u ranks; expected 1 to %u", size, size);
	if (*fault.reason && !meet->rank)
		np_log_error(s->log, fault.object, "%s", fault.reason);
	if (*fault.reason)
		return -EINVAL;
	meet->plan.senders = asked ? (uint32_t)asked : group->senders ? group->senders : size;
	count_members(m);
	/* Another group of ranks must not be heard: its rank 0 has another one. */
	if (uses(m, "udp") && !config_file_find(&settings->lines, "mcast_port"))
		settings->mcast_port = meet->port;
	if (s->options->mesh.interface)
		settings->bind_addr = NULL;
	if (plan_make(settings, s->options, s->log, &fault)) {
		session_refuse(s, &fault);
		return -EINVAL;
	}
	settings->member.sender = meet->rank < meet->plan.senders;
	if (m->bound)
		settings->transport.bind = meet->local;
	if (session_open_transport(s))
		return -EINVAL;
	m->who[meet->rank] = settings->member.self;
	meet->local = identity_address(&settings->member.self);
	for (size_t i = 0; i < meet->sources.count; i++)
		meet->sources.peer[i].address = meet->local;
	return 0;
}

static bool is_member(const struct mesh *m, uint32_t rank)
{
	return np_field_get16(m->who[rank].port);
}

/* The rank of a member, or UINT32_MAX. */
static uint32_t rank_of(struct mesh *m, const struct identity *who)
{
	if (identity_equal(&m->who[m->hint], who))
		return m->hint;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		if (identity_equal(&m->who[i], who))
			return m->hint = i;
	}
	return UINT32_MAX;
}

bool mesh_hears(struct mesh *m, const struct identity *who, np_time heard)
{
	const uint32_t rank = rank_of(m, who);

	if (rank != UINT32_MAX && heard)
		m->heard[rank] = heard;
	return rank != UINT32_MAX;
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

/* np_meet's step: adds what this rank has counted. */
static int measure(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	const struct result *result = member_result(m->s->member);
	const struct result_member *own = result_myself(result);
	struct np_mesh_pair sent = {
		.from = meet->rank,
		.parts = NP_MESH_FROM,
		.sent = result->sent,
	};
	int rc = 0;

	for (size_t i = 0; !rc && own && i < own->rows; i++) {
		const struct result_row *row = &own->row[i];
		struct np_mesh_pair pair = {
			.from = rank_of(m, &row->sender),
			.to = meet->rank,
			.parts = NP_MESH_TO | (is_cut(result, row) ? NP_MESH_CUT : 0),
			.delay = row->delay,
			.delay_bound = row->delay.count ? row->delay_bound : 0,
			.dropped_to = row->drops.total,
		};

		/* A sender's own copies are no pair. */
		if (pair.from == UINT32_MAX || pair.from == pair.to)
			continue;
		np_mesh_take_flow(&pair, &row->counts, meet->begun);
		pair.elapsed = result_rate_known(row) ? result_elapsed(row) : 0;
		rc = np_mesh_add(meet->mesh, &pair);
	}
	for (uint32_t i = 0; !rc && m->s->settings.member.sender && i < meet->plan.ranks; i++) {
		const struct np_address address = identity_address(&m->who[i]);

		if (!is_member(m, i) || i == meet->rank)
			continue;
		sent.to = i;
		sent.dropped_from = own ? own->sent_drops.total : (struct np_drops_total){};
		/* One on this host had its copies before others could be dropped: not known which.
		 */
		if (sent.dropped_from.packets && np_address_is_local(&address))
			sent.dropped_from.exact = false;
		rc = np_mesh_add(meet->mesh, &sent);
	}
	if (!rc && m->s->options->drops != NP_DROPS_OFF && own && own->all_drops.reasons)
		rc = np_mesh_add_dropped(meet->mesh, meet->rank, own->all_drops.reasons);
	return rc;
}

/*
 * When all have told their results. A rank that left the group early waits for the end of the run:
 * rank 0 knows when that is, or is given up by the others.
 */
static np_time deadline(const struct mesh *m)
{
	const struct session *s = m->s;
	const struct result_member *own = result_myself(member_result(s->member));
	const struct member_plan *plan = &s->settings.member;
	const np_time now = np_clock_now(), end = m->meet.begun + plan->warm_up + plan->duration;
	const bool early = s->interrupts || !own || own->outcome != FATE_STAYED;

	if (early && m->meet.rank && !plan->duration)
		return NP_TIME_NEVER;
	return (end > now ? end : now) + s->options->mesh.limit;
}

/* The group did not form: nothing was measured. */
static int fail(const struct mesh *m, const struct np_fault *fault)
{
	const np_time limit = m->s->settings.member.limits.silent, now = np_clock_now();

	session_refuse(m->s, fault);
	if (m->meet.rank)
		return 2;
	/* Rank 0 names the ranks that it does not hear, so that no group forms. */
	for (uint32_t i = 0; !m->s->interrupts && i < m->meet.plan.ranks; i++) {
		const np_time since = m->heard[i] ? m->heard[i] : m->meet.begun;
		const char *host = np_meet_host(&m->meet, i);

		if (is_member(m, i) && (!m->heard[i] || now - since >= limit))
			np_log_error(m->s->log, "mesh", "rank %u (%s): silent for %.1f s",
				     (unsigned)i, host ? host : "?", np_clock_seconds(now - since));
	}
	(void)np_meet_name_missing(&m->meet);
	return 2;
}

void mesh_member_event(void *context, const struct member_event *event)
{
	struct mesh *m = context;

	events_member(&m->s->events, event);
	if (event->kind == MEMBER_CUT)
		m->cut = true;
	/* Without rank 0 nobody takes the results: what there is by now is to be reported. */
	if (event->kind == MEMBER_GIVEN_UP && event->who && m->meet.rank &&
	    identity_equal(event->who, &m->who[0]))
		m->s->wind_up = true;
}

/* np_meet's step: the run of the group. */
static int run(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	struct session *s = m->s;
	struct member_plan *plan = &s->settings.member;
	struct np_address address[MEMBERS_MAX];
	const struct member_outcome *outcome;
	size_t count = 0;
	int error, rc;

	/* Makes a group of the ranks that are here, and opens this member. */
	count_members(m);
	for_each(peer, meet->targets.peer, meet->targets.count) {
		if (!np_meet_missing(meet, peer->rank))
			m->who[peer->rank] = identity_of(&peer->address);
	}
	for (uint32_t i = 0; i < meet->plan.ranks; i++) {
		if (is_member(m, i))
			address[count++] = identity_address(&m->who[i]);
	}
	/* They have met already: who is not heard now has died meanwhile. */
	if (plan->limits.join > s->options->mesh.limit)
		plan->limits.join = s->options->mesh.limit;
	rc = transport_enlist(s->transport, address, count);
	if (rc)
		return np_log_refuse(s->log, "mesh", "%s", strerror(-rc));
	if (session_open_member(s))
		return 2;
	error = run_until_finished(s);
	outcome = member_outcome(s->member);
	if (error)
		np_log_error(s->log, s->settings.transport.variant, "%s", strerror(-error));
	if (outcome->failed)
		return fail(m, &outcome->fault);
	/* The launcher may end all others when one has failed: only rank 0 does, by the report. */
	m->unmeasured = meet->rank && outcome->unmeasured;
	if (m->unmeasured)
		session_refuse(s, &outcome->fault);
	meet->failed = error || m->cut;
	meet->interrupts = s->interrupts;
	meet->deadline = deadline(m);
	return 0;
}

int mesh_run(struct session *s)
{
	static const struct np_meet_steps steps = {
		.peers_max = NP_MESH_RANKS_MAX,
		.listen = open_transport,
		.send = run,
		.measure = measure,
	};
	const struct settings *t = &s->settings;
	const struct options *o = s->options;
	struct mesh m = {
		.s = s,
		.meet = {.run = s->run,
			 .options = &o->mesh,
			 .steps = &steps,
			 .family = np_socket_family(&o->socket.asked),
			 .allow = o->socket.allowed,
			 .words = {.transport = s->settings.transport.variant,
				   .bytes = s->settings.member.payload,
				   .unit = "messages",
				   .delay = "delay"},
			 .text = s->events.text,
			 .max_loss_percent = o->max_loss_percent,
			 .each_pair = true},
	};
	const bool overlay = uses(&m, "overlay");
	int status, rc = 0;

	s->events.text = NULL;
	if (o->mesh.interface && overlay)
		return np_log_refuse(s->log, "--interface",
				     "has no meaning with transport=overlay; PhyAddr in %.80s is "
				     "this node's address",
				     t->transport.overlay.file);
	/*
	 * The address is the mesh's choice by --interface, or where nothing else says it: an IPv6
	 * group needs one of its own.
	 */
	m.bound = o->mesh.interface ||
		  !(o->socket.bind || o->socket.asked.ip.device || t->bind_addr ||
		    t->transport.ip.device || overlay || strchr(t->mcast_addr, ':'));
	if (!m.bound)
		rc = np_address_of_this_host(&m.meet.local, AF_UNSPEC, 0);
	if (rc && np_meet_fault(&m.meet, rc))
		return 2;
	s->mesh = &m;
	status = np_meet_run(&m.meet);
	s->mesh = NULL;
	return m.unmeasured ? 2 : status;
}

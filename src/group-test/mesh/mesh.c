// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: a group whose members are the ranks that a launcher starts: finds the other ranks, agrees
 * with them on the group, and opens the transport; what this rank has counted, and rank 0's report
 * of all.
 */
#include "../session.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>

/* What a rank tells the others before there is a group, as the bytes that cross. */
struct announcement {
	struct identity who; /* all zeros: it has no transport yet */
	uint8_t port[2];     /* rank 0's: of the multicast group; 0: none was drawn */
};

/* This rank's place among the ranks of a mesh. */
struct mesh {
	struct np_meet meet; /* ->local: the own address, unless something else says it */
	struct session *s;
	/* What each rank told; once the group is agreed on, zeros for those that are no members. */
	struct announcement told[MEMBERS_MAX];
	np_time heard[MEMBERS_MAX]; /* the latest message of each; 0: none */
	uint32_t hint;		    /* the rank that was found last */
	bool cut;		    /* this host refused to send the rest */
};

/* The exit status for what a step of the launch returned, after a message. */
static int complain(const struct mesh *m, int rc)
{
	rc = rc ? np_meet_fault(&m->meet, rc) : 0;
	return rc ? np_launch_exit_status(rc) : 0;
}

static int meet_all(struct mesh *m)
{
	const int rc = np_meet_all(&m->meet);

	return rc ? np_launch_exit_status(rc) : 0;
}

static bool uses(const struct mesh *m, const char *transport)
{
	return !strcmp(m->s->settings.transport.variant, transport);
}

/*
 * The address is the mesh's choice by --interface, or where nothing else says it: an IPv6 group
 * needs one of its own. Returns 0 or 2.
 */
static int find_address(struct mesh *m)
{
	const struct settings *t = &m->s->settings;
	const struct options *o = m->s->options;

	if (o->mesh.interface && uses(m, "overlay"))
		return np_log_refuse(m->s->log, "--interface",
				     "has no meaning with transport=overlay; PhyAddr in %.80s is "
				     "this node's address",
				     t->transport.overlay.file);
	if (!o->mesh.interface &&
	    (o->socket.bind || o->socket.asked.ip.device || t->bind_addr ||
	     t->transport.ip.device || uses(m, "overlay") || strchr(t->mcast_addr, ':')))
		return 0;
	return np_mesh_address(&o->mesh, np_socket_family(&o->socket.asked), &m->meet.local,
			       m->s->log);
}

/* What the user asked for must fit the number of ranks. All find the same; one says it. */
static int check_size(struct mesh *m)
{
	const struct member_plan *group = &m->s->settings.member;
	const uint64_t asked = m->s->options->mesh_senders;
	const uint32_t size = np_launch_size(m->meet.launch);
	struct np_fault fault = {};

	if (size == 1)
		np_fault_set(&fault, -EINVAL, "mesh", "one rank has no peer to measure with");
	else if (size > MEMBERS_MAX)
		np_fault_set(&fault, -EINVAL, "mesh",
			     "%u ranks are too many; a group has at most %d members", size,
			     MEMBERS_MAX);
	else if (asked > size)
		np_fault_set(&fault, -EINVAL, "--senders",
			     "%" PRIu64 ": there are %u ranks; expected 1 to %u", asked, size,
			     size);
	else if (group->members && group->members != size)
		settings_wrong(&m->s->settings, &fault, "num_members",
			       "with --mesh the members are the ranks, and there are %u; expected "
			       "that, or no such line",
			       size);
	else if (!asked && group->senders > size)
		settings_wrong(&m->s->settings, &fault, "num_senders",
			       "there are %u ranks; expected 1 to %u", size, size);
	if (*fault.reason && !m->meet.rank)
		np_log_error(m->s->log, fault.object, "%s", fault.reason);
	m->meet.plan.pattern = NP_MESH_ALL;
	m->meet.plan.senders = asked ? (uint32_t)asked : group->senders ? group->senders : size;
	return *fault.reason ? 2 : 0;
}

/* A port that nothing else uses at this host: another group of ranks must not be heard. */
static void draw_port(uint8_t port[2])
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	socklen_t bytes = sizeof(any);
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (!bind(fd, (struct sockaddr *)&any, bytes) &&
	    !getsockname(fd, (struct sockaddr *)&any, &bytes))
		memcpy(port, &any.sin_port, 2);
	close(fd);
}

static struct announcement *own(struct mesh *m)
{
	return &m->told[m->meet.rank];
}

static int announce(struct mesh *m)
{
	return complain(m, np_launch_set_blob(m->meet.launch, own(m), sizeof(*own(m))));
}

/* Obtains what these ranks announced before the last barrier. */
static int fetch(struct mesh *m, const uint32_t *ranks, size_t count)
{
	const np_time limit = np_clock_now() + m->s->options->mesh.limit;
	int rc = np_launch_fetch(m->meet.launch, ranks, count, limit);

	for (size_t i = 0; !rc && i < count; i++) {
		struct announcement *told = &m->told[ranks[i]];
		size_t bytes = 0;
		const void *blob = np_launch_blob(m->meet.launch, ranks[i], &bytes);

		if (!blob || bytes != sizeof(*told))
			rc = -EPROTO;
		else
			memcpy(told, blob, bytes);
	}
	return complain(m, rc);
}

/* Lists the ranks that are here as of the last barrier, the same in all: they are the members. */
static size_t count_members(struct mesh *m, uint32_t here[MEMBERS_MAX])
{
	struct member_plan *group = &m->s->settings.member;
	uint32_t count = 0;

	group->senders = 0;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		if (np_launch_state(m->meet.launch, i) != NP_LAUNCH_HERE)
			continue;
		here[count++] = i;
		group->senders += i < m->meet.plan.senders;
	}
	group->members = count;
	return count;
}

static int open_transport(struct mesh *m)
{
	struct session *s = m->s;
	struct settings *settings = &s->settings;
	const unsigned port = np_field_get16(m->told[0].port);
	uint32_t here[MEMBERS_MAX];
	struct np_fault fault = {};
	int status;

	(void)count_members(m, here);
	if (port)
		settings->mcast_port = port;
	if (s->options->mesh.interface)
		settings->bind_addr = NULL;
	if (plan_make(settings, s->options, s->log, &fault))
		return session_refuse(s, &fault);
	s->settings.member.sender = m->meet.rank < m->meet.plan.senders;
	if (m->meet.local.length)
		s->settings.transport.bind = m->meet.local;
	status = session_open_transport(s);
	own(m)->who = s->settings.member.self;
	return status;
}

/* Learns the members' addresses. One that died before all knew them is none. */
static int form(struct mesh *m)
{
	struct member_plan *plan = &m->s->settings.member;
	struct np_address address[MEMBERS_MAX];
	uint32_t here[MEMBERS_MAX];
	size_t count = count_members(m, here);
	int rc = fetch(m, here, count);

	for (size_t i = 0; !rc && i < count; i++) {
		if (!np_field_get16(m->told[here[i]].who.port))
			rc = complain(m, -EPROTO);
	}
	if (!rc)
		rc = meet_all(m);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		if (np_launch_state(m->meet.launch, i) != NP_LAUNCH_HERE)
			m->told[i] = (struct announcement){};
	}
	count = count_members(m, here);
	for (size_t i = 0; i < count; i++)
		address[i] = identity_address(&m->told[here[i]].who);
	/* They have met already: who is not heard now has died meanwhile. */
	if (plan->limits.join > m->s->options->mesh.limit)
		plan->limits.join = m->s->options->mesh.limit;
	rc = transport_enlist(m->s->transport, address, count);
	return rc ? np_log_refuse(m->s->log, "mesh", "%s", strerror(-rc)) : meet_all(m);
}

static int meet(struct mesh *m)
{
	static const uint32_t first;
	int status = find_address(m);

	if (!status && np_meet_join(&m->meet))
		status = 2;
	if (!status)
		status = check_size(m);
	if (status)
		return status;
	if (!m->meet.rank && uses(m, "udp") && !settings_given(&m->s->settings, "mcast_port"))
		draw_port(own(m)->port);
	if (!m->meet.rank)
		status = announce(m);
	if (!status)
		status = meet_all(m);
	/* Rank 0 answers once it has opened its own: it announces the port again. */
	if (!status)
		status = fetch(m, &first, 1);
	if (!status)
		status = open_transport(m);
	if (!status)
		status = announce(m);
	if (!status)
		status = meet_all(m);
	return status ? status : form(m);
}

static bool is_member(const struct mesh *m, uint32_t rank)
{
	return np_field_get16(m->told[rank].who.port);
}

/* The rank of a member, or UINT32_MAX. */
static uint32_t rank_of(struct mesh *m, const struct identity *who)
{
	if (identity_equal(&m->told[m->hint].who, who))
		return m->hint;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		if (identity_equal(&m->told[i].who, who))
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

/* A sender's own copies are no pair. */
static int add_received(struct mesh *m, const struct result *result)
{
	const struct result_member *own = result_myself(result);
	int rc = 0;

	for (size_t i = 0; !rc && own && i < own->rows; i++) {
		const struct result_row *row = &own->row[i];
		struct np_mesh_pair pair = {
			.from = rank_of(m, &row->sender),
			.to = m->meet.rank,
			.parts = NP_MESH_TO | (is_cut(result, row) ? NP_MESH_CUT : 0),
			.delay = row->delay,
			.delay_bound = row->delay.count ? row->delay_bound : 0,
			.dropped_to = row->drops.total,
		};

		if (pair.from == UINT32_MAX || pair.from == pair.to)
			continue;
		np_mesh_take_flow(&pair, &row->counts, m->meet.begun);
		pair.elapsed = result_rate_known(row) ? result_elapsed(row) : 0;
		rc = np_mesh_add(m->meet.mesh, &pair);
	}
	return rc;
}

static int add_sent(struct mesh *m, const struct result *result)
{
	const struct result_member *own = result_myself(result);
	struct np_mesh_pair pair = {
		.from = m->meet.rank,
		.parts = NP_MESH_FROM,
		.sent = result->sent,
	};
	int rc = 0;

	for (uint32_t i = 0; !rc && m->s->settings.member.sender && i < m->meet.plan.ranks; i++) {
		const struct np_address address = identity_address(&m->told[i].who);

		if (!is_member(m, i) || i == pair.from)
			continue;
		pair.to = i;
		pair.dropped_from = own ? own->sent_drops.total : (struct np_drops_total){};
		/* One on this host had its copies before others could be dropped: not known which.
		 */
		if (pair.dropped_from.packets && np_address_is_local(&address))
			pair.dropped_from.exact = false;
		rc = np_mesh_add(m->meet.mesh, &pair);
	}
	return rc;
}

/* np_meet's step: adds what this rank has counted. */
static int measure(struct np_meet *meet)
{
	struct mesh *m = (struct mesh *)meet;
	const struct result *result = member_result(m->s->member);
	const struct result_member *own = result_myself(result);
	int rc = add_received(m, result);

	if (!rc)
		rc = add_sent(m, result);
	if (!rc && m->s->options->drops != NP_DROPS_OFF && own && own->all_drops.reasons)
		rc = np_mesh_add_dropped(m->meet.mesh, m->meet.rank, own->all_drops.reasons);
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
	const struct group_options *group = &s->options->group;
	const np_time now = np_clock_now(), end = m->meet.begun + group->warm_up + group->duration;
	const bool early = s->interrupts || !own || own->outcome != FATE_STAYED;

	if (early && m->meet.rank && !group->duration)
		return NP_TIME_NEVER;
	return (end > now ? end : now) + s->options->mesh.limit;
}

/* The group did not form: nothing was measured. */
static int fail(const struct mesh *m, const struct np_fault *fault)
{
	const np_time limit = m->s->settings.member.limits.silent, now = np_clock_now();

	if (*fault->reason)
		session_refuse(m->s, fault);
	if (m->meet.rank)
		return 2;
	/* Rank 0 names the ranks that it does not hear, so that no group forms. */
	for (uint32_t i = 0; !m->s->interrupts && i < m->meet.plan.ranks; i++) {
		const np_time since = m->heard[i] ? m->heard[i] : m->meet.begun;
		const char *host = np_launch_host(m->meet.launch, i);

		if (is_member(m, i) && (!m->heard[i] || now - since >= limit))
			np_log_error(m->s->log, "mesh", "rank %u (%s): silent for %.1f s",
				     (unsigned)i, host ? host : "?", np_clock_seconds(now - since));
	}
	(void)np_meet_name_missing(&m->meet);
	return 2;
}

int mesh_meet(struct mesh **mesh, struct session *s)
{
	static const struct np_meet_steps steps = {.measure = measure};
	const struct options *o = s->options;
	struct mesh *m = calloc(1, sizeof(*m));
	int status;

	*mesh = m;
	if (!m)
		return np_log_refuse(s->log, "mesh", "%s", strerror(ENOMEM));
	m->s = s;
	m->meet = (struct np_meet){
		.run = s->run,
		.options = &o->mesh,
		.steps = &steps,
		.allow = o->socket.allowed,
		.text = s->events.text,
		.max_loss_percent = o->max_loss_percent,
		.each_pair = true,
	};
	s->events.text = NULL;
	status = meet(m);
	m->meet.begun = np_clock_now();
	return status;
}

void mesh_member_event(void *context, const struct member_event *event)
{
	struct mesh *m = context;

	events_member(&m->s->events, event);
	if (event->kind == MEMBER_CUT)
		m->cut = true;
	/* Without rank 0 nobody takes the results: what there is by now is to be reported. */
	if (event->kind == MEMBER_GIVEN_UP && event->who && m->meet.rank &&
	    identity_equal(event->who, &m->told[0].who))
		m->s->wind_up = true;
}

int mesh_conclude(struct mesh *m, int error)
{
	const struct session *s = m->s;
	struct np_fault fault = {};
	/* The launcher may end all others when one has failed: only rank 0 does, by the report. */
	const bool unmeasured = !m->meet.rank && member_outcome(s->member)->unmeasured;
	int status = member_status(s->member, &fault);

	if (error)
		np_log_error(s->log, s->settings.transport.variant, "%s", strerror(-error));
	if (status == 2 && !member_outcome(s->member)->unmeasured)
		return fail(m, &fault);
	if (unmeasured)
		session_refuse(s, &fault);
	m->meet.words = (struct np_mesh_words){
		.transport = s->settings.transport.variant,
		.bytes = s->settings.member.payload,
		.unit = "messages",
		.delay = "delay",
	};
	m->meet.usage = s->usage;
	m->meet.interrupts = s->interrupts;
	m->meet.deadline = deadline(m);
	status = np_meet_end(&m->meet, true) || error || m->cut ? 1 : 0;
	return unmeasured ? 2 : status;
}

void mesh_close(struct mesh *m, int status)
{
	if (!m)
		return;
	np_meet_close(&m->meet, status);
	free(m);
}

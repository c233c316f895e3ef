// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: a group whose members are the ranks that a launcher starts: finds the other ranks, agrees
 * with them on the group, and opens the transport; what this rank has counted, and rank 0's report
 * of all.
 */
#include "../session.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netperf/field.h>
#include <netperf/meet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What ranks tell each other before there is a group, as the bytes that cross. */
struct announcement {
	struct identity who; /* all zeros: the rank has no transport yet */
	/* What rank 0 decides for all; other ranks' are not read. */
	uint8_t port[2];		 /* of the multicast group; 0: none was drawn */
	uint8_t member[MEMBERS_MAX / 8]; /* a bit for each rank that takes part */
};

static_assert(sizeof(struct announcement) == 52, "no padding crosses");

static bool is_member(const struct announcement *announcement, uint32_t rank)
{
	return rank < MEMBERS_MAX && announcement->member[rank / 8] >> rank % 8 & 1;
}

/* This rank's place among the ranks of a mesh. */
struct mesh {
	struct np_meet meet; /* ->local: the own address, unless something else says it */
	struct session *s;
	struct announcement announcement; /* the own place, and the members as rank 0 says */
	/* The same, in the order of their ranks; rank 0 is the first. */
	uint32_t rank[MEMBERS_MAX];
	struct identity who[MEMBERS_MAX];
	np_time heard[MEMBERS_MAX]; /* the latest message of each; 0: none */
	unsigned count;
	bool cut; /* this host refused to send the rest */
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

static bool is_first(const struct mesh *m)
{
	return !np_launch_rank(m->meet.launch);
}

static bool is_here(const struct mesh *m, uint32_t rank)
{
	return np_launch_state(m->meet.launch, rank) == NP_LAUNCH_HERE;
}

static bool uses(const struct mesh *m, const char *transport)
{
	return !strcmp(m->s->settings.transport.transport, transport);
}

/*
 * The address is the mesh's choice by --interface, or where nothing else says it: an IPv6 group
 * needs one of its own. Returns 0 or 2.
 */
static int find_address(struct mesh *m)
{
	const struct transport_settings *t = &m->s->settings.transport;
	const struct options *o = m->s->options;

	if (o->mesh.interface && uses(m, "overlay"))
		return np_log_refuse(m->s->log, "--interface",
				     "has no meaning with transport=overlay; PhyAddr in %.80s is "
				     "this node's address",
				     t->overlay_file);
	if (!o->mesh.interface &&
	    (o->socket.bind || o->socket.asked.device || t->bind_addr || t->bind_interface ||
	     uses(m, "overlay") || strchr(t->mcast_addr, ':')))
		return 0;
	return np_mesh_address(&o->mesh, np_socket_family(&o->socket.asked), o->mesh_rank,
			       &m->meet.local, m->s->log);
}

/* What the user asked for must fit the number of ranks. All find the same; one says it. */
static int check_size(struct mesh *m)
{
	const struct group_settings *group = &m->s->settings.group;
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
	else if (group->num_members && group->num_members != size)
		settings_wrong(&m->s->settings, &fault, "num_members",
			       "with --mesh the members are the ranks, and there are %u; expected "
			       "that, or no such line",
			       size);
	else if (!asked && group->num_senders > size)
		settings_wrong(&m->s->settings, &fault, "num_senders",
			       "there are %u ranks; expected 1 to %u", size, size);
	if (*fault.reason && is_first(m))
		np_log_error(m->s->log, fault.object, "%s", fault.reason);
	m->meet.plan.pattern = NP_MESH_ALL;
	m->meet.plan.senders = asked		    ? (uint32_t)asked
			       : group->num_senders ? (uint32_t)group->num_senders
						    : size;
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

static int announce(struct mesh *m)
{
	return complain(
		m, np_launch_set_blob(m->meet.launch, &m->announcement, sizeof(m->announcement)));
}

/* Obtains the announcements of these ranks from rank 0. */
static int fetch(struct mesh *m, const uint32_t *ranks, size_t count)
{
	const np_time limit = np_clock_now() + m->s->options->mesh.limit;

	return complain(m, np_launch_fetch(m->meet.launch, ranks, count, limit));
}

/* Returns 0, or -EBADMSG: there is none. */
static int read_announcement(const struct mesh *m, uint32_t rank, struct announcement *heard)
{
	size_t bytes = 0;
	const void *blob = np_launch_blob(m->meet.launch, rank, &bytes);

	if (!blob || bytes != sizeof(*heard))
		return -EBADMSG;
	memcpy(heard, blob, bytes);
	return 0;
}

/* Whether it can be rank 0's: rank 0 and @own take part, and no rank that there is not. */
static bool is_decision(const struct announcement *heard, uint32_t own, uint32_t ranks)
{
	for (uint32_t i = ranks; i < MEMBERS_MAX; i++) {
		if (is_member(heard, i))
			return false;
	}
	return is_member(heard, 0) && is_member(heard, own);
}

/* Rank 0 says who takes part: those that it hears now. The others read that. */
static int agree(struct mesh *m)
{
	const uint32_t first = 0, own = np_launch_rank(m->meet.launch);
	const uint32_t ranks = m->meet.plan.ranks;
	struct announcement *announcement = &m->announcement, heard;
	int status = 0;

	if (!own) {
		memset(announcement->member, 0, sizeof(announcement->member));
		for (uint32_t i = 0; i < ranks; i++)
			announcement->member[i / 8] |= (uint8_t)(is_here(m, i) << i % 8);
		status = announce(m);
	}
	if (!status)
		status = meet_all(m);
	/*
	 * A rank that goes on may have changed its announcement since the barrier, but not what is
	 * read here.
	 */
	if (!status && own)
		status = fetch(m, &first, 1);
	if (status || !own)
		return status;
	if (read_announcement(m, first, &heard) || !is_decision(&heard, own, ranks))
		return complain(m, -EPROTO);
	memcpy(announcement->port, heard.port, sizeof(heard.port));
	memcpy(announcement->member, heard.member, sizeof(heard.member));
	return 0;
}

/* Sets the numbers that the ranks decide. */
static void count_members(const struct mesh *m, uint64_t *members, uint64_t *senders)
{
	*members = *senders = 0;
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		*members += is_member(&m->announcement, i);
		*senders += is_member(&m->announcement, i) && i < m->meet.plan.senders;
	}
}

static int open_transport(struct mesh *m)
{
	struct session *s = m->s;
	struct settings *settings = &s->settings;
	const struct member_plan drawn = s->plan.member;
	const struct transport_drops_plan drops = s->plan.transport.drops;
	struct np_fault fault = {};

	count_members(m, &settings->group.num_members, &settings->group.num_senders);
	if (np_field_get16(m->announcement.port))
		settings->transport.mcast_port = np_field_get16(m->announcement.port);
	if (s->options->mesh.interface)
		settings->transport.bind_addr = NULL;
	if (plan_make(&s->plan, s->options, settings, s->log, &fault))
		return session_refuse(s, &fault);
	s->plan.member.instance = drawn.instance;
	s->plan.transport.drops = drops;
	memcpy(s->plan.member.host, drawn.host, sizeof(drawn.host));
	s->plan.member.sender = np_launch_rank(m->meet.launch) < m->meet.plan.senders;
	if (m->meet.local.length)
		s->plan.transport.bind = m->meet.local;
	return session_open_transport(s);
}

/* Learns the members' addresses; a rank that has died meanwhile is no member. */
static int exchange_places(struct mesh *m)
{
	uint32_t ranks[MEMBERS_MAX];
	struct announcement heard;
	size_t count = 0;
	int status;

	m->announcement.who = m->s->plan.member.self;
	status = announce(m);
	if (!status)
		status = meet_all(m);
	for (uint32_t i = 0; i < m->meet.plan.ranks; i++) {
		if (is_member(&m->announcement, i))
			ranks[count++] = i;
	}
	if (!status)
		status = fetch(m, ranks, count);
	for (size_t i = 0; !status && i < count; i++) {
		if (!is_here(m, ranks[i]))
			continue;
		if (ranks[i] == np_launch_rank(m->meet.launch))
			heard = m->announcement;
		else if (read_announcement(m, ranks[i], &heard) || !np_field_get16(heard.who.port))
			return complain(m, -EPROTO);
		m->rank[m->count] = ranks[i];
		m->who[m->count++] = heard.who;
	}
	return status;
}

/* The group is of those that rank 0 still heard when all had opened their transports. */
static int form(struct mesh *m)
{
	struct member_plan *plan = &m->s->plan.member;
	struct np_address address[MEMBERS_MAX];
	uint64_t members, senders;
	unsigned kept = 0;
	int rc = agree(m);

	if (rc)
		return rc;
	for (unsigned i = 0; i < m->count; i++) {
		if (!is_member(&m->announcement, m->rank[i]))
			continue;
		m->rank[kept] = m->rank[i];
		m->who[kept] = m->who[i];
		address[kept] = identity_address(&m->who[i]);
		kept++;
	}
	m->count = kept;
	count_members(m, &members, &senders);
	/* Rank 0 counts a rank that this one does not know: its announcement came too late. */
	if (members != kept)
		return complain(m, -ESTALE);
	plan->members = (unsigned)members;
	plan->senders = (unsigned)senders;
	/* They have met already: who is not heard now has died meanwhile. */
	if (plan->limits.join > m->s->options->mesh.limit)
		plan->limits.join = m->s->options->mesh.limit;
	rc = transport_enlist(m->s->transport, address, kept);
	if (rc)
		return session_refuse_errno(m->s, "mesh", rc);
	/* Rank 0 answers in barriers only: all have read its announcement then. */
	return meet_all(m);
}

static int meet(struct mesh *m)
{
	int status = find_address(m);

	if (!status && np_meet_join(&m->meet))
		status = 2;
	if (!status)
		status = check_size(m);
	if (!status)
		status = meet_all(m);
	if (status)
		return status;
	if (is_first(m) && uses(m, "udp") && !settings_given(&m->s->settings, "mcast_port"))
		draw_port(m->announcement.port);
	status = agree(m);
	if (!status)
		status = open_transport(m);
	if (!status)
		status = exchange_places(m);
	return status ? status : form(m);
}

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

/* A sender's own copies are no pair. */
static int add_received(struct mesh *m, const struct result *result)
{
	const struct result_member *own = result_myself(result);
	int rc = 0;

	for (size_t i = 0; !rc && own && i < own->rows; i++) {
		const struct result_row *row = &own->row[i];
		struct np_mesh_pair pair = {
			.from = rank_of(m, &row->sender),
			.to = np_launch_rank(m->meet.launch),
			.parts = NP_MESH_TO | (is_cut(result, row) ? NP_MESH_CUT : 0),
			.delay_count = row->delay.count,
			.delay_p50 = row->delay.p50,
			.delay_p99 = row->delay.p99,
			.delay_max = row->delay.max,
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
		rc = np_mesh_add_dropped(m->meet.mesh, np_launch_rank(m->meet.launch),
					 own->all_drops.reasons);
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

int mesh_meet(struct mesh **mesh, struct session *s)
{
	static const struct np_meet_steps steps = {.measure = measure};
	const struct options *o = s->options;
	struct mesh *m = calloc(1, sizeof(*m));
	int status;

	*mesh = m;
	if (!m)
		return session_refuse_errno(s, "mesh", -ENOMEM);
	m->s = s;
	m->meet = (struct np_meet){
		.run = s->run,
		.options = &o->mesh,
		.steps = &steps,
		.allow = o->socket.allowed,
		.ending = {.text = s->events.text,
			   .max_loss_percent = o->max_loss_percent,
			   .each_pair = true},
	};
	s->events.text = NULL;
	status = meet(m);
	if (status)
		return status;
	s->known = m->who;
	s->known_count = m->count;
	s->heard = m->heard;
	m->meet.begun = np_clock_now();
	return 0;
}

void mesh_member_event(void *context, const struct member_event *event)
{
	struct mesh *m = context;

	events_member(&m->s->events, event);
	if (event->kind == MEMBER_CUT)
		m->cut = true;
	/* Without rank 0 nobody takes the results: what there is by now is to be reported. */
	if (event->kind == MEMBER_GIVEN_UP && event->who && !is_first(m) &&
	    identity_equal(event->who, &m->who[0]))
		m->s->wind_up = true;
}

int mesh_conclude(struct mesh *m, int error)
{
	const struct session *s = m->s;
	struct np_fault fault = {};
	/* The launcher may end all others when one has failed: only rank 0 does, by the report. */
	const bool unmeasured = is_first(m) && member_unmeasured(s->member);
	int status = member_status(s->member, &fault);

	if (error)
		np_log_error(s->log, s->plan.transport.variant, "%s", strerror(-error));
	if (status == 2 && !member_unmeasured(s->member))
		return fail(m, &fault);
	if (unmeasured)
		session_refuse(s, &fault);
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
	status = unmeasured ? 2 : status;
	/* The launcher may end this process as it leaves. */
	np_report_settle(s->run->report, status, s->log);
	return status;
}

void mesh_close(struct mesh *m)
{
	if (!m)
		return;
	np_launch_close(m->meet.launch);
	np_mesh_free(m->meet.mesh);
	free(m);
}

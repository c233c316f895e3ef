// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: finds the other ranks, agrees with them on the group, and opens the transport. A rank's
 * announcement is its identity, the port of the group, big-endian, and a bit for each rank.
 */
#include "mesh.h"

#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PORT sizeof(struct identity)
#define BITS (PORT + 2)

void announcement_write(const struct announcement *announcement, uint8_t out[ANNOUNCEMENT_BYTES])
{
	memset(out, 0, ANNOUNCEMENT_BYTES);
	memcpy(out, &announcement->who, sizeof(announcement->who));
	out[PORT] = (uint8_t)(announcement->port >> 8);
	out[PORT + 1] = (uint8_t)announcement->port;
	for (unsigned i = 0; i < MEMBERS_MAX; i++) {
		if (announcement->member[i])
			out[BITS + i / 8] |= (uint8_t)(1u << i % 8);
	}
}

int announcement_read(struct announcement *announcement, const void *data, size_t bytes)
{
	const uint8_t *in = data;

	*announcement = (struct announcement){0};
	if (!data || bytes != ANNOUNCEMENT_BYTES)
		return -EBADMSG;
	memcpy(&announcement->who, in, sizeof(announcement->who));
	announcement->port = (uint16_t)(in[PORT] << 8 | in[PORT + 1]);
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		announcement->member[i] = in[BITS + i / 8] >> i % 8 & 1;
	return 0;
}

bool announcement_is_first(const struct announcement *announcement, uint32_t own, uint32_t size)
{
	for (uint32_t i = size; i < MEMBERS_MAX; i++) {
		if (announcement->member[i])
			return false;
	}
	return own < MEMBERS_MAX && announcement->member[0] && announcement->member[own];
}

bool announcement_has_address(const struct announcement *announcement)
{
	return announcement->who.port[0] || announcement->who.port[1];
}

static int complain(const struct mesh *m, int rc)
{
	np_log_error(m->s->log, "mesh", "%s", np_launch_reason(rc));
	return np_launch_exit_status(rc);
}

static np_time limit(const struct mesh *m)
{
	return np_clock_now() + m->s->options->mesh.limit;
}

static int meet_all(struct mesh *m)
{
	const int rc = np_launch_barrier(m->launch, limit(m), np_signals_fd(m->s->run->signals));

	return rc ? complain(m, rc) : 0;
}

static bool is_first(const struct mesh *m)
{
	return !np_launch_rank(m->launch);
}

static bool uses(const struct mesh *m, const char *transport)
{
	return !strcmp(m->s->settings.transport.transport, transport);
}

/*
 * Whether the address is the mesh's choice: by --interface, or where nothing else says it. An IPv6
 * group needs one of its own.
 */
static bool has_address(const struct mesh *m)
{
	const struct transport_settings *t = &m->s->settings.transport;
	const struct options *o = m->s->options;

	if (o->mesh.interface)
		return true;
	return !o->socket.bind && !o->socket.asked.device && !t->bind_addr && !t->bind_interface &&
	       !uses(m, "overlay") && !strchr(t->mcast_addr, ':');
}

static int find_address(struct mesh *m)
{
	const struct options *o = m->s->options;

	if (!has_address(m))
		return 0;
	if (uses(m, "overlay"))
		return np_log_refuse(m->s->log, "--interface",
				     "has no meaning with transport=overlay; PhyAddr in %.80s is "
				     "this node's address",
				     m->s->settings.transport.overlay_file);
	return np_mesh_address(&o->mesh, np_socket_family(&o->socket.asked), o->mesh_rank,
			       &m->address, m->s->log);
}

static int join(struct mesh *m)
{
	const struct np_launch_plan plan = {
		.program = "group-test " PACKAGE_VERSION,
		.local = has_address(m) ? &m->address : NULL,
		.allow = m->s->options->socket.allowed,
		.deadline = limit(m),
		.other_fd = np_signals_fd(m->s->run->signals),
		.log = m->s->log,
	};
	const int rc = np_launch_open(&m->launch, &plan);

	if (!rc)
		return 0;
	np_log_error(m->s->log, "mesh", "%s", np_launch_reason(rc));
	return 2;
}

/* All ranks find the same; one message is enough. */
__attribute__((format(printf, 3, 4))) static int wrong(const struct mesh *m, const char *object,
						       const char *format, ...)
{
	char reason[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (is_first(m))
		np_log_error(m->s->log, object, "%s", reason);
	return 2;
}

/* What the user asked for must fit the number of ranks. */
static int check_size(struct mesh *m)
{
	const struct group_settings *group = &m->s->settings.group;
	const uint64_t asked = m->s->options->mesh_senders;
	const uint32_t size = np_launch_size(m->launch);
	struct np_fault fault = {};

	if (size == 1)
		return wrong(m, "mesh", "one rank has no peer to measure with");
	if (size > MEMBERS_MAX)
		return wrong(m, "mesh", "%u ranks are too many; a group has at most %d members",
			     size, MEMBERS_MAX);
	if (asked > size)
		return wrong(m, "--senders", "%" PRIu64 ": there are %u ranks; expected 1 to %u",
			     asked, size, size);
	if (group->num_members && group->num_members != size)
		settings_wrong(&m->s->settings, &fault, "num_members",
			       "with --mesh the members are the ranks, and there are %u; expected "
			       "that, or no such line",
			       size);
	else if (!asked && group->num_senders > size)
		settings_wrong(&m->s->settings, &fault, "num_senders",
			       "there are %u ranks; expected 1 to %u", size, size);
	if (*fault.reason)
		return wrong(m, fault.object, "%s", fault.reason);
	m->plan = (struct np_mesh_plan){
		.pattern = NP_MESH_ALL,
		.ranks = size,
		.senders = asked		? (uint32_t)asked
			   : group->num_senders ? (uint32_t)group->num_senders
						: size,
	};
	return 0;
}

/* A port that nothing else uses at this host: another group of ranks must not be heard. */
static uint16_t draw_port(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	socklen_t bytes = sizeof(any);
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint16_t port = 0;

	if (fd < 0)
		return 0;
	if (!bind(fd, (struct sockaddr *)&any, bytes) &&
	    !getsockname(fd, (struct sockaddr *)&any, &bytes))
		port = ntohs(any.sin_port);
	close(fd);
	return port;
}

static int announce(struct mesh *m)
{
	uint8_t bytes[ANNOUNCEMENT_BYTES];
	int rc;

	announcement_write(&m->announcement, bytes);
	rc = np_launch_set_blob(m->launch, bytes, sizeof(bytes));
	return rc ? complain(m, rc) : 0;
}

/* A rank that goes on may have changed its announcement since the barrier, but not what is read
 * here. */
static int read_first(struct mesh *m)
{
	const uint32_t first = 0;
	struct announcement heard;
	size_t bytes = 0;
	const void *blob;
	int rc = np_launch_fetch(m->launch, &first, 1, limit(m));

	if (rc)
		return complain(m, rc);
	blob = np_launch_blob(m->launch, first, &bytes);
	rc = announcement_read(&heard, blob, bytes);
	if (rc || !announcement_is_first(&heard, np_launch_rank(m->launch), m->plan.ranks))
		return complain(m, -EPROTO);
	m->announcement.port = heard.port;
	memcpy(m->announcement.member, heard.member, sizeof(heard.member));
	return 0;
}

/* Rank 0 says who takes part: those that it hears now. The others read that. */
static int agree(struct mesh *m)
{
	int status = 0;

	for (uint32_t i = 0; is_first(m) && i < m->plan.ranks; i++)
		m->announcement.member[i] = np_launch_state(m->launch, i) == NP_LAUNCH_HERE;
	if (is_first(m))
		status = announce(m);
	if (!status)
		status = meet_all(m);
	return status || is_first(m) ? status : read_first(m);
}

/* Sets the numbers that the ranks decide. */
static void count_members(const struct mesh *m, uint64_t *members, uint64_t *senders)
{
	*members = *senders = 0;
	for (uint32_t i = 0; i < m->plan.ranks; i++) {
		*members += m->announcement.member[i];
		*senders += m->announcement.member[i] && i < m->plan.senders;
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
	if (m->announcement.port)
		settings->transport.mcast_port = m->announcement.port;
	if (s->options->mesh.interface)
		settings->transport.bind_addr = NULL;
	if (plan_make(&s->plan, s->options, settings, s->log, &fault))
		return session_refuse(s, &fault);
	s->plan.member.instance = drawn.instance;
	s->plan.transport.drops = drops;
	memcpy(s->plan.member.host, drawn.host, sizeof(drawn.host));
	s->plan.member.sender = np_launch_rank(m->launch) < m->plan.senders;
	if (has_address(m))
		s->plan.transport.bind = m->address;
	return session_open_transport(s);
}

/* Reads the members' addresses; a rank that has died meanwhile is no member. */
static int look_up(struct mesh *m)
{
	struct announcement heard;

	for (uint32_t i = 0; i < m->plan.ranks; i++) {
		const bool own = i == np_launch_rank(m->launch);
		size_t bytes = 0;
		const void *blob = own ? NULL : np_launch_blob(m->launch, i, &bytes);

		if (!m->announcement.member[i] || np_launch_state(m->launch, i) != NP_LAUNCH_HERE)
			continue;
		if (own)
			heard = m->announcement;
		else if (announcement_read(&heard, blob, bytes) ||
			 !announcement_has_address(&heard))
			return complain(m, -EPROTO);
		m->rank[m->count] = i;
		m->who[m->count++] = heard.who;
	}
	return 0;
}

static int exchange_places(struct mesh *m)
{
	uint32_t ranks[MEMBERS_MAX];
	size_t count = 0;
	int rc, status;

	m->announcement.who = m->s->plan.member.self;
	status = announce(m);
	if (!status)
		status = meet_all(m);
	if (status)
		return status;
	for (uint32_t i = 0; i < m->plan.ranks; i++) {
		if (m->announcement.member[i])
			ranks[count++] = i;
	}
	rc = np_launch_fetch(m->launch, ranks, count, limit(m));
	return rc ? complain(m, rc) : look_up(m);
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
		if (!m->announcement.member[m->rank[i]])
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
	const struct settings *settings = &m->s->settings;
	int status = find_address(m);

	if (!status)
		status = join(m);
	if (!status)
		status = check_size(m);
	if (!status)
		status = meet_all(m);
	if (status)
		return status;
	if (is_first(m) && uses(m, "udp") && !settings_given(settings, "mcast_port"))
		m->announcement.port = draw_port();
	status = agree(m);
	if (!status)
		status = open_transport(m);
	if (!status)
		status = exchange_places(m);
	return status ? status : form(m);
}

int mesh_meet(struct mesh **mesh, struct session *s)
{
	struct mesh *m = calloc(1, sizeof(*m));
	int status;

	*mesh = m;
	if (!m)
		return session_refuse_errno(s, "mesh", -ENOMEM);
	m->s = s;
	m->text = s->events.text;
	s->events.text = NULL;
	status = meet(m);
	if (status)
		return status;
	s->known = m->who;
	s->known_count = m->count;
	s->heard = m->heard;
	m->begun = np_clock_now();
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

void mesh_close(struct mesh *m)
{
	if (!m)
		return;
	np_launch_close(m->launch);
	np_mesh_free(m->pairs);
	free(m);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* member: the interface over both protocols. */
#include "state.h"

#include <errno.h>
#include <stdlib.h>

static const struct member_protocol_table *const protocols[] = {
	[PROTOCOL_NATIVE] = &member_native,
	[PROTOCOL_JGROUPS3] = &member_jgroups,
};

struct member_limits member_limits_default(np_time join)
{
	return (struct member_limits){
		.join = join,
		.ready = 10 * NP_SECOND,
		.silent = 5 * NP_SECOND,
		.settle = NP_SECOND / 2,
		.grant = 5 * NP_SECOND,
		.report = 10 * NP_SECOND,
		.linger = NP_SECOND,
	};
}

void member_limits_widen(struct member_limits *limits, unsigned members)
{
	limits->ready = member_limit_wide(limits->ready, members);
	limits->silent = member_limit_wide(limits->silent, members);
	limits->grant = member_limit_wide(limits->grant, members);
	limits->report = member_limit_wide(limits->report, members);
}

size_t member_header_bytes(enum member_protocol protocol)
{
	return protocols[protocol]->header_bytes;
}

size_t member_control_bytes(const struct member_plan *plan)
{
	return protocols[plan->protocol]->control_bytes(plan);
}

static int check(const struct member_plan *plan, struct np_fault *fault)
{
	/* With the warm-up, as messages count them. */
	const unsigned most = UINT8_MAX + 1u - (plan->warm_up != 0);

	if (!plan->members || plan->members > MEMBERS_MAX)
		return np_fault_set(fault, -EINVAL, "num_members", "must be 1 to %d", MEMBERS_MAX);
	if (!plan->senders || plan->senders > plan->members)
		return np_fault_set(fault, -EINVAL, "num_senders", "must be 1 to num_members, %u",
				    plan->members);
	if (!plan->messages && !plan->duration)
		return np_fault_set(fault, -EINVAL, "num_msgs", "must be at least 1");
	if (!plan->runs || plan->runs > most)
		return np_fault_set(fault, -EINVAL, "--repeat", "must be 1 to %u", most);
	if (!plan->lanes || plan->lanes > LANES_MAX)
		return np_fault_set(fault, -EINVAL, "--threads", "must be 1 to %d", LANES_MAX);
	return 0;
}

static int create_tallies(struct member *m)
{
	const struct tally_plan plan = {m->protocol->numbered, m->plan.messages};
	int rc = 0;

	m->tally = calloc(m->plan.senders, sizeof(void *));
	if (!m->tally)
		return -ENOMEM;
	for (; !rc && m->tallies < m->plan.senders; m->tallies++)
		rc = tally_create(&m->tally[m->tallies], &plan);
	return rc;
}

static int create_result(struct member *m)
{
	struct result *r = &m->result;

	r->member = calloc(MEMBERS_MAX, sizeof(*r->member));
	r->sender = calloc(m->plan.senders, sizeof(*r->sender));
	if (!r->member || !r->sender)
		return -ENOMEM;
	for (unsigned i = 0; i < m->plan.members; i++) {
		r->member[i].row = calloc(m->plan.senders, sizeof(*r->member[i].row));
		if (!r->member[i].row)
			return -ENOMEM;
	}
	return 0;
}

int member_create(struct member **member, const struct member_plan *plan,
		  const struct member_port *port, const struct member_listener *listener,
		  np_time now, struct np_fault *fault)
{
	struct member *m;
	int rc = check(plan, fault);

	*member = NULL;
	if (rc)
		return rc;
	m = calloc(1, sizeof(*m));
	if (!m)
		return np_fault_errno(fault, -ENOMEM, "member");
	m->protocol = protocols[plan->protocol];
	m->plan = *plan;
	m->port = *port;
	m->listener = *listener;
	m->now = m->due = m->begun = now;
	rc = create_tallies(m);
	if (!rc)
		rc = create_result(m);
	if (!rc && plan->processing_delay)
		rc = backlog_open(&m->backlog);
	if (rc)
		np_fault_errno(fault, rc, "member");
	else
		rc = m->protocol->create(m, fault);
	if (rc) {
		member_free(m);
		return rc;
	}
	*member = m;
	return 0;
}

void member_free(struct member *member)
{
	if (!member)
		return;
	for (unsigned i = 0; member->tally && i < member->plan.senders; i++)
		tally_free(member->tally[i]);
	free(member->tally);
	/* All that were allocated, whatever the result contains by now. */
	member->result.members = member->result.member ? member->plan.members : 0;
	result_free(&member->result);
	backlog_close(&member->backlog);
	free(member->state);
	free(member);
}

void member_deliver(struct member *member, const struct transport_delivery *delivery)
{
	if (!member->outcome.finished)
		member->protocol->deliver(member, delivery);
}

void member_transport_event(struct member *member, const struct transport_event *event, np_time now)
{
	if (now > member->now)
		member->now = now;
	if (!member->outcome.finished)
		member->protocol->event(member, event);
}

/* This process was stopped or starved: what it missed meanwhile is nobody else's fault. */
static void forgive(struct member *m, np_time stall, np_time now)
{
	for (unsigned i = 0; i < m->peers; i++) {
		struct peer *peer = &m->peer[i];

		peer->heard = now - peer->heard < stall ? now : peer->heard + stall;
		if (peer->flow.news)
			peer->flow.news += stall;
	}
	if (m->sending.starved)
		m->sending.starved += stall;
}

void member_tick(struct member *member, np_time now)
{
	const np_time due = member->due > member->ticked ? member->due : member->ticked;
	const np_time stall = now - due;

	if ((now < member->due && !member->dirty) || member->outcome.finished)
		return;
	if (stall > MEMBER_STALL)
		forgive(member, stall, now);
	if (now > member->now)
		member->now = now;
	member->ticked = member->now;
	member->dirty = false;
	member->due = member->now + MEMBER_LOOK;
	member_process(member);
	sending_look(member);
	member->protocol->tick(member);
}

np_time member_deadline(const struct member *member)
{
	if (member->outcome.finished)
		return NP_TIME_NEVER;
	return member->dirty ? member->now : member->due;
}

void member_stop(struct member *member, np_time now)
{
	const bool again = member->outcome.interrupted;

	if (member->outcome.finished)
		return;
	if (now > member->now)
		member->now = now;
	member->outcome.interrupted = true;
	member->protocol->stop(member, again);
	member->dirty = true;
}

void member_wind_up(struct member *member, np_time now)
{
	if (member->outcome.finished)
		return;
	if (now > member->now)
		member->now = now;
	if (!member->protocol->wind_up || !member->protocol->wind_up(member))
		member_stop(member, now);
	member->dirty = true;
}

void member_cut_off(struct member *member, const char *why, np_time now)
{
	if (member->outcome.finished)
		return;
	if (now > member->now)
		member->now = now;
	member->protocol->cut_off(member, why);
	member->outcome.finished = true;
}

bool member_finished(const struct member *member)
{
	return member->outcome.finished;
}

int member_status(const struct member *member, struct np_fault *fault)
{
	if (member->outcome.failed) {
		*fault = member->outcome.fault;
		return 2;
	}
	return member->outcome.lost ? 1 : 0;
}

const struct result *member_result(const struct member *member)
{
	return &member->result;
}

uint64_t member_malformed(const struct member *member)
{
	return member->malformed;
}

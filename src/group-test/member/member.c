// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * member: the interface over both protocols; the table of all members that were heard, what goes
 * out to them and to the listener, and members that are given up.
 */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#define KEPT_OUT_REPORTED 16 /* more would be a flood */

/* A member that was not called for this long blames nobody for that time. */
#define STALL NP_SECOND

void member_report(struct member *m, const struct peer *peer, struct member_event event)
{
	if (peer)
		event.who = member_who(m, peer);
	m->port.notify(m->port.context, &event);
}

/* This host refuses to send: reports that once for the same @error. */
static void notify_unsent(struct member *m, int error)
{
	if (error != m->reported_error)
		member_notify(m, NULL, MEMBER_UNSENT, .text = strerror(-error));
	m->reported_error = error;
}

void member_note(struct member *m, struct refusals *refusals, int rc)
{
	if (rc == -EAGAIN)
		return;
	if (rc >= 0) {
		refusals->since = 0;
		return;
	}
	if (!refusals->since)
		refusals->since = m->now;
	refusals->error = rc;
	notify_unsent(m, rc);
}

int member_send(struct member *m, const void *message, size_t bytes)
{
	const int rc = transport_send(m->port.transport, NULL, message, bytes);

	member_note(m, &m->refused, rc);
	return rc;
}

struct peer *member_find(struct member *m, const struct identity *who)
{
	if (m->hint < m->peers && identity_equal(&m->who[m->hint], who))
		return &m->peer[m->hint];
	for (unsigned i = 0; i < m->peers; i++) {
		if (identity_equal(&m->who[i], who)) {
			m->hint = i;
			return &m->peer[i];
		}
	}
	return NULL;
}

struct peer *member_add(struct member *m, const struct identity *who)
{
	const bool full = m->peers == MEMBERS_MAX;
	struct peer *peer = full ? NULL : &m->peer[m->peers++];

	/* Strangers are replaced before refused members. */
	for (unsigned i = 0; full && i < MEMBERS_MAX; i++) {
		struct peer *at = &m->peer[i];

		if (!at->self && (at->role == PEER_STRANGER || at->role == PEER_REFUSED) &&
		    (!peer || at->role < peer->role ||
		     (at->role == peer->role && at->heard < peer->heard)))
			peer = at;
	}
	if (!peer)
		return NULL;
	/* In a free place there may be remains of a member that was removed. */
	m->outcome.malformed += full && peer->role == PEER_STRANGER;
	m->who[peer - m->peer] = *who;
	*peer = (struct peer){.self = identity_equal(who, &m->plan.self), .heard = m->now};
	return peer;
}

void member_remove(struct member *m, struct peer *peer)
{
	const size_t at = (size_t)(peer - m->peer), behind = m->peers - at - 1;

	memmove(peer, peer + 1, behind * sizeof(*peer));
	memmove(&m->who[at], &m->who[at + 1], behind * sizeof(*m->who));
	m->peers--;
}

struct peer *member_self(struct member *m)
{
	for_each_peer(peer, m) {
		if (peer->self)
			return peer;
	}
	return NULL;
}

unsigned member_count(const struct member *m, bool (*chosen)(const struct peer *peer))
{
	unsigned count = 0;

	for_each_peer(peer, m)
		count += chosen(peer);
	return count;
}

void member_list(const struct member *m, bool (*chosen)(const struct peer *peer), char *out,
		 size_t room)
{
	unsigned count = 0, left = 0;
	char text[IDENTITY_TEXT];
	size_t used = 0;

	out[0] = '\0';
	for_each_peer(peer, m) {
		if (!chosen(peer))
			continue;
		identity_format(member_who(m, peer), text);
		/* Keeps room for the remark below. */
		if (used + strlen(text) + 24 > room) {
			left++;
			continue;
		}
		used += (size_t)snprintf(out + used, room - used, "%s%s", count++ ? ", " : "",
					 text);
	}
	if (left)
		snprintf(out + used, room - used, " and %u more", left);
}

void member_give_up(struct member *m, struct peer *peer, enum result_outcome outcome,
		    const char *why, ...)
{
	va_list arguments;

	if (!peer_counts(peer))
		return;
	va_start(arguments, why);
	vsnprintf(peer->why, sizeof(peer->why), why, arguments);
	va_end(arguments);
	peer->gone = true;
	peer->outcome = outcome;
	peer->outcome_after = m->formed ? m->now - m->formed : 0;
	m->outcome.lost = true;
	m->dirty = true;
	member_notify(m, peer, MEMBER_GIVEN_UP, .text = peer->why);
	if (outcome == FATE_CUT || !m->protocol->parts_late)
		transport_drop(m->port.transport, member_who(m, peer));
}

void member_lost(struct member *m, struct peer *peer, int error)
{
	if (peer->self)
		return;
	m->dirty = true;
	if (m->phase == PHASE_JOINING)
		member_remove(m, peer);
	else if (!m->protocol->parts(m, peer))
		member_give_up(m, peer, FATE_CUT, "connection lost: %s",
			       error ? strerror(-error) : "it closed the connection");
}

void member_refuse(struct member *m, struct peer *peer, const char *why)
{
	if (peer->role == PEER_REFUSED)
		return;
	peer->role = PEER_REFUSED;
	snprintf(peer->why, sizeof(peer->why), "%s", why);
	if (m->kept_out++ < KEPT_OUT_REPORTED)
		member_notify(m, peer, MEMBER_REFUSED, .text = peer->why);
}

void member_meet(struct member *m, const struct identity *who, const char *what)
{
	m->outcome.malformed++;
	if (*m->foreign)
		return;
	m->foreigner = *who;
	snprintf(m->foreign, sizeof(m->foreign), "%s", what);
	member_notify(m, NULL, MEMBER_MET, .who = who, .text = what);
}

void member_fail(struct member *m, const char *object, const char *reason, ...)
{
	va_list arguments;
	char text[sizeof(m->outcome.fault.reason)];

	if (m->outcome.failed)
		return;
	va_start(arguments, reason);
	vsnprintf(text, sizeof(text), reason, arguments);
	va_end(arguments);
	np_fault_set(&m->outcome.fault, 0, object, "%s", text);
	m->outcome.failed = m->dirty = true;
	m->outcome.unmeasured = false;
}

static const struct member_protocol_table *const protocols[] = {
	[PROTOCOL_NATIVE] = &member_native,
	[PROTOCOL_JGROUPS3] = &member_jgroups,
};

struct member_limits member_limits(np_time join, unsigned members)
{
	return (struct member_limits){
		.join = join,
		.ready = member_limit_wide(10 * NP_SECOND, members),
		.silent = member_limit_wide(5 * NP_SECOND, members),
		.settle = NP_SECOND / 2,
		.grant = member_limit_wide(5 * NP_SECOND, members),
		.report = member_limit_wide(10 * NP_SECOND, members),
		.linger = NP_SECOND,
	};
}

size_t member_header_bytes(enum member_protocol protocol)
{
	return protocols[protocol]->header_bytes;
}

size_t member_control_bytes(const struct member_plan *plan)
{
	const bool java = plan->protocol == PROTOCOL_JGROUPS3;
	/* Only senders are told to warm up, but messages that arrive may be as long in any case. */
	const size_t bytes = java ? plan->payload + 18 : MESSAGE_RESULTS_BYTES(plan->senders);
	const size_t least = java ? JGROUPS_CONTROL_MAX : 256;

	return bytes > least ? bytes : least;
}

int member_create(struct member **member, const struct member_plan *plan,
		  const struct member_port *port, np_time now, struct np_fault *fault)
{
	struct member *m;
	int rc;

	*member = NULL;
	/* Of a mesh, all that are to send may be missing. */
	if (!plan->senders)
		return np_fault_set(fault, -EINVAL, "num_senders", "must be 1 to num_members, %u",
				    plan->members);
	m = calloc(1, sizeof(*m));
	if (!m)
		return np_fault_errno(fault, -ENOMEM, "member");
	m->protocol = protocols[plan->protocol];
	m->plan = *plan;
	m->port = *port;
	m->now = m->due = m->begun = now;
	m->result.member = m->result_member;
	m->result.sender = m->result_sender;
	m->row = calloc((size_t)plan->members * plan->senders, sizeof(*m->row));
	rc = m->row ? m->protocol->create(m) : -ENOMEM;
	for (unsigned i = 0; !rc && i < plan->members; i++)
		m->result_member[i].row = &m->row[i * plan->senders];
	for (unsigned i = 0; !rc && i < plan->senders; i++)
		rc = np_flow_create(&m->flow[i], m->protocol->numbered ? NP_FLOW_WINDOW : 0);
	if (plan->processing_delay)
		m->backlog.message = calloc(BACKLOG_MESSAGES, sizeof(*m->backlog.message));
	if (plan->processing_delay && !m->backlog.message)
		rc = -ENOMEM;
	if (rc) {
		member_free(m);
		return np_fault_errno(fault, rc, "member");
	}
	*member = m;
	return 0;
}

void member_free(struct member *member)
{
	if (!member)
		return;
	for (unsigned i = 0; i < member->plan.senders; i++)
		np_flow_free(member->flow[i]);
	free(member->row);
	free(member->backlog.message);
	free(member->java.wire);
	free(member);
}

void member_deliver(struct member *member, const struct transport_delivery *delivery)
{
	if (!member->ticked)
		member_tick(member, member->begun);
	if (!member->outcome.finished)
		member->protocol->deliver(member, delivery);
}

void member_transport_event(struct member *member, const struct transport_event *event, np_time now)
{
	member_advance(member, now);
	if (member->outcome.finished)
		return;
	if (event->kind == TRANSPORT_FOREIGN)
		member_meet(member, &event->peer, event->text);
	else if (event->kind == TRANSPORT_UNSENT)
		notify_unsent(member, event->error);
	else
		member->protocol->event(member, event, member_find(member, &event->peer));
}

void member_tick(struct member *member, np_time now)
{
	const np_time due = member->due > member->ticked ? member->due : member->ticked;
	const np_time stall = now - due;

	if ((now < member->due && !member->dirty) || member->outcome.finished)
		return;
	if (!member->ticked)
		member_notify(member, NULL, MEMBER_WAITING, .number = member->plan.members);
	/* This process was stopped or starved: what it missed meanwhile is nobody else's fault. */
	if (stall > STALL) {
		for_each_peer(peer, member) {
			peer->heard = now - peer->heard < stall ? now : peer->heard + stall;
			if (peer->stream.news)
				peer->stream.news += stall;
		}
		if (member->sending.starved)
			member->sending.starved += stall;
	}
	member_advance(member, now);
	member->ticked = member->now;
	member->dirty = false;
	member->due = member->now + MEMBER_LOOK;
	member_process(member);
	if (now >= member->sending.ends)
		sending_end(member);
	else if (member->sending.on)
		member_arm(member, member->sending.ends);
	member->protocol->tick(member);
}

np_time member_deadline(const struct member *member)
{
	if (member->outcome.finished)
		return NP_TIME_NEVER;
	return member->dirty ? member->now : member->due;
}

/* Before the first run has begun, no member goes on without another. */
static bool has_begun(const struct member *m)
{
	return m->phase > PHASE_READY || m->run;
}

/* Present, without a group so far or a member of this one: on this member's side. */
static unsigned count_there(const struct member *m)
{
	return member_count(m, peer_present) + member_count(m, peer_counts);
}

/* Concludes the result as it is. */
static void cut_short(struct member *m)
{
	if (m->phase < PHASE_COUNTED)
		m->protocol->count(m);
	member_result_notify(m, MEMBER_RESULT);
}

void member_stop(struct member *member, np_time now)
{
	struct member *m = member;
	const bool again = m->outcome.interrupted;

	if (m->outcome.finished)
		return;
	member_advance(m, now);
	m->outcome.interrupted = m->dirty = true;
	if (again || (m->phase == PHASE_LEAVING && !m->outcome.failed)) {
		m->outcome.finished = true;
	} else if (!has_begun(m)) {
		m->result.interrupted = true;
		member_fail(m, "group", "interrupted with %u of %u members present", count_there(m),
			    m->plan.members);
	} else if (m->phase < PHASE_LEAVING) {
		sending_end(m);
		m->result.interrupted = true;
		/* No run that counts has begun, and no member was lost. */
		m->outcome.unmeasured = !m->outcome.lost && !m->outcome.failed && !m->result.run &&
					(m->phase <= PHASE_READY || member_warms(m));
		/*
		 * Before a later run, the result of the run before was reported. The others await
		 * what this member has counted even if there is nothing to report.
		 */
		if (m->outcome.unmeasured)
			np_fault_set(&m->outcome.fault, 0, "",
				     "interrupted before the measured run began");
		if (m->outcome.unmeasured && m->phase < PHASE_COUNTED)
			m->protocol->count(m);
		else if (!m->outcome.unmeasured && (m->phase > PHASE_READY || !m->result.run))
			cut_short(m);
		m->protocol->leave(m);
	}
}

void member_wind_up(struct member *member, np_time now)
{
	if (member->outcome.finished)
		return;
	if (member->phase < PHASE_RUNNING || member_warms(member)) {
		member_stop(member, now);
		return;
	}
	member_advance(member, now);
	if (member->phase == PHASE_RUNNING)
		sending_end(member);
	member->dirty = true;
}

void member_cut_off(struct member *member, const char *why, np_time now)
{
	struct member *m = member;

	if (m->outcome.finished)
		return;
	member_advance(m, now);
	if (!has_begun(m)) {
		member_fail(m, "group", "%s; %u of %u members were present", why, count_there(m),
			    m->plan.members);
	} else if (m->phase < PHASE_LEAVING) {
		sending_end(m);
		for_each_peer(peer, m) {
			if (!peer->self && !peer->reported)
				member_give_up(m, peer, FATE_CUT, "%s", why);
		}
		m->outcome.lost = true;
		cut_short(m);
	}
	m->outcome.finished = true;
}

const struct member_outcome *member_outcome(const struct member *member)
{
	return &member->outcome;
}

int member_status(const struct member *member)
{
	const struct member_outcome *o = &member->outcome;

	return o->failed || o->unmeasured ? 2 : o->lost;
}

const struct result *member_result(const struct member *member)
{
	return &member->result;
}

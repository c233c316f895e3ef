// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* java: discovery and START among members of perf.Test, and handling of what arrives. */
#include "state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define DISCOVER_EVERY (2 * NP_SECOND)
#define START_EVERY    (2 * NP_SECOND)

/* Only senders are told to warm up, but messages that arrive may be as long in any case. */
static size_t java_control_bytes(const struct member_plan *plan)
{
	const size_t warmup = plan->payload + 18;

	return warmup > JGROUPS_CONTROL_MAX ? warmup : JGROUPS_CONTROL_MAX;
}

static int java_create(struct member *m, struct np_fault *fault)
{
	static const char why[] = "perf.Test's protocol (--protocol=jgroups3) has no such thing";
	const struct member_plan *plan = &m->plan;

	if (plan->duration)
		return np_fault_set(fault, -EINVAL, "--duration", why);
	if (plan->warm_up)
		return np_fault_set(fault, -EINVAL, "--warm-up", why);
	if (plan->runs > 1)
		return np_fault_set(fault, -EINVAL, "--repeat", why);
	if (plan->credit)
		return np_fault_set(fault, -EINVAL, "--flow-control", why);
	m->java.wire = malloc(java_control_bytes(plan));
	if (!m->java.wire)
		return np_fault_errno(fault, -ENOMEM, "member");
	m->java.discover_next = m->now;
	m->java.expected = plan->senders * plan->messages;
	return 0;
}

static void java_write(struct member *m, const struct transport_slots *slots, uint64_t first)
{
	(void)m;
	(void)first;
	for (unsigned i = 0; i < slots->count; i++)
		slots->data[i * slots->stride] = JGROUPS_DATA_LEAD;
}

static unsigned java_warm(struct member *m, unsigned most)
{
	struct java *j = &m->java;
	const size_t bytes = jgroups_warmup_encode(j->wire, m->plan.payload);
	unsigned sent = 0;

	while (sent < most && !member_send(m, j->wire, bytes))
		sent++;
	return sent;
}

/* All that have joined form the group. */
static void form(struct member *m)
{
	for_each_peer(peer, m) {
		if (peer_present(peer))
			peer->role = PEER_MEMBER;
	}
	if (!member_self(m)) {
		member_fail(m, "group", "the group is complete without this member");
	} else if (form_has_senders(m)) {
		member_result_form(m);
		member_result_begin(m);
		member_enter(m, PHASE_READY);
	}
}

static void join(struct member *m, struct peer *peer, const struct jgroups_message *message)
{
	char why[96];

	peer->known = true;
	peer->java.num_msgs = message->num_msgs;
	peer->sender = message->sender;
	if (m->phase != PHASE_JOINING) {
		member_refuse(m, peer,
			      "the group already has num_members members, or the run has started");
		return;
	}
	if (peer->sender && (uint64_t)message->num_msgs != m->plan.messages) {
		/* It belongs to another run, and is not waited for. */
		snprintf(why, sizeof(why), "its num_msgs is %" PRId64 ", ours is %" PRIu64,
			 peer->java.num_msgs, m->plan.messages);
		member_refuse(m, peer, why);
		return;
	}
	member_notify_number(m, MEMBER_JOINED, member_count(m, peer_present), peer);
	if (member_count(m, peer_present) == m->plan.members)
		form(m);
}

/* Remembers an unknown member by its first message: its START may come before its answer. */
static struct peer *known(struct member *m, const struct identity *who, enum jgroups_type type)
{
	struct peer *peer = member_find(m, who);

	if (peer || (type != JGROUPS_DISCOVERY_RSP && type != JGROUPS_START))
		return peer;
	return member_add(m, who);
}

static void take_message(struct member *m, struct peer *peer, const struct jgroups_message *message)
{
	struct java *j = &m->java;

	switch (message->type) {
	case JGROUPS_DISCOVERY_RSP:
		if (!peer->known)
			join(m, peer, message);
		break;
	case JGROUPS_START: peer->java.started = true; break;
	case JGROUPS_RESULTS:
		/* Trap 6: the result is of another run, or from before this one. */
		if (message->has_result && m->phase >= PHASE_READY && peer_counts(peer))
			java_results(m, peer, &message->result);
		break;
	case JGROUPS_FINAL_RESULTS:
		if (m->phase >= PHASE_READY && peer_counts(peer))
			java_final(m, peer, message);
		break;
	case JGROUPS_FINAL_RESULTS_OK:
		j->ok_heard |= m->phase == PHASE_LEAVING && peer_counts(peer);
		break;
	default: break;
	}
	m->dirty = true;
}

static void take_control(struct member *m, const struct identity *who,
			 const struct transport_message *message)
{
	struct jgroups_message *in = &m->java.in;
	int rc = jgroups_decode(message->data, message->bytes, message->length, in);
	struct peer *peer;

	if (rc == -ENOTSUP && message->bytes > 1 && message->data[1] == JGROUPS_FINAL_RESULTS) {
		member_meet(m, who, "the protocol of another JGroups than 3.0");
		return;
	}
	if (rc) {
		m->malformed++;
		return;
	}
	/* Trap 2: answers at any time, even to a stranger. */
	if (in->type == JGROUPS_DISCOVERY_REQ) {
		m->java.answer = true;
		m->dirty = true;
		return;
	}
	peer = known(m, who, in->type);
	if (peer)
		take_message(m, peer, in);
	else if (in->type != JGROUPS_WARMUP)
		m->malformed++;
}

static void java_deliver(struct member *m, const struct transport_delivery *delivery)
{
	struct peer *peer = member_find(m, delivery->source);

	for (unsigned i = 0; i < delivery->count; i++) {
		const struct transport_message *message = &delivery->messages[i];

		member_advance(m, message->at);
		switch (jgroups_look(message->data, message->bytes)) {
		case JGROUPS_IS_DATA: java_data(m, peer, message); break;
		case JGROUPS_IS_CONTROL:
			take_control(m, delivery->source, message);
			peer = member_find(m, delivery->source);
			break;
		case JGROUPS_IS_NATIVE:
			member_meet(m, delivery->source,
				    "group-test's own protocol (--protocol=native)");
			break;
		default: m->malformed++;
		}
	}
	if (peer)
		peer->heard = m->now;
}

/* Java members close their connections when they are done. */
static void java_event(struct member *m, const struct transport_event *event)
{
	struct peer *peer = member_find(m, &event->peer);

	if (event->kind == TRANSPORT_FOREIGN)
		member_meet(m, &event->peer, event->text);
	if (event->kind == TRANSPORT_OVERSIZE && peer)
		java_unlike(m, peer, 0);
	if (event->kind == TRANSPORT_MOVED && peer)
		peer->heard = m->moved = m->now;
	if ((event->kind != TRANSPORT_LOST && event->kind != TRANSPORT_ENDED) || !peer ||
	    peer->self)
		return;
	m->dirty = true;
	if (event->error == -EMSGSIZE)
		java_unlike(m, peer, 0);
	if (m->phase == PHASE_JOINING)
		member_remove(m, peer);
	else if (peer_counts(peer) && peer->reported)
		peer->java.final = true;
	else
		member_give_up(m, peer, FATE_CUT, "connection lost: %s",
			       event->error ? strerror(-event->error) : "it closed the connection");
}

/* Trap 3: the answer goes with the question, both every two seconds. */
static void joining_tick(struct member *m)
{
	const np_time limit = m->plan.limits.join;
	const struct peer *refused = NULL;
	char remark[130] = "";
	int rc;

	form_forget_silent(m);
	if (m->now >= m->java.discover_next) {
		rc = java_send(m, JGROUPS_DISCOVERY_REQ);
		if (!rc)
			rc = java_send(m, JGROUPS_DISCOVERY_RSP);
		m->java.discover_next = member_next_try(m, rc, DISCOVER_EVERY);
	}
	member_arm(m, m->java.discover_next);
	if (!limit || m->now - m->begun < limit)
		return;
	for (unsigned i = m->peers; i-- > 0;)
		refused = m->peer[i].role == PEER_REFUSED ? &m->peer[i] : refused;
	if (refused)
		snprintf(remark, sizeof(remark), " (one is refused: %s)", refused->why);
	form_fail(m, remark);
}

static bool is_silent(const struct peer *peer)
{
	return peer_counts(peer) && !peer->java.started;
}

static void starting_tick(struct member *m)
{
	const double seconds = np_clock_seconds(m->plan.limits.ready);
	bool all = true, lost = false;
	char list[200];

	for_each_peer(peer, m) {
		all &= !is_silent(peer);
		lost |= peer->gone;
	}
	if (lost) {
		member_fail(m, "group", "a member was lost before all had started");
	} else if (all) {
		member_enter(m, PHASE_RUNNING);
		member_notify_number(m, MEMBER_READY, member_count(m, peer_counts), NULL);
		if (m->plan.sender)
			sending_begin(m);
	} else if (m->now - m->moved >= m->plan.limits.ready) {
		member_list(m, is_silent, list, sizeof(list));
		member_fail(m, "group", "no START after %g s from %s", seconds, list);
	}
}

/*
 * Java stops sending START when it stops waiting; if one was lost on the way to a slow member, that
 * member is stuck. This member repeats it until it has counted.
 */
static void start_tick(struct member *m)
{
	if (m->phase == PHASE_READY || m->phase == PHASE_RUNNING)
		java_send_every(m, &m->java.start_next, JGROUPS_START, START_EVERY);
}

/* Waiting Java members send nothing. Asked who is there, the live ones answer. */
static void ask_tick(struct member *m)
{
	if ((m->phase == PHASE_RUNNING || m->phase == PHASE_COUNTED) &&
	    m->now - m->moved >= DISCOVER_EVERY)
		java_send_every(m, &m->java.discover_next, JGROUPS_DISCOVERY_REQ, DISCOVER_EVERY);
}

static void java_tick(struct member *m)
{
	struct java *j = &m->java;

	if (j->answer && !java_send(m, JGROUPS_DISCOVERY_RSP))
		j->answer = false;
	switch (m->phase) {
	case PHASE_JOINING: joining_tick(m); break;
	case PHASE_READY: starting_tick(m); break;
	case PHASE_RUNNING:
	case PHASE_SENT: java_run_tick(m); break;
	case PHASE_COUNTED: java_counted_tick(m); break;
	case PHASE_LEAVING: java_table_tick(m); break;
	}
	start_tick(m);
	ask_tick(m);
	/* The protocol has no message for leaving. */
	m->outcome.finished |= m->outcome.failed;
}

const struct member_protocol_table member_jgroups = {
	.header_bytes = 1,
	.parts_late = true, /* a Java member that lacks messages waits for FINAL_RESULTS_OK */
	.control_bytes = java_control_bytes,
	.create = java_create,
	.deliver = java_deliver,
	.event = java_event,
	.process = java_process,
	.tick = java_tick,
	.count = java_count,
	.leave = java_leave,
	.write = java_write,
	.warm = java_warm,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* java: discovery and START among members of perf.Test, and handling of what arrives. */
#include "java.h"

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

static int java_check(const struct member_plan *plan, struct np_fault *fault)
{
	static const char why[] = "perf.Test's protocol (--protocol=jgroups3) has no such thing";

	if (plan->duration)
		return np_fault_set(fault, -EINVAL, "--duration", why);
	if (plan->warm_up)
		return np_fault_set(fault, -EINVAL, "--warm-up", why);
	if (plan->runs > 1)
		return np_fault_set(fault, -EINVAL, "--repeat", why);
	if (plan->credit)
		return np_fault_set(fault, -EINVAL, "--flow-control", why);
	return 0;
}

static int java_create(struct member *m, struct np_fault *fault)
{
	int rc = java_check(&m->plan, fault);
	struct java *j;

	if (rc)
		return rc;
	/* In one allocation, so that it is freed as one. */
	j = calloc(1, sizeof(*j) + java_control_bytes(&m->plan));
	if (!j)
		return np_fault_errno(fault, -ENOMEM, "member");
	m->state = j;
	j->wire = (uint8_t *)(j + 1);
	j->discover_next = m->now;
	j->expected = m->plan.senders * m->plan.messages;
	member_notify_number(m, MEMBER_WAITING, m->plan.members, NULL);
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
	struct java *j = java_of(m);
	const size_t bytes = jgroups_warmup_encode(j->wire, m->plan.payload);
	unsigned sent = 0;

	while (sent < most && !member_send(m, j->wire, bytes))
		sent++;
	return sent;
}

static unsigned count_joined(const struct member *m)
{
	unsigned count = 0;

	for (unsigned i = 0; i < m->peers; i++)
		count += m->peer[i].java.joined && m->peer[i].role != PEER_REFUSED;
	return count;
}

static bool sends(const struct peer *peer)
{
	return peer->role == PEER_MEMBER && peer->sender;
}

/* All that have joined form the group. */
static void form(struct member *m)
{
	unsigned senders = 0;
	char list[200];

	for (unsigned i = 0; i < m->peers; i++) {
		if (!m->peer[i].java.joined || m->peer[i].role == PEER_REFUSED)
			continue;
		m->peer[i].role = PEER_MEMBER;
		senders += m->peer[i].sender;
	}
	if (!member_self(m)) {
		member_fail(m, "group", "the group is complete without this member");
		return;
	}
	if (senders != m->plan.senders) {
		member_list(m, sends, list, sizeof(list));
		member_fail(m, "num_senders", "%u, but %u of the %u members send%s%s",
			    m->plan.senders, senders, m->plan.members, senders ? ": " : "", list);
		return;
	}
	member_result_form(m);
	member_result_begin(m);
	java_enter(m, JAVA_STARTING);
}

static void join(struct member *m, struct peer *peer, const struct jgroups_message *message)
{
	char why[96];

	peer->java.joined = peer->known = true;
	peer->java.num_msgs = message->num_msgs;
	peer->sender = message->sender;
	if (java_of(m)->phase != JAVA_JOINING) {
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
	member_notify_number(m, MEMBER_JOINED, count_joined(m), peer);
	if (count_joined(m) == m->plan.members)
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
	struct java *j = java_of(m);

	switch (message->type) {
	case JGROUPS_DISCOVERY_RSP:
		if (!peer->java.joined)
			join(m, peer, message);
		break;
	case JGROUPS_START: peer->java.started = true; break;
	case JGROUPS_RESULTS:
		/* Trap 6: the result is of another run, or from before this one. */
		if (message->has_result && j->phase >= JAVA_STARTING && peer_counts(peer))
			java_results(m, peer, &message->result);
		break;
	case JGROUPS_FINAL_RESULTS:
		if (j->phase >= JAVA_STARTING && peer_counts(peer))
			java_final(m, peer, message);
		break;
	case JGROUPS_FINAL_RESULTS_OK:
		j->ok_heard |= j->phase == JAVA_TABLE && peer_counts(peer);
		break;
	default: break;
	}
	m->dirty = true;
}

static void take_control(struct member *m, const struct identity *who,
			 const struct transport_message *message)
{
	struct jgroups_message *in = &java_of(m)->in;
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
		java_of(m)->answer = true;
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

		if (message->at > m->now)
			m->now = message->at;
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
		peer->heard = java_of(m)->moved = m->now;
	if ((event->kind != TRANSPORT_LOST && event->kind != TRANSPORT_ENDED) || !peer ||
	    peer->self)
		return;
	m->dirty = true;
	if (event->error == -EMSGSIZE)
		java_unlike(m, peer, 0);
	if (java_of(m)->phase == JAVA_JOINING)
		member_remove(m, peer);
	else if (peer_counts(peer) && peer->reported)
		peer->java.final = true;
	else
		member_give_up(m, peer, FATE_CUT, "connection lost: %s",
			       event->error ? strerror(-event->error) : "it closed the connection");
}

static bool has_joined(const struct peer *peer)
{
	return peer->java.joined && peer->role != PEER_REFUSED;
}

/* Live members answer a question every two seconds; one that does not was killed. */
static void forget_silent(struct member *m)
{
	for (unsigned i = m->peers; i-- > 0;) {
		if (!m->peer[i].self && m->now - m->peer[i].heard >= m->plan.limits.silent)
			member_remove(m, &m->peer[i]);
	}
}

/* Trap 3: the answer goes with the question, both every two seconds. */
static void joining_tick(struct member *m)
{
	const np_time limit = m->plan.limits.join;
	const unsigned there = count_joined(m);
	const struct peer *refused = NULL;
	struct java *j = java_of(m);
	char list[160];
	int rc;

	forget_silent(m);
	if (m->now >= j->discover_next) {
		rc = java_send(m, JGROUPS_DISCOVERY_REQ);
		if (!rc)
			rc = java_send(m, JGROUPS_DISCOVERY_RSP);
		j->discover_next = member_next_try(m, rc, DISCOVER_EVERY);
	}
	member_arm(m, j->discover_next);
	if (!limit || m->now - m->begun < limit)
		return;
	member_list(m, has_joined, list, sizeof(list));
	for (unsigned i = m->peers; i-- > 0;)
		refused = m->peer[i].role == PEER_REFUSED ? &m->peer[i] : refused;
	member_fail(m, "group",
		    "did not form in %g s: %u of %u members present, %u missing%s%s%s; present: %s",
		    np_clock_seconds(limit), there, m->plan.members, m->plan.members - there,
		    refused ? " (one is refused: " : "", refused ? refused->why : "",
		    refused ? ")" : "", there ? list : "nobody");
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

	for (unsigned i = 0; i < m->peers; i++) {
		all &= !is_silent(&m->peer[i]);
		lost |= m->peer[i].gone;
	}
	if (lost) {
		member_fail(m, "group", "a member was lost before all had started");
	} else if (all) {
		java_enter(m, JAVA_RUNNING);
		member_notify_number(m, MEMBER_READY, member_alive(m), NULL);
		if (m->plan.sender)
			sending_begin(m);
	} else if (m->now - java_of(m)->moved >= m->plan.limits.ready) {
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
	struct java *j = java_of(m);

	if (m->now >= j->start_next)
		j->start_next = member_next_try(m, java_send(m, JGROUPS_START), START_EVERY);
	member_arm(m, j->start_next);
}

/* Waiting Java members send nothing. Asked who is there, the live ones answer. */
static void ask_tick(struct member *m)
{
	struct java *j = java_of(m);

	if (m->now - j->moved < DISCOVER_EVERY)
		return;
	if (m->now >= j->discover_next)
		j->discover_next =
			member_next_try(m, java_send(m, JGROUPS_DISCOVERY_REQ), DISCOVER_EVERY);
	member_arm(m, j->discover_next);
}

static void java_tick(struct member *m)
{
	struct java *j = java_of(m);

	if (j->answer && !java_send(m, JGROUPS_DISCOVERY_RSP))
		j->answer = false;
	switch (j->phase) {
	case JAVA_JOINING: joining_tick(m); break;
	case JAVA_STARTING: starting_tick(m); break;
	case JAVA_RUNNING: java_run_tick(m); break;
	case JAVA_COUNTED: java_counted_tick(m); break;
	case JAVA_TABLE: java_table_tick(m); break;
	}
	if (j->phase == JAVA_STARTING || j->phase == JAVA_RUNNING)
		start_tick(m);
	if (j->phase == JAVA_RUNNING || j->phase == JAVA_COUNTED)
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
	.stop = java_stop,
	.cut_off = java_cut_off,
	.write = java_write,
	.warm = java_warm,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* credit: native: receivers tell senders how far they may send; senders ask and wait. */
#include "state.h"

#define PROBE_EVERY (20 * NP_MILLISECOND)
#define HELD_UP	    NP_SECOND

void credit_grant(struct member *m, struct peer *sender, bool asked)
{
	struct native *n = &m->native;
	struct peer_flow *flow = &sender->flow;
	const uint64_t limit = flow->highest + n->window, quarter = n->window / 4;
	struct message_head head;

	if (!m->plan.credit || m->phase < PHASE_READY || m->phase > PHASE_SENT)
		return;
	if (!asked && limit - flow->granted < (quarter ? quarter : 1))
		return;
	if (sender->self) {
		flow->granted = limit;
		credit_granted(m, sender, limit);
		return;
	}
	head = native_head(m);
	head.type = MESSAGE_GRANT;
	head.number = limit;
	message_head_encode(n->out, &head);
	/* A grant that could not be sent is not granted. */
	if (!m->port.send_to(m->port.transport, member_who(m, sender), n->out,
			     MESSAGE_HEADER_BYTES))
		flow->granted = limit;
}

/* A member that has counted the run, or leaves, receives no more. */
static bool takes(const struct member *m, const struct peer *peer)
{
	return peer_counts(peer) && (peer->self || !has_reached(m, peer, PHASE_COUNTED));
}

/* How far all together allow sending. */
static void set_limit(struct member *m)
{
	uint64_t least = UINT64_MAX;

	if (!m->plan.credit)
		return;
	for (unsigned i = 0; i < m->peers; i++) {
		const struct peer *peer = &m->peer[i];

		if (takes(m, peer) && peer->credit.limit < least)
			least = peer->credit.limit;
	}
	m->sending.credit = least;
	if (least >= m->sending.next)
		m->sending.starved = 0;
}

void credit_begin(struct member *m)
{
	if (m->plan.sender)
		sending_begin(m);
	for (unsigned i = 0; i < m->peers; i++) {
		if (peer_counts(&m->peer[i]) && m->peer[i].flow.tally)
			credit_grant(m, &m->peer[i], true);
	}
	set_limit(m);
}

void credit_granted(struct member *m, struct peer *receiver, uint64_t number)
{
	struct peer_credit *credit = &receiver->credit;

	/* It cannot have received what was not sent. */
	if (number > m->sending.next + WINDOW_MAX) {
		m->malformed++;
		return;
	}
	if (number <= credit->limit)
		return;
	credit->limit = number;
	credit->granted = m->now;
	credit->reported = false;
	set_limit(m);
}

static void probe(struct member *m)
{
	struct message_head head = native_head(m);
	struct native *n = &m->native;

	head.type = MESSAGE_PROBE;
	head.number = m->sending.next - 1;
	message_head_encode(n->out, &head);
	(void)member_send(m, n->out, MESSAGE_HEADER_BYTES);
	n->probe_next = m->now + PROBE_EVERY;
}

/* How long a member may need for the windows of all senders. */
static np_time processing(const struct member *m)
{
	return m->plan.processing_delay * (np_time)(m->native.window * m->plan.senders);
}

/*
 * A receiver that grants nothing for too long counts as dead, whatever else it says: its progress
 * may be other messages than ours. If it is this member itself, its own
 * messages do not come back, and the others cannot be assumed to receive them.
 */
static void look_at(struct member *m, struct peer *peer)
{
	/* A receiver that has sent a grant since then is not the one that holds the sender up. */
	const np_time since = peer->credit.granted > m->sending.starved ? peer->credit.granted
									: m->sending.starved;
	const np_time waited = m->now - since, limit = m->plan.limits.grant + processing(m);

	if (waited >= limit && peer->self) {
		sending_cut(m, "its own messages do not come back to it");
	} else if (waited >= limit) {
		member_give_up(m, peer, FATE_CUT, "it accepted no message for %g s",
			       np_clock_seconds(limit));
	} else if (waited >= HELD_UP && !peer->credit.reported) {
		peer->credit.reported = true;
		member_notify(m, (struct member_event){.kind = MEMBER_HELD_UP, .elapsed = waited},
			      peer);
	}
}

/* Usually a GRANT is on its way when a sender has to wait: it asks only if none arrives. */
void credit_tick(struct member *m)
{
	struct native *n = &m->native;

	if (!m->plan.credit || !m->sending.on)
		return;
	set_limit(m);
	if (!m->sending.starved)
		return;
	if (m->now >= n->probe_next && m->now - m->sending.starved >= PROBE_EVERY)
		probe(m);
	for (unsigned i = 0; i < m->peers && m->sending.on; i++) {
		struct peer *peer = &m->peer[i];

		if (takes(m, peer) && peer->credit.limit < m->sending.next)
			look_at(m, peer);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* phase: native: this member's phase in a run, and its announcement. */
#include "native.h"

/* How many live members have yet to reach this member's phase. */
static unsigned count_unready(const struct member *m)
{
	const enum message_phase phase = native_of(m)->phase;
	unsigned count = 0;

	for (unsigned i = 0; i < m->peers; i++) {
		const struct peer *peer = &m->peer[i];

		if (!peer_counts(peer))
			continue;
		count += phase == PHASE_COUNTED ? !peer->reported
						: !peer->self && !has_reached(m, peer, phase);
	}
	return count;
}

void phase_say(struct member *m)
{
	struct native *n = native_of(m);
	struct message_head head = native_head(m);
	const bool soon = n->phase == PHASE_SENT || n->phase == PHASE_LEAVING;
	struct message_state state;
	size_t bytes;

	/* A member that processes slowly makes progress all the same. */
	m->moves += m->backlog.count != 0;
	state = (struct message_state){
		.phase = n->phase,
		.interrupted = m->outcome.interrupted,
		.sent = m->sending.sent,
		.members = (uint16_t)m->peers,
		.unready = (uint16_t)count_unready(m),
		.moves = m->moves,
	};
	bytes = message_state_encode(n->out, &head, &state);
	if (member_send(m, n->out, bytes)) {
		n->state_next = m->now + MEMBER_LOOK;
		return;
	}
	n->said++;
	n->state_next = m->now + native_pause(m, soon ? STATE_SOON : STATE_EVERY);
}

void phase_enter(struct member *m, enum message_phase phase)
{
	struct native *n = native_of(m);

	n->phase = phase;
	n->moved = m->now;
	if (phase == PHASE_LEAVING)
		n->left = m->now;
	n->said = 0;
	m->dirty = true;
	phase_say(m);
}

void phase_begin_run(struct member *m)
{
	member_result_begin(m);
	m->sending = (struct sending){0};
	for (unsigned i = 0; i < m->peers; i++)
		m->peer[i].credit = (struct peer_credit){0};
	phase_enter(m, PHASE_READY);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* outcome: gives members up, and explains why no group forms. */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>

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
	member_tell(m, (struct member_event){.kind = MEMBER_GIVEN_UP, .text = peer->why}, peer);
	if (m->port.drop && (outcome == FATE_CUT || !m->protocol->parts_late))
		m->port.drop(m->port.transport, member_who(m, peer));
}

void member_lose_others(struct member *m, const char *why)
{
	m->outcome.lost = true;
	for (unsigned i = 0; i < m->peers; i++) {
		if (peer_counts(&m->peer[i]) && !m->peer[i].self && !m->peer[i].reported)
			member_give_up(m, &m->peer[i], FATE_CUT, "%s", why);
	}
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
	m->outcome.failed = true;
	m->dirty = true;
}

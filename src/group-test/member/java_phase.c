// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* java_phase: the phase of this member among those of perf.Test, and its messages to all. */
#include "java.h"

int java_send(struct member *m, enum jgroups_type type)
{
	struct java *j = java_of(m);

	j->out.type = type;
	j->out.sender = type == JGROUPS_DISCOVERY_RSP && m->plan.sender;
	j->out.num_msgs = j->out.sender ? (int64_t)m->plan.messages : 0;
	j->out.has_result = type == JGROUPS_RESULTS;
	return member_send(m, j->wire, jgroups_encode(j->wire, &j->out));
}

void java_enter(struct member *m, enum java_phase phase)
{
	java_of(m)->phase = phase;
	java_of(m)->moved = m->now;
	m->dirty = true;
}

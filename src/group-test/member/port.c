// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* port: sends events to the listener and control messages to all, and notes refusals. */
#include "state.h"

#include <errno.h>
#include <string.h>

void member_tell(struct member *m, struct member_event event, const struct peer *peer)
{
	if (peer)
		event.who = member_who(m, peer);
	if (m->listener.tell)
		m->listener.tell(m->listener.context, &event);
}

void member_tell_unsent(struct member *m, int error)
{
	if (error != m->told_error)
		member_tell(m, (struct member_event){MEMBER_UNSENT, .text = strerror(-error)},
			    NULL);
	m->told_error = error;
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
	member_tell_unsent(m, rc);
}

int member_send(struct member *m, const void *message, size_t bytes)
{
	const int rc = m->port.send(m->port.transport, message, bytes);

	member_note(m, &m->refused, rc);
	return rc;
}

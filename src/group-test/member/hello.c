// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* hello: native: announces this member, to all and before a refusal. */
#include "native.h"

#include <stdio.h>
#include <string.h>

#define HELLO_SOON    (50 * NP_MILLISECOND)
#define KEPT_OUT_TOLD 16 /* more would be a flood */

static size_t hello_write(struct member *m)
{
	struct native *n = native_of(m);
	struct message_head head = native_head(m);
	struct message_hello hello = {.sender = m->plan.sender,
				      .paced = m->plan.rate > 0 ? 1
					       : m->plan.pause	? (uint8_t)m->plan.lanes
								: 0,
				      .begun = m->begun + m->plan.realtime};

	memcpy(hello.host, m->plan.host, sizeof(hello.host));
	memcpy(hello.setting, n->setting, sizeof(hello.setting));
	return message_hello_encode(n->out, &head, &hello);
}

static void hello_send(struct member *m)
{
	struct native *n = native_of(m);
	const size_t bytes = hello_write(m);

	n->hello_next = m->now + MEMBER_LOOK;
	if (member_send(m, n->out, bytes))
		return;
	n->hello_last = m->now;
	n->hello_next =
		n->phase == PHASE_JOINING ? m->now + native_pause(m, HELLO_EVERY) : NP_TIME_NEVER;
}

void hello_introduce(struct member *m)
{
	if (!native_of(m)->hello_last)
		hello_send(m);
}

void hello_soon(struct member *m)
{
	struct native *n = native_of(m);
	const np_time soon = n->hello_last + native_pause(m, HELLO_SOON);
	const bool crowd = m->plan.members > MEMBERS_QUICK && join_count(m) < m->plan.members;

	/*
	 * In a large group that is not complete, a newcomer can wait for the next HELLO: if all
	 * answered each newcomer at once, others could not get through.
	 */
	if (soon < n->hello_next && !(crowd && n->phase == PHASE_JOINING))
		n->hello_next = soon;
	m->dirty = true;
}

void hello_tick(struct member *m)
{
	struct native *n = native_of(m);

	if (n->phase == PHASE_LEAVING)
		return;
	if (m->now >= n->hello_next)
		hello_send(m);
	member_arm(m, n->hello_next);
}

/*
 * A process that has never heard of this member ignores its refusal: so it gets a HELLO first,
 * alone.
 */
void hello_refuse(struct member *m, const struct identity *who, const struct message_refuse *body)
{
	struct native *n = native_of(m);
	struct message_head head = native_head(m);
	size_t bytes;

	bytes = hello_write(m);
	m->port.send_to(m->port.transport, who, n->out, bytes);
	bytes = message_refuse_encode(n->out, &head, body);
	m->port.send_to(m->port.transport, who, n->out, bytes);
}

void hello_keep_out(struct member *m, struct peer *peer, const struct message_refuse *body,
		    const char *why)
{
	struct native *n = native_of(m);
	const struct identity who = *member_who(m, peer);

	hello_refuse(m, &who, body);
	if (peer->role == PEER_REFUSED)
		return;
	peer->role = PEER_REFUSED;
	snprintf(peer->why, sizeof(peer->why), "%s", why);
	if (n->kept_out++ < KEPT_OUT_TOLD)
		member_tell(m, (struct member_event){.kind = MEMBER_REFUSED, .text = peer->why},
			    peer);
}

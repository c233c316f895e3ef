// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * backlog: a ring of messages: under processing_delay, arriving messages wait, and one is due per
 * delay.
 */
#include "state.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int backlog_open(struct backlog *backlog)
{
	backlog->message = calloc(BACKLOG_MESSAGES, sizeof(*backlog->message));
	return backlog->message ? 0 : -ENOMEM;
}

void backlog_close(struct backlog *backlog)
{
	free(backlog->message);
	backlog->message = NULL;
}

bool backlog_put(struct backlog *backlog, const struct backlog_message *message)
{
	if (backlog->count == BACKLOG_MESSAGES)
		return false;
	backlog->message[(backlog->first + backlog->count++) % BACKLOG_MESSAGES] = *message;
	return true;
}

struct backlog_message backlog_take(struct backlog *backlog)
{
	const struct backlog_message taken = backlog->message[backlog->first];

	backlog->first = (backlog->first + 1) % BACKLOG_MESSAGES;
	backlog->count--;
	return taken;
}

unsigned member_room(const struct member *member)
{
	const unsigned full = BACKLOG_MESSAGES - TRANSPORT_BATCH;

	if (!member->backlog.message)
		return UINT_MAX;
	return member->backlog.count < full ? full - member->backlog.count : 0;
}

bool member_delay(struct member *m, struct peer *peer, struct backlog_message message)
{
	if (!m->plan.processing_delay)
		return false;
	message.peer = (unsigned)(peer - m->peer);
	if (backlog_put(&m->backlog, &message))
		peer->flow.waiting++;
	else
		m->malformed++;
	m->dirty |= m->now >= m->backlog.next;
	return true;
}

void member_process(struct member *m)
{
	struct backlog *b = &m->backlog;
	struct backlog_message message;
	struct peer *peer;

	if (b->count && m->now >= b->next) {
		message = backlog_take(b);
		peer = &m->peer[message.peer];
		peer->flow.waiting--;
		b->next = m->now + m->plan.processing_delay;
		m->protocol->process(m, peer, &message);
	}
	if (b->count)
		member_arm(m, b->next);
}

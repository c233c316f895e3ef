// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* backlog: a ring of messages. */
#include "backlog.h"

#include <errno.h>
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

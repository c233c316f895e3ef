// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* inbox: a list of payloads. */
#include "inbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An empty inbox takes even a longer payload. */
#define BYTES_MAX ((size_t)64 << 20)

int overlay_inbox_put(struct overlay_inbox *inbox, const struct np_overlay_message *message)
{
	struct overlay_kept *made;

	if (inbox->count &&
	    (inbox->count >= inbox->count_max || inbox->bytes + message->bytes > BYTES_MAX))
		return -EAGAIN;
	made = malloc(sizeof(*made) + message->bytes);
	if (!made)
		return -ENOMEM;
	made->next = NULL;
	made->message = *message;
	made->message.data = made->data;
	if (message->bytes)
		memcpy(made->data, message->data, message->bytes);
	if (inbox->first)
		inbox->last->next = made;
	else
		inbox->first = made;
	inbox->last = made;
	inbox->count++;
	inbox->bytes += message->bytes;
	return 0;
}

bool overlay_inbox_take(struct overlay_inbox *inbox, struct np_overlay_message *message)
{
	free(inbox->given);
	inbox->given = inbox->first;
	if (!inbox->given)
		return false;
	inbox->first = inbox->given->next;
	inbox->count--;
	inbox->bytes -= inbox->given->message.bytes;
	*message = inbox->given->message;
	return true;
}

void overlay_inbox_clear(struct overlay_inbox *inbox)
{
	struct np_overlay_message message;

	while (overlay_inbox_take(inbox, &message))
		;
}

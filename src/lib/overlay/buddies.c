// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* buddies: a short list of nodes that fell silent. */
#include "buddies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int overlay_buddies_open(struct overlay_buddies *buddies, unsigned room)
{
	*buddies = (struct overlay_buddies){.room = room};
	if (!room)
		return 0;
	buddies->address = calloc(room, sizeof(*buddies->address));
	return buddies->address ? 0 : -ENOMEM;
}

void overlay_buddies_close(struct overlay_buddies *buddies)
{
	free(buddies->address);
	*buddies = (struct overlay_buddies){0};
}

void overlay_buddies_remove(struct overlay_buddies *buddies, const struct overlay_address *address)
{
	for (unsigned i = 0; i < buddies->count; i++) {
		if (!overlay_address_equal(&buddies->address[i], address))
			continue;
		buddies->count--;
		memmove(buddies->address + i, buddies->address + i + 1,
			(buddies->count - i) * sizeof(*buddies->address));
		return;
	}
}

void overlay_buddies_add(struct overlay_buddies *buddies, const struct overlay_address *address)
{
	if (!buddies->room)
		return;
	overlay_buddies_remove(buddies, address);
	if (buddies->count == buddies->room)
		buddies->count--;
	memmove(buddies->address + 1, buddies->address, buddies->count * sizeof(*buddies->address));
	buddies->address[0] = *address;
	buddies->count++;
}

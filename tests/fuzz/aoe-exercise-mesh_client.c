// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Fuzz target of what the clients of one target tell rank 0: any bytes as a piece; what is taken is
 * packed to the same bytes, and its packets sum up.
 */
#include "../../src/aoe-exercise/session.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t again[CLIENT_BYTES];
	struct np_mesh_pair pair;
	struct client client;

	if (client_unpack(&client, data, size))
		return 0;
	must(size == CLIENT_BYTES);
	client_pack(&client, again);
	must(memcmp(data, again, size) == 0);
	must(client.tally.sent == client.tally.received + client.tally.late + client.tally.lost +
					  client.tally.outstanding);
	must(client.ending <= ENDING_CHANGED);
	pair = client_pair(&client, 0);
	must(pair.sent == pair.received + pair.lost);
	must(pair.elapsed >= 0);
	return 0;
}

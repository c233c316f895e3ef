// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes read as a message and as a hand-shake of perf.Test; what is sound comes back. */
#include "../../src/group-test/wire/jgroups.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void same(const struct jgroups_message *a, const struct jgroups_message *b)
{
	must(a->type == b->type && a->sender == b->sender && a->num_msgs == b->num_msgs);
	must(a->has_result == b->has_result);
	must(!a->has_result ||
	     (a->result.received == b->result.received && a->result.bytes == b->result.bytes));
	if (a->type != JGROUPS_FINAL_RESULTS)
		return;
	must(a->count == b->count);
	for (unsigned i = 0; i < a->count; i++) {
		must(identity_equal(&a->row[i].who, &b->row[i].who));
		must(a->row[i].info.stop_ms == b->row[i].info.stop_ms);
	}
}

static void message(const uint8_t *data, size_t size, size_t length)
{
	static uint8_t out[JGROUPS_CONTROL_MAX];
	static struct jgroups_message m, back;
	size_t bytes;

	if (jgroups_decode(data, size, length, &m))
		return;
	bytes = jgroups_encode(out, &m);
	must(bytes <= sizeof(out));
	must(!jgroups_decode(out, bytes, bytes, &back));
	same(&m, &back);
}

/* More bytes say the same or more. */
static void handshake(const uint8_t *data, size_t size)
{
	uint8_t out[JGROUPS_HANDSHAKE_MAX];
	struct identity peer, back;
	int before = 0;

	for (size_t i = 0; i <= size && i <= 2 * JGROUPS_HANDSHAKE_MAX; i++) {
		int rc = jgroups_handshake_decode(data, i, &peer);

		must(!before || rc == before);
		must(rc <= (int)i);
		before = rc;
	}
	if (before <= 0)
		return;
	must(jgroups_handshake_decode(out, jgroups_handshake_encode(out, &peer), &back) > 0);
	must(identity_equal(&peer, &back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	handshake(data, size);
	if (!size || *data > 5 || *data == JGROUPS_DATA_LEAD)
		return 0;
	message(data, size, size);
	message(data, size, size + 1000);
	return 0;
}

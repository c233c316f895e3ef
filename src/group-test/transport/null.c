// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* null: a group of one in memory: messages come back in the next turn. */
#include "variant.h"

#include <errno.h>

#define CELLS 64 /* a power of two */

struct null_state {
	struct transport_own own;
};

static int null_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct null_state *s = t->state;
	const int rc = transport_own_create(&s->own, t, CELLS, NULL, 0);

	return rc ? np_fault_errno(fault, rc, plan->variant)
		  : identity_parse("127.0.0.1:1", &t->info.self);
}

static void null_close(struct transport *t)
{
	transport_own_free(&((struct null_state *)t->state)->own);
}

static int null_turn(struct transport *t, unsigned most, np_time now)
{
	struct null_state *s = t->state;

	transport_own_deliver(t, &s->own, most, now);
	return s->own.begin != s->own.end;
}

static int null_send(struct transport *t, const void *message, size_t bytes)
{
	struct transport_own *own = &((struct null_state *)t->state)->own;

	if (own->end - own->begin == CELLS)
		return -EAGAIN;
	memcpy(transport_own_cell(own, own->end), message, bytes);
	transport_own_keep(own, bytes, true, 0);
	return 0;
}

static unsigned null_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	const struct null_state *s = t->state;

	return transport_own_reserve(t, &s->own, wanted, slots);
}

static int null_commit(struct transport *t, unsigned count)
{
	struct null_state *s = t->state;

	for (unsigned i = 0; i < count; i++)
		transport_own_keep(&s->own, t->data_bytes, false, 0);
	return (int)count;
}

static bool null_idle(const struct transport *t)
{
	const struct null_state *s = t->state;

	return s->own.begin == s->own.end;
}

const struct transport_variant transport_null_variant = {
	.name = "null",
	.state_bytes = sizeof(struct null_state),
	.open = null_open,
	.close = null_close,
	.turn = null_turn,
	.send = null_send,
	.reserve = null_reserve,
	.commit = null_commit,
	.idle = null_idle,
};

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* null: a group of one in memory: messages come back in the next turn. */
#include "variant.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CELLS 64 /* a power of two */

struct null_state {
	struct transport_own own;
};

static int null_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct null_state *s = calloc(1, sizeof(*s));

	t->state = s;
	t->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (t->fd < 0)
		return np_fault_errno(fault, -errno, plan->variant);
	if (!s || transport_own_create(&s->own, t, CELLS, NULL, 0))
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	s->own.wake = t->fd;
	return identity_parse("127.0.0.1:1", &t->info.self);
}

static void null_close(struct transport *t)
{
	struct null_state *s = t->state;

	if (t->fd >= 0)
		close(t->fd);
	if (s)
		transport_own_free(&s->own);
	free(s);
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
	.open = null_open,
	.close = null_close,
	.turn = null_turn,
	.send = null_send,
	.reserve = null_reserve,
	.commit = null_commit,
	.idle = null_idle,
};

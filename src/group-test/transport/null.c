// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* null: a group of one in memory: messages come back in the next turn. */
#include "variant.h"

#include <errno.h>

#define CELLS 64 /* a power of two */

static int null_open(struct transport *t, struct np_fault *fault)
{
	const int rc = transport_own_create(t, CELLS, NULL, 0);

	return rc ? np_fault_errno(fault, rc, t->plan.variant)
		  : identity_parse("127.0.0.1:1", &t->info.self);
}

static int null_send(struct transport *t, const struct identity *who, const void *message,
		     size_t bytes)
{
	(void)who;
	if (!transport_own_room(t))
		return -EAGAIN;
	memcpy(transport_own_cell(t, t->own.end), message, bytes);
	transport_own_keep(t, bytes, true, 0);
	return 0;
}

static int null_commit(struct transport *t, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		transport_own_keep(t, t->plan.data_bytes, false, 0);
	return (int)count;
}

const struct transport_variant transport_null_variant = {
	.name = "null",
	.open = null_open,
	.send = null_send,
	.reserve = transport_own_reserve,
	.commit = null_commit,
};

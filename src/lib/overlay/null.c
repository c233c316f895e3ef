// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* null: the substrate that sends into nothing, for measuring what a node costs without a kernel. */
#include "substrate.h"

static int null_open(struct overlay_substrate *s)
{
	/* An address that nobody has (RFC 5737), for the node to be somebody. */
	if (!np_address_port(&s->local))
		np_address_set_port(&s->local, 1);
	return 0;
}

static void null_close(struct overlay_substrate *s)
{
	(void)s;
}

static int null_send(struct overlay_substrate *s, const struct overlay_address *to,
		     const void *message, size_t bytes, enum overlay_class class)
{
	(void)to;
	(void)message;
	overlay_substrate_add(&s->counts.sent, class);
	s->counts.sent_bytes += bytes;
	return 0;
}

static bool null_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	(void)s;
	(void)to;
	return true;
}

static int null_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	(void)s;
	(void)most;
	(void)now;
	return 0;
}

static np_time null_deadline(const struct overlay_substrate *s)
{
	(void)s;
	return NP_TIME_NEVER;
}

static bool null_idle(const struct overlay_substrate *s)
{
	(void)s;
	return true;
}

static int null_count(struct overlay_substrate *s)
{
	(void)s;
	return 0;
}

const struct overlay_substrate_face overlay_null = {
	.name = "null",
	.open = null_open,
	.close = null_close,
	.send = null_send,
	.room = null_room,
	.turn = null_turn,
	.deadline = null_deadline,
	.idle = null_idle,
	.count = null_count,
};

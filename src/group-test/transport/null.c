// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* null: a group of one in memory: messages come back in the next turn. */
#include "variant.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CELLS 64 /* a power of two */

/* A ring of messages, control and DATA in order; begin and end are never reduced. */
struct null_state {
	uint8_t *cells; /* of message_bytes each */
	size_t bytes[CELLS];
	unsigned begin, end;
};

static uint8_t *cell(const struct transport *t, unsigned index)
{
	const struct null_state *s = t->state;

	return s->cells + index % CELLS * t->message_bytes;
}

static int null_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault)
{
	struct null_state *s = calloc(1, sizeof(*s));

	t->state = s;
	t->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (t->fd < 0)
		return np_fault_errno(fault, -errno, plan->variant);
	if (s)
		s->cells = malloc(CELLS * t->message_bytes);
	if (!s || !s->cells)
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	memset(s->cells, TRANSPORT_FILL, CELLS * t->message_bytes);
	return identity_parse("127.0.0.1:1", &t->info.self);
}

static void null_close(struct transport *t)
{
	struct null_state *s = t->state;

	if (t->fd >= 0)
		close(t->fd);
	if (s)
		free(s->cells);
	free(s);
}

static void deliver(struct transport *t, unsigned index, np_time now)
{
	struct null_state *s = t->state;
	size_t bytes = s->bytes[index % CELLS];
	const struct transport_message message = {cell(t, index), bytes, bytes, now};

	transport_deliver(t, &t->info.self, &message, 1, 0);
	/* The payload of the DATA message that will be here next. */
	memset(cell(t, index), TRANSPORT_FILL, bytes);
}

/* Messages that the listener sends meanwhile wait for the next turn. */
static int null_turn(struct transport *t, unsigned most, np_time now)
{
	struct null_state *s = t->state;
	unsigned end = s->end;
	eventfd_t ignored;

	for (; most && s->begin != end; most--, s->begin++)
		deliver(t, s->begin, now);
	if (s->begin != s->end)
		return 1;
	(void)eventfd_read(t->fd, &ignored);
	return 0;
}

static int null_send(struct transport *t, const void *message, size_t bytes)
{
	struct null_state *s = t->state;

	if (s->end - s->begin == CELLS)
		return -EAGAIN;
	memcpy(cell(t, s->end), message, bytes);
	s->bytes[s->end++ % CELLS] = bytes;
	(void)eventfd_write(t->fd, 1);
	return 0;
}

/* A quarter is reserved for control messages. */
static unsigned null_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	struct null_state *s = t->state;
	unsigned used = s->end - s->begin, straight = CELLS - s->end % CELLS;
	unsigned room = used < CELLS * 3 / 4 ? CELLS * 3 / 4 - used : 0;

	if (!room)
		t->stats.send_refused++;
	if (room > straight)
		room = straight;
	slots->data = cell(t, s->end);
	slots->stride = t->message_bytes;
	return wanted < room ? wanted : room;
}

static int null_commit(struct transport *t, unsigned count)
{
	struct null_state *s = t->state;

	for (unsigned i = 0; i < count; i++)
		s->bytes[s->end++ % CELLS] = t->data_bytes;
	(void)eventfd_write(t->fd, 1);
	return (int)count;
}

static bool null_idle(const struct transport *t)
{
	const struct null_state *s = t->state;

	return s->begin == s->end;
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

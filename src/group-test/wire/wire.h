/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * wire: a control message as the list of its fields: the same function writes them and reads them,
 * in order. Pure. All integers are big-endian.
 */
#ifndef GROUP_TEST_WIRE_WIRE_H
#define GROUP_TEST_WIRE_WIRE_H

#include <netperf/field.h>

struct wire {
	uint8_t *out;		   /* where the next field is written; NULL: fields are read */
	struct np_field_cursor in; /* from here; @in.bad also if one was out of range */
};

static inline void wire_put(struct wire *w, unsigned bytes, uint64_t value)
{
	for (; bytes; bytes--)
		*w->out++ = (uint8_t)(value >> 8 * (bytes - 1));
}

/* A number of at most @most; 0 when the message is bad. */
static inline uint64_t wire_get(struct wire *w, unsigned bytes, uint64_t most)
{
	const uint8_t *at = np_field_take(&w->in, bytes);
	uint64_t value = 0;

	for (; at && bytes; bytes--)
		value = value << 8 | *at++;
	w->in.bad |= value > most;
	return w->in.bad ? 0 : value;
}

/*
 * Write or read the lvalue @field: a number of so many @bytes in the message, and one of its own
 * size with any value. Nothing is stored when it is written.
 */
#define WIRE_NUMBER(w, field, bytes, most)                                                         \
	do {                                                                                       \
		if ((w)->out)                                                                      \
			wire_put(w, bytes, (uint64_t)(field));                                     \
		else                                                                               \
			(field) = (__typeof__(field))wire_get(w, bytes, most);                     \
	} while (0)
#define WIRE(w, field) WIRE_NUMBER(w, field, sizeof(field), UINT64_MAX)

/* The same for bytes as they are. */
static inline void wire_bytes(struct wire *w, void *memory, size_t bytes)
{
	const uint8_t *at = w->out ? NULL : np_field_take(&w->in, bytes);

	if (w->out)
		w->out = (uint8_t *)memcpy(w->out, memory, bytes) + bytes;
	else if (at)
		memcpy(memory, at, bytes);
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message_drops: writes and reads DROPS, what a member's host dropped. */
#include "message.h"

#include "message_field.h"

#include <errno.h>

#define BODY_BYTES (8 + 2)
#define ROW_BYTES  (IDENTITY_BYTES + 8 + 1)

/* A total: 0 when it is not known, else one more than the packets, and whether they are exact. */
#define EXACT (UINT64_C(1) << 63)

_Static_assert(MESSAGE_HEADER_BYTES + BODY_BYTES + MESSAGE_ROWS_MAX * ROW_BYTES ==
		       MESSAGE_DROPS_MAX,
	       "the longest DROPS");

static uint8_t *put_total(uint8_t *at, const struct np_drops_total *total)
{
	/* More than fit are not told. */
	if (!total->known || total->packets >= EXACT - 1)
		return field_put64(at, 0);
	return field_put64(at, (total->packets + 1) | (total->exact ? EXACT : 0));
}

static bool get_total(struct np_field_cursor *at, struct np_drops_total *total)
{
	const uint64_t packed = np_field_take64(at), more = packed & ~EXACT;

	*total = (struct np_drops_total){.known = false};
	if (!more)
		return !packed;
	*total = (struct np_drops_total){
		.known = true, .exact = packed & EXACT, .packets = more - 1};
	return true;
}

size_t message_drops_encode(uint8_t *out, struct message_head *head, const struct message_drops *m)
{
	uint8_t *at = out + MESSAGE_HEADER_BYTES;

	head->type = MESSAGE_DROPS;
	message_head_encode(out, head);
	at = put_total(at, &m->sent);
	at = field_put16(at, m->count);
	for (unsigned i = 0; i < m->count; i++) {
		at = field_put_identity(at, &m->row[i].sender);
		at = put_total(at, &m->row[i].received);
		at = field_put8(at, m->row[i].local);
	}
	return (size_t)(at - out);
}

int message_drops_decode(const uint8_t *data, size_t bytes, struct message_drops *m)
{
	struct np_field_cursor at = {data, bytes, false};
	bool sound = true;
	uint8_t local;

	(void)np_field_take(&at, MESSAGE_HEADER_BYTES);
	sound &= get_total(&at, &m->sent);
	m->count = np_field_take16(&at);
	if (at.bad || m->count > MESSAGE_ROWS_MAX ||
	    bytes != MESSAGE_HEADER_BYTES + BODY_BYTES + (size_t)m->count * ROW_BYTES)
		return -EPROTO;
	for (unsigned i = 0; i < m->count; i++) {
		m->row[i].sender = field_take_identity(&at);
		sound &= get_total(&at, &m->row[i].received);
		local = np_field_take8(&at);
		sound &= local <= 1;
		m->row[i].local = local;
	}
	return sound && !at.bad ? 0 : -EPROTO;
}

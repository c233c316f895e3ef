// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message_results: writes and reads RESULTS, a member's frozen table. */
#include "message.h"

#include "message_field.h"

#include <errno.h>

#define HOST_BYTES 32
#define ROW_BYTES  (IDENTITY_BYTES + 8 * 8 + 2 * 8 + 1 + 9 * 8)
#define BODY_BYTES (2 + HOST_BYTES)

#define FLAG_EXACT 1u
#define FLAG_ENDED 2u

_Static_assert(MESSAGE_HEADER_BYTES + BODY_BYTES + MESSAGE_ROWS_MAX * ROW_BYTES <=
		       MESSAGE_CONTROL_MAX,
	       "RESULTS fits");

static uint8_t *put_time(uint8_t *at, np_time time)
{
	return field_put64(at, (uint64_t)time);
}

static uint8_t *put_delay(uint8_t *at, const struct result_row *row)
{
	const struct np_histogram_figures *delay = &row->delay;
	const np_time times[] = {delay->min, delay->mean, delay->p50, delay->p90,
				 delay->p99, delay->p999, delay->max, row->delay_bound};

	at = field_put64(at, delay->count);
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		at = put_time(at, times[i]);
	return at;
}

static uint8_t *put_row(uint8_t *at, const struct result_row *row)
{
	const struct np_flow_counts *c = &row->counts;
	const uint64_t counts[] = {c->sent,	 c->received, c->lost,	c->duplicates,
				   c->reordered, c->late,     c->stray, c->bytes};

	at = field_put_identity(at, &row->sender);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		at = field_put64(at, counts[i]);
	at = put_time(put_time(at, c->first), c->last);
	at = field_put8(at,
			(uint8_t)((row->exact ? FLAG_EXACT : 0) | (row->ended ? FLAG_ENDED : 0)));
	return put_delay(at, row);
}

size_t message_results_bytes(unsigned rows)
{
	return MESSAGE_HEADER_BYTES + BODY_BYTES + (size_t)rows * ROW_BYTES;
}

size_t message_results_encode(uint8_t *out, struct message_head *head,
			      const struct message_results *m)
{
	uint8_t *at = out + MESSAGE_HEADER_BYTES;

	head->type = MESSAGE_RESULTS;
	message_head_encode(out, head);
	at = field_put16(at, m->count);
	at = put_time(put_time(at, m->host.cpu_user), m->host.cpu_system);
	at = field_put64(field_put64(at, m->host.dropped), m->host.malformed);
	for (unsigned i = 0; i < m->count; i++)
		at = put_row(at, &m->row[i]);
	return (size_t)(at - out);
}

/* Rejects negative times, and those whose difference could overflow. */
static bool get_time(struct np_field_cursor *at, np_time *time)
{
	const uint64_t value = np_field_take64(at);

	*time = (np_time)value;
	return value < UINT64_C(1) << 62;
}

static bool get_delay(struct np_field_cursor *at, struct result_row *row)
{
	struct np_histogram_figures *delay = &row->delay;
	np_time *const times[] = {&delay->min, &delay->mean, &delay->p50, &delay->p90,
				  &delay->p99, &delay->p999, &delay->max, &row->delay_bound};
	bool sound = true;

	delay->count = np_field_take64(at);
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++)
		sound &= get_time(at, times[i]);
	return sound;
}

static bool get_row(struct np_field_cursor *at, struct result_row *row)
{
	struct np_flow_counts *c = &row->counts;
	uint64_t *const counts[] = {&c->sent,	   &c->received, &c->lost,  &c->duplicates,
				    &c->reordered, &c->late,	 &c->stray, &c->bytes};
	uint8_t flags;
	bool sound;

	row->sender = field_take_identity(at);
	row->drops = (struct result_drops){};
	row->local = false;
	c->flows = 1;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		*counts[i] = np_field_take64(at);
	sound = get_time(at, &c->first);
	sound &= get_time(at, &c->last);
	flags = np_field_take8(at);
	row->exact = flags & FLAG_EXACT;
	row->ended = flags & FLAG_ENDED;
	sound &= get_delay(at, row);
	/* An older version may have counted the gap before a forged number. */
	if (!row->exact && c->lost > c->sent)
		c->lost = c->sent;
	return sound && flags <= (FLAG_EXACT | FLAG_ENDED) && c->first <= c->last &&
	       c->lost <= c->sent;
}

int message_results_decode(const uint8_t *data, size_t bytes, struct message_results *m)
{
	struct np_field_cursor at = {data, bytes, false};
	bool sound = true;

	(void)np_field_take(&at, MESSAGE_HEADER_BYTES);
	m->count = np_field_take16(&at);
	if (m->count > MESSAGE_ROWS_MAX || bytes != message_results_bytes(m->count))
		return -EPROTO;
	sound &= get_time(&at, &m->host.cpu_user);
	sound &= get_time(&at, &m->host.cpu_system);
	m->host.dropped = np_field_take64(&at);
	m->host.malformed = np_field_take64(&at);
	for (unsigned i = 0; i < m->count; i++)
		sound &= get_row(&at, &m->row[i]);
	return sound && !at.bad ? 0 : -EPROTO;
}

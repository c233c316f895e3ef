// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: writes and reads all native messages; computes the tag of a group. */
#include "message.h"

#include "message_field.h"

#include <errno.h>
#include <stdlib.h>

#define TYPE_BASE     0x40
#define JGROUPS_LAST  5 /* the highest lead byte of its messages */
#define VERSION_BYTES 16

/* Lengths of the bodies. */
#define HELLO_BYTES  (1 + 1 + 16 + 8 + 8 * SETTINGS)
#define STATE_BYTES  22
#define CLOCK_BYTES  (IDENTITY_BYTES + 1 + 24)
#define REFUSE_BYTES (IDENTITY_BYTES + 1 + 2 + 8)
#define PROOF_BYTES  (IDENTITY_BYTES + 1 + 8)

void message_head_encode(uint8_t *out, const struct message_head *head)
{
	const uint16_t version = head->version ? head->version : MESSAGE_VERSION;

	out[0] = MESSAGE_MAGIC;
	out[1] = (uint8_t)(TYPE_BASE + head->type);
	out[2] = 0;
	out[3] = head->run;
	np_field_put64(out + 4, head->number);
	np_field_put32(out + 12, version);
	np_field_put64(out + 16, (uint64_t)head->time);
	np_field_put32(out + 24, head->tag);
}

static bool magic_is_sound(const uint8_t *data, size_t bytes)
{
	return bytes >= VERSION_BYTES && data[0] == MESSAGE_MAGIC && !data[2] && !data[12] &&
	       !data[13];
}

enum message_kind message_head_decode(const uint8_t *data, size_t bytes, struct message_head *head)
{
	if (!magic_is_sound(data, bytes))
		return bytes && data[0] <= JGROUPS_LAST ? MESSAGE_JGROUPS : MESSAGE_BAD;
	head->version = np_field_get16(data + 14);
	if (head->version != MESSAGE_VERSION)
		return MESSAGE_OTHER;
	if (bytes < MESSAGE_HEADER_BYTES || data[1] < TYPE_BASE + MESSAGE_HELLO ||
	    data[1] > TYPE_BASE + MESSAGE_DROPS)
		return MESSAGE_BAD;
	head->type = (enum message_type)(data[1] - TYPE_BASE);
	head->run = data[3];
	head->number = np_field_get64(data + 4);
	head->time = (np_time)np_field_get64(data + 16);
	head->tag = np_field_get32(data + 24);
	return MESSAGE_NATIVE;
}

const char *message_setting_name(enum message_setting setting)
{
	static const char *const names[SETTINGS] = {
		[SETTING_NUM_MSGS] = "num_msgs",       [SETTING_MSG_SIZE] = "msg_size",
		[SETTING_NUM_MEMBERS] = "num_members", [SETTING_NUM_SENDERS] = "num_senders",
		[SETTING_DURATION] = "--duration",     [SETTING_REPEAT] = "--repeat",
		[SETTING_WARMUP] = "-warmup",	       [SETTING_CREDIT] = "--flow-control",
	};

	return names[setting];
}

/* Writes the head and returns where the body starts. */
static uint8_t *begin(uint8_t *out, struct message_head *head, enum message_type type)
{
	head->type = type;
	message_head_encode(out, head);
	return out + MESSAGE_HEADER_BYTES;
}

/* A cursor on the body if it has exactly @body bytes; else one that is bad. */
static struct np_field_cursor body_of(const uint8_t *data, size_t bytes, size_t body)
{
	if (bytes != MESSAGE_HEADER_BYTES + body)
		return (struct np_field_cursor){.bad = true};
	return (struct np_field_cursor){data + MESSAGE_HEADER_BYTES, body, false};
}

size_t message_hello_encode(uint8_t *out, struct message_head *head, const struct message_hello *m)
{
	uint8_t *at = begin(out, head, MESSAGE_HELLO);

	at = field_put8(at, m->sender);
	at = field_put8(at, m->paced);
	at = field_put(at, m->host, sizeof(m->host));
	at = field_put64(at, (uint64_t)m->begun);
	for (int i = 0; i < SETTINGS; i++)
		at = field_put64(at, m->setting[i]);
	return (size_t)(at - out);
}

int message_hello_decode(const uint8_t *data, size_t bytes, struct message_hello *m)
{
	struct np_field_cursor at = body_of(data, bytes, HELLO_BYTES);

	if (at.bad || *at.at > 1)
		return -EPROTO;
	m->sender = np_field_take8(&at);
	m->paced = np_field_take8(&at);
	np_field_take_bytes(&at, m->host, sizeof(m->host));
	m->begun = (np_time)np_field_take64(&at);
	for (int i = 0; i < SETTINGS; i++)
		m->setting[i] = np_field_take64(&at);
	return 0;
}

size_t message_state_encode(uint8_t *out, struct message_head *head, const struct message_state *m)
{
	uint8_t *at = begin(out, head, MESSAGE_STATE);

	at = field_put8(at, (uint8_t)m->phase);
	at = field_put8(at, m->interrupted);
	at = field_put64(at, m->sent);
	at = field_put16(at, m->members);
	at = field_put16(at, m->unready);
	at = field_put64(at, m->moves);
	return (size_t)(at - out);
}

int message_state_decode(const uint8_t *data, size_t bytes, struct message_state *m)
{
	struct np_field_cursor at = body_of(data, bytes, STATE_BYTES);

	if (at.bad || at.at[0] > PHASE_LEAVING || at.at[1] > 1)
		return -EPROTO;
	m->phase = (enum message_phase)np_field_take8(&at);
	m->interrupted = np_field_take8(&at);
	m->sent = np_field_take64(&at);
	m->members = np_field_take16(&at);
	m->unready = np_field_take16(&at);
	m->moves = np_field_take64(&at);
	return 0;
}

size_t message_clock_encode(uint8_t *out, struct message_head *head, const struct message_clock *m)
{
	uint8_t *at = begin(out, head, MESSAGE_CLOCK);

	at = field_put_identity(at, &m->to);
	at = field_put8(at, m->answer);
	at = field_put64(at, (uint64_t)m->t1);
	at = field_put64(at, (uint64_t)m->t2);
	at = field_put64(at, (uint64_t)m->t3);
	return (size_t)(at - out);
}

int message_clock_decode(const uint8_t *data, size_t bytes, struct message_clock *m)
{
	struct np_field_cursor at = body_of(data, bytes, CLOCK_BYTES);

	if (at.bad || at.at[IDENTITY_BYTES] > 1)
		return -EPROTO;
	m->to = field_take_identity(&at);
	m->answer = np_field_take8(&at);
	m->t1 = (np_time)np_field_take64(&at);
	m->t2 = (np_time)np_field_take64(&at);
	m->t3 = (np_time)np_field_take64(&at);
	return 0;
}

size_t message_refuse_encode(uint8_t *out, struct message_head *head,
			     const struct message_refuse *m)
{
	uint8_t *at = begin(out, head, MESSAGE_REFUSE);

	at = field_put_identity(at, &m->to);
	at = field_put8(at, (uint8_t)m->why);
	at = field_put16(at, m->setting);
	at = field_put64(at, m->value);
	return (size_t)(at - out);
}

int message_refuse_decode(const uint8_t *data, size_t bytes, struct message_refuse *m)
{
	struct np_field_cursor at = body_of(data, bytes, REFUSE_BYTES);

	if (at.bad)
		return -EPROTO;
	m->to = field_take_identity(&at);
	m->why = (enum message_refusal)np_field_take8(&at);
	m->setting = np_field_take16(&at);
	m->value = np_field_take64(&at);
	if (m->why < REFUSAL_FULL || m->why > REFUSAL_DEAD || m->setting >= SETTINGS)
		return -EPROTO;
	return 0;
}

size_t message_proof_encode(uint8_t *out, struct message_head *head, const struct message_proof *m)
{
	uint8_t *at = begin(out, head, MESSAGE_PROOF);

	at = field_put_identity(at, &m->to);
	at = field_put8(at, m->answer);
	at = field_put64(at, m->cookie);
	return (size_t)(at - out);
}

int message_proof_decode(const uint8_t *data, size_t bytes, struct message_proof *m)
{
	struct np_field_cursor at = body_of(data, bytes, PROOF_BYTES);

	if (at.bad || at.at[IDENTITY_BYTES] > 1)
		return -EPROTO;
	m->to = field_take_identity(&at);
	m->answer = np_field_take8(&at);
	m->cookie = np_field_take64(&at);
	return 0;
}

bool message_hello_is_possible(const struct message_hello *m)
{
	const uint64_t *setting = m->setting, members = setting[SETTING_NUM_MEMBERS],
		       senders = setting[SETTING_NUM_SENDERS];

	return members && members <= MESSAGE_ROWS_MAX && senders && senders <= members &&
	       (setting[SETTING_NUM_MSGS] || setting[SETTING_DURATION]) &&
	       setting[SETTING_MSG_SIZE] <= INT32_MAX && setting[SETTING_DURATION] <= INT64_MAX &&
	       setting[SETTING_REPEAT] && setting[SETTING_REPEAT] <= UINT8_MAX + 1u &&
	       setting[SETTING_CREDIT] <= 1;
}

static int compare_instances(const void *a, const void *b)
{
	const struct message_instance *left = a, *right = b;
	int order = identity_compare(&left->who, &right->who);

	if (order)
		return order;
	return (left->instance > right->instance) - (left->instance < right->instance);
}

uint32_t message_group_tag(struct message_instance *members, size_t count)
{
	uint64_t sum = NP_FIELD_SUM_BEGIN;
	uint32_t tag;

	qsort(members, count, sizeof(*members), compare_instances);
	for (size_t i = 0; i < count; i++) {
		sum = np_field_sum(sum, members[i].who.ip, sizeof(members[i].who.ip) / 8);
		sum = np_field_sum_word(sum, np_field_get16(members[i].who.port));
		sum = np_field_sum_word(sum, members[i].instance);
	}
	tag = np_field_sum_end(sum);
	return tag ? tag : 1;
}

#define RESULTS_ROW_BYTES (IDENTITY_BYTES + 8 * 8 + 2 * 8 + 1 + 9 * 8)
#define RESULTS_BYTES	  (2 + 32)

#define FLAG_EXACT	  1u
#define FLAG_ENDED	  2u

_Static_assert(MESSAGE_HEADER_BYTES + RESULTS_BYTES + MESSAGE_ROWS_MAX * RESULTS_ROW_BYTES <=
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
	return MESSAGE_HEADER_BYTES + RESULTS_BYTES + (size_t)rows * RESULTS_ROW_BYTES;
}

size_t message_results_encode(uint8_t *out, struct message_head *head,
			      const struct message_results *m)
{
	uint8_t *at = field_put16(begin(out, head, MESSAGE_RESULTS), m->count);

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

#define DROPS_BYTES	(8 + 2)
#define DROPS_ROW_BYTES (IDENTITY_BYTES + 8 + 1)

/* A total: 0 when it is not known, else one more than the packets, and whether they are exact. */
#define EXACT (UINT64_C(1) << 63)

_Static_assert(MESSAGE_HEADER_BYTES + DROPS_BYTES + MESSAGE_ROWS_MAX * DROPS_ROW_BYTES ==
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
	uint8_t *at = put_total(begin(out, head, MESSAGE_DROPS), &m->sent);

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
	    bytes != MESSAGE_HEADER_BYTES + DROPS_BYTES + (size_t)m->count * DROPS_ROW_BYTES)
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

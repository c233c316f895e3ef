// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: writes and reads all native messages; computes the tag of a group. */
#include "message.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>

#define TYPE_BASE     0x40
#define JGROUPS_LAST  5 /* the highest lead byte of its messages */
#define VERSION_BYTES 16

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

enum message_kind message_head_decode(const uint8_t *data, size_t bytes, struct message_head *head)
{
	if (bytes < VERSION_BYTES || data[0] != MESSAGE_MAGIC || data[2] || data[12] || data[13])
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

/*
 * A field of a body: where it is in its struct and how many bytes it has there, how many it has in
 * a message, and what may be read. A list of fields ends with one of no bytes.
 */
struct field {
	size_t offset;
	uint8_t memory, wire;
	enum { NUMBER, WORDS, BYTES, TOTAL, ENDS } kind;
	uint64_t least, most; /* of a NUMBER; @most 0: any */
};

#define AT(type, name, bytes)                                                                      \
	.offset = offsetof(struct type, name), .memory = sizeof(((struct type *)0)->name),         \
	.wire = (bytes)
#define FLAG(type, name)     AT(type, name, 1), .most = 1
#define IDENTITY(type, name) AT(type, name, sizeof(struct identity)), .kind = BYTES
/* Not negative, nor so large that differences could overflow. */
#define TIME(type, name) AT(type, name, 8), .most = (UINT64_C(1) << 62) - 1

static const struct field hello[] = {
	{FLAG(message_hello, sender)},
	{AT(message_hello, paced, 1)},
	{AT(message_hello, host, 16), .kind = BYTES},
	{AT(message_hello, begun, 8)},
	{AT(message_hello, setting, 8 * SETTINGS), .kind = WORDS},
	{},
};

static const struct field state[] = {
	{AT(message_state, phase, 1), .most = PHASE_LEAVING},
	{FLAG(message_state, interrupted)},
	{AT(message_state, sent, 8)},
	{AT(message_state, members, 2)},
	{AT(message_state, unready, 2)},
	{AT(message_state, moves, 8)},
	{},
};

static const struct field clock_of[] = {
	{IDENTITY(message_clock, to)}, {FLAG(message_clock, answer)}, {AT(message_clock, t1, 8)},
	{AT(message_clock, t2, 8)},    {AT(message_clock, t3, 8)},    {},
};

static const struct field refuse[] = {
	{IDENTITY(message_refuse, to)},
	{AT(message_refuse, why, 1), .least = REFUSAL_FULL, .most = REFUSAL_DEAD},
	{AT(message_refuse, setting, 2), .most = SETTINGS - 1},
	{AT(message_refuse, value, 8)},
	{},
};

static const struct field proof[] = {
	{IDENTITY(message_proof, to)},
	{FLAG(message_proof, answer)},
	{AT(message_proof, cookie, 8)},
	{},
};

static const struct field results[] = {
	{AT(result_member, rows, 2), .most = MESSAGE_ROWS_MAX},
	{TIME(result_member, host.cpu_user)},
	{TIME(result_member, host.cpu_system)},
	{AT(result_member, host.dropped, 8)},
	{AT(result_member, host.malformed, 8)},
	{},
};

static const struct field results_row[] = {
	{IDENTITY(result_row, sender)},		{AT(result_row, counts.sent, 8)},
	{AT(result_row, counts.received, 8)},	{AT(result_row, counts.lost, 8)},
	{AT(result_row, counts.duplicates, 8)}, {AT(result_row, counts.reordered, 8)},
	{AT(result_row, counts.late, 8)},	{AT(result_row, counts.stray, 8)},
	{AT(result_row, counts.bytes, 8)},	{TIME(result_row, counts.first)},
	{TIME(result_row, counts.last)},	{.memory = 1, .wire = 1, .kind = ENDS},
	{AT(result_row, delay.count, 8)},	{TIME(result_row, delay.min)},
	{TIME(result_row, delay.mean)},		{TIME(result_row, delay.p50)},
	{TIME(result_row, delay.p90)},		{TIME(result_row, delay.p99)},
	{TIME(result_row, delay.p999)},		{TIME(result_row, delay.max)},
	{TIME(result_row, delay_bound)},	{},
};

static const struct field drops[] = {
	{AT(result_member, sent_drops.total, 8), .kind = TOTAL},
	{AT(result_member, rows, 2), .most = MESSAGE_ROWS_MAX},
	{},
};

static const struct field drops_row[] = {
	{IDENTITY(result_row, sender)},
	{AT(result_row, drops.total, 8), .kind = TOTAL},
	{FLAG(result_row, local)},
	{},
};

static const struct field nothing[] = {{}};

/* What follows the head; then @row for each row of a struct result_member. */
static const struct body {
	const struct field *fields, *row;
} bodies[] = {
	[MESSAGE_HELLO] = {.fields = hello},	[MESSAGE_STATE] = {.fields = state},
	[MESSAGE_CLOCK] = {.fields = clock_of}, [MESSAGE_REFUSE] = {.fields = refuse},
	[MESSAGE_PROOF] = {.fields = proof},	[MESSAGE_GRANT] = {.fields = nothing},
	[MESSAGE_PROBE] = {.fields = nothing},	[MESSAGE_RESULTS] = {results, results_row},
	[MESSAGE_DROPS] = {drops, drops_row},
};

#define FLAG_EXACT 1u
#define FLAG_ENDED 2u

static void put_number(uint8_t *at, unsigned bytes, uint64_t value)
{
	for (; bytes; bytes--, value >>= 8)
		at[bytes - 1] = (uint8_t)value;
}

static uint64_t get_number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	for (; bytes; bytes--)
		value = value << 8 | *at++;
	return value;
}

/* Where the lowest @bytes of @value are. */
static void *lowest(uint64_t *value, size_t bytes)
{
	return (uint8_t *)value + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - bytes : 0);
}

static uint64_t load(const void *from, size_t bytes)
{
	uint64_t value = 0;

	memcpy(lowest(&value, bytes), from, bytes);
	return value;
}

/* Writes the fields of @from; returns where the next ones go. */
static uint8_t *put(uint8_t *at, const struct field *field, const void *from)
{
	const struct result_row *row = from;

	for (; field->memory; at += field++->wire) {
		const uint8_t *memory = (const uint8_t *)from + field->offset;

		switch (field->kind) {
		case NUMBER: put_number(at, field->wire, load(memory, field->memory)); break;
		case BYTES: memcpy(at, memory, field->wire); break;
		case TOTAL: np_field_put64(at, np_drops_pack((const void *)memory, 64)); break;
		case ENDS:
			*at = (uint8_t)((row->exact ? FLAG_EXACT : 0) |
					(row->ended ? FLAG_ENDED : 0));
			break;
		case WORDS:
			for (unsigned i = 0; i < field->wire; i += 8)
				np_field_put64(at + i, load(memory + i, 8));
		}
	}
	return at;
}

/* Reads the fields to @to; true when all are in range. */
static bool get(const uint8_t *at, const struct field *field, void *to)
{
	struct result_row *row = to;
	bool sound = true;
	uint64_t value;

	for (; field->memory; at += field++->wire) {
		uint8_t *memory = (uint8_t *)to + field->offset;

		switch (field->kind) {
		case NUMBER:
			value = get_number(at, field->wire);
			sound &= value >= field->least && (!field->most || value <= field->most);
			if (!sound)
				value = 0;
			memcpy(memory, lowest(&value, field->memory), field->memory);
			break;
		case BYTES: memcpy(memory, at, field->wire); break;
		case TOTAL:
			value = np_field_get64(at);
			*(struct np_drops_total *)(void *)memory = np_drops_unpack(value, 64);
			sound &= !value || ((struct np_drops_total *)(void *)memory)->known;
			break;
		case ENDS:
			row->exact = *at & FLAG_EXACT;
			row->ended = *at & FLAG_ENDED;
			sound &= *at <= (FLAG_EXACT | FLAG_ENDED);
			break;
		case WORDS:
			for (unsigned i = 0; i < field->wire; i += 8) {
				value = np_field_get64(at + i);
				memcpy(memory + i, &value, sizeof(value));
			}
		}
	}
	return sound;
}

static size_t bytes_of(const struct field *field)
{
	size_t bytes = 0;

	for (; field->memory; field++)
		bytes += field->wire;
	return bytes;
}

size_t message_results_bytes(unsigned rows)
{
	return MESSAGE_HEADER_BYTES + bytes_of(results) + rows * bytes_of(results_row);
}

size_t message_encode(uint8_t *out, struct message_head *head, enum message_type type,
		      const void *body)
{
	const struct body *b = &bodies[type];
	const struct result_member *table = body;
	uint8_t *at;

	head->type = type;
	message_head_encode(out, head);
	at = put(out + MESSAGE_HEADER_BYTES, b->fields, body);
	for (size_t i = 0; b->row && i < table->rows; i++)
		at = put(at, b->row, &table->row[i]);
	return (size_t)(at - out);
}

static bool row_is_sound(struct result_row *row)
{
	struct np_flow_counts *c = &row->counts;

	c->flows = 1;
	/* An older version may have counted the gap before a forged number. */
	if (!row->exact && c->lost > c->sent)
		c->lost = c->sent;
	return c->first <= c->last && c->lost <= c->sent;
}

int message_decode(const uint8_t *data, size_t bytes, enum message_type type, void *body)
{
	const struct body *b = &bodies[type];
	struct message_table *table = body;
	size_t fixed, row_bytes, count;
	bool sound;

	/* Of DATA and WARMUP the length says what they are: another one is of no message. */
	if ((size_t)type >= sizeof(bodies) / sizeof(*bodies) || !b->fields)
		return -EPROTO;
	fixed = MESSAGE_HEADER_BYTES + bytes_of(b->fields);
	row_bytes = b->row ? bytes_of(b->row) : 0;
	if (bytes < fixed || !get(data + MESSAGE_HEADER_BYTES, b->fields, body))
		return -EPROTO;
	count = b->row ? table->member.rows : 0;
	if (bytes != fixed + count * row_bytes)
		return -EPROTO;
	if (b->row)
		table->member.row = table->row;
	sound = true;
	for (size_t i = 0; i < count; i++) {
		struct result_row *row = &table->row[i];

		*row = (struct result_row){};
		sound &= get(data + fixed + i * row_bytes, b->row, row);
		if (type == MESSAGE_RESULTS)
			sound &= row_is_sound(row);
	}
	return sound ? 0 : -EPROTO;
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

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message: writes and reads all native messages; computes the tag of a group. */
#include "message.h"

#include <errno.h>
#include <stdlib.h>

#define TYPE_BASE     0x40
#define JGROUPS_LAST  5 /* the highest lead byte of its messages */
#define VERSION_BYTES 16

void message_head_encode(uint8_t *out, const struct message_head *head)
{
	out[0] = MESSAGE_MAGIC;
	out[1] = (uint8_t)(TYPE_BASE + head->type);
	out[2] = 0;
	out[3] = head->run;
	np_field_put64(out + 4, head->number);
	np_field_put32(out + 12, MESSAGE_VERSION);
	np_field_put64(out + 16, (uint64_t)head->time);
	np_field_put32(out + 24, head->tag);
}

enum message_kind message_head_decode(const uint8_t *data, size_t bytes, struct message_head *head)
{
	if (bytes < VERSION_BYTES || data[0] != MESSAGE_MAGIC || data[2] || data[12] || data[13])
		return bytes && data[0] <= JGROUPS_LAST ? MESSAGE_JGROUPS : MESSAGE_BAD;
	if (np_field_get16(data + 14) != MESSAGE_VERSION)
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

const char *const message_settings[SETTINGS] = {
	[SETTING_NUM_MSGS] = "num_msgs",       [SETTING_MSG_SIZE] = "msg_size",
	[SETTING_NUM_MEMBERS] = "num_members", [SETTING_NUM_SENDERS] = "num_senders",
	[SETTING_DURATION] = "--duration",     [SETTING_REPEAT] = "--repeat",
	[SETTING_WARMUP] = "-warmup",	       [SETTING_CREDIT] = "--flow-control",
};

/* Not negative, nor so large that differences could overflow. */
#define TIME(w, field)	   NP_FIELD_NUMBER(w, field, 8, (UINT64_C(1) << 62) - 1)
#define FLAG(w, field)	   NP_FIELD_NUMBER(w, field, 1, 1)
#define IDENTITY(w, field) np_field_list_bytes(w, &(field), sizeof(struct identity))

#define FLAG_EXACT	   1u
#define FLAG_ENDED	   2u

static void result_row(struct np_field_list *w, struct result_row *row)
{
	struct np_flow_counts *c = &row->counts;
	struct np_histogram_figures *delay = &row->delay;
	uint8_t flags = (row->exact ? FLAG_EXACT : 0) | (row->ended ? FLAG_ENDED : 0);

	IDENTITY(w, row->sender);
	NP_FIELD(w, c->sent);
	NP_FIELD(w, c->received);
	NP_FIELD(w, c->lost);
	NP_FIELD(w, c->duplicates);
	NP_FIELD(w, c->reordered);
	NP_FIELD(w, c->late);
	NP_FIELD(w, c->stray);
	NP_FIELD(w, c->bytes);
	TIME(w, c->first);
	TIME(w, c->last);
	NP_FIELD_NUMBER(w, flags, 1, FLAG_EXACT | FLAG_ENDED);
	NP_FIELD(w, delay->count);
	TIME(w, delay->min);
	TIME(w, delay->mean);
	TIME(w, delay->p50);
	TIME(w, delay->p90);
	TIME(w, delay->p99);
	TIME(w, delay->p999);
	TIME(w, delay->max);
	TIME(w, row->delay_bound);
	if (w->out)
		return;
	row->exact = flags & FLAG_EXACT;
	row->ended = flags & FLAG_ENDED;
	c->flows = 1;
	/* An older version may have counted the gap before a forged number. */
	if (!row->exact && c->lost > c->sent)
		c->lost = c->sent;
	w->in.bad |= c->first > c->last || c->lost > c->sent;
}

static void total(struct np_field_list *w, struct np_drops_total *total)
{
	uint64_t packed = w->out ? np_drops_pack(total, 64) : 0;

	NP_FIELD(w, packed);
	if (w->out)
		return;
	*total = np_drops_unpack(packed, 64);
	w->in.bad |= packed && !total->known;
}

/* RESULTS or DROPS: what they say of the member, then a row for each sender. */
static void table(struct np_field_list *w, struct result_member *m, bool drops)
{
	if (drops)
		total(w, &m->sent_drops.total);
	NP_FIELD_NUMBER(w, m->rows, 2, MESSAGE_ROWS_MAX);
	if (!drops) {
		TIME(w, m->host.cpu_user);
		TIME(w, m->host.cpu_system);
		NP_FIELD(w, m->host.dropped);
		NP_FIELD(w, m->host.malformed);
	}
	for (size_t i = 0; i < m->rows && !w->in.bad; i++) {
		struct result_row *row = &m->row[i];

		if (!w->out)
			*row = (struct result_row){};
		if (!drops) {
			result_row(w, row);
			continue;
		}
		IDENTITY(w, row->sender);
		total(w, &row->drops.total);
		FLAG(w, row->local);
	}
}

/* What follows the head. */
static void body_of(struct np_field_list *w, enum message_type type, void *body)
{
	struct message_hello *hello = body;
	struct message_state *state = body;
	struct message_clock *clock = body;
	struct message_refuse *refuse = body;
	struct message_proof *proof = body;

	switch (type) {
	case MESSAGE_HELLO:
		FLAG(w, hello->sender);
		NP_FIELD(w, hello->paced);
		np_field_list_bytes(w, hello->host, sizeof(hello->host));
		NP_FIELD(w, hello->begun);
		for (unsigned i = 0; i < SETTINGS; i++)
			NP_FIELD(w, hello->setting[i]);
		break;
	case MESSAGE_STATE:
		NP_FIELD_NUMBER(w, state->phase, 1, PHASE_LEAVING);
		FLAG(w, state->interrupted);
		NP_FIELD(w, state->sent);
		NP_FIELD(w, state->members);
		NP_FIELD(w, state->unready);
		NP_FIELD(w, state->moves);
		break;
	case MESSAGE_CLOCK:
		IDENTITY(w, clock->to);
		FLAG(w, clock->answer);
		NP_FIELD(w, clock->t1);
		NP_FIELD(w, clock->t2);
		NP_FIELD(w, clock->t3);
		break;
	case MESSAGE_REFUSE:
		IDENTITY(w, refuse->to);
		NP_FIELD_NUMBER(w, refuse->why, 1, REFUSAL_DEAD);
		w->in.bad |= refuse->why < REFUSAL_FULL;
		NP_FIELD_NUMBER(w, refuse->setting, 2, SETTINGS - 1);
		NP_FIELD(w, refuse->value);
		break;
	case MESSAGE_PROOF:
		IDENTITY(w, proof->to);
		FLAG(w, proof->answer);
		NP_FIELD(w, proof->cookie);
		break;
	case MESSAGE_RESULTS:
	case MESSAGE_DROPS: table(w, body, type == MESSAGE_DROPS); break;
	case MESSAGE_GRANT:
	case MESSAGE_PROBE: break;
	/* Of DATA and WARMUP the length says what they are: another one is of no message. */
	default: w->in.bad = true;
	}
}

size_t message_encode(uint8_t *out, struct message_head *head, enum message_type type,
		      const void *body)
{
	struct np_field_list w = {.out = out + MESSAGE_HEADER_BYTES};

	head->type = type;
	message_head_encode(out, head);
	/* Nothing is stored there. */
	body_of(&w, type, (void *)(uintptr_t)body);
	return (size_t)(w.out - out);
}

int message_decode(const uint8_t *data, size_t bytes, enum message_type type, void *body)
{
	struct np_field_list w = {.in = {data, bytes, false}};
	struct message_table *t = body;

	np_field_take(&w.in, MESSAGE_HEADER_BYTES);
	if (type == MESSAGE_RESULTS || type == MESSAGE_DROPS)
		t->member.row = t->row;
	body_of(&w, type, body);
	return w.in.bad || w.in.left ? -EPROTO : 0;
}

static int compare_instances(const void *a, const void *b)
{
	const struct message_instance *left = a, *right = b;
	int order = memcmp(&left->who, &right->who, sizeof(left->who));

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

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* jgroups: writes and reads perf.Test's messages as Java 3.0 does. */
#include "jgroups.h"

#include "message.h"

#include <errno.h>
#include <netperf/field.h>

#define LEAD_LAST 5

/* An IpAddress: the length of the address, the address, [scope], port. */
#define IPV4_BYTES     7
#define IPV6_BYTES     23

#define HANDSHAKE_IP   4 /* flags of the handshake: an IpAddress follows */
#define HANDSHAKE_PAST 1 /* first byte up to 2.7 */

/*
 * What a row begins with: a key, not null, by a magic number, not a class name; JGroups' number for
 * IpAddress.
 */
static const uint8_t row_begin[] = {0xff, 0xff, 0xff, 0xff, 1, 1, 0, 1};

enum jgroups_kind jgroups_look(const uint8_t *data, size_t bytes)
{
	if (!bytes)
		return JGROUPS_IS_BAD;
	if (data[0] == JGROUPS_DATA_LEAD)
		return JGROUPS_IS_DATA;
	if (data[0] == MESSAGE_MAGIC)
		return JGROUPS_IS_NATIVE;
	return data[0] <= LEAD_LAST ? JGROUPS_IS_CONTROL : JGROUPS_IS_BAD;
}

/* The lead byte has the numbers of the old types; newer ones have 0. */
static uint8_t lead_of(enum jgroups_type type)
{
	switch (type) {
	case JGROUPS_DISCOVERY_REQ: return 2;
	case JGROUPS_DISCOVERY_RSP: return 3;
	case JGROUPS_RESULTS: return 4;
	case JGROUPS_FINAL_RESULTS: return 5;
	case JGROUPS_DATA: return JGROUPS_DATA_LEAD;
	default: return 0;
	}
}

/* These return where the next field goes. */
static uint8_t *put_ip(uint8_t *at, const struct identity *who)
{
	const bool ipv4 = identity_is_ipv4(who);

	memset(at, 0, ipv4 ? IPV4_BYTES : IPV6_BYTES); /* the scope is 0 */
	at[0] = ipv4 ? 4 : 16;
	memcpy(at + 1, ipv4 ? who->ip + 12 : who->ip, at[0]);
	at += ipv4 ? IPV4_BYTES : IPV6_BYTES;
	memcpy(at - 2, who->port, 2);
	return at;
}

static uint8_t *put_info(uint8_t *at, const struct jgroups_info *info)
{
	np_field_put64(at, (uint64_t)info->start_ms);
	np_field_put64(at + 8, (uint64_t)info->stop_ms);
	np_field_put64(at + 16, (uint64_t)info->expected);
	np_field_put64(at + 24, (uint64_t)info->received);
	at[32] = info->done;
	np_field_put64(at + 33, (uint64_t)info->bytes);
	return at + JGROUPS_INFO_BYTES;
}

size_t jgroups_encode(uint8_t *out, const struct jgroups_message *message)
{
	uint8_t *at = out + 13;

	out[0] = lead_of(message->type);
	out[1] = (uint8_t)message->type;
	out[2] = 0; /* no payload */
	out[3] = message->sender;
	np_field_put64(out + 4, (uint64_t)message->num_msgs);
	out[12] = message->has_result;
	if (message->has_result)
		at = put_info(at, &message->result);
	*at++ = message->type == JGROUPS_FINAL_RESULTS;
	if (message->type != JGROUPS_FINAL_RESULTS)
		return (size_t)(at - out);
	np_field_put32(at, message->count);
	at += 4;
	for (unsigned i = 0; i < message->count; i++) {
		memcpy(at, row_begin, sizeof(row_begin));
		at = put_ip(at + sizeof(row_begin), &message->row[i].who);
		*at++ = 1; /* with its figures */
		at = put_info(at, &message->row[i].info);
	}
	return (size_t)(at - out);
}

/* The payload is zeros; then no sender, no number of messages, no result, no results. */
size_t jgroups_warmup_encode(uint8_t *out, size_t msg_size)
{
	memset(out, 0, msg_size + 18);
	out[1] = JGROUPS_WARMUP;
	out[2] = 1;
	np_field_put32(out + 3, (uint32_t)msg_size);
	return msg_size + 18;
}

/* Java takes every byte but 0 for true. */
static bool get_flag(struct np_field_cursor *r)
{
	return np_field_take8(r);
}

/* Not negative, and small enough that sums of a few hundred do not overflow. */
static int64_t get_count(struct np_field_cursor *r)
{
	const uint64_t value = np_field_take64(r);

	r->bad |= value > INT64_MAX / 1024;
	return (int64_t)value;
}

static void get_info(struct np_field_cursor *r, struct jgroups_info *info)
{
	info->start_ms = get_count(r);
	info->stop_ms = get_count(r);
	info->expected = get_count(r);
	info->received = get_count(r);
	info->done = get_flag(r);
	info->bytes = get_count(r);
}

/*
 * Returns the length of the address, 0 when more bytes are needed to know, -EPROTO when it is none.
 */
static int get_ip(const uint8_t *data, size_t bytes, struct identity *who)
{
	const bool ipv4 = bytes && data[0] == 4;
	const size_t needed = ipv4 ? IPV4_BYTES : IPV6_BYTES;

	if (bytes && data[0] != 4 && data[0] != 16)
		return -EPROTO;
	if (bytes < needed)
		return 0;
	if (ipv4) {
		memset(who->ip, 0, sizeof(who->ip));
		who->ip[10] = who->ip[11] = 0xff;
		memcpy(who->ip + 12, data + 1, 4);
	} else {
		memcpy(who->ip, data + 1, 16);
	}
	memcpy(who->port, data + needed - 2, 2);
	return (int)needed;
}

static int get_row(struct np_field_cursor *r, struct jgroups_row *row)
{
	const uint8_t *at = np_field_take(r, sizeof(row_begin));
	int length;

	if (!at)
		return -EPROTO;
	if (memcmp(at, row_begin, sizeof(row_begin)) != 0)
		return -ENOTSUP;
	length = get_ip(r->at, r->left, &row->who);
	if (length <= 0 || !np_field_take(r, (size_t)length))
		return -EPROTO;
	/* Without its figures a row is useless. */
	if (!get_flag(r))
		return -EPROTO;
	get_info(r, &row->info);
	return r->bad ? -EPROTO : 0;
}

static int get_rows(struct np_field_cursor *r, struct jgroups_message *message)
{
	message->count = np_field_take32(r);
	if (message->count > JGROUPS_ROWS_MAX)
		return -EPROTO;
	for (unsigned i = 0; i < message->count; i++) {
		int rc = get_row(r, &message->row[i]);

		if (rc)
			return rc;
	}
	return 0;
}

/* A WARMUP's payload may be longer than the part that is present: then nothing after it is read. */
static int skip_payload(struct np_field_cursor *r, size_t hidden)
{
	const uint32_t bytes = np_field_take32(r);

	if (r->bad || bytes > r->left + hidden)
		return -EPROTO;
	if (bytes > r->left)
		return 1;
	np_field_take(r, bytes);
	return 0;
}

int jgroups_decode(const uint8_t *data, size_t bytes, size_t length,
		   struct jgroups_message *message)
{
	struct np_field_cursor r = {data, bytes, false};
	const uint8_t *begin = np_field_take(&r, 2);
	int rc = 0;

	message->count = 0;
	message->sender = message->has_result = false;
	message->num_msgs = 0;
	if (!begin)
		return -EPROTO;
	if (begin[1] < JGROUPS_DISCOVERY_REQ || begin[1] > JGROUPS_WARMUP ||
	    begin[1] == JGROUPS_DATA)
		return -ENOTSUP;
	message->type = (enum jgroups_type)begin[1];
	if (get_flag(&r))
		rc = skip_payload(&r, length - bytes);
	if (rc)
		return rc < 0 ? rc : 0;
	message->sender = get_flag(&r);
	message->num_msgs = get_count(&r);
	message->has_result = get_flag(&r);
	if (message->has_result)
		get_info(&r, &message->result);
	if (get_flag(&r))
		rc = get_rows(&r, message);
	if (r.bad)
		return -EPROTO;
	return rc;
}

size_t jgroups_handshake_encode(uint8_t out[JGROUPS_HANDSHAKE_MAX], const struct identity *self)
{
	out[0] = HANDSHAKE_IP;
	return (size_t)(put_ip(out + 1, self) - out);
}

int jgroups_handshake_decode(const uint8_t *data, size_t bytes, struct identity *peer)
{
	int length;

	if (!bytes)
		return 0;
	if (data[0] == HANDSHAKE_PAST)
		return -ENOTSUP;
	if (data[0] != HANDSHAKE_IP)
		return -EPROTO;
	length = get_ip(data + 1, bytes - 1, peer);
	return length > 0 ? length + 1 : length;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* jgroups: writes and reads perf.Test's messages as Java 3.0 does. */
#include "jgroups.h"

#include "message.h"

#include <errno.h>
#include <netperf/field.h>

#define LEAD_LAST  5
#define MAGIC_IP   1 /* JGroups' number for IpAddress */
#define KEY_MARKER UINT32_MAX

/* An IpAddress: the length of the address, the address, [scope], port. */
#define IPV4_BYTES     7
#define IPV6_BYTES     23

#define HANDSHAKE_IP   4 /* flags of the handshake: an IpAddress follows */
#define HANDSHAKE_PAST 1 /* first byte up to 2.7 */

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

/* These write one field, and return where the next one goes. */
static uint8_t *field_put(uint8_t *at, const void *from, size_t bytes)
{
	memcpy(at, from, bytes);
	return at + bytes;
}

static uint8_t *field_put8(uint8_t *at, uint8_t value)
{
	*at = value;
	return at + 1;
}

static uint8_t *field_put16(uint8_t *at, uint16_t value)
{
	np_field_put16(at, value);
	return at + 2;
}

static uint8_t *field_put32(uint8_t *at, uint32_t value)
{
	np_field_put32(at, value);
	return at + 4;
}

static uint8_t *field_put64(uint8_t *at, uint64_t value)
{
	np_field_put64(at, value);
	return at + 8;
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

static uint8_t *put_ip(uint8_t *at, const struct identity *who)
{
	if (identity_is_ipv4(who)) {
		at = field_put(field_put8(at, 4), who->ip + 12, 4);
	} else {
		at = field_put(field_put8(at, 16), who->ip, 16);
		at = field_put32(at, 0); /* scope */
	}
	return field_put(at, who->port, 2);
}

static uint8_t *put_info(uint8_t *at, const struct jgroups_info *info)
{
	at = field_put64(at, (uint64_t)info->start_ms);
	at = field_put64(at, (uint64_t)info->stop_ms);
	at = field_put64(at, (uint64_t)info->expected);
	at = field_put64(at, (uint64_t)info->received);
	at = field_put8(at, info->done);
	return field_put64(at, (uint64_t)info->bytes);
}

static uint8_t *put_row(uint8_t *at, const struct jgroups_row *row)
{
	at = field_put32(at, KEY_MARKER);
	at = field_put8(at, 1); /* not null */
	at = field_put8(at, 1); /* a magic number, no class name */
	at = field_put16(at, MAGIC_IP);
	at = put_ip(at, &row->who);
	return put_info(field_put8(at, 1), &row->info);
}

size_t jgroups_encode(uint8_t *out, const struct jgroups_message *message)
{
	uint8_t *at = field_put8(out, lead_of(message->type));

	at = field_put8(at, (uint8_t)message->type);
	at = field_put8(at, 0); /* no payload */
	at = field_put8(at, message->sender);
	at = field_put64(at, (uint64_t)message->num_msgs);
	at = field_put8(at, message->has_result);
	if (message->has_result)
		at = put_info(at, &message->result);
	at = field_put8(at, message->type == JGROUPS_FINAL_RESULTS);
	if (message->type != JGROUPS_FINAL_RESULTS)
		return (size_t)(at - out);
	at = field_put32(at, message->count);
	for (unsigned i = 0; i < message->count; i++)
		at = put_row(at, &message->row[i]);
	return (size_t)(at - out);
}

size_t jgroups_warmup_encode(uint8_t *out, size_t msg_size)
{
	uint8_t *at = field_put8(field_put8(out, 0), JGROUPS_WARMUP);

	at = field_put32(field_put8(at, 1), (uint32_t)msg_size);
	/* The payload; then no sender, no number of messages, no result, no results. */
	memset(at, 0, msg_size + 11);
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
	static const uint8_t marker[] = {0xff, 0xff, 0xff, 0xff, 1, 1, 0, MAGIC_IP};
	const uint8_t *at = np_field_take(r, sizeof(marker));
	int length;

	if (!at)
		return -EPROTO;
	if (memcmp(at, marker, sizeof(marker)))
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
	return (size_t)(put_ip(field_put8(out, HANDSHAKE_IP), self) - out);
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

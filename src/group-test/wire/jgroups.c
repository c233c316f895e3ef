// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* jgroups: writes and reads perf.Test's messages as Java 3.0 does. */
#include "jgroups.h"

#include <errno.h>

/* Lengths of addresses. */
#define IPV4	       4
#define IPV6	       16

#define HANDSHAKE_IP   4 /* flags of the handshake: an IpAddress follows */
#define HANDSHAKE_PAST 1 /* first byte up to 2.7 */

/*
 * What a row begins with: a key, not null, by a magic number, not a class name; JGroups' number for
 * IpAddress.
 */
static const uint8_t row_begin[] = {0xff, 0xff, 0xff, 0xff, 1, 1, 0, 1};

/* An IpAddress: the length of the address, the address, [scope], port. */
static void ip(struct np_field_list *w, struct identity *who)
{
	uint8_t bytes = w->out && identity_is_ipv4(who) ? IPV4 : IPV6, scope[4] = {};

	NP_FIELD(w, bytes);
	w->in.bad |= bytes != IPV4 && bytes != IPV6;
	if (w->in.bad)
		return;
	if (!w->out && bytes == IPV4)
		*who = (struct identity){.ip = {[10] = 0xff, [11] = 0xff}};
	np_field_list_bytes(w, who->ip + sizeof(who->ip) - bytes, bytes);
	if (bytes == IPV6)
		np_field_list_bytes(w, scope, sizeof(scope));
	np_field_list_bytes(w, who->port, sizeof(who->port));
}

/* Java takes every byte but 0 for true. */
#define FLAG(w, field) NP_FIELD_NUMBER(w, field, 1, UINT8_MAX)
/* Not negative, and small enough that sums of a few hundred do not overflow. */
#define COUNT(w, field) NP_FIELD_NUMBER(w, field, 8, INT64_MAX / 1024)

static void info(struct np_field_list *w, struct jgroups_info *info)
{
	COUNT(w, info->start_ms);
	COUNT(w, info->stop_ms);
	COUNT(w, info->expected);
	COUNT(w, info->received);
	FLAG(w, info->done);
	COUNT(w, info->bytes);
}

/* What follows the payload. Returns 0 or -errno. */
static int fields(struct np_field_list *w, struct jgroups_message *message)
{
	bool results = message->type == JGROUPS_FINAL_RESULTS;

	FLAG(w, message->sender);
	COUNT(w, message->num_msgs);
	FLAG(w, message->has_result);
	if (message->has_result)
		info(w, &message->result);
	FLAG(w, results);
	if (results)
		NP_FIELD_NUMBER(w, message->count, 4, JGROUPS_ROWS_MAX);
	for (unsigned i = 0; results && i < message->count && !w->in.bad; i++) {
		uint8_t begin[sizeof(row_begin)];
		bool figures = true;

		memcpy(begin, row_begin, sizeof(begin));
		np_field_list_bytes(w, begin, sizeof(begin));
		if (!w->in.bad && memcmp(begin, row_begin, sizeof(begin)) != 0)
			return -ENOTSUP;
		ip(w, &message->row[i].who);
		/* Without its figures a row is useless. */
		FLAG(w, figures);
		w->in.bad |= !figures;
		info(w, &message->row[i].info);
	}
	return w->in.bad ? -EPROTO : 0;
}

size_t jgroups_encode(uint8_t *out, const struct jgroups_message *message)
{
	/* The lead byte has the numbers of the old types; newer ones have 0. */
	static const uint8_t lead[JGROUPS_WARMUP + 1] = {
		[JGROUPS_DISCOVERY_REQ] = 2,
		[JGROUPS_DISCOVERY_RSP] = 3,
		[JGROUPS_RESULTS] = 4,
		[JGROUPS_FINAL_RESULTS] = 5,
	};
	struct np_field_list w = {.out = out + 3};

	out[0] = lead[message->type];
	out[1] = (uint8_t)message->type;
	out[2] = 0; /* no payload */
	/* Nothing is stored there. */
	(void)fields(&w, (struct jgroups_message *)(uintptr_t)message);
	return (size_t)(w.out - out);
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

int jgroups_decode(const uint8_t *data, size_t bytes, size_t length,
		   struct jgroups_message *message)
{
	struct np_field_list w = {.in = {data, bytes, false}};
	const uint8_t *begin = np_field_take(&w.in, 2);
	uint32_t payload = 0;

	message->count = 0;
	message->sender = message->has_result = false;
	message->num_msgs = 0;
	if (!begin)
		return -EPROTO;
	if (begin[1] < JGROUPS_DISCOVERY_REQ || begin[1] > JGROUPS_WARMUP ||
	    begin[1] == JGROUPS_DATA)
		return -ENOTSUP;
	message->type = (enum jgroups_type)begin[1];
	if (np_field_take8(&w.in))
		NP_FIELD(&w, payload);
	if (w.in.bad || payload > w.in.left + (length - bytes))
		return -EPROTO;
	/* A WARMUP's may be longer than the part that is present: then nothing after it is read. */
	if (payload > w.in.left)
		return 0;
	np_field_take(&w.in, payload);
	return fields(&w, message);
}

size_t jgroups_handshake_encode(uint8_t out[JGROUPS_HANDSHAKE_MAX], const struct identity *self)
{
	struct np_field_list w = {.out = out + 1};

	out[0] = HANDSHAKE_IP;
	ip(&w, (struct identity *)(uintptr_t)self);
	return (size_t)(w.out - out);
}

int jgroups_handshake_decode(const uint8_t *data, size_t bytes, struct identity *peer)
{
	struct np_field_list w = {.in = {data, bytes, false}};
	struct identity who;

	if (!np_field_take(&w.in, 1))
		return 0;
	if (data[0] == HANDSHAKE_PAST)
		return -ENOTSUP;
	if (data[0] != HANDSHAKE_IP || (bytes > 1 && data[1] != IPV4 && data[1] != IPV6))
		return -EPROTO;
	ip(&w, &who);
	if (w.in.bad)
		return 0;
	*peer = who;
	return (int)(bytes - w.in.left);
}

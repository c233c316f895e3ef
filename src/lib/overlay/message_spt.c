// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* message_spt: the messages of the spanning tree protocol. */
#include "message.h"

#include "message_address.h"

#define HEAD	     8	/* bytes before what each type has of its own */
#define BEACON_FIXED 28 /* of a beacon between the address and the senders */
#define METRIC	     2

static uint8_t *put_number(uint8_t *at, int32_t number)
{
	np_field_put32(at, (uint32_t)number);
	return at + 4;
}

static int32_t get_number(const uint8_t *at)
{
	return (int32_t)np_field_get32(at);
}

void overlay_spt_put_sender(uint8_t out[OVERLAY_SPT_SENDER_BYTES], int32_t logical, uint8_t told)
{
	*put_number(out, logical) = told;
}

uint8_t overlay_spt_told(const struct overlay_spt *spt, int32_t logical)
{
	const uint8_t *at = spt->sender;

	for (unsigned i = 0; i < spt->senders; i++, at += OVERLAY_SPT_SENDER_BYTES) {
		if (get_number(at) == logical)
			return at[4];
	}
	return 0;
}

static void put_beacon(uint8_t *at, const struct overlay_spt *spt)
{
	const size_t senders = (size_t)spt->senders * OVERLAY_SPT_SENDER_BYTES;

	at = put_address(at, &spt->address);
	at = put_number(at, spt->source);
	at = put_number(at, spt->root);
	at = put_number(at, spt->parent);
	at = put_number(at, spt->cost);
	np_field_put64(at, (uint64_t)spt->timestamp);
	at = put_number(at + 8, (int32_t)spt->senders);
	if (senders)
		memcpy(at, spt->sender, senders);
	np_field_put16(at + senders, spt->metric);
}

static size_t spt_bytes(const struct overlay_spt *spt)
{
	if (spt->type == OVERLAY_SPT_BEACON)
		return (size_t)HEAD + ADDRESS_HEADER + spt->address.length + BEACON_FIXED +
		       (size_t)spt->senders * OVERLAY_SPT_SENDER_BYTES + METRIC;
	return HEAD + 4u * spt->type;
}

ssize_t overlay_spt_encode(void *out, size_t room, const struct overlay_spt *spt)
{
	const size_t bytes = spt_bytes(spt);
	uint8_t *at = out;

	if (bytes > room || bytes > 3 + UINT16_MAX)
		return -EMSGSIZE;
	at[0] = (uint8_t)(OVERLAY_MESSAGE_SPT << 4 | (spt->rendezvous & 0xf));
	np_field_put16(at + 1, (uint16_t)(bytes - 3));
	at[3] = spt->type;
	np_field_put32(at + 4, spt->hash);
	at += HEAD;
	if (spt->type == OVERLAY_SPT_BEACON) {
		put_beacon(at, spt);
		return (ssize_t)bytes;
	}
	at = put_number(at, spt->source);
	if (spt->type == OVERLAY_SPT_ROUTE_REPLY)
		at = put_number(at, spt->next_hop);
	if (spt->type != OVERLAY_SPT_GOODBYE)
		put_number(at, spt->wanted);
	return (ssize_t)bytes;
}

static int get_beacon(const uint8_t *at, size_t bytes, struct overlay_spt *spt)
{
	const int address = get_address(at, bytes, &spt->address);
	uint32_t senders;

	if (address < 0 || bytes < (size_t)address + BEACON_FIXED + METRIC)
		return -EBADMSG;
	at += address;
	bytes -= (size_t)address + BEACON_FIXED + METRIC;
	spt->source = get_number(at);
	spt->root = get_number(at + 4);
	spt->parent = get_number(at + 8);
	spt->cost = get_number(at + 12);
	spt->timestamp = (int64_t)np_field_get64(at + 16);
	senders = np_field_get32(at + 24);
	if (bytes % OVERLAY_SPT_SENDER_BYTES || senders != bytes / OVERLAY_SPT_SENDER_BYTES ||
	    !spt->source || !spt->root)
		return -EBADMSG;
	spt->senders = senders;
	spt->sender = at + BEACON_FIXED;
	spt->metric = np_field_get16(at + BEACON_FIXED + bytes);
	return 0;
}

static int get_others(const uint8_t *at, size_t bytes, struct overlay_spt *spt)
{
	if (spt->type > OVERLAY_SPT_ROUTE_REPLY || bytes != 4u * spt->type)
		return -EBADMSG;
	spt->source = get_number(at);
	if (spt->type == OVERLAY_SPT_ROUTE_REPLY)
		spt->next_hop = get_number(at + 4);
	if (spt->type != OVERLAY_SPT_GOODBYE)
		spt->wanted = get_number(at + bytes - 4);
	if (!spt->source || (spt->type == OVERLAY_SPT_ROUTE_REPLY && !spt->next_hop) ||
	    (spt->type != OVERLAY_SPT_GOODBYE && !spt->wanted))
		return -EBADMSG;
	return 0;
}

int overlay_spt_decode(const void *message, size_t bytes, struct overlay_spt *spt)
{
	const uint8_t *data = message;

	if (bytes < HEAD || data[0] >> 4 != OVERLAY_MESSAGE_SPT ||
	    bytes != (size_t)3 + np_field_get16(data + 1))
		return -EBADMSG;
	*spt = (struct overlay_spt){
		.rendezvous = data[0] & 0xf,
		.type = data[3],
		.hash = np_field_get32(data + 4),
	};
	return spt->type == OVERLAY_SPT_BEACON ? get_beacon(data + HEAD, bytes - HEAD, spt)
					       : get_others(data + HEAD, bytes - HEAD, spt);
}

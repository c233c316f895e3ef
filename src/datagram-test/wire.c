// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* wire: writes and reads packets and their trailer. */
#include "wire.h"

#include <netperf/field.h>

#define TIMES	       8
#define NUMBER	       24
#define CHECKED	       32 /* leading bytes of the packet that the check value covers */

#define TRAILER_MAGIC  0xd7e5u
#define FLAG_CONFIRMED 1u
#define FLAG_WIDE      2u
#define FIRST_COPY     7 /* in words */

bool wire_has_trailer(size_t packet_bytes, size_t process_bytes)
{
	size_t used = process_bytes + 8 > CHECKED ? process_bytes + 8 : CHECKED;

	return packet_bytes >= used + WIRE_TRAILER_BYTES;
}

void wire_prepare(const struct wire_layout *layout, uint8_t *packet, uint16_t return_port)
{
	size_t i;

	memset(packet, 0, layout->packet_bytes);
	for (i = 0; i + 4 <= layout->packet_bytes; i += 4)
		np_field_put32(packet + i, (uint32_t)(i / 4));
	np_field_put32(packet, WIRE_MAGIC);
	np_field_put32(packet + 4, return_port);
}

/*
 * Writes the number at 24 and its copies up to 8 + process_bytes; 64-bit copies only where whole
 * ones fit.
 */
static void put_numbers(const struct wire_layout *layout, uint8_t *packet, uint64_t number)
{
	bool wide = layout->sequence_width == 64;
	uint64_t pair = wide ? number : number << 32 | (number & UINT32_MAX);
	size_t end = layout->process_bytes + 8, i;

	np_field_put32(packet + NUMBER, (uint32_t)(pair >> 32));
	if (wide)
		np_field_put32(packet + NUMBER + 4, (uint32_t)pair);
	for (i = NUMBER; i + 8 <= end; i += 8)
		np_field_put64(packet + i, pair);
	if (!wide && i + 4 <= end)
		np_field_put32(packet + i, (uint32_t)pair);
}

static uint32_t check_value(const uint8_t *packet, const uint8_t *trailer)
{
	uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, packet, CHECKED / 8);

	sum = np_field_sum(sum, trailer, 1);
	return np_field_sum_end(np_field_sum_word(sum, np_field_get32(trailer + 8)));
}

/*
 * Computes the check value from registers where the stores were narrower than the words summed:
 * reading such words back would stall.
 */
static void put_trailer(const struct wire_layout *layout, uint8_t *packet, uint64_t number,
			const struct wire_trailer *trailer)
{
	uint8_t *at = packet + layout->packet_bytes - WIRE_TRAILER_BYTES;
	uint32_t held = trailer->held_us < WIRE_HELD_UNKNOWN ? trailer->held_us : WIRE_HELD_UNKNOWN;
	uint64_t first =
		(uint64_t)TRAILER_MAGIC << 48 | (uint64_t)trailer->age << 32 | trailer->run;
	uint64_t flags = trailer->confirmed ? FLAG_CONFIRMED : 0, sum;

	if (layout->sequence_width == 64)
		flags |= FLAG_WIDE;
	else
		number = number << 32 | np_field_get32(packet + NUMBER + 4);
	flags = flags << 24 | held;
	sum = np_field_sum(NP_FIELD_SUM_BEGIN, packet, NUMBER / 8);
	sum = np_field_sum_word(np_field_sum_word(np_field_sum_word(sum, number), first), flags);
	/* Written completely each time: packets of random sizes have it in different places. */
	np_field_put64(at, first);
	np_field_put64(at + 8, flags << 32 | np_field_sum_end(sum));
}

void wire_stamp(const struct wire_layout *layout, uint8_t *packet, const struct wire_packet *head,
		const struct wire_trailer *trailer)
{
	np_field_put64(packet + TIMES, (uint64_t)head->send_time);
	np_field_put64(packet + TIMES + 8, (uint64_t)head->ack);
	if (layout->trailer)
		put_trailer(layout, packet, head->number, trailer);
}

void wire_encode(const struct wire_layout *layout, uint8_t *packet, const struct wire_packet *head,
		 const struct wire_trailer *trailer)
{
	put_numbers(layout, packet, head->number);
	wire_stamp(layout, packet, head, trailer);
}

/* Fills @trailer and what the trailer says of @head. */
static enum wire_kind get_trailer(const uint8_t *data, const uint8_t *at, struct wire_packet *head,
				  struct wire_trailer *trailer)
{
	uint32_t flags = at[8];

	if (np_field_get16(at) != TRAILER_MAGIC)
		return WIRE_FOREIGN;
	trailer->age = np_field_get16(at + 2);
	trailer->run = np_field_get32(at + 4);
	trailer->held_us = np_field_get32(at + 8) & WIRE_HELD_UNKNOWN;
	trailer->confirmed = flags & FLAG_CONFIRMED;
	if (np_field_get32(at + 12) != check_value(data, at) || !trailer->run)
		return WIRE_DAMAGED;
	if (flags & FLAG_WIDE) {
		head->wide = true;
		head->number = np_field_get64(data + NUMBER);
	}
	return WIRE_OURS;
}

enum wire_kind wire_decode(const uint8_t *data, size_t length, struct wire_packet *head,
			   struct wire_trailer *trailer)
{
	if (length < WIRE_HEADER_BYTES)
		return WIRE_SHORT;
	if (np_field_get32(data) != WIRE_MAGIC)
		return np_field_get32(data) == WIRE_CONTROL_MAGIC ? WIRE_CONTROL : WIRE_CORRUPT;
	head->return_port = np_field_get32(data + 4);
	head->send_time = (int64_t)np_field_get64(data + TIMES);
	head->ack = (int64_t)np_field_get64(data + TIMES + 8);
	head->number = np_field_get32(data + NUMBER);
	head->wide = false;
	if (!wire_has_trailer(length, 0))
		return WIRE_FOREIGN;
	return get_trailer(data, data + length - WIRE_TRAILER_BYTES, head, trailer);
}

/* All copies are right when each equals the one before it: memcmp checks that fastest. */
static bool copies_agree(const uint8_t *data, size_t words, size_t stride)
{
	return words <= FIRST_COPY ||
	       !memcmp(data + NUMBER, data + NUMBER + stride, 4 * words - NUMBER - stride);
}

size_t wire_check_content(const uint8_t *data, size_t length, size_t process_bytes,
			  const struct wire_packet *head, uint32_t *found)
{
	size_t words = (process_bytes < length ? process_bytes : length) / 4, i;
	uint32_t even = (uint32_t)(head->wide ? head->number >> 32 : head->number);

	if (copies_agree(data, words, head->wide ? 8 : 4))
		return 0;
	for (i = FIRST_COPY; i < words; i++) {
		*found = np_field_get32(data + 4 * i);
		if (*found != (i % 2 ? (uint32_t)head->number : even))
			return i;
	}
	return 0;
}

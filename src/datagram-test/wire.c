// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* wire: writes and reads packets and their trailer. */
#include "wire.h"

#include <errno.h>

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
 * Computes the check value from registers where the stores were narrower than the words summed:
 * reading such words back would stall.
 */
static void put_trailer(const struct wire_layout *layout, uint8_t *packet,
			const struct wire_packet *head)
{
	uint64_t number = head->number;
	uint8_t *at = packet + layout->packet_bytes - WIRE_TRAILER_BYTES;
	uint32_t held = (uint32_t)np_least(head->held_us, WIRE_HELD_UNKNOWN);
	uint64_t first = (uint64_t)TRAILER_MAGIC << 48 | (uint64_t)head->age << 32 | head->run;
	uint64_t flags = head->confirmed ? FLAG_CONFIRMED : 0, sum;

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

void wire_encode(const struct wire_layout *layout, uint8_t *packet, const struct wire_packet *head)
{
	const bool wide = layout->sequence_width == 64;
	const uint64_t number = head->number,
		       pair = wide ? number : number << 32 | (number & UINT32_MAX);
	const size_t end = layout->process_bytes + 8;
	size_t i;

	/* At 24, and copies up to 8 + process_bytes; 64-bit ones only where whole ones fit. */
	np_field_put32(packet + NUMBER, (uint32_t)(pair >> 32));
	if (wide)
		np_field_put32(packet + NUMBER + 4, (uint32_t)pair);
	for (i = NUMBER; i + 8 <= end; i += 8)
		np_field_put64(packet + i, pair);
	if (!wide && i + 4 <= end)
		np_field_put32(packet + i, (uint32_t)pair);
	np_field_put64(packet + TIMES, (uint64_t)head->send_time);
	np_field_put64(packet + TIMES + 8, (uint64_t)head->ack);
	if (layout->trailer)
		put_trailer(layout, packet, head);
}

enum wire_kind wire_decode(const uint8_t *data, size_t length, struct wire_packet *head)
{
	const uint8_t *at;
	uint64_t sum;

	if (length < WIRE_HEADER_BYTES)
		return WIRE_SHORT;
	at = data + length - WIRE_TRAILER_BYTES;
	if (np_field_get32(data) != WIRE_MAGIC)
		return np_field_get32(data) == WIRE_CONTROL_MAGIC ? WIRE_CONTROL : WIRE_CORRUPT;
	head->return_port = np_field_get32(data + 4);
	head->send_time = (int64_t)np_field_get64(data + TIMES);
	head->ack = (int64_t)np_field_get64(data + TIMES + 8);
	head->number = np_field_get32(data + NUMBER);
	head->wide = false;
	head->run = 0;
	if (!wire_has_trailer(length, 0) || np_field_get16(at) != TRAILER_MAGIC)
		return WIRE_FOREIGN;
	head->age = np_field_get16(at + 2);
	head->held_us = np_field_get32(at + 8) & WIRE_HELD_UNKNOWN;
	head->confirmed = at[8] & FLAG_CONFIRMED;
	sum = np_field_sum(NP_FIELD_SUM_BEGIN, data, CHECKED / 8);
	sum = np_field_sum_word(np_field_sum(sum, at, 1), np_field_get32(at + 8));
	if (np_field_get32(at + 12) != np_field_sum_end(sum) || !np_field_get32(at + 4))
		return WIRE_DAMAGED;
	head->run = np_field_get32(at + 4);
	head->wide = at[8] & FLAG_WIDE;
	if (head->wide)
		head->number = np_field_get64(data + NUMBER);
	return WIRE_OURS;
}

size_t wire_check_content(const uint8_t *data, size_t length, size_t process_bytes,
			  const struct wire_packet *head, uint32_t *found)
{
	size_t words = (process_bytes < length ? process_bytes : length) / 4, i;
	const size_t stride = head->wide ? 8 : 4;
	uint32_t even = (uint32_t)(head->wide ? head->number >> 32 : head->number);

	/* All copies are right when each equals the one before it: memcmp checks that fastest. */
	if (words <= FIRST_COPY ||
	    !memcmp(data + NUMBER, data + NUMBER + stride, 4 * words - NUMBER - stride))
		return 0;
	for (i = FIRST_COPY; i < words; i++) {
		*found = np_field_get32(data + 4 * i);
		if (*found != (i % 2 ? (uint32_t)head->number : even))
			return i;
	}
	return 0;
}

#define VERSION		 1
#define FIELDS		 5 /* where they begin; the check value ends them */
#define LOST_EXACT	 (UINT64_C(1) << 63)

#define DELAY_SHIFT_BITS 5
#define DELAY_SHIFT_MOST 31u
#define DELAY_MOST	 2047u

/* Those of a control datagram. */
static void fields(struct np_field_list *w, struct wire_control *c)
{
	struct np_flow_counts *flow = &c->counts.flow;
	uint64_t host = np_drops_pack(&c->counts.host, 32);
	uint8_t free_byte = 0;

	NP_FIELD(w, c->type);
	NP_FIELD(w, c->return_port);
	NP_FIELD(w, c->run);
	if (c->brief) {
		NP_FIELD_NUMBER(w, c->copies, 4, UINT32_MAX);
	} else {
		NP_FIELD(w, c->marks.known);
		NP_FIELD(w, c->marks.tos);
		NP_FIELD(w, c->marks.hops);
		NP_FIELD(w, free_byte);
	}
	NP_FIELD(w, c->t1);
	NP_FIELD(w, c->t2);
	NP_FIELD(w, c->t3);
	if (c->brief)
		return;
	NP_FIELD(w, c->last);
	NP_FIELD(w, flow->received);
	NP_FIELD(w, flow->lost);
	NP_FIELD(w, flow->duplicates);
	NP_FIELD(w, flow->reordered);
	NP_FIELD(w, flow->damaged);
	NP_FIELD(w, c->counts.lost_host);
	NP_FIELD(w, c->unsent);
	NP_FIELD(w, c->copies);
	NP_FIELD(w, flow->missed_before);
	NP_FIELD_NUMBER(w, host, 4, UINT32_MAX);
	c->counts.host = np_drops_unpack(host, 32);
}

/* Covers all but the last four bytes, which hold the value itself. */
static uint32_t control_check(const uint8_t *data, size_t bytes)
{
	uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, data, (bytes - 4) / 8);

	return np_field_sum_end(np_field_sum_word(sum, np_field_get32(data + bytes - 8)));
}

/* The upper 11 bits are shifted by the lower 5; rounded up. */
static uint16_t pack_time(np_time time)
{
	uint64_t value = time > 0 ? (uint64_t)time : 0;
	unsigned shift = 0;

	while (value > DELAY_MOST && shift < DELAY_SHIFT_MOST) {
		value = value / 2 + value % 2;
		shift++;
	}
	return (uint16_t)((value < DELAY_MOST ? value : DELAY_MOST) << DELAY_SHIFT_BITS | shift);
}

static np_time unpack_time(uint64_t packed)
{
	return (np_time)((packed & UINT16_MAX) >> DELAY_SHIFT_BITS) << (packed & DELAY_SHIFT_MOST);
}

size_t wire_control_encode(uint8_t data[WIRE_CONTROL_BYTES], const struct wire_control *control)
{
	const size_t bytes = control->brief ? WIRE_BRIEF_BYTES : WIRE_CONTROL_BYTES;
	const struct np_flow_counts *flow = &control->counts.flow;
	const struct np_histogram_figures *delay = &control->counts.delay;
	struct np_field_list w = {.out = data + FIELDS};
	struct wire_control c = *control;

	if (c.type == WIRE_END_ACK) {
		c.t1 = flow->elapsed;
		c.t2 = (int64_t)(flow->bytes - flow->head_bytes);
	}
	if (c.type == WIRE_END_ACK && delay->count)
		c.t3 = (int64_t)((uint64_t)pack_time(delay->p50) << 48 |
				 (uint64_t)pack_time(delay->p99) << 32 |
				 (uint64_t)pack_time(delay->max > 0 ? delay->max : 1) << 16 |
				 pack_time(c.counts.delay_bound));
	if (c.counts.lost_exact)
		c.counts.lost_host |= LOST_EXACT;
	memset(data, 0, WIRE_CONTROL_BYTES);
	np_field_put32(data, WIRE_CONTROL_MAGIC);
	data[4] = VERSION;
	fields(&w, &c);
	np_field_put32(data + bytes - 4, control_check(data, bytes));
	return bytes;
}

int wire_control_decode(const uint8_t *data, size_t length, struct wire_control *control)
{
	struct np_field_list r = {.out = NULL};
	struct wire_counts *counts = &control->counts;
	const uint8_t last = length == WIRE_BRIEF_BYTES ? WIRE_TIME_REPLY : WIRE_END_ACK;

	if ((length != WIRE_CONTROL_BYTES && length != WIRE_BRIEF_BYTES) ||
	    np_field_get32(data) != WIRE_CONTROL_MAGIC || data[4] != VERSION ||
	    data[5] < WIRE_TIME_REQUEST || data[5] > last || !np_field_get32(data + 8) ||
	    np_field_get32(data + length - 4) != control_check(data, length))
		return -EPROTO;
	*control = (struct wire_control){.brief = length == WIRE_BRIEF_BYTES};
	r.in = (struct np_field_cursor){data + FIELDS, length - FIELDS, false};
	fields(&r, control);
	if (control->brief)
		return 0;
	counts->lost_exact = counts->lost_host != WIRE_UNKNOWN && counts->lost_host & LOST_EXACT;
	if (counts->lost_exact)
		counts->lost_host &= ~LOST_EXACT;
	if (control->type == WIRE_END_ACK) {
		const uint64_t delays = (uint64_t)control->t3;

		counts->flow.elapsed = control->t1 > 0 ? control->t1 : 0;
		counts->flow.bytes = (uint64_t)control->t2;
		counts->delay = (struct np_histogram_figures){
			.count = delays ? counts->flow.received : 0,
			.p50 = unpack_time(delays >> 48),
			.p99 = unpack_time(delays >> 32),
			.max = unpack_time(delays >> 16),
		};
		counts->delay_bound = unpack_time(delays);
		control->t1 = control->t2 = control->t3 = 0;
	}
	return control->unsent > control->last ? -EPROTO : 0;
}

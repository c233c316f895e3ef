// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* wire_control: writes and reads the control datagrams. */
#include "wire.h"

#include <errno.h>
#include <netperf/field.h>

#define VERSION		 1
#define COPIES_BRIEF	 12
#define TIMES		 16
#define LAST		 40
#define COUNTS		 48
#define UNSENT		 96
#define COPIES		 104
#define BEFORE		 112
#define HOST		 120
#define HOST_EXACT	 0x80000000u
#define LOST_EXACT	 (UINT64_C(1) << 63)

#define DELAY_SHIFT_BITS 5
#define DELAY_SHIFT_MOST 31u
#define DELAY_MOST	 2047u

/* Covers all but the last four bytes, which hold the value itself. */
static uint32_t check_value(const uint8_t *data, size_t bytes)
{
	uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, data, (bytes - 4) / 8);

	return np_field_sum_end(np_field_sum_word(sum, np_field_get32(data + bytes - 8)));
}

/* More than 31 bits hold are not told. */
static uint32_t pack_total(const struct np_drops_total *total)
{
	if (!total->known || total->packets >= HOST_EXACT - 1)
		return 0;
	return ((uint32_t)total->packets + 1) | (total->exact ? HOST_EXACT : 0);
}

static struct np_drops_total unpack_total(uint32_t packed)
{
	uint32_t more = packed & (HOST_EXACT - 1);

	return more ? (struct np_drops_total){.known = true,
					      .exact = packed & HOST_EXACT,
					      .packets = more - 1}
		    : (struct np_drops_total){0};
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

static uint64_t pack_delays(const struct wire_delays *delays)
{
	const np_time max = delays->max > 0 ? delays->max : 1;

	if (!delays->known)
		return 0;
	return (uint64_t)pack_time(delays->p50) << 48 | (uint64_t)pack_time(delays->p99) << 32 |
	       (uint64_t)pack_time(max) << 16 | pack_time(delays->bound);
}

static struct wire_delays unpack_delays(uint64_t packed)
{
	return (struct wire_delays){
		.known = packed != 0,
		.p50 = unpack_time(packed >> 48),
		.p99 = unpack_time(packed >> 32),
		.max = unpack_time(packed >> 16),
		.bound = unpack_time(packed),
	};
}

static void put_times(uint8_t *data, const struct wire_control *control)
{
	const struct wire_counts *counts = &control->counts;
	const bool ack = control->type == WIRE_END_ACK;

	np_field_put64(data + TIMES, (uint64_t)(ack ? counts->elapsed : control->t1));
	np_field_put64(data + TIMES + 8, ack ? counts->bytes : (uint64_t)control->t2);
	np_field_put64(data + TIMES + 16,
		       ack ? pack_delays(&counts->delays) : (uint64_t)control->t3);
}

static uint64_t pack_lost(const struct wire_counts *counts)
{
	return counts->lost_host | (counts->lost_exact ? LOST_EXACT : 0);
}

static void unpack_lost(struct wire_counts *counts, uint64_t packed)
{
	counts->lost_exact = packed != WIRE_UNKNOWN && packed & LOST_EXACT;
	counts->lost_host = counts->lost_exact ? packed & ~LOST_EXACT : packed;
}

static void put_rest(uint8_t *data, const struct wire_control *control)
{
	const struct wire_counts *counts = &control->counts;
	const uint64_t fields[] = {
		counts->received,  counts->missing, counts->duplicates,
		counts->reordered, counts->damaged, pack_lost(counts),
	};

	np_field_put64(data + LAST, control->last);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		np_field_put64(data + COUNTS + 8 * i, fields[i]);
	np_field_put64(data + UNSENT, control->unsent);
	np_field_put64(data + COPIES, control->copies);
	np_field_put64(data + BEFORE, counts->before);
	np_field_put32(data + HOST, pack_total(&counts->host));
}

size_t wire_control_encode(uint8_t data[WIRE_CONTROL_BYTES], const struct wire_control *control)
{
	size_t bytes = control->brief ? WIRE_BRIEF_BYTES : WIRE_CONTROL_BYTES;

	memset(data, 0, WIRE_CONTROL_BYTES);
	np_field_put32(data, WIRE_CONTROL_MAGIC);
	data[4] = VERSION;
	data[5] = control->type;
	np_field_put16(data + 6, control->return_port);
	np_field_put32(data + 8, control->run);
	put_times(data, control);
	if (control->brief)
		np_field_put32(data + COPIES_BRIEF, (uint32_t)control->copies);
	else
		put_rest(data, control);
	np_field_put32(data + bytes - 4, check_value(data, bytes));
	return bytes;
}

static void get_rest(const uint8_t *data, struct wire_control *control)
{
	control->last = np_field_get64(data + LAST);
	control->counts = (struct wire_counts){
		.received = np_field_get64(data + COUNTS),
		.missing = np_field_get64(data + COUNTS + 8),
		.duplicates = np_field_get64(data + COUNTS + 16),
		.reordered = np_field_get64(data + COUNTS + 24),
		.damaged = np_field_get64(data + COUNTS + 32),
	};
	unpack_lost(&control->counts, np_field_get64(data + COUNTS + 40));
	control->unsent = np_field_get64(data + UNSENT);
	control->copies = np_field_get64(data + COPIES);
	control->counts.before = np_field_get64(data + BEFORE);
	control->counts.host = unpack_total(np_field_get32(data + HOST));
	if (control->type != WIRE_END_ACK)
		return;
	control->counts.elapsed = control->t1 > 0 ? control->t1 : 0;
	control->counts.bytes = (uint64_t)control->t2;
	control->counts.delays = unpack_delays((uint64_t)control->t3);
	control->t1 = control->t2 = control->t3 = 0;
}

static bool whole(const uint8_t *data, size_t length)
{
	uint8_t last = length == WIRE_BRIEF_BYTES ? WIRE_TIME_REPLY : WIRE_END_ACK;

	return (length == WIRE_CONTROL_BYTES || length == WIRE_BRIEF_BYTES) &&
	       np_field_get32(data) == WIRE_CONTROL_MAGIC && data[4] == VERSION &&
	       data[5] >= WIRE_TIME_REQUEST && data[5] <= last && np_field_get32(data + 8) &&
	       np_field_get32(data + length - 4) == check_value(data, length);
}

int wire_control_decode(const uint8_t *data, size_t length, struct wire_control *control)
{
	if (!whole(data, length))
		return -EPROTO;
	*control = (struct wire_control){
		.type = data[5],
		.brief = length == WIRE_BRIEF_BYTES,
		.return_port = np_field_get16(data + 6),
		.run = np_field_get32(data + 8),
		.t1 = (int64_t)np_field_get64(data + TIMES),
		.t2 = (int64_t)np_field_get64(data + TIMES + 8),
		.t3 = (int64_t)np_field_get64(data + TIMES + 16),
	};
	if (control->brief)
		control->copies = np_field_get32(data + COPIES_BRIEF);
	else
		get_rest(data, control);
	return control->unsent > control->last ? -EPROTO : 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* wire_control: the small datagrams between two ends of ours, written and read. */
#include "wire.h"

#include <errno.h>
#include <netperf/field.h>

#define VERSION 1
#define CHECK	(WIRE_CONTROL_BYTES - 4)

/* The sum goes over whole words; the check value itself is the second half of the last one. */
static uint32_t check_value(const uint8_t *data)
{
	uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, data, CHECK / 8);

	return np_field_sum_end(np_field_sum_word(sum, np_field_get32(data + CHECK - 4)));
}

void wire_control_encode(uint8_t data[WIRE_CONTROL_BYTES], const struct wire_control *control)
{
	const struct wire_counts *counts = &control->counts;
	const uint64_t fields[] = {
		(uint64_t)control->t1, (uint64_t)control->t2, (uint64_t)control->t3,
		control->last,	       counts->received,      counts->missing,
		counts->duplicates,    counts->reordered,     counts->damaged,
		counts->lost_host,
	};
	size_t i;

	memset(data, 0, WIRE_CONTROL_BYTES);
	np_field_put32(data, WIRE_CONTROL_MAGIC);
	data[4] = VERSION;
	data[5] = control->type;
	np_field_put16(data + 6, control->return_port);
	np_field_put32(data + 8, control->run);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		np_field_put64(data + 16 + 8 * i, fields[i]);
	np_field_put32(data + CHECK, check_value(data));
}

int wire_control_decode(const uint8_t *data, size_t length, struct wire_control *control)
{
	if (length != WIRE_CONTROL_BYTES || np_field_get32(data) != WIRE_CONTROL_MAGIC ||
	    data[4] != VERSION || data[5] < WIRE_TIME_REQUEST || data[5] > WIRE_END_ACK ||
	    !np_field_get32(data + 8) || np_field_get32(data + CHECK) != check_value(data))
		return -EPROTO;
	*control = (struct wire_control){
		.type = data[5],
		.return_port = np_field_get16(data + 6),
		.run = np_field_get32(data + 8),
		.t1 = (int64_t)np_field_get64(data + 16),
		.t2 = (int64_t)np_field_get64(data + 24),
		.t3 = (int64_t)np_field_get64(data + 32),
		.last = np_field_get64(data + 40),
		.counts =
			{
				.received = np_field_get64(data + 48),
				.missing = np_field_get64(data + 56),
				.duplicates = np_field_get64(data + 64),
				.reordered = np_field_get64(data + 72),
				.damaged = np_field_get64(data + 80),
				.lost_host = np_field_get64(data + 88),
			},
	};
	return 0;
}

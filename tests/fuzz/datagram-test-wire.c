// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any datagram read as a packet and as a control datagram, and back; the content check with it. */
#include "../../src/datagram-test/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Written into a packet that was prepared, or read, and read again it is the same. */
static void there_and_back(const struct wire_layout *layout, uint8_t *packet,
			   const struct wire_packet *head)
{
	struct wire_packet back;

	wire_encode(layout, packet, head);
	must(wire_decode(packet, layout->packet_bytes, &back) == WIRE_OURS);
	must(back.number == head->number && back.wide == head->wide);
	must(back.send_time == head->send_time && back.ack == head->ack);
	must(back.return_port == head->return_port);
	must(back.run == head->run && back.age == head->age);
	must(back.held_us == head->held_us && back.confirmed == head->confirmed);
}

/* As there_and_back, in a copy of what was read. */
static void write_again(const uint8_t *data, size_t size, const struct wire_packet *head)
{
	const struct wire_layout layout = {
		.packet_bytes = size,
		.sequence_width = head->wide ? 64 : 32,
		.trailer = true,
	};
	uint8_t *packet = malloc(size);

	must(packet);
	memcpy(packet, data, size);
	there_and_back(&layout, packet, head);
	free(packet);
}

struct choice {
	uint16_t packet_bytes, process_bytes, return_port, age;
	uint32_t run, held_us;
	int64_t send_time, ack;
	uint64_t number;
	bool wide, confirmed;
};

/* Any values in any layout that has room for a trailer. */
static void write_any(const uint8_t *data, size_t size)
{
	static uint8_t packet[UINT16_MAX];
	struct choice c;
	uint8_t flags;
	uint32_t found;

	if (size < offsetof(struct choice, wide) + 1)
		return;
	memset(&c, 0, sizeof(c));
	memcpy(&c, data, offsetof(struct choice, wide));
	flags = data[offsetof(struct choice, wide)];
	c.process_bytes &= 0xfffc;
	if (!wire_has_trailer(c.packet_bytes, c.process_bytes) || !c.run)
		return;
	const struct wire_layout layout = {
		.packet_bytes = c.packet_bytes,
		.process_bytes = c.process_bytes,
		.sequence_width = flags & 1 ? 64 : 32,
		.trailer = true,
	};
	const struct wire_packet head = {
		.return_port = c.return_port,
		.send_time = c.send_time,
		.ack = c.ack,
		.number = flags & 1 ? c.number : (uint32_t)c.number,
		.wide = flags & 1,
		.run = c.run,
		.age = c.age,
		.held_us = c.held_us & WIRE_HELD_UNKNOWN,
		.confirmed = flags & 2,
	};
	wire_prepare(&layout, packet, c.return_port);
	there_and_back(&layout, packet, &head);
	must(!wire_check_content(packet, c.packet_bytes, c.process_bytes, &head, &found));
}

static void read_packet(const uint8_t *data, size_t size)
{
	struct wire_packet head;
	uint32_t found;
	size_t at;

	switch (wire_decode(data, size, &head)) {
	case WIRE_OURS: write_again(data, size, &head); break;
	case WIRE_FOREIGN:
	case WIRE_DAMAGED: break;
	default: return;
	}
	at = wire_check_content(data, size, size & ~(size_t)3, &head, &found);
	must(!at || (at >= 7 && 4 * at + 4 <= size));
}

static void read_control(const uint8_t *data, size_t size)
{
	uint8_t first[WIRE_CONTROL_BYTES], again[WIRE_CONTROL_BYTES];
	struct wire_control control, back;

	if (wire_control_decode(data, size, &control))
		return;
	wire_control_encode(first, &control);
	must(!wire_control_decode(first, sizeof(first), &back));
	wire_control_encode(again, &back);
	must(!memcmp(first, again, sizeof(first)));
	must(!memcmp(first + 5, data + 5, 7) && !memcmp(first + 40, data + 40, 56));
	must(control.type == WIRE_END_ACK || !memcmp(first + 16, data + 16, 24));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 65507)
		return 0;
	read_packet(data, size);
	read_control(data, size);
	write_any(data, size);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What the codec of datagram-test reads: never a byte before or behind a packet. */
#include "../../src/datagram-test/wire.h"
#include "support/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One page between two that nobody may read. */
struct guarded {
	uint8_t *all, *page;
	size_t bytes;
};

static int create(void **state)
{
	static struct guarded guarded;

	guarded.bytes = (size_t)sysconf(_SC_PAGESIZE);
	guarded.all = mmap(NULL, 3 * guarded.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guarded.all == MAP_FAILED)
		return -1;
	guarded.page = guarded.all + guarded.bytes;
	*state = &guarded;
	return mprotect(guarded.page, guarded.bytes, PROT_READ | PROT_WRITE);
}

static int destroy(void **state)
{
	const struct guarded *guarded = *state;

	return munmap(guarded->all, 3 * guarded->bytes);
}

/* The content of a packet that ends, or begins, with its page; all of it repeats one number. */
TEST_WITH(create, destroy, content_at_the_edges)
{
	const struct guarded *guarded = *state;

	for (unsigned wide = 0; wide < 2; wide++) {
		const struct wire_packet head = {
			.number = wide ? UINT64_C(0x0101010101010101) : 0x01010101, .wide = wide};

		for (size_t length = WIRE_HEADER_BYTES; length < 80; length++) {
			uint32_t found;

			memset(guarded->page, 1, guarded->bytes);
			assert_int_equal(
				wire_check_content(guarded->page, length, length, &head, &found),
				0);
			assert_int_equal(wire_check_content(guarded->page + guarded->bytes - length,
							    length, length, &head, &found),
					 0);
		}
	}
}

/* 28 bytes are a packet, though a short one. */
TEST_WITH(create, destroy, the_shortest_packet)
{
	const struct guarded *guarded = *state;
	const struct wire_layout least = {.packet_bytes = WIRE_HEADER_BYTES, .sequence_width = 32};
	const struct wire_packet head = {.return_port = 1, .ack = WIRE_NO_ACK, .number = 9};
	uint8_t *const packet = guarded->page + guarded->bytes - WIRE_HEADER_BYTES;
	struct wire_trailer trailer;
	struct wire_packet back;

	wire_prepare(&least, packet, 1);
	wire_encode(&least, packet, &head, NULL);
	assert_int_equal(wire_decode(packet, WIRE_HEADER_BYTES, &back, &trailer), WIRE_FOREIGN);
	assert_int_equal(back.number, 9);
}

TEST_WITH(create, destroy, a_trailer_says_if_it_is_confirmed)
{
	const struct wire_layout layout = {
		.packet_bytes = 64, .process_bytes = 4, .sequence_width = 32, .trailer = true};
	const struct wire_packet head = {.number = 9};
	struct wire_trailer sent = {.run = 1}, back;
	struct wire_packet read;
	uint8_t packet[64];

	(void)state;
	wire_prepare(&layout, packet, 1);
	for (unsigned i = 0; i < 2; i++) {
		sent.confirmed = i;
		back = (struct wire_trailer){.confirmed = !i};
		wire_encode(&layout, packet, &head, &sent);
		assert_int_equal(wire_decode(packet, 64, &read, &back), WIRE_OURS);
		assert_int_equal(back.confirmed, i);
	}
}

/* A control datagram of run 0 is none, whatever is before it in memory. */
TEST_WITH(create, destroy, no_control_without_a_run)
{
	const struct wire_control in = {.type = WIRE_END, .last = 5};
	const struct guarded *guarded = *state;
	struct wire_control out;
	uint8_t *at = guarded->page;

	assert_int_equal(wire_control_encode(at, &in), WIRE_CONTROL_BYTES);
	assert_int_equal(wire_control_decode(at, WIRE_CONTROL_BYTES, &out), -EPROTO);
}

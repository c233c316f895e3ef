// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The packets of datagram-test: real ones of the Java original, every layout, every damaged bit;
 * never a byte before or behind a packet is read.
 */
#include "../../src/datagram-test/wire.h"
#include "support/unit.h"

#include <sys/mman.h>

#define JAVA_BYTES 1468

/* The begin of what Java sent: the first of a run, the third of another, one with an ack. */
static const uint8_t java_first[32] = {
	0x74, 0x65, 0x73, 0x74, 0x00, 0x00, 0x27, 0x0e, 0x00, 0x00, 0x00,
	0xc0, 0x75, 0xd5, 0x35, 0xc4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07,
};
static const uint8_t java_third[32] = {
	0x74, 0x65, 0x73, 0x74, 0x00, 0x00, 0x27, 0x0f, 0x00, 0x00, 0x02,
	0x3a, 0xb0, 0x9e, 0x3f, 0xc3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0xff, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x07,
};
static const uint8_t java_acked[32] = {
	0x74, 0x65, 0x73, 0x74, 0x00, 0x00, 0x27, 0x0f, 0x00, 0x00, 0x02,
	0x3a, 0xb1, 0x97, 0x0d, 0x5e, 0x00, 0x00, 0x02, 0x3a, 0xb1, 0x8b,
	0xb2, 0xcd, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x07,
};

#define TRAILER .run = 0x8badf00d, .age = 1234, .confirmed = true, .held_us = 77

static struct wire_layout layout(size_t packet_bytes, size_t process_bytes, unsigned width)
{
	return (struct wire_layout){
		.packet_bytes = packet_bytes,
		.process_bytes = process_bytes,
		.sequence_width = width,
		.trailer = wire_has_trailer(packet_bytes, process_bytes),
	};
}

static uint32_t word(const uint8_t *packet, size_t index)
{
	const uint8_t *at = packet + 4 * index;

	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

TEST(reads_what_java_sent)
{
	static const struct {
		const uint8_t *data;
		struct wire_packet head;
	} rows[] = {
		{java_first, {9998, 0xc075d535c4, WIRE_NO_ACK, 1, false, 0, 0, false, 0}},
		{java_third, {9999, 0x23ab09e3fc3, WIRE_NO_ACK, 3, false, 0, 0, false, 0}},
		{java_acked, {9999, 0x23ab1970d5e, 0x23ab18bb2cd, 1, false, 0, 0, false, 0}},
	};
	struct wire_packet head;

	for (size_t i = 0; i < 3; i++) {
		memset(&head, 0, sizeof(head));
		assert_int_equal(wire_decode(rows[i].data, 32, &head), WIRE_FOREIGN);
		assert_memory_equal(&head, &rows[i].head, offsetof(struct wire_packet, wide));
		assert_int_equal(wire_decode(rows[i].data, 27, &head), WIRE_SHORT);
	}
	assert_int_equal(wire_decode(java_third, 0, &head), WIRE_SHORT);
}

/* Byte for byte what Java sends, trailer aside, of which it knows nothing. */
TEST(writes_what_java_sends)
{
	struct wire_layout java = layout(JAVA_BYTES, 20, 32);
	struct wire_packet head = {.send_time = 0x23ab09e3fc3, .ack = WIRE_NO_ACK, .number = 3};
	uint8_t packet[JAVA_BYTES];

	java.trailer = false;
	wire_prepare(&java, packet, 9999);
	wire_encode(&java, packet, &head);
	assert_memory_equal(packet, java_third, sizeof(java_third));
	for (size_t i = 7; i < JAVA_BYTES / 4; i++)
		assert_int_equal(word(packet, i), i);
}

TEST(repeats_the_number_as_told)
{
	static const size_t sizes[] = {4, 20, 24, 28, 32, 1452, JAVA_BYTES - 8};
	uint8_t packet[JAVA_BYTES];
	struct wire_packet head = {.number = 0xabcdef, .ack = WIRE_NO_ACK, TRAILER}, back;
	uint32_t found;

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct wire_layout one = layout(JAVA_BYTES, sizes[k], 32);
		const size_t end = one.trailer ? JAVA_BYTES - WIRE_TRAILER_BYTES : JAVA_BYTES;

		wire_prepare(&one, packet, 9999);
		wire_encode(&one, packet, &head);
		for (size_t i = 6; i < end / 4; i++)
			assert_int_equal(word(packet, i),
					 i == 6 || 4 * i < 8 + sizes[k] ? 0xabcdef : i);
		assert_int_equal(wire_decode(packet, JAVA_BYTES, &back),
				 one.trailer ? WIRE_OURS : WIRE_FOREIGN);
		assert_int_equal(wire_check_content(packet, JAVA_BYTES, sizes[k], &back, &found),
				 0);
	}
}

TEST(trailer_needs_room)
{
	assert_true(wire_has_trailer(48, 4));
	assert_true(wire_has_trailer(48, 24));
	assert_false(wire_has_trailer(47, 4));
	assert_false(wire_has_trailer(48, 28));
	assert_true(wire_has_trailer(JAVA_BYTES, 1444));
	assert_false(wire_has_trailer(JAVA_BYTES, 1448));
}

TEST(trailer_comes_back)
{
	const struct wire_layout small = layout(64, 20, 32);
	struct wire_packet head = {.send_time = 5, .ack = 6, .number = UINT32_MAX, TRAILER};
	struct wire_packet back;
	uint8_t packet[64];

	wire_prepare(&small, packet, 7);
	wire_encode(&small, packet, &head);
	assert_int_equal(wire_decode(packet, 64, &back), WIRE_OURS);
	assert_true(back.run == 0x8badf00d && back.age == 1234 && back.confirmed);
	assert_true(back.held_us == 77 && back.number == UINT32_MAX && !back.wide);
	assert_true(back.return_port == 7 && back.send_time == 5 && back.ack == 6);
	head.run = 1;
	head.age = WIRE_AGE_MORE;
	head.held_us = 0x2000000;
	head.confirmed = false;
	wire_encode(&small, packet, &head);
	assert_int_equal(wire_decode(packet, 64, &back), WIRE_OURS);
	assert_true(back.held_us == WIRE_HELD_UNKNOWN && back.age == WIRE_AGE_MORE);
	assert_false(back.confirmed);
	head.run = 0;
	wire_encode(&small, packet, &head);
	assert_int_equal(wire_decode(packet, 64, &back), WIRE_DAMAGED);
}

TEST(wide_numbers)
{
	struct wire_layout wide = layout(80, 48, 64);
	struct wire_packet head = {.number = UINT64_C(0x1234567890), .ack = WIRE_NO_ACK, TRAILER},
			   back;
	uint8_t packet[80];
	uint32_t found;

	assert_true(wide.trailer);
	wire_prepare(&wide, packet, 9999);
	wire_encode(&wide, packet, &head);
	for (size_t i = 6; i < 14; i++)
		assert_int_equal(word(packet, i), i % 2 ? 0x34567890 : 0x12);
	assert_int_equal(word(packet, 14), 14);
	assert_int_equal(wire_decode(packet, 80, &back), WIRE_OURS);
	assert_true(back.wide);
	assert_int_equal(back.number, head.number);
	assert_int_equal(wire_check_content(packet, 80, 48, &back, &found), 0);
	packet[36] = 0xff;
	assert_int_equal(wire_check_content(packet, 80, 48, &back, &found), 9);
	assert_int_equal(found, 0xff567890);
	wide = layout(64, 4, 64);
	wire_prepare(&wide, packet, 9999);
	wire_encode(&wide, packet, &head);
	assert_int_equal(word(packet, 6), 0x12);
	assert_int_equal(word(packet, 7), 0x34567890);
	assert_int_equal(word(packet, 8), 8);
}

TEST(content_that_is_wrong)
{
	struct wire_layout full = layout(1000, 992, 32);
	struct wire_packet head = {.number = 5, .ack = WIRE_NO_ACK, TRAILER};
	uint8_t packet[1000];
	uint32_t found = 0;

	wire_prepare(&full, packet, 9999);
	wire_encode(&full, packet, &head);
	for (size_t i = 7; i < 992 / 4; i++) {
		packet[4 * i + 3] ^= 0x10;
		assert_int_equal(wire_check_content(packet, 1000, 992, &head, &found), i);
		assert_int_equal(found, 0x15);
		assert_int_equal(wire_check_content(packet, 4 * i + 3, 992, &head, &found), 0);
		packet[4 * i + 3] ^= 0x10;
	}
	packet[992] ^= 1;
	assert_int_equal(wire_check_content(packet, 1000, 992, &head, &found), 0);
	/* A listener that processes more than its publisher meets the filler: i=7, n=7. */
	full = layout(1000, 20, 32);
	wire_prepare(&full, packet, 9999);
	wire_encode(&full, packet, &head);
	assert_int_equal(wire_check_content(packet, 1000, 64, &head, &found), 7);
	assert_int_equal(found, 7);
}

TEST(every_damaged_bit_is_seen)
{
	struct wire_layout one = layout(100, 20, 32);
	struct wire_packet head = {.send_time = 123456789, .ack = 55, .number = 42, TRAILER}, back;
	uint8_t packet[100];

	wire_prepare(&one, packet, 9999);
	wire_encode(&one, packet, &head);
	for (size_t bit = 0; bit < sizeof(packet) * 8; bit++) {
		const size_t byte = bit / 8;
		enum wire_kind kind;

		packet[byte] ^= (uint8_t)(1 << bit % 8);
		kind = wire_decode(packet, sizeof(packet), &back);
		if (byte < 4)
			assert_int_equal(kind, WIRE_CORRUPT);
		else if (byte < 32 || byte >= 86)
			assert_int_equal(kind, WIRE_DAMAGED);
		else
			assert_int_equal(kind, byte < 84 ? WIRE_OURS : WIRE_FOREIGN);
		packet[byte] ^= (uint8_t)(1 << bit % 8);
	}
	assert_int_equal(wire_decode(packet, sizeof(packet), &back), WIRE_OURS);
}

static uint64_t at(const uint8_t *data, size_t offset)
{
	return (uint64_t)word(data + offset, 0) << 32 | word(data + offset, 1);
}

/* What an END_ACK says is at its place, and comes back; an END says its times as they are. */
TEST(control_comes_back)
{
	struct wire_control in = {
		.type = WIRE_END_ACK,
		.run = 0xfedcba98,
		.return_port = 9998,
		.last = UINT64_MAX,
		.counts = {.flow = {.received = 1,
				    .lost = 2,
				    .duplicates = 3,
				    .reordered = 4,
				    .damaged = 5,
				    .missed_before = 7,
				    .elapsed = 9,
				    .bytes = 12,
				    .head_bytes = 2},
			   .lost_host = 6,
			   .lost_exact = true,
			   .host = {true, true, 8}},
	};
	static const uint64_t numbers[] = {9, 10, 0, UINT64_MAX, 1, 2, 3, 4, 5};
	uint8_t data[WIRE_CONTROL_BYTES], again[WIRE_CONTROL_BYTES];
	struct wire_control out;
	struct wire_packet head;

	assert_int_equal(wire_control_encode(data, &in), WIRE_CONTROL_BYTES);
	assert_memory_equal(data, "npdt\1\4\x27\x0e\xfe\xdc\xba\x98\0\0\0", 16);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(at(data, 16 + 8 * i), numbers[i]);
	assert_true(at(data, 88) == (UINT64_C(1) << 63 | 6) && at(data, 112) == 7);
	/* Behind the counts the first edition has zeros, which say: none, and untold. */
	assert_true(at(data, 96) == 0 && at(data, 104) == 0 && word(data, 30) == 0x80000009);
	assert_int_equal(wire_decode(data, sizeof(data), &head), WIRE_CONTROL);
	assert_int_equal(wire_control_decode(data, sizeof(data), &out), 0);
	wire_control_encode(again, &out);
	assert_memory_equal(data, again, sizeof(data));
	assert_true(out.run == in.run && out.return_port == 9998 && !out.brief);
	assert_true(!out.t1 && !out.t2 && !out.t3 && !out.counts.delay.count);
	assert_true(out.counts.flow.elapsed == 9 && out.counts.flow.bytes == 10);
	assert_true(out.counts.lost_host == 6 && out.counts.lost_exact);
	assert_true(out.counts.host.known && out.counts.host.exact && out.counts.host.packets == 8);
	in = (struct wire_control){.type = WIRE_END, .run = 1, .last = 9, .unsent = 7, .copies = 3};
	in.t1 = -1;
	in.t3 = INT64_MIN;
	wire_control_encode(data, &in);
	assert_int_equal(wire_control_decode(data, sizeof(data), &out), 0);
	assert_true(out.unsent == 7 && out.copies == 3 && out.t1 == -1 && out.t3 == INT64_MIN);
	/* The first edition says nothing of how its packets left. */
	assert_true(!out.marks.known && !word(data, 3));
	in.marks.known = true;
	in.marks.tos = 186;
	in.marks.hops = 64;
	wire_control_encode(data, &in);
	assert_int_equal(word(data, 3), 0x01ba4000);
	assert_int_equal(wire_control_decode(data, sizeof(data), &out), 0);
	assert_true(out.marks.known && out.marks.tos == 186 && out.marks.hops == 64);
	in = (struct wire_control){
		.type = WIRE_TIME_REQUEST, .run = 1, .brief = true, .copies = 7 << 24};
	assert_int_equal(wire_control_encode(data, &in), WIRE_BRIEF_BYTES);
	assert_int_equal(wire_control_decode(data, WIRE_BRIEF_BYTES, &out), 0);
	assert_true(out.copies == 7 << 24 && !out.marks.known);
	in = (struct wire_control){.type = WIRE_END, .run = 1, .unsent = 7};
	/* More than there were: a lie. */
	in.last = 6;
	wire_control_encode(data, &in);
	assert_int_equal(wire_control_decode(data, sizeof(data), &out), -EPROTO);
}

/* Not known, or too many for the field: not told, which is what the first edition says. */
TEST(what_the_host_dropped)
{
	static const struct {
		struct np_drops_total total;
		uint32_t word;
	} rows[] = {
		{{.known = true}, 1},
		{{.known = true, .exact = true, .packets = INT32_MAX - 1}, UINT32_MAX},
		{{.known = true, .packets = INT32_MAX}, 0},
		{{.exact = true, .packets = 3}, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct wire_control in = {
			.type = WIRE_END, .run = 1, .counts.host = rows[i].total};
		struct wire_control out;
		uint8_t data[WIRE_CONTROL_BYTES];

		wire_control_encode(data, &in);
		assert_int_equal(word(data, 30), rows[i].word);
		assert_int_equal(wire_control_decode(data, sizeof(data), &out), 0);
		assert_int_equal(out.counts.host.known, rows[i].word != 0);
	}
}

static struct wire_counts carried(np_time p50, np_time p99, np_time max, np_time bound)
{
	const struct wire_control in = {
		.type = WIRE_END_ACK,
		.run = 9,
		.counts = {.flow = {.elapsed = -1, .received = 3},
			   .delay = {.count = 3, .p50 = p50, .p99 = p99, .max = max},
			   .delay_bound = bound},
	};
	struct wire_control out;
	uint8_t data[WIRE_CONTROL_BYTES];

	wire_control_encode(data, &in);
	assert_int_equal(wire_control_decode(data, sizeof(data), &out), 0);
	assert_true(out.counts.flow.elapsed == 0 && out.counts.delay.count == 3);
	return out.counts;
}

/* As they were up to 2047 ns, then at most a thousandth more, up to more than an hour. */
TEST(acknowledged_delays)
{
	struct wire_counts out = carried(-5, 2047, 2048, 0);

	assert_true(out.delay.p50 == 0 && out.delay.p99 == 2047);
	assert_true(out.delay.max == 2048 && !out.delay_bound);
	for (np_time time = 1; time < 4000 * NP_SECOND; time = time * 3 + 1) {
		out = carried(time, time / 2, time / 3, time / 4);
		assert_in_range(out.delay.p50, time, time + time / 1000);
		assert_in_range(out.delay.p99, time / 2, time / 2 + time / 2000);
		assert_in_range(out.delay_bound, time / 4, time / 4 + time / 4000);
	}
	out = carried(INT64_MAX, 0, 0, 0);
	assert_true(out.delay.p50 > 4300 * NP_SECOND && out.delay.max == 1);
}

/* A brief one is no longer than the shortest packet that calls for it; it is of TIME only. */
TEST(brief_control_comes_back)
{
	struct wire_control in = {.type = WIRE_TIME_REPLY,
				  .brief = true,
				  .run = 9,
				  .t1 = -1,
				  .t2 = 2,
				  .t3 = INT64_MIN,
				  .copies = 5,
				  .return_port = 77},
			    out;
	uint8_t data[WIRE_CONTROL_BYTES];

	assert_int_equal(wire_control_encode(data, &in), WIRE_BRIEF_BYTES);
	assert_false(wire_has_trailer(WIRE_BRIEF_BYTES - 1, 4));
	assert_int_equal(wire_control_decode(data, WIRE_BRIEF_BYTES, &out), 0);
	assert_true(out.brief && out.type == WIRE_TIME_REPLY && out.run == 9 && out.copies == 5);
	assert_true(out.t1 == -1 && out.t2 == 2 && out.t3 == INT64_MIN && out.return_port == 77);
}

/* Any damaged bit, another length, a type that does not exist or has no brief form, no run. */
TEST(no_control)
{
	static const struct wire_control bad[] = {
		{.run = 9},
		{.type = WIRE_END_ACK + 1, .run = 9},
		{.type = WIRE_END, .last = 5},
		{.type = WIRE_END, .run = 9, .brief = true},
	};
	struct wire_control out;
	uint8_t data[WIRE_CONTROL_BYTES];
	size_t bytes;

	for (unsigned brief = 0; brief < 2; brief++) {
		const struct wire_control in = {
			.type = WIRE_TIME_REPLY, .run = 9, .last = 1000, .brief = brief};

		bytes = wire_control_encode(data, &in);
		for (size_t bit = 0; bit < 8 * bytes; bit++) {
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_int_equal(wire_control_decode(data, bytes, &out), -EPROTO);
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_int_equal(wire_control_decode(data, bytes - 1, &out), -EPROTO);
		assert_int_equal(wire_control_decode(data, 0, &out), -EPROTO);
		assert_int_equal(wire_control_decode(data, bytes, &out), 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bytes = wire_control_encode(data, &bad[i]);
		assert_int_equal(wire_control_decode(data, bytes, &out), -EPROTO);
	}
}

/*
 * The content of a packet that ends, or begins, with its page, between two that nobody may read;
 * all of it repeats one number. 28 bytes are a packet, though a short one.
 */
TEST(content_at_the_edges)
{
	const struct wire_layout least = {.packet_bytes = WIRE_HEADER_BYTES, .sequence_width = 32};
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *const all = mmap(NULL, 3 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *const page = all + bytes, *const end = page + bytes;
	struct wire_packet head, back;
	uint32_t found;

	assert_true(all != MAP_FAILED);
	assert_int_equal(mprotect(page, bytes, PROT_READ | PROT_WRITE), 0);
	memset(page, 1, bytes);
	for (size_t i = 2 * WIRE_HEADER_BYTES; i < 2 * 80; i++) {
		const size_t length = i / 2;

		head = (struct wire_packet){.number = 0x01010101, .wide = i % 2};
		if (head.wide)
			head.number = UINT64_C(0x0101010101010101);
		assert_int_equal(wire_check_content(page, length, length, &head, &found), 0);
		assert_int_equal(wire_check_content(end - length, length, length, &head, &found),
				 0);
	}
	head = (struct wire_packet){.return_port = 1, .ack = WIRE_NO_ACK, .number = 9};
	wire_prepare(&least, end - WIRE_HEADER_BYTES, 1);
	wire_encode(&least, end - WIRE_HEADER_BYTES, &head);
	assert_int_equal(wire_decode(end - WIRE_HEADER_BYTES, WIRE_HEADER_BYTES, &back),
			 WIRE_FOREIGN);
	assert_int_equal(back.number, 9);
	assert_int_equal(munmap(all, 3 * bytes), 0);
}

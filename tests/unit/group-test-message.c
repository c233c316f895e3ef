// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The native messages: each there and back, every length but its own, what Java makes of them. */
#include "../../src/group-test/wire/jgroups.h"
#include "../../src/group-test/wire/message.h"
#include "group_who.h"
#include "support/unit.h"

static uint8_t wire[MESSAGE_CONTROL_MAX];

static struct message_head any_head(void)
{
	return (struct message_head){.run = 3,
				     .number = 0x0102030405060708,
				     .time = 0x1112131415161718,
				     .tag = 0xa1a2a3a4};
}

TEST(a_head_is_28_bytes_in_their_places)
{
	static const uint8_t expected[] = {
		0xe7, 0x43, 0x00, 0x03, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x00, 0x00,
		0x00, 0x01, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0xa1, 0xa2, 0xa3, 0xa4,
	};
	struct message_head head = any_head(), back;

	head.type = MESSAGE_DATA;
	message_head_encode(wire, &head);
	assert_memory_equal(wire, expected, sizeof(expected));
	assert_int_equal(message_head_decode(wire, sizeof(expected), &back), MESSAGE_NATIVE);
	assert_int_equal(back.type, MESSAGE_DATA);
	assert_int_equal(back.run, 3);
	assert_int_equal(back.number, head.number);
	assert_int_equal(back.time, head.time);
	assert_int_equal(back.tag, head.tag);
}

/* What a message that begins with these bytes is; the rest is zero. */
static enum message_kind kind_of(uint8_t first, uint8_t type, uint8_t version, size_t bytes)
{
	uint8_t data[MESSAGE_HEADER_BYTES] = {first, type, [15] = version};
	struct message_head head;

	return message_head_decode(data, bytes, &head);
}

TEST(kinds_are_told_apart)
{
	assert_int_equal(kind_of(0xe7, 0x41, 1, 28), MESSAGE_NATIVE);
	assert_int_equal(kind_of(0xe7, 0x4b, 1, 28), MESSAGE_NATIVE);
	assert_int_equal(kind_of(0xe7, 0x40, 1, 28), MESSAGE_BAD);
	assert_int_equal(kind_of(0xe7, 0x4c, 1, 28), MESSAGE_BAD);
	assert_int_equal(kind_of(0xe7, 0x41, 1, 27), MESSAGE_BAD);
	assert_int_equal(kind_of(0xe7, 0x41, 2, 16), MESSAGE_OTHER);
	assert_int_equal(kind_of(0xe7, 0x41, 2, 15), MESSAGE_BAD);
	assert_int_equal(kind_of(0xe7, 0x41, 1, 0), MESSAGE_BAD);
	assert_int_equal(kind_of(0, 7, 0, 14), MESSAGE_JGROUPS);
	assert_int_equal(kind_of(5, 5, 0, 1), MESSAGE_JGROUPS);
	assert_int_equal(kind_of(6, 5, 0, 14), MESSAGE_BAD);
	assert_int_equal(kind_of(0xac, 0xed, 0, 28), MESSAGE_BAD);
}

/* Type unknown, no payload, sender, number, no result, no results: Java logs a line. */
TEST(java_reads_an_unknown_type)
{
	struct message_head head = any_head();
	struct jgroups_message message;

	for (unsigned type = MESSAGE_HELLO; type <= MESSAGE_DROPS; type++) {
		head.type = (enum message_type)type;
		message_head_encode(wire, &head);
		assert_int_equal(jgroups_decode(wire, 28, 28, &message), -ENOTSUP);
		assert_true(wire[0] > 5 && wire[1] > 8);
		assert_int_equal(wire[2] | wire[12] | wire[13], 0);
	}
}

static struct result_row any_row(unsigned seed)
{
	return (struct result_row){
		.sender = who(seed % 2 ? "1.2.3.4:5" : "[::1]:65535"),
		.counts.sent = 2 * seed + 3,
		.counts.received = seed + 1,
		.counts.lost = seed + 2,
		.counts.duplicates = seed + 3,
		.counts.reordered = seed + 4,
		.counts.late = seed + 5,
		.counts.stray = seed + 6,
		.counts.bytes = seed + 7,
		.counts.first = seed + 8,
		.counts.last = seed + 9,
		.exact = seed % 3,
		.ended = seed % 5,
		.delay = {seed, 1, 2, 3, 4, 5, 6, 7},
		.delay_bound = 8,
	};
}

/* One body of each type. */
static union body {
	struct message_hello hello;
	struct message_state state;
	struct message_clock clock;
	struct message_refuse refuse;
	struct message_proof proof;
	struct message_table table;
} sample, back;

static size_t encode_sample(enum message_type type)
{
	struct message_head head = any_head();
	size_t bytes;

	memset(&sample, 0, sizeof(sample));
	switch (type) {
	case MESSAGE_HELLO:
		sample.hello = (struct message_hello){
			.sender = true, .paced = 9, .host = "sixteen bytes 1", .begun = 77};
		for (unsigned i = 0; i < SETTINGS; i++)
			sample.hello.setting[i] = UINT64_MAX - i;
		break;
	case MESSAGE_STATE:
		sample.state =
			(struct message_state){PHASE_LEAVING, true, 1u << 31, 256, 255, 12345};
		break;
	case MESSAGE_CLOCK:
		sample.clock = (struct message_clock){who("10.1.2.3:7800"), true, -1, 2, INT64_MAX};
		break;
	case MESSAGE_REFUSE:
		sample.refuse = (struct message_refuse){who("[fe80::1]:9"), REFUSAL_SETTINGS,
							SETTING_MSG_SIZE, 1000};
		break;
	case MESSAGE_PROOF:
		sample.proof = (struct message_proof){who("[fe80::1]:9"), true, UINT64_MAX - 1};
		break;
	case MESSAGE_RESULTS:
		sample.table.member = (struct result_member){
			.rows = 3, .row = sample.table.row, .host = {1, 2, 3, 4}};
		for (unsigned i = 0; i < 3; i++)
			sample.table.row[i] = any_row(100 * i);
		break;
	case MESSAGE_DROPS:
		sample.table.member = (struct result_member){
			.rows = 3,
			.row = sample.table.row,
			.sent_drops.total = {.known = true, .exact = true, .packets = 7}};
		sample.table.row[0].drops.total = (struct np_drops_total){.known = true};
		sample.table.row[1].drops.total = (struct np_drops_total){
			.known = true, .exact = true, .packets = INT64_MAX - 1};
		sample.table.row[1].local = true;
		sample.table.row[2].sender.ip[15] = 9;
		break;
	default: break;
	}
	bytes = message_encode(wire, &head, type, &sample);
	assert_int_equal(head.type, type);
	return bytes;
}

/* Each byte is in its place, and the body is read back to the same bytes, whole only. */
TEST(bodies_come_back)
{
	static const struct {
		enum message_type type;
		size_t bytes;
		uint64_t hash; /* FNV-1a of all bytes */
	} expected[] = {
		{MESSAGE_HELLO, 118, UINT64_C(0x06d5e5d35c1b1d5e)},
		{MESSAGE_STATE, 50, UINT64_C(0x0336717cfcfc19e7)},
		{MESSAGE_CLOCK, 71, UINT64_C(0x62db64cfd8fbe5db)},
		{MESSAGE_REFUSE, 57, UINT64_C(0xac3e885629a6187a)},
		{MESSAGE_PROOF, 55, UINT64_C(0xdc27015918ca01a0)},
		{MESSAGE_RESULTS, 575, UINT64_C(0x76224d413da4c5cc)},
		{MESSAGE_DROPS, 119, UINT64_C(0xb58b103a9b74f2c5)},
	};
	static uint8_t again[MESSAGE_CONTROL_MAX];

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const enum message_type type = expected[i].type;
		const size_t bytes = encode_sample(type);
		uint64_t hash = UINT64_C(0xcbf29ce484222325);
		struct message_head head = any_head();

		assert_int_equal(bytes, expected[i].bytes);
		for (size_t at = 0; at < bytes; at++)
			hash = (hash ^ wire[at]) * UINT64_C(0x100000001b3);
		assert_int_equal(hash, expected[i].hash);
		for (size_t cut = MESSAGE_HEADER_BYTES; cut <= bytes + 1; cut++) {
			/* Of its own size, so that a sanitizer sees a byte too far. */
			uint8_t *exact = calloc(1, cut);

			assert_non_null(exact);
			memcpy(exact, wire, cut < bytes ? cut : bytes);
			assert_int_equal(message_decode(exact, cut, type, &back),
					 cut == bytes ? 0 : -EPROTO);
			free(exact);
		}
		assert_int_equal(message_decode(wire, bytes, type, &back), 0);
		assert_int_equal(message_encode(again, &head, type, &back), bytes);
		assert_memory_equal(again, wire, bytes);
	}
}

/* Enums, booleans and counts that nobody writes are refused. */
TEST(bodies_are_bounded)
{
	static const struct {
		enum message_type type;
		size_t at;
		uint8_t value;
	} bad[] = {
		{MESSAGE_HELLO, 28, 2},	  {MESSAGE_STATE, 28, PHASE_LEAVING + 1},
		{MESSAGE_STATE, 29, 2},	  {MESSAGE_CLOCK, 46, 2},
		{MESSAGE_REFUSE, 46, 0},  {MESSAGE_REFUSE, 46, REFUSAL_DEAD + 1},
		{MESSAGE_PROOF, 46, 2},	  {MESSAGE_REFUSE, 48, SETTINGS},
		{MESSAGE_RESULTS, 28, 1}, {MESSAGE_RESULTS, 30, 0x40}, /* cpu_user */
		{MESSAGE_DROPS, 36, 1},	  {MESSAGE_DROPS, 64, 2},      /* local */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		const size_t bytes = encode_sample(bad[i].type);

		wire[bad[i].at] = bad[i].value;
		assert_int_equal(message_decode(wire, bytes, bad[i].type, &back), -EPROTO);
	}
}

/* There is room for every sender, and no more. */
TEST(rows_are_bounded)
{
	struct message_head head = any_head();
	size_t bytes;

	memset(&sample, 0, sizeof(sample));
	sample.table.member =
		(struct result_member){.rows = MESSAGE_ROWS_MAX, .row = sample.table.row};
	for (unsigned i = 0; i < MESSAGE_ROWS_MAX; i++)
		sample.table.row[i] = any_row(i);
	bytes = message_encode(wire, &head, MESSAGE_RESULTS, &sample);
	assert_int_equal(bytes, MESSAGE_RESULTS_BYTES(MESSAGE_ROWS_MAX));
	assert_in_range(bytes, 1, MESSAGE_CONTROL_MAX);
	assert_int_equal(message_decode(wire, bytes, MESSAGE_RESULTS, &back), 0);
	assert_int_equal(back.table.row[255].counts.sent, 2 * 255 + 3);
	memset(sample.table.row, 0, sizeof(sample.table.row));
	/* More than fit are not reported. */
	sample.table.member.sent_drops.total =
		(struct np_drops_total){.known = true, .exact = true, .packets = INT64_MAX};
	bytes = message_encode(wire, &head, MESSAGE_DROPS, &sample);
	assert_int_equal(bytes, MESSAGE_DROPS_MAX);
	assert_int_equal(message_decode(wire, bytes, MESSAGE_DROPS, &back), 0);
	assert_false(back.table.member.sent_drops.total.known);
	assert_int_equal(back.table.member.sent_drops.total.packets, 0);
	wire[28] = 0x80; /* exact, and not known */
	assert_int_equal(message_decode(wire, bytes, MESSAGE_DROPS, &back), -EPROTO);
	wire[28] = 0;
	/* As long as it says, but with one row more than there is room for. */
	wire[37] = 1;
	memcpy(wire + bytes, wire + bytes - 27, 27);
	assert_int_equal(message_decode(wire, bytes + 27, MESSAGE_DROPS, &back), -EPROTO);
}

/*
 * Differences of times that came from a stranger must not overflow; and nobody lost more than was
 * expected, whatever an older member counted.
 */
TEST(figures_of_rows_are_bounded)
{
	static const struct {
		struct np_flow_counts counts;
		bool exact;
		int rc;
		uint64_t lost;
	} row[] = {
		{{.first = -1, .last = 5}, .rc = -EPROTO},
		{{.first = 0, .last = INT64_MAX}, .rc = -EPROTO},
		{{.first = 6, .last = 5}, .rc = -EPROTO},
		{{.sent = 10, .received = 5, .lost = 11}, .rc = 0, .lost = 10},
		{{.sent = 10, .received = 5, .lost = 11}, .exact = true, .rc = -EPROTO},
	};
	struct message_head head = any_head();

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		size_t bytes;

		memset(&sample, 0, sizeof(sample));
		sample.table.member = (struct result_member){.rows = 1, .row = sample.table.row};
		sample.table.row[0].counts = row[i].counts;
		sample.table.row[0].exact = row[i].exact;
		bytes = message_encode(wire, &head, MESSAGE_RESULTS, &sample);
		assert_int_equal(message_decode(wire, bytes, MESSAGE_RESULTS, &back), row[i].rc);
		if (!row[i].rc)
			assert_int_equal(back.table.row[0].counts.lost, row[i].lost);
	}
}

TEST(a_tag_is_of_the_members_in_any_order)
{
	struct message_instance one[] = {
		{who("1.1.1.1:1"), 7}, {who("1.1.1.1:2"), 8}, {who("[::2]:1"), 9}};
	struct message_instance two[] = {one[2], one[0], one[1]};
	uint32_t tag = message_group_tag(one, 3);

	assert_int_not_equal(tag, 0);
	assert_int_equal(message_group_tag(two, 3), tag);
	assert_int_not_equal(message_group_tag(two, 2), tag);
	two[1].instance ^= 1;
	assert_int_not_equal(message_group_tag(two, 3), tag);
}

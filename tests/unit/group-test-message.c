// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The native messages: each there and back, every length but its own, what Java makes of them. */
#include "../../src/group-test/wire/jgroups.h"
#include "../../src/group-test/wire/message.h"
#include "group_who.h"

#include <errno.h>
#include <stdlib.h>

static uint8_t wire[MESSAGE_CONTROL_MAX];

static struct message_head any_head(void)
{
	return (struct message_head){.run = 3,
				     .number = 0x0102030405060708,
				     .time = 0x1112131415161718,
				     .tag = 0xa1a2a3a4};
}

static void a_head_is_28_bytes_in_their_places(void **state)
{
	static const uint8_t expected[] = {
		0xe7, 0x43, 0x00, 0x03, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x00, 0x00,
		0x00, 0x01, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0xa1, 0xa2, 0xa3, 0xa4,
	};
	struct message_head head = any_head(), back;

	(void)state;
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

static void kinds_are_told_apart(void **state)
{
	(void)state;
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
static void java_reads_an_unknown_type(void **state)
{
	struct message_head head = any_head();
	struct jgroups_message message;

	(void)state;
	for (unsigned type = MESSAGE_HELLO; type <= MESSAGE_DROPS; type++) {
		head.type = (enum message_type)type;
		message_head_encode(wire, &head);
		assert_int_equal(jgroups_look(wire, 28), JGROUPS_IS_NATIVE);
		assert_int_equal(jgroups_decode(wire, 28, 28, &message), -ENOTSUP);
		assert_true(wire[0] > 5 && wire[1] > 8);
		assert_int_equal(wire[2] | wire[12] | wire[13], 0);
	}
}

/* Every length but the right one is refused. */
static void only_whole(size_t bytes, int (*decode)(const uint8_t *data, size_t bytes, void *m),
		       void *m)
{
	uint8_t *exact;

	assert_in_range(bytes, MESSAGE_HEADER_BYTES + 1, MESSAGE_CONTROL_MAX - 1);
	for (size_t cut = MESSAGE_HEADER_BYTES; cut <= bytes + 1; cut++) {
		/* Of its own size, so that a sanitizer sees a byte too far. */
		exact = malloc(cut);
		assert_non_null(exact);
		memset(exact, 0, cut);
		memcpy(exact, wire, cut < bytes ? cut : bytes);
		assert_int_equal(decode(exact, cut, m), cut == bytes ? 0 : -EPROTO);
		free(exact);
	}
}

static int hello(const uint8_t *data, size_t bytes, void *m)
{
	return message_hello_decode(data, bytes, m);
}

static int state_of(const uint8_t *data, size_t bytes, void *m)
{
	return message_state_decode(data, bytes, m);
}

static int results(const uint8_t *data, size_t bytes, void *m)
{
	return message_results_decode(data, bytes, m);
}

static int clock_of(const uint8_t *data, size_t bytes, void *m)
{
	return message_clock_decode(data, bytes, m);
}

static int proof(const uint8_t *data, size_t bytes, void *m)
{
	return message_proof_decode(data, bytes, m);
}

static int refuse(const uint8_t *data, size_t bytes, void *m)
{
	return message_refuse_decode(data, bytes, m);
}

static void a_hello_comes_back(void **state)
{
	struct message_hello m = {
		.sender = true, .paced = 9, .host = "sixteen bytes 1", .begun = 77};
	struct message_hello back;
	struct message_head head = any_head();
	size_t bytes;

	(void)state;
	for (unsigned i = 0; i < SETTINGS; i++)
		m.setting[i] = UINT64_MAX - i;
	bytes = message_hello_encode(wire, &head, &m);
	assert_int_equal(head.type, MESSAGE_HELLO);
	memset(&back, 0, sizeof(back));
	only_whole(bytes, hello, &back);
	assert_true(back.sender);
	assert_int_equal(back.paced, 9);
	assert_memory_equal(back.host, m.host, 16);
	assert_int_equal(back.begun, 77);
	assert_memory_equal(back.setting, m.setting, sizeof(m.setting));
	wire[28] = 2;
	assert_int_equal(message_hello_decode(wire, bytes, &back), -EPROTO);
}

static void every_setting_has_its_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SETTINGS; i++)
		assert_non_null(message_setting_name((enum message_setting)i));
	assert_string_equal(message_setting_name(SETTING_NUM_SENDERS), "num_senders");
	assert_string_equal(message_setting_name(SETTING_CREDIT), "--flow-control");
}

static void a_state_comes_back(void **state)
{
	const struct message_state m = {.phase = PHASE_LEAVING,
					.interrupted = true,
					.sent = 1u << 31,
					.members = 256,
					.unready = 255,
					.moves = 12345};
	struct message_head head = any_head();
	struct message_state back = {0};
	size_t bytes = message_state_encode(wire, &head, &m);

	(void)state;
	only_whole(bytes, state_of, &back);
	assert_int_equal(back.phase, PHASE_LEAVING);
	assert_true(back.interrupted);
	assert_int_equal(back.sent, m.sent);
	assert_int_equal(back.members, 256);
	assert_int_equal(back.unready, 255);
	assert_int_equal(back.moves, 12345);
	wire[29] = 2;
	assert_int_equal(message_state_decode(wire, bytes, &back), -EPROTO);
	wire[29] = 0;
	wire[28] = PHASE_LEAVING + 1;
	assert_int_equal(message_state_decode(wire, bytes, &back), -EPROTO);
}

static void a_clock_and_a_refusal_come_back(void **state)
{
	const struct message_refuse no = {.to = who("[fe80::1]:9"),
					  .why = REFUSAL_SETTINGS,
					  .setting = SETTING_MSG_SIZE,
					  .value = 1000};
	const struct message_clock ask = {who("10.1.2.3:7800"), true, -1, 2, INT64_MAX};
	struct message_head head = any_head();
	struct message_refuse no_back = {0};
	struct message_clock back = {0};
	size_t bytes = message_clock_encode(wire, &head, &ask);

	(void)state;
	only_whole(bytes, clock_of, &back);
	assert_true(identity_equal(&back.to, &ask.to) && back.answer);
	assert_true(back.t1 == -1 && back.t2 == 2 && back.t3 == INT64_MAX);
	bytes = message_refuse_encode(wire, &head, &no);
	only_whole(bytes, refuse, &no_back);
	assert_true(identity_equal(&no_back.to, &no.to));
	assert_int_equal(no_back.why, REFUSAL_SETTINGS);
	assert_int_equal(no_back.setting, SETTING_MSG_SIZE);
	assert_int_equal(no_back.value, 1000);
	wire[46] = 0;
	assert_int_equal(message_refuse_decode(wire, bytes, &no_back), -EPROTO);
	wire[46] = REFUSAL_DEAD + 1;
	assert_int_equal(message_refuse_decode(wire, bytes, &no_back), -EPROTO);
	wire[46] = REFUSAL_DEAD;
	wire[48] = SETTINGS;
	assert_int_equal(message_refuse_decode(wire, bytes, &no_back), -EPROTO);
}

static void a_proof_comes_back(void **state)
{
	const struct message_proof ask = {who("[fe80::1]:9"), true, UINT64_MAX - 1};
	struct message_head head = any_head();
	struct message_proof back = {0};
	size_t bytes = message_proof_encode(wire, &head, &ask);

	(void)state;
	only_whole(bytes, proof, &back);
	assert_true(identity_equal(&back.to, &ask.to));
	assert_true(back.answer);
	assert_int_equal(back.cookie, ask.cookie);
	wire[46] = 2;
	assert_int_equal(message_proof_decode(wire, bytes, &back), -EPROTO);
}

static void impossible_settings_are_known(void **state)
{
	static const struct {
		enum message_setting setting;
		uint64_t value;
	} bad[] = {
		{SETTING_NUM_MSGS, 0},	  {SETTING_MSG_SIZE, UINT64_MAX},
		{SETTING_NUM_MEMBERS, 0}, {SETTING_NUM_MEMBERS, MESSAGE_ROWS_MAX + 1},
		{SETTING_NUM_MEMBERS, 1}, {SETTING_NUM_SENDERS, 0},
		{SETTING_NUM_SENDERS, 5}, {SETTING_DURATION, UINT64_MAX},
		{SETTING_REPEAT, 0},	  {SETTING_REPEAT, 257},
		{SETTING_CREDIT, 2},
	};
	const struct message_hello good = {.setting = {1000, 20, 4, 2, 0, 1, 0, 1}};
	struct message_hello hello;

	(void)state;
	assert_true(message_hello_is_possible(&good));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		hello = good;
		hello.setting[bad[i].setting] = bad[i].value;
		assert_false(message_hello_is_possible(&hello));
	}
	hello = good;
	hello.setting[SETTING_NUM_MSGS] = 0;
	hello.setting[SETTING_DURATION] = 1;
	assert_true(message_hello_is_possible(&hello));
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

static int drops(const uint8_t *data, size_t bytes, void *m)
{
	return message_drops_decode(data, bytes, m);
}

static void same_total(struct np_drops_total a, struct np_drops_total b)
{
	assert_int_equal(a.known, b.known);
	assert_int_equal(a.exact, b.exact);
	assert_int_equal(a.packets, b.packets);
}

static void drops_come_back(void **state)
{
	struct message_drops *m = calloc(2, sizeof(*m)), *back = m + 1;
	struct message_head head = any_head();

	(void)state;
	assert_non_null(m);
	m->sent = (struct np_drops_total){.known = true, .exact = true, .packets = 7};
	m->count = 3;
	m->row[0].received = (struct np_drops_total){.known = true};
	m->row[1].received =
		(struct np_drops_total){.known = true, .exact = true, .packets = INT64_MAX - 1};
	m->row[1].local = true;
	m->row[2].sender.ip[15] = 9;
	only_whole(message_drops_encode(wire, &head, m), drops, back);
	assert_int_equal(back->count, 3);
	same_total(back->sent, m->sent);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(identity_equal(&back->row[i].sender, &m->row[i].sender));
		same_total(back->row[i].received, m->row[i].received);
		assert_int_equal(back->row[i].local, m->row[i].local);
	}
	free(m);
}

/* More than fit are not told; and what nobody writes is refused. */
static void drops_are_bounded(void **state)
{
	struct message_drops *m = calloc(2, sizeof(*m)), *back = m + 1;
	struct message_head head = any_head();
	size_t bytes;

	(void)state;
	assert_non_null(m);
	m->count = MESSAGE_ROWS_MAX;
	m->sent = (struct np_drops_total){.known = true, .exact = true, .packets = INT64_MAX};
	bytes = message_drops_encode(wire, &head, m);
	assert_int_equal(bytes, MESSAGE_DROPS_MAX);
	assert_int_equal(message_drops_decode(wire, bytes, back), 0);
	assert_false(back->sent.known || back->sent.packets);
	wire[28] = 0x80; /* exact, and not known */
	assert_int_equal(message_drops_decode(wire, bytes, back), -EPROTO);
	wire[28] = 0;
	wire[bytes - 1] = 2;
	assert_int_equal(message_drops_decode(wire, bytes, back), -EPROTO);
	wire[bytes - 1] = 0;
	wire[36] = 0xff; /* rows */
	assert_int_equal(message_drops_decode(wire, bytes, back), -EPROTO);
	/* As long as it says, but with one row more than there is room for. */
	wire[36] = 1;
	wire[37] = 1;
	memcpy(wire + bytes, wire + bytes - 27, 27);
	assert_int_equal(message_drops_decode(wire, bytes + 27, back), -EPROTO);
	free(m);
}

static void results_come_back(void **state)
{
	struct message_results *m = calloc(2, sizeof(*m)), *back = m + 1;
	struct message_head head = any_head();

	(void)state;
	assert_non_null(m);
	m->count = 3;
	m->host = (struct result_host){1, 2, 3, 4};
	for (unsigned i = 0; i < m->count; i++)
		m->row[i] = any_row(100 * i);
	only_whole(message_results_encode(wire, &head, m), results, back);
	assert_int_equal(back->count, 3);
	assert_memory_equal(&back->host, &m->host, sizeof(m->host));
	for (unsigned i = 0; i < m->count; i++) {
		assert_true(identity_equal(&back->row[i].sender, &m->row[i].sender));
		assert_int_equal(back->row[i].counts.sent, m->row[i].counts.sent);
		assert_int_equal(back->row[i].counts.stray, m->row[i].counts.stray);
		assert_int_equal(back->row[i].counts.bytes, m->row[i].counts.bytes);
		assert_int_equal(back->row[i].counts.last, m->row[i].counts.last);
		assert_int_equal(back->row[i].exact, m->row[i].exact);
		assert_int_equal(back->row[i].ended, m->row[i].ended);
		assert_memory_equal(&back->row[i].delay, &m->row[i].delay,
				    sizeof(back->row[i].delay));
		assert_int_equal(back->row[i].delay_bound, m->row[i].delay_bound);
	}
	free(m);
}

static void results_have_room_for_every_sender_and_no_more(void **state)
{
	struct message_results *m = calloc(2, sizeof(*m)), *back = m + 1;
	struct message_head head = any_head();
	size_t bytes;

	(void)state;
	assert_non_null(m);
	m->count = MESSAGE_ROWS_MAX;
	for (unsigned i = 0; i < m->count; i++)
		m->row[i] = any_row(i);
	bytes = message_results_encode(wire, &head, m);
	assert_in_range(bytes, 1, MESSAGE_CONTROL_MAX);
	assert_int_equal(message_results_decode(wire, bytes, back), 0);
	assert_int_equal(back->row[255].counts.sent, 2 * 255 + 3);
	wire[28] = 0xff;
	assert_int_equal(message_results_decode(wire, bytes, back), -EPROTO);
	free(m);
}

/* Differences of times that came from a stranger must not overflow. */
static void times_of_rows_are_bounded(void **state)
{
	struct message_results *m = calloc(2, sizeof(*m));
	struct message_head head = any_head();
	size_t bytes;

	(void)state;
	assert_non_null(m);
	m->count = 1;
	m->row[0] = (struct result_row){.counts.first = -1, .counts.last = 5};
	bytes = message_results_encode(wire, &head, m);
	assert_int_equal(message_results_decode(wire, bytes, m + 1), -EPROTO);
	m->row[0] = (struct result_row){.counts.first = 0, .counts.last = INT64_MAX};
	bytes = message_results_encode(wire, &head, m);
	assert_int_equal(message_results_decode(wire, bytes, m + 1), -EPROTO);
	m->row[0] = (struct result_row){.counts.first = 6, .counts.last = 5};
	bytes = message_results_encode(wire, &head, m);
	assert_int_equal(message_results_decode(wire, bytes, m + 1), -EPROTO);
	free(m);
}

/* Nobody lost more than was expected, whatever an older member counted. */
static void losses_of_rows_are_bounded(void **state)
{
	struct message_results *m = calloc(2, sizeof(*m)), *back = m + 1;
	struct message_head head = any_head();
	size_t bytes;

	(void)state;
	assert_non_null(m);
	m->count = 1;
	m->row[0] = (struct result_row){
		.counts.sent = 10, .counts.received = 5, .counts.lost = 11, .ended = true};
	bytes = message_results_encode(wire, &head, m);
	assert_int_equal(message_results_decode(wire, bytes, back), 0);
	assert_int_equal(back->row[0].counts.lost, 10);
	m->row[0].exact = true;
	bytes = message_results_encode(wire, &head, m);
	assert_int_equal(message_results_decode(wire, bytes, back), -EPROTO);
	free(m);
}

static void a_tag_is_of_the_members_in_any_order(void **state)
{
	struct message_instance one[] = {
		{who("1.1.1.1:1"), 7}, {who("1.1.1.1:2"), 8}, {who("[::2]:1"), 9}};
	struct message_instance two[] = {one[2], one[0], one[1]};
	uint32_t tag = message_group_tag(one, 3);

	(void)state;
	assert_int_not_equal(tag, 0);
	assert_int_equal(message_group_tag(two, 3), tag);
	assert_int_not_equal(message_group_tag(two, 2), tag);
	two[1].instance ^= 1;
	assert_int_not_equal(message_group_tag(two, 3), tag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_head_is_28_bytes_in_their_places),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(java_reads_an_unknown_type),
		cmocka_unit_test(a_hello_comes_back),
		cmocka_unit_test(every_setting_has_its_name),
		cmocka_unit_test(a_state_comes_back),
		cmocka_unit_test(a_clock_and_a_refusal_come_back),
		cmocka_unit_test(a_proof_comes_back),
		cmocka_unit_test(impossible_settings_are_known),
		cmocka_unit_test(drops_come_back),
		cmocka_unit_test(drops_are_bounded),
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(results_have_room_for_every_sender_and_no_more),
		cmocka_unit_test(times_of_rows_are_bounded),
		cmocka_unit_test(losses_of_rows_are_bounded),
		cmocka_unit_test(a_tag_is_of_the_members_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

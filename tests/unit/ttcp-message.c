// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Messages of ttcp: there and back, byte by byte, damaged, cut, hostile. */
#include "../../src/ttcp/wire/message.h"

#include "address_of.h"
#include "support/unit.h"

#include <errno.h>
#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

#define DATA_BYTES 512

static const struct message_clock clock_known = {
	.known = true, .offset = -81567000000, .bound = 42};

static struct message base(uint8_t type)
{
	struct message m;

	memset(&m, 0, sizeof(m));
	m.type = type;
	m.flags = MESSAGE_ACK_WANTED;
	m.stream = 3;
	m.session = 0xdeadbeef;
	m.run = 7;
	m.number = UINT64_C(0x123456789a);
	m.time = INT64_C(1154730964371000000);
	return m;
}

static struct message start(void)
{
	struct message m = base(MESSAGE_START);

	m.start = (struct message_start){
		.message_bytes = DATA_BYTES,
		.messages = UINT64_C(1) << 40,
		.timeout_ms = 20000,
		.rate_bits = UINT32_MAX * UINT64_C(1000),
		.streams = 4,
		.runs = 6,
		.proof = 79,
		.duration = 10 * NP_SECOND,
		.clock = clock_known,
		.session = "TEST",
	};
	return m;
}

static struct message report(void)
{
	struct message m = base(MESSAGE_REPORT);

	m.report = (struct message_report){
		.status = MESSAGE_SHORT,
		.exact = true,
		.drop_unit = MESSAGE_DROPS_BUFFERS,
		.counts = {.received = 1,
			   .lost = 2,
			   .duplicates = 3,
			   .reordered = 4,
			   .late = 5,
			   .damaged = 6,
			   .missed_before = 20,
			   .bytes = 80,
			   .head_bytes = 70,
			   .first = 9,
			   .last = 10},
		.host_drops = 7,
		.host_drops_most = 19,
		.delays = {11, -12, -13, 14, 15, 16, 17, 18},
		.clock = clock_known,
		.dropped = {.known = true, .exact = true, .packets = UINT64_C(1) << 40},
		.cpu = {true, 21, 22},
	};
	return m;
}

static struct message control(uint8_t type)
{
	struct message m = base(type);

	if (type == MESSAGE_START)
		return start();
	if (type == MESSAGE_REPORT)
		return report();
	if (type == MESSAGE_END)
		m.end = (struct message_end){.clock = clock_known,
					     .unsent = 3,
					     .proof = 78,
					     .last = true,
					     .dropped = {true, true, 9}};
	if (type == MESSAGE_ACK)
		m.ack = (struct message_ack){-5, DATA_BYTES};
	if (type == MESSAGE_START_OK)
		m.start_ok = (struct message_start_ok){MESSAGE_BUSY, 2, 77, 1, 2};
	return m;
}

static const uint8_t controls[] = {MESSAGE_START, MESSAGE_END, MESSAGE_ACK, MESSAGE_START_OK,
				   MESSAGE_REPORT};
#define CONTROLS (sizeof(controls) / sizeof(*controls))

/* What follows the header of each. */
static const char *const bodies[CONTROLS] = {
	"0000020000004e200000010000000000ffffffff00040401000000060000004f00000002540be400"
	"ffffffed023a5a40000000000000002a54455354",
	"0101800a0000004effffffed023a5a40000000000000002a0000000000000003",
	"fffffffffffffffb00000000000000000000020000000000",
	"010200000000004d00000000000000010000000000000002",
	"000000dd010102010000000000000001000000000000000200000000000000030000000000000004"
	"00000000000000050000000000000006000000000000000700000000000000500000000000000009"
	"000000000000000a000000000000000bfffffffffffffff4fffffffffffffff3000000000000000e"
	"000000000000000f000000000000001000000000000000110000000000000012ffffffed023a5a40"
	"000000000000002a0000000000000014000000000000001300000000000000468000010000000001"
	"00000000000000150000000000000016000000000000000000",
};

static struct message decoded(const uint8_t *data, size_t size)
{
	struct message m;

	memset(&m, 0, sizeof(m));
	assert_int_equal(message_decode(data, size, &m), 0);
	return m;
}

static void same_header(const struct message *a, const struct message *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->stream, b->stream);
	assert_int_equal(a->session, b->session);
	assert_int_equal(a->run, b->run);
	assert_true(a->number == b->number);
	assert_true(a->time == b->time);
}

/* @hex: the digits of all @bytes. */
static void same_bytes(const uint8_t *data, size_t bytes, const char *hex)
{
	assert_int_equal(strlen(hex), 2 * bytes);
	for (size_t i = 0; i < bytes; i++) {
		char digits[3];

		snprintf(digits, sizeof(digits), "%02x", data[i]);
		assert_memory_equal(digits, hex + 2 * i, 2);
	}
}

/* Every field in its place, as older and later versions read it: none has the value of another. */
TEST(there_and_back)
{
	for (size_t i = 0; i < CONTROLS; i++) {
		uint8_t data[MESSAGE_CONTROL_MAX], again[MESSAGE_CONTROL_MAX];
		const struct message m = control(controls[i]);
		const size_t size = message_encode(data, &m);
		const struct message back = decoded(data, size);

		assert_in_range(size, MESSAGE_HEADER_BYTES, MESSAGE_CONTROL_MAX);
		assert_int_equal(message_size(data, size), size);
		same_header(&m, &back);
		assert_int_equal(back.size, size);
		assert_int_equal(message_encode(again, &back), size);
		assert_memory_equal(data, again, size);
		same_bytes(data + MESSAGE_HEADER_BYTES, size - MESSAGE_HEADER_BYTES, bodies[i]);
	}
}

/* At a rate that has messages far apart a run may be silent as long. */
TEST(silence)
{
	struct message_start start = {.message_bytes = 4096};

	assert_int_equal(message_silence_ms(&start), 20000);
	start.rate_bits = 1000;
	assert_int_equal(message_silence_ms(&start), 20000 + 2 * 32768);
	start.rate_bits = 100;
	assert_int_equal(message_silence_ms(&start), 20000 + 2 * 327680);
	start.rate_bits = UINT64_MAX;
	assert_int_equal(message_silence_ms(&start), 20000);
	start = (struct message_start){.message_bytes = MESSAGE_DATA_MAX, .rate_bits = 1000};
	assert_int_equal(message_silence_ms(&start), 20000 + 2 * (MESSAGE_DATA_MAX * 8));
	start.rate_bits = 1;
	assert_int_equal(message_silence_ms(&start), UINT32_MAX);
}

/* In two bytes that were 0 before: more than they hold is not told. */
TEST(ends_tell_what_the_host_dropped)
{
	static const struct np_drops_total total[] = {{true, true, 0},
						      {true, false, 7},
						      {true, true, 32766},
						      {true, true, 32767},
						      {false, false, 0}};
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = control(MESSAGE_END), back;

	for (size_t i = 0; i < sizeof(total) / sizeof(*total); i++) {
		const bool told = total[i].known && total[i].packets <= 32766;

		m.end.dropped = total[i];
		back = decoded(data, message_encode(data, &m));
		assert_true(back.end.dropped.known == told);
		assert_true(back.end.dropped.exact == (told && total[i].exact));
		assert_int_equal(back.end.dropped.packets, told ? total[i].packets : 0);
		assert_true(back.end.last == m.end.last && back.end.proof == m.end.proof);
	}
	m.end.clock.known = false;
	back = decoded(data, message_encode(data, &m));
	assert_true(!back.end.clock.known && !back.end.clock.offset);
}

/* Version 2 has the rate to the bit; in version 1 it is rounded up. */
TEST(rates)
{
	static const struct {
		uint64_t asked, first;
	} rate[] = {{0, 0},
		    {1, 1000},
		    {1000, 1000},
		    {1001, 2000},
		    {UINT64_MAX, UINT32_MAX * UINT64_C(1000)}};
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = start();

	for (size_t i = 0; i < sizeof(rate) / sizeof(*rate); i++) {
		struct message back;

		m.start.rate_bits = rate[i].asked;
		m.version = 1;
		assert_true(decoded(data, message_encode(data, &m)).start.rate_bits ==
			    rate[i].first);
		assert_int_equal(data[3], 1);
		m.version = 2;
		back = decoded(data, message_encode(data, &m));
		assert_int_equal(data[3], 2);
		assert_int_equal(back.version, 2);
		assert_true(back.start.rate_bits == rate[i].asked);
		assert_string_equal(back.start.session, "TEST");
	}
	/* No other message has that version. */
	m = control(MESSAGE_ACK);
	m.version = 2;
	assert_int_equal(message_decode(data, message_encode(data, &m), &m), -EPROTONOSUPPORT);
}

/* The check value as message.h has it, for a message that no encoder of ours writes. */
static void put_check(uint8_t *data, size_t size)
{
	uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, data, 4);
	uint8_t body[MESSAGE_CONTROL_MAX] = {0};

	memcpy(body, data + MESSAGE_HEADER_BYTES, size - MESSAGE_HEADER_BYTES);
	sum = np_field_sum_word(sum, np_field_get32(data + 32));
	sum = np_field_sum(sum, body, (size - MESSAGE_HEADER_BYTES + 7) / 8);
	np_field_put32(data + 36, np_field_sum_end(sum));
}

static struct message_reasons reasons_of(unsigned count, const char *name)
{
	struct message_reasons reasons = {.count = count, .others = 5};

	for (unsigned i = 0; i < count; i++) {
		reasons.reason[i].packets = i + 1;
		reasons.reason[i].outgoing = i % 2;
		snprintf(reasons.reason[i].name, sizeof(reasons.reason[i].name), "%s", name);
	}
	return reasons;
}

/* END of version 2, and a report, say what a process used and what its host dropped why. */
TEST(accounts)
{
	static const char longest[] = "A_REASON_THAT_IS_AS_LONG_AS_ANY_CAN_BE_47_BYTES";
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = control(MESSAGE_END), back;
	uint32_t size;

	m.end.cpu = (struct message_cpu){true, 3, 4};
	m.end.reasons = reasons_of(MESSAGE_REASONS, longest);
	back = decoded(data, message_encode(data, &m));
	assert_false(back.end.cpu.known);
	assert_int_equal(back.end.reasons.count, 0);
	m.version = 2;
	size = (uint32_t)message_encode(data, &m);
	back = decoded(data, size);
	assert_true(back.end.cpu.known && back.end.cpu.user == 3 && back.end.cpu.system == 4);
	assert_true(back.end.proof == m.end.proof && back.end.unsent == m.end.unsent);
	assert_int_equal(back.end.reasons.count, MESSAGE_REASONS);
	assert_int_equal(back.end.reasons.others, 5);
	for (unsigned i = 0; i < MESSAGE_REASONS; i++) {
		assert_int_equal(back.end.reasons.reason[i].packets, i + 1);
		assert_int_equal(back.end.reasons.reason[i].outgoing, i % 2);
		assert_string_equal(back.end.reasons.reason[i].name, m.end.reasons.reason[i].name);
	}
	/* One that ends within them, or has more than there can be. */
	for (uint32_t less = 1; less < size - 88; less++) {
		np_field_put32(data + 32, size - less);
		put_check(data, size - less);
		assert_int_equal(message_decode(data, size - less, &back), -EBADMSG);
	}
	data[96] = MESSAGE_REASONS + 1;
	np_field_put32(data + 32, size);
	put_check(data, size);
	assert_int_equal(message_decode(data, size, &back), -EBADMSG);
	m = report();
	m.report.reasons = reasons_of(MESSAGE_REASONS, longest);
	back = decoded(data, message_encode(data, &m));
	assert_string_equal(back.report.reasons.reason[3].name, longest);
	m.report.reasons = reasons_of(2, "SOCKET_RCVBUFF");
	back = decoded(data, message_encode(data, &m));
	assert_int_equal(back.report.reasons.count, 2);
	assert_string_equal(back.report.reasons.reason[1].name, "SOCKET_RCVBUFF");
	m.report.reasons = reasons_of(1, "no\nname");
	assert_int_equal(message_decode(data, message_encode(data, &m), &back), -EBADMSG);
}

/* The mark of DATA, and of no other message. */
TEST(data_have_a_mark)
{
	uint8_t data[MESSAGE_CONTROL_MAX], mark[MESSAGE_MARK_BYTES];
	struct message m = base(MESSAGE_DATA);

	message_mark_data(mark);
	message_encode_data(data, &m, DATA_BYTES);
	assert_memory_equal(data, mark, sizeof(mark));
	m = control(MESSAGE_END);
	message_encode(data, &m);
	assert_memory_not_equal(data, mark, sizeof(mark));
}

/* A report that ends @bytes before the reasons. */
static struct message shorter(size_t bytes)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = report();
	uint32_t size;

	m.report.dropped = (struct np_drops_total){true, true, 5};
	m.report.cpu.known = true;
	m.report.cpu.user = 3;
	m.report.cpu.system = 4;
	size = (uint32_t)(message_encode(data, &m) - 9 - bytes);
	np_field_put32(data + 32, size);
	np_field_put32(data + 40, size - 44);
	put_check(data, size);
	return decoded(data, size);
}

/* Nobody can have used so much that the sum is no time. */
TEST(processor_time_that_cannot_be)
{
	struct message back, m = report();
	uint8_t data[MESSAGE_CONTROL_MAX];

	m.report.cpu = (struct message_cpu){true, INT64_MAX, 0};
	back = decoded(data, message_encode(data, &m));
	assert_true(back.report.cpu.known);
	m.report.cpu.system = 1;
	back = decoded(data, message_encode(data, &m));
	assert_false(back.report.cpu.known);
}

/* Older versions' reports end earlier; what they have not is unknown. */
TEST(shorter_reports)
{
	struct message back = shorter(0);

	assert_true(back.report.cpu.known);
	assert_true(back.report.cpu.user == 3 && back.report.cpu.system == 4);
	back = shorter(16);
	assert_false(back.report.cpu.known);
	assert_true(back.report.dropped.known && back.report.dropped.packets == 5);
	back = shorter(48);
	assert_true(back.report.counts.received == 1 && back.report.host_drops == 7);
	assert_true(back.report.host_drops_most == 7 && back.report.counts.missed_before == 0);
	assert_false(back.report.dropped.known || back.report.cpu.known);
}

/* A later version's report has more behind it: known by its length, and let be. */
TEST(longer_reports)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = report(), back;
	const uint32_t size = (uint32_t)message_encode(data, &m) + 8;

	np_field_put64(data + size - 8, 12345);
	np_field_put32(data + 32, size);
	put_check(data, size);
	assert_int_equal(message_decode(data, size, &back), -EBADMSG);
	np_field_put32(data + 40, size - 44);
	put_check(data, size);
	back = decoded(data, size);
	assert_true(back.report.counts.received == 1);
	assert_memory_equal(&back.report.delays, &m.report.delays, sizeof(back.report.delays));
}

static size_t encode_data(uint8_t *data, uint32_t size)
{
	const struct message m = base(0);

	message_fill(data, size);
	message_encode_data(data, &m, size);
	return size;
}

/* Every byte in its place, as netperf and others would read it. */
TEST(bytes_of_data)
{
	static const uint8_t want[36] = {
		0x89, 'T',  'T',  1,	2,    1,    0,	  3,	0xde, 0xad, 0xbe, 0xef,
		0,    0,    0,	  7,	0,    0,    0,	  0x12, 0x34, 0x56, 0x78, 0x9a,
		0x10, 0x06, 0x6d, 0xb1, 0xae, 0x7a, 0x4a, 0xc0, 0,    0,    2,	  0,
	};
	uint8_t data[DATA_BYTES], pattern[DATA_BYTES];
	const struct message m = base(MESSAGE_DATA);
	struct message back;

	encode_data(data, sizeof(data));
	assert_memory_equal(data, want, sizeof(want));
	assert_int_equal(data[40], 0x20 + 40);
	assert_int_equal(data[95], 0x20);
	back = decoded(data, sizeof(data));
	same_header(&m, &back);
	assert_int_equal(back.size, DATA_BYTES);
	message_fill(pattern, sizeof(pattern));
	assert_true(message_fill_good(data, sizeof(data), pattern));
	data[DATA_BYTES - 1] ^= 1;
	assert_false(message_fill_good(data, sizeof(data), pattern));
	data[DATA_BYTES - 1] ^= 1;
	data[40] ^= 0x80;
	assert_false(message_fill_good(data, sizeof(data), pattern));
}

TEST(fill)
{
	static uint8_t data[100000];

	for (size_t count = 0; count < 300; count++) {
		memset(data, 0, 301);
		message_fill(data, count);
		for (size_t i = 0; i < count; i++)
			assert_int_equal(data[i], 0x20 + i % 95);
		assert_int_equal(data[count], 0);
	}
	message_fill(data, sizeof(data));
	for (size_t i = 0; i < sizeof(data); i++)
		assert_int_equal(data[i], 0x20 + i % 95);
}

/* Any single bit turned over is noticed: in a control message anywhere, in DATA in the header. */
TEST(every_bit)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m;

	for (size_t i = 0; i <= CONTROLS; i++) {
		const struct message from = control(controls[i % CONTROLS]);
		const size_t size =
			i < CONTROLS ? message_encode(data, &from) : encode_data(data, DATA_BYTES);
		const size_t guarded = i < CONTROLS ? size : MESSAGE_HEADER_BYTES;

		for (size_t bit = 0; bit < 8 * guarded; bit++) {
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_true(message_decode(data, size, &m) < 0);
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		assert_int_equal(message_decode(data, size, &m), 0);
	}
}

TEST(cut_and_longer)
{
	uint8_t data[MESSAGE_CONTROL_MAX + 1] = {0};
	struct message m;

	for (size_t i = 0; i < CONTROLS; i++) {
		const struct message from = control(controls[i]);
		const size_t size = message_encode(data, &from);

		for (size_t length = 0; length <= size + 1; length++) {
			if (length != size)
				assert_true(message_decode(data, length, &m) < 0);
			if (length < MESSAGE_HEADER_BYTES)
				assert_int_equal(message_size(data, length), 0);
		}
	}
}

TEST(strangers)
{
	uint8_t data[DATA_BYTES];
	struct message m;

	encode_data(data, sizeof(data));
	data[3] = 2;
	assert_int_equal(message_decode(data, sizeof(data), &m), -EPROTONOSUPPORT);
	assert_int_equal(message_size(data, sizeof(data)), -EPROTONOSUPPORT);
	message_fill(data, sizeof(data));
	assert_int_equal(message_decode(data, sizeof(data), &m), -EPROTO);
	assert_int_equal(message_size(data, sizeof(data)), -EPROTO);
	assert_int_equal(message_size(data, 1), -EPROTO);
	assert_false(message_is_ours(data, sizeof(data)));
	assert_false(message_is_ours(data, 0));
	assert_true(message_is_ours((const uint8_t *)"\x89", 1));
	assert_true(message_is_ours((const uint8_t *)"\x89TT\x07", 4));
	assert_false(message_is_ours((const uint8_t *)"\x89T!", 3));
	assert_true(message_classic_marker(4) && message_classic_marker(0));
	assert_false(message_classic_marker(5));
}

/* What an encoder writes by the book and no end would say. */
TEST(impossible)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m[12], back;

	for (size_t i = 0; i < 12; i++)
		m[i] = start();
	m[0].run = 0;
	m[1].start.message_bytes = MESSAGE_HEADER_BYTES - 1;
	m[2].start.message_bytes = MESSAGE_DATA_MAX + 1;
	m[3].start.streams = 0;
	m[4].start.streams = MESSAGE_STREAMS_MAX + 1;
	m[5].start.streams = 3; /* and this is stream 3, the fourth */
	m[6].start.duration = -1;
	m[7].start.clock.bound = -1;
	m[8].start.session[0] = '\0';
	m[9].start.session[2] = '\n';
	m[10].start.messages = UINT64_MAX;
	m[11] = control(MESSAGE_END);
	m[11].number = UINT64_MAX;
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(message_decode(data, message_encode(data, &m[i]), &back),
				 -EBADMSG);
	m[0] = report();
	m[0].report.status = MESSAGE_INTERRUPTED + 1;
	assert_int_equal(message_decode(data, message_encode(data, &m[0]), &back), -EBADMSG);
	m[0] = report();
	m[0].report.counts.last = m[0].report.counts.first - 1;
	assert_int_equal(message_decode(data, message_encode(data, &m[0]), &back), -EBADMSG);
	/* A time between them that no number holds. */
	m[0].report.counts.first = INT64_MIN;
	m[0].report.counts.last = INT64_MAX;
	assert_int_equal(message_decode(data, message_encode(data, &m[0]), &back), -EBADMSG);
	m[0] = base(0);
	m[0].number = UINT64_MAX;
	message_encode_data(data, &m[0], MESSAGE_HEADER_BYTES);
	assert_int_equal(message_decode(data, MESSAGE_HEADER_BYTES, &back), -EBADMSG);
	m[0] = base(9);
	assert_int_equal(message_decode(data, message_encode(data, &m[0]), &back), -EBADMSG);
}

/* A name as long as can be is cut where it must end, not beyond. */
TEST(longest_name)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = start(), back;

	memset(m.start.session, 'x', sizeof(m.start.session));
	back = decoded(data, message_encode(data, &m));
	assert_int_equal(strlen(back.start.session), MESSAGE_SESSION_MAX - 1);
}

/* Of a DATA the header is enough, of all others it takes the whole. */
TEST(next_in_a_stream)
{
	uint8_t data[MESSAGE_CONTROL_MAX + 8] = {0};
	struct message m;

	for (size_t i = 0; i <= CONTROLS; i++) {
		const struct message from =
			i < CONTROLS ? control(controls[i]) : base(MESSAGE_DATA);
		const size_t size =
			i < CONTROLS ? message_encode(data, &from) : encode_data(data, DATA_BYTES);
		const size_t needs = i < CONTROLS ? size : MESSAGE_HEADER_BYTES;

		for (size_t length = 0; length < needs; length++)
			assert_int_equal(message_next(data, length, &m), 0);
		for (size_t length = needs; length < size + 8; length++) {
			memset(&m, 0, sizeof(m));
			assert_int_equal(message_next(data, length, &m), size);
			same_header(&from, &m);
			assert_int_equal(m.size, size);
		}
		for (size_t bit = 0; bit < 8 * needs; bit++) {
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_true(message_next(data, size, &m) <= 0);
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
	}
	message_fill(data, DATA_BYTES);
	assert_int_equal(message_next(data, DATA_BYTES, &m), -EPROTO);
	assert_int_equal(message_next(data, 1, &m), -EPROTO);
}

/* A stream is not believed when it says how much there is to read. */
TEST(sizes_in_a_stream)
{
	const struct message m = base(MESSAGE_DATA), end = control(MESSAGE_END);
	uint8_t data[MESSAGE_CONTROL_MAX];

	message_encode_data(data, &m, MESSAGE_DATA_MAX);
	assert_int_equal(message_size(data, MESSAGE_HEADER_BYTES), MESSAGE_DATA_MAX);
	message_encode_data(data, &m, MESSAGE_DATA_MAX + 1);
	assert_int_equal(message_size(data, MESSAGE_HEADER_BYTES), -EBADMSG);
	message_encode_data(data, &m, MESSAGE_HEADER_BYTES - 1);
	assert_int_equal(message_size(data, MESSAGE_HEADER_BYTES), -EBADMSG);
	message_encode(data, &end);
	data[34] = 2;
	data[35] = 1;
	assert_int_equal(message_size(data, MESSAGE_HEADER_BYTES), -EBADMSG);
}

/* A proof is the same for a host and a session, another one for others, nobody's without the
 * secret. */
TEST(proofs)
{
	const struct np_address a = address_of("10.9.0.1:5001"), same = address_of("10.9.0.1:9"),
				b = address_of("10.9.0.2:5001"), c = address_of("[fd00::1]:1"),
				d = address_of("[fd00::2]:1");
	const struct message_secret one = {{1, 2}}, other = {{1, 3}};
	const uint32_t proof = message_proof(&one, &a, 7);

	assert_int_not_equal(proof, 0);
	assert_int_equal(message_proof(&one, &same, 7), proof);
	assert_int_not_equal(message_proof(&one, &b, 7), proof);
	assert_int_not_equal(message_proof(&one, &a, 8), proof);
	assert_int_not_equal(message_proof(&other, &a, 7), proof);
	assert_int_not_equal(message_proof(&one, &c, 7), message_proof(&one, &d, 7));
}

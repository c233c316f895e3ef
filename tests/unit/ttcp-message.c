// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Messages of ttcp: there and back, byte by byte, damaged, cut, hostile. */
#include "../../src/ttcp/wire/message.h"

#include "address_of.h"
#include "support/unit.h"

#define DATA_BYTES 512

static const struct np_offset clock_known = {.known = true, .offset = -81567000000, .bound = 42};

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
		.drops.least = 7,
		.drops.upmost = 19,
		.delays = {11, -12, -13, 14, 15, 16, 17, 18},
		.clock = clock_known,
		.account = {.dropped = {true, true, UINT64_C(1) << 40},
			    .cpu = {true, {.user = 21, .system = 22}}},
	};
	return m;
}

static struct message control(uint8_t type)
{
	struct message m = base(type);

	if (type == MESSAGE_START || type == MESSAGE_REVERSE) {
		m = start();
		m.type = type;
	}
	if (type == MESSAGE_REPORT)
		return report();
	if (type == MESSAGE_END)
		m.end = (struct message_end){.clock = clock_known,
					     .unsent = 3,
					     .proof = 78,
					     .last = true,
					     .account.dropped = {true, true, 9}};
	if (type == MESSAGE_ACK)
		m.ack = (struct message_ack){-5, DATA_BYTES};
	if (type == MESSAGE_START_OK)
		m.start_ok = (struct message_start_ok){.verdict = MESSAGE_BUSY,
						       .reads = 2,
						       .several = 1,
						       .challenge = 77,
						       .start_received = 1,
						       .replied = 2};
	if (type == MESSAGE_TRANSACT)
		m.transact = (struct message_transact){3, MESSAGE_DATA_MAX};
	return m;
}

static const uint8_t controls[] = {MESSAGE_START,    MESSAGE_END,    MESSAGE_ACK,
				   MESSAGE_START_OK, MESSAGE_REPORT, MESSAGE_REVERSE,
				   MESSAGE_TRANSACT};
#define CONTROLS COUNT(controls)

/* What follows the header of each. */
static const char *const bodies[CONTROLS] = {
	"0000020000004e200000010000000000ffffffff00040401000000060000004f00000002540be400"
	"ffffffed023a5a40000000000000002a54455354",
	"0101800a0000004effffffed023a5a40000000000000002a0000000000000003",
	"fffffffffffffffb00000000000000000000020000000000",
	"010200010000004d00000000000000010000000000000002",
	"000000dd010102010000000000000001000000000000000200000000000000030000000000000004"
	"00000000000000050000000000000006000000000000000700000000000000500000000000000009"
	"000000000000000a000000000000000bfffffffffffffff4fffffffffffffff3000000000000000e"
	"000000000000000f000000000000001000000000000000110000000000000012ffffffed023a5a40"
	"000000000000002a0000000000000014000000000000001300000000000000468000010000000001"
	"00000000000000150000000000000016000000000000000000",
	"0000020000004e200000010000000000ffffffff00040401000000060000004f00000002540be400"
	"ffffffed023a5a40000000000000002a54455354",
	"0000000304000000",
};

static struct message decoded(const uint8_t *data, size_t size)
{
	struct message m;

	memset(&m, 0, sizeof(m));
	assert_int_equal(message_decode(data, size, &m), 0);
	return m;
}

/* As its partner has it. */
static struct message there(const struct message *m)
{
	uint8_t data[MESSAGE_CONTROL_MAX];

	return decoded(data, message_encode(data, m));
}

static void same_header(const struct message *a, const struct message *b)
{
	assert_true(a->type == b->type && a->flags == b->flags && a->stream == b->stream);
	assert_true(a->session == b->session && a->run == b->run);
	assert_true(a->number == b->number && a->time == b->time);
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
	static const struct {
		uint32_t bytes;
		uint64_t rate;
		uint32_t ms;
	} rows[] = {
		{4096, 0, 20000},
		{4096, 1000, 20000 + 2 * 32768},
		{4096, UINT64_MAX, 20000},
		{MESSAGE_DATA_MAX, 1000, 20000 + 2 * (MESSAGE_DATA_MAX * 8)},
		{MESSAGE_DATA_MAX, 1, UINT32_MAX},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			message_silence_ms(&(struct message_start){.message_bytes = rows[i].bytes,
								   .rate_bits = rows[i].rate}),
			rows[i].ms);
}

/* In two bytes that were 0 before: more than they hold is not told. */
TEST(ends_tell_what_the_host_dropped)
{
	static const struct np_drops_total total[] = {{true, true, 0},
						      {true, false, 7},
						      {true, true, 32766},
						      {true, true, 32767},
						      {false, false, 0}};
	struct message m = control(MESSAGE_END);

	for (size_t i = 0; i < COUNT(total); i++) {
		const bool told = total[i].known && total[i].packets <= 32766;
		struct np_drops_total back;

		m.end.account.dropped = total[i];
		back = there(&m).end.account.dropped;
		assert_true(back.known == told && back.exact == (told && total[i].exact));
		assert_int_equal(back.packets, told ? total[i].packets : 0);
	}
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

	for (size_t i = 0; i < COUNT(rate); i++) {
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
	/* A name as long as can be is cut where it must end, not beyond. */
	memset(m.start.session, 'x', sizeof(m.start.session));
	assert_int_equal(strlen(there(&m).start.session), MESSAGE_SESSION_MAX - 1);
	/* No other message has that version. */
	m = control(MESSAGE_ACK);
	m.version = 2;
	assert_int_equal(message_decode(data, message_encode(data, &m), &m), -EPROTONOSUPPORT);
}

/* The size, and the check value as message.h has it, for what no encoder of ours writes. */
static void put_check(uint8_t *data, size_t size)
{
	uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, data, 4);
	uint8_t body[MESSAGE_CONTROL_MAX] = {0};

	np_field_put32(data + 32, (uint32_t)size);
	memcpy(body, data + MESSAGE_HEADER_BYTES, size - MESSAGE_HEADER_BYTES);
	sum = np_field_sum_word(sum, np_field_get32(data + 32));
	sum = np_field_sum(sum, body, (size - MESSAGE_HEADER_BYTES + 7) / 8);
	np_field_put32(data + 36, np_field_sum_end(sum));
}

static struct message_reasons reasons_of(unsigned count, const char *name)
{
	struct message_reasons reasons = {.count = count, .others = 5};

	for (unsigned i = 0; i < count; i++) {
		reasons.entry[i].packets = i + 1;
		reasons.entry[i].direction = i % 2 ? NP_DROPS_OUT : NP_DROPS_IN;
		snprintf(reasons.entry[i].reason, sizeof(reasons.entry[i].reason), "%s", name);
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

	m.end.account.cpu = (struct message_cpu){true, {.user = 3, .system = 4}};
	m.end.account.reasons = reasons_of(MESSAGE_REASONS, longest);
	back = there(&m);
	assert_false(back.end.account.cpu.known);
	assert_int_equal(back.end.account.reasons.count, 0);
	m.version = 2;
	m.end.marks = (struct np_marks){true, 186, 64};
	size = (uint32_t)message_encode(data, &m);
	back = decoded(data, size);
	assert_true(back.end.marks.known && back.end.marks.tos == 186 && back.end.marks.hops == 64);
	assert_true(back.end.account.cpu.known && back.end.account.cpu.usage.user == 3 &&
		    back.end.account.cpu.usage.system == 4);
	assert_true(back.end.proof == m.end.proof && back.end.unsent == m.end.unsent);
	assert_int_equal(back.end.account.reasons.count, MESSAGE_REASONS);
	assert_int_equal(back.end.account.reasons.others, 5);
	for (unsigned i = 0; i < MESSAGE_REASONS; i++) {
		assert_int_equal(back.end.account.reasons.entry[i].packets, i + 1);
		assert_int_equal(back.end.account.reasons.entry[i].direction,
				 m.end.account.reasons.entry[i].direction);
		assert_string_equal(back.end.account.reasons.entry[i].reason,
				    m.end.account.reasons.entry[i].reason);
	}
	/* One that ends within them, or has more than there can be; the first ones end before the
	 * marks. */
	for (uint32_t less = 1; less < size - 88; less++) {
		put_check(data, size - less);
		assert_int_equal(message_decode(data, size - less, &back),
				 less == 3 ? 0 : -EBADMSG);
	}
	data[96] = MESSAGE_REASONS + 1;
	put_check(data, size);
	assert_int_equal(message_decode(data, size, &back), -EBADMSG);
	m = report();
	m.report.account.reasons = reasons_of(MESSAGE_REASONS, longest);
	back = there(&m);
	assert_string_equal(back.report.account.reasons.entry[3].reason, longest);
	/* Nobody can have used so much that the sum is no time. */
	m.report.account.cpu = (struct message_cpu){true, {.user = INT64_MAX}};
	assert_true(there(&m).report.account.cpu.known);
	m.report.account.cpu.usage.system = 1;
	assert_false(there(&m).report.account.cpu.known);
	m.report.account.reasons = reasons_of(2, "SOCKET_RCVBUFF");
	back = there(&m);
	assert_int_equal(back.report.account.reasons.count, 2);
	assert_string_equal(back.report.account.reasons.entry[1].reason, "SOCKET_RCVBUFF");
	m.report.account.reasons = reasons_of(1, "no\nname");
	assert_int_equal(message_decode(data, message_encode(data, &m), &back), -EBADMSG);
}

/* A later version's report has more behind it: known by its length, and let be. */
TEST(longer_reports)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = report(), back;
	const uint32_t size = (uint32_t)message_encode(data, &m) + 8;

	np_field_put64(data + size - 8, 12345);
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
	back = decoded(data, sizeof(data));
	same_header(&m, &back);
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

/*
 * Any single bit turned over is noticed, as are all other lengths. In a stream the header of a DATA
 * is enough; of all others it takes the whole, in which each bit counts.
 */
TEST(damaged_cut_and_longer)
{
	uint8_t data[MESSAGE_CONTROL_MAX + 8] = {0};
	struct message m;

	for (size_t i = 0; i <= CONTROLS; i++) {
		const bool is_data = i == CONTROLS;
		const struct message from = is_data ? base(MESSAGE_DATA) : control(controls[i]);
		const size_t size =
			is_data ? encode_data(data, DATA_BYTES) : message_encode(data, &from);
		const size_t needs = is_data ? MESSAGE_HEADER_BYTES : size;

		for (size_t bit = 0; bit < 8 * needs; bit++) {
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
			assert_true(message_decode(data, size, &m) < 0);
			assert_true(message_next(data, size, &m) <= 0);
			data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		}
		for (size_t length = 0; length < size + 8; length++) {
			assert_true((message_decode(data, length, &m) < 0) == (length != size));
			memset(&m, 0, sizeof(m));
			assert_int_equal(message_next(data, length, &m), length < needs ? 0 : size);
			if (length >= needs)
				same_header(&from, &m);
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
	assert_int_equal(message_next(data, sizeof(data), &m), -EPROTO);
	assert_int_equal(message_decode(data, sizeof(data), &m), -EPROTO);
	assert_int_equal(message_size(data, sizeof(data)), -EPROTO);
	assert_int_equal(message_size(data, 1), -EPROTO);
	assert_false(message_is_ours(data, sizeof(data)));
	assert_false(message_is_ours(data, 0));
	assert_true(message_is_ours((const uint8_t *)"\x89", 1));
	assert_true(message_is_ours((const uint8_t *)"\x89TT\x07", 4));
	assert_false(message_is_ours((const uint8_t *)"\x89T!", 3));
}

/* Values that no end would say, and a size that a stream is not believed. */
TEST(impossible)
{
	static const struct {
		uint8_t type;
		size_t at, bytes;
		uint64_t value;
	} rows[] = {
		{MESSAGE_START, 4, 1, 9},  /* type */
		{MESSAGE_START, 12, 4, 0}, /* run */
		{MESSAGE_START, 40, 4, MESSAGE_HEADER_BYTES - 1},
		{MESSAGE_START, 40, 4, MESSAGE_DATA_MAX + 1},
		{MESSAGE_START, 60, 2, 0}, /* streams */
		{MESSAGE_START, 60, 2, MESSAGE_STREAMS_MAX + 1},
		{MESSAGE_START, 60, 2, 3}, /* and this is stream 3, the fourth */
		{MESSAGE_START, 72, 8, UINT64_MAX},
		{MESSAGE_START, 88, 8, UINT64_MAX}, /* the clock's bound */
		{MESSAGE_START, 62, 1, 0},	    /* bytes of the name */
		{MESSAGE_START, 98, 1, '\n'},
		{MESSAGE_START, 48, 8, UINT64_MAX}, /* messages */
		{MESSAGE_END, 16, 8, UINT64_MAX},   /* number */
		{MESSAGE_REPORT, 44, 1, MESSAGE_INTERRUPTED + 1},
		{MESSAGE_REPORT, 112, 8, 11},		     /* first, after last */
		{MESSAGE_REPORT, 112, 8, UINT64_C(1) << 63}, /* too long before it */
		{MESSAGE_DATA, 16, 8, UINT64_MAX},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t data[MESSAGE_CONTROL_MAX], value[8];
		const struct message from = control(rows[i].type);
		size_t size = message_encode(data, &from);
		struct message back;

		np_field_put64(value, rows[i].value);
		memcpy(data + rows[i].at, value + 8 - rows[i].bytes, rows[i].bytes);
		put_check(data, size);
		assert_int_equal(message_decode(data, size, &back), -EBADMSG);
	}
}

/* START and END that end behind the header: no more is read. Sanitizers see it. */
TEST(header_alone)
{
	static const uint8_t types[] = {MESSAGE_START, MESSAGE_END};
	uint8_t whole[MESSAGE_CONTROL_MAX], *data = malloc(MESSAGE_HEADER_BYTES);
	struct message m;

	assert_non_null(data);
	for (size_t i = 0; i < 2 * COUNT(types); i++) {
		m = control(types[i / 2]);
		m.version = 1 + i % 2;
		(void)message_encode(whole, &m);
		memcpy(data, whole, MESSAGE_HEADER_BYTES);
		put_check(data, MESSAGE_HEADER_BYTES);
		assert_int_equal(message_decode(data, MESSAGE_HEADER_BYTES, &m), -EBADMSG);
	}
	free(data);
}

/* A stream is not believed when it says how much there is to read. */
TEST(sizes_in_a_stream)
{
	static const struct {
		uint32_t size;
		int64_t found;
	} rows[] = {
		{MESSAGE_DATA_MAX, MESSAGE_DATA_MAX},
		{MESSAGE_DATA_MAX + 1, -EBADMSG},
		{MESSAGE_HEADER_BYTES - 1, -EBADMSG},
	};
	const struct message m = base(MESSAGE_DATA), end = control(MESSAGE_END);
	uint8_t data[MESSAGE_CONTROL_MAX];

	for (size_t i = 0; i < COUNT(rows); i++) {
		message_encode_data(data, &m, rows[i].size);
		assert_int_equal(message_size(data, MESSAGE_HEADER_BYTES), rows[i].found);
	}
	message_encode(data, &end);
	np_field_put32(data + 32, MESSAGE_CONTROL_MAX + 1);
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

/* A refusal says why, and is the same to a sender that does not know the limits. */
TEST(limits)
{
	static const struct {
		struct message_start_ok ok;
		const char *text;
	} rows[] = {
		{{.limit = MESSAGE_LIMIT_RATE, .most = 1500000},
		 "no: its --max-rate is 1.50 Mbit/s; give --rate"},
		{{.limit = MESSAGE_LIMIT_DURATION, .most = 250 * NP_MILLISECOND},
		 "no: its --max-duration is 0.25 s"},
		{{.limit = MESSAGE_LIMIT_DURATION, .most = UINT64_MAX}, ""},
		{{.limit = 3, .most = 9}, ""},
		{{.limit = MESSAGE_LIMIT_NONE, .replied = 9}, ""},
	};
	uint8_t data[MESSAGE_CONTROL_MAX];
	char text[MESSAGE_LIMIT_TEXT];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct message m = base(MESSAGE_START_OK), back;
		size_t size;

		m.start_ok = rows[i].ok;
		m.start_ok.verdict = MESSAGE_UNWILLING;
		m.start_ok.reads = 2;
		size = message_encode(data, &m);
		/* As long as ever, in a place that was not looked at. */
		assert_int_equal(size, MESSAGE_HEADER_BYTES + 24);
		assert_int_equal(data[MESSAGE_HEADER_BYTES], MESSAGE_UNWILLING);
		back = decoded(data, size);
		assert_string_equal(message_limit_text(&back.start_ok, "no", false, text),
				    rows[i].text);
	}
}

/* What two roles of one node are to be given is told by the type alone. */
TEST(answers)
{
	for (uint8_t type = MESSAGE_START; type <= MESSAGE_TRANSACT; type++) {
		const struct message m = base(type);
		uint8_t data[MESSAGE_CONTROL_MAX];
		const size_t size = message_encode(data, &m);

		assert_int_equal(message_is_answer(data, size), type == MESSAGE_START_OK ||
									type == MESSAGE_ACK ||
									type == MESSAGE_REPORT);
		assert_false(message_is_answer(data, MESSAGE_HEADER_BYTES - 1));
		data[0]++;
		assert_false(message_is_answer(data, size));
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The messages of an overlay to the byte, their hashes and addresses, and what is no message:
 * whole, broken off, or with something wrong in it, none is read beyond its end.
 */
#include "../../src/lib/overlay/message.h"
#include "support/unit.h"

#include <sys/mman.h>

#define ROOM 9216

// clang-format off
/* Node 5 of the root -7 by the parent 3, two hops away; it hears 3, 9 and, once of ten, -7. */
#define STAMP "000001673c01a57b"
#define BEACON \
	"33003d0090b3ea1d ff01afe3060a0900012329 00000005 fffffff9 00000003 00000002" STAMP \
	"00000003 000000038a 000000098a fffffff901 270e"
/* A root that hears nobody; what else there is. */
#define ROOT	"33002e0090b3ea1d ff01afe3060a090003232b 00000003 00000003 00*8 " STAMP "00*4 2710"
#define GOODBYE "3300090190b3ea1d 00000005"
#define REQUEST "33000d0290b3ea1d 00000005 0000004d"
#define REPLY	"3300110390b3ea1d 00000005 00000009 0000004d"
/* To one, of 3 addresses of 4 bytes. */
#define TO_ONE(length, first) "d033000000" length "00fe" first "04 00000001 00000002 00000003"

/* In hexadecimal; XX*N is a byte N times. */
static const char *const messages[] = {
	/*
	 * Of each form one of those that HyperCast 4 nodes and an independent node exchanged in
	 * captured runs.
	 */
	/* Two nodes over TCP */
	"22003b0835eb719f000002bc00000bb800*8 ff017fd9067f000001238d000002bc00000bb8ff017fd9067f0"
	"00001238d000002bc00000bb8",
	"2200250035eb719f000002bc00000bb8000001f4000001f400*16",
	"2200300835eb719f000002bc00000bb8000001f4000001f4ff017fd9067f000001238d000002bc00000bb800"
	"*8",
	"d033000000001900fe0208000002bc00000bb8000002bc00000bb8000001f4000001f403010b50494e477079"
	"326a617661000108000002bc00000bb8",
	"d031000000001f00fe0208000002bc00000bb8000002bc00000bb803011168656c6c6f2d66726f6d2d707974"
	"686f6e000108000002bc00000bb8",
	"2200250235eb719f000002bc00000bb8000001f4000001f400*16",
	"d031000000233700fe0208000001f4000001f4000001f4000001f40302232878*9000 000108000001f40000"
	"01f4",
	/* Three nodes over UDP */
	"22003b0835eb719f000003d8000012fd00*8 ff017fd2067f000001232a000003d8000012fdff017fd2067f0"
	"00001232a000003d8000012fd",
	"2200300835eb719f000003d8000012fd000001f4000001f4ff017fd2067f000001232a000003d8000012fd00"
	"*8",
	"2200300035eb719f000001f4000001f400000bb8000004b000*8 ff017fd2067f000001232a000003d800001"
	"2fd",
	"2200300035eb719f000003d8000012fd00000bb8000004b0ff017fd2067f0000012329000001f4000001f400"
	"*8",
	"d031000000002200fe0208000003d8000012fd000003d8000012fd03010c68656c6c6f2d66726f6d2d420001"
	"10000003d8000012fd000003d8000012fd",
	"d031000000014300fe0208000003d8000012fd000003d8000012fd0302012c78*300 000110000003d800001"
	"2fd000003d8000012fd",
	/* Seven nodes over UDP */
	"22003b0835eb719f0000006400000064000000fa00000f3cff017fd2067f000001232b00000e7400001004ff"
	"017fd2067f000001232b00000e7400001004",
	"22003b0035eb719f000000fa00000f3c00000fa00000012cff017fd2067f00000123290000006400000064ff"
	"017fd2067f000001232b00000e7400001004",
	"22003b0135eb719f000000fa00000f3c00000fa00000012cff017fd2067f000001238d000005dc000006a4ff"
	"017fd2067f000001232b00000e7400001004",
	"d033000000001f00fd02080000006400000064000005dc000006a400000e740000100403010950494e476a31"
	"2d6a330001100000006400000064000005dc000006a4",
	/* Two nodes over the multicast and unicast pair */
	"2300250a90b3ea1d000001f4000001f400*24",
	"2300250090b3ea1d000003d8000012fd000001f4000001f400*16",
	"d033000000000d00fe0208000001f4000001f4000001f4000001f4000003d8000012fd03010750494e477879"
	"7a000100",
	"d031000000000d00fe0208000003d8000012fd000003d8000012fd03010768656c6c6f2d32000100",
	/* Three nodes without a protocol */
	"d031000000000d00fe0210ff017fd2067f00000123290000000000ff017fd2067f0000012329000000000003"
	"010768656c6c6f2d31000100",
	"d033000000000e00fe0210ff017fd2067f000001232b0000000000ff017fd2067f000001232b0000000000ff"
	"017fd2067f0000012329000000000000010b66726f6d2d707974686f6e",
	"d033000000000d00fe0210ff017fd2067f00000123290000000000ff017fd2067f00000123290000000000ff"
	"017fd2067f000001232a000000000003010750494e4778797a000100",
	/* A spanning tree, and forms that were not captured: widths of lengths, the long form. */
	BEACON, ROOT, GOODBYE, REQUEST, REPLY,
	"2200300035eb719f 01*8 02*8 00*8 ff01 0001 060a0000012328 0000000500000006",
	TO_ONE("0011", "03") "02020004 00000001 00020005 68656c6c6f",
	TO_ONE("0013", "03") "0203000004 00000001 0003000005 68656c6c6f",
	TO_ONE("0015", "03") "020400000004 00000001 000400000005 68656c6c6f",
	TO_ONE("0000", "04") "0301010f 020104 00000001 00010568656c6c6f",
	TO_ONE("0000", "04") "0301 02000f 020104 00000001 00010568656c6c6f",
	TO_ONE("0000", "04") "03010300000f 020104 00000001 00010568656c6c6f",
	TO_ONE("0000", "04") "0301040000000f 020104 00000001 00010568656c6c6f",
};

/* Each is a message with something wrong in it. */
static const char *const hostile[] = {
	"d0", /* nothing behind the first byte */
	"d0 31 00 0000 0000 00fe 00 08 00*8 000001f4000001f4", /* source null */
	"d0 31 00 0000 0000 00fe 00 08 000001f4000001f4 00*8", /* previous null */
	"d0 33 00 0000 0000 00fe 00 08 000001f4000001f4*2 00*8", /* destination */
	"d0 31 00 0000 0000 00fe 00 00", /* no size */
	"d0 31 00 0000 0000 00fe 00 ff 01*255 01*255", /* any size */
	"d0 34 00 0000 0000 00fe 00 08 01*8 01*8", /* mode 4 */
	"d0 30 00 0000 0000 00fe 00 08 01*8 01*8", /* mode 0 */
	"d0 21 00 0000 0000 00fe 00 08 01*8 01*8", /* version 2 */
	"d0 31 00 0000 0001 00fe 00 08 01*8 01*8 00", /* bytes, no chain */
	"d0 31 00 0000 0000 00fe 02 08 01*8 01*8", /* chain, no bytes */
	"d0 31 00 0000 0003 00fe 02 08 01*8 01*8 00 01 01", /* data cut off */
	"d0 31 00 0000 0003 00fe 02 08 01*8 01*8 00 00 00", /* no width */
	"d0 31 00 0000 0007 00fe 02 08 01*8 01*8 00 05 00*5", /* width 5 */
	"d0 31 00 0000 0006 00fe 02 08 01*8 01*8 00 04 ff*4", /* 4 GiB */
	"d0 31 00 0000 0006 00fe 02 08 01*8 01*8 02 01 00 00 01 00", /* DATA twice */
	"d0 31 00 0000 0006 00fe 03 08 01*8 01*8 03 01 00 00 01 00", /* ROUTE twice */
	"d0 31 00 0000 000a 00fe 03 08 01*8 01*8 00 01 07 01*7", /* 7/8 address */
	"d0 31 00 0000 0000 00fe 04 08 01*8 01*8 00 01 05 00*5", /* long, width 5 */
	"d0 31 00 0000 0000 00fe 04 08 01*8 01*8 00 02 00 01 00", /* long, k 2 */
	"d0 31 00 0000 0001 00fe 04 08 01*8 01*8 00 01 01 00", /* length twice */
	"d0 31 00 0000 0000 00fe 04 08 01*8 01*8 04 01 01 03 00 01 00", /* long in long */
	"22 0024 00 35eb719f 000001f4000001f4 000003d8000012fd 00*15", /* 39 bytes */
	"22 0026 00 35eb719f 000001f4000001f4 000003d8000012fd 00*17", /* one too many */
	"22 0030 08 35eb719f 01*8 00*8 fe017fd2067f000001232a 01*8 00*8", /* mark */
	"22 0030 08 35eb719f 01*8 00*8 ff017fd2077f000001232a 01*8 00*8", /* length */
	"22 0030 08 35eb719f 01*8 00*8 ff017fd2ff7f000001232a 01*8 00*8", /* too long */
	"22 0030 08 35eb719f 01*8 00*8 ff017fd2067f000001232a 00*8 00*8", /* at 0,0 */
	"22 003d 08 35eb719f 01*8 00*8 ff017fd2137f00*18 01*8 00*8", /* 19 bytes */
	"12 0025 00 35eb719f 000001f4000001f4 000003d8000012fd 00*16", /* hypercube */
	TO_ONE("0006", "03") "000004 00000001", /* an extension without a length */
	TO_ONE("0001", "03") "00",		/* its type alone */
	TO_ONE("0002", "03") "0000",
	TO_ONE("0000", "04") "03010009",	/* a long form of no width */
};
// clang-format on

/* What another byte at one place makes no message of. */
static const struct {
	const char *message;
	uint8_t at, value;
} other_bytes[] = {
	{BEACON, 0, 0x23}, {BEACON, 3, 1},  {BEACON, 3, 4},   {REPLY, 3, 2},	{GOODBYE, 3, 0},
	{BEACON, 8, 0xfe}, {BEACON, 12, 7}, {BEACON, 12, 19}, {BEACON, 46, 2},	{BEACON, 46, 4},
	{ROOT, 46, 1},	   {BEACON, 22, 0}, {ROOT, 26, 0},    {GOODBYE, 11, 0}, {REQUEST, 11, 0},
	{REQUEST, 15, 0},  {REPLY, 11, 0},  {REPLY, 15, 0},   {REPLY, 19, 0},	{BEACON, 43, 0x80},
};

/* The bytes of @text; how many. */
static size_t bytes_of(const char *text, uint8_t out[ROOM])
{
	size_t bytes = 0;

	while (*text) {
		char digits[3] = {text[0], text[1], '\0'}, *end;
		unsigned long times = 1;

		if (*text++ == ' ')
			continue;
		if (*++text == '*') {
			times = strtoul(text + 1, &end, 10);
			text = end;
		}
		memset(out + bytes, (int)strtoul(digits, NULL, 16), times);
		bytes += times;
	}
	return bytes;
}

/* Pages before one that nobody may read; the first @bytes of a message at their end. */
static uint8_t *place(const uint8_t *message, size_t bytes)
{
	static uint8_t *end;

	if (!end) {
		const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (ROOM / page + 1) * page;
		uint8_t *at = mmap(NULL, pages + page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_ptr_not_equal(at, MAP_FAILED);
		end = at + pages;
		assert_int_equal(mprotect(end, page, PROT_NONE), 0);
	}
	memcpy(end - bytes, message, bytes);
	return end - bytes;
}

/* Reads it by each protocol and writes it again; how many took it, each of them to the byte. */
static unsigned decoded(const uint8_t *message, size_t bytes)
{
	static uint8_t again[ROOM];
	struct overlay_spt spt;
	struct overlay_dt dt;
	struct overlay_ol ol;
	unsigned taken = 0;

	if (!overlay_dt_decode(message, bytes, &dt)) {
		taken++;
		assert_int_equal(overlay_dt_encode(again, &dt), bytes);
		assert_memory_equal(again, message, bytes);
	}
	if (!overlay_spt_decode(message, bytes, &spt)) {
		taken++;
		assert_int_equal(overlay_spt_encode(again, bytes, &spt), bytes);
		assert_memory_equal(again, message, bytes);
	}
	if (!overlay_ol_decode(message, bytes, &ol)) {
		taken++;
		assert_int_equal(overlay_ol_encode(again, bytes, &ol), bytes);
		assert_memory_equal(again, message, bytes);
		assert_int_equal(overlay_ol_encode(again, bytes - 1, &ol), -EMSGSIZE);
	}
	return taken;
}

/* Where a message has its length, how many bytes that leaves out, and how many it takes to know. */
static void length_of(const uint8_t *data, size_t *at, size_t *head, size_t *known)
{
	if (data[0] != 0xd0) {
		*at = 1;
		*head = *known = 3;
		return;
	}
	*at = 5;
	*head = 11 + (size_t)data[10] * (data[1] == 0x33 ? 3 : 2);
	*known = data[9] == OVERLAY_EXTENSION_LONG ? *head + 3 + data[*head + 2] : 11;
}

/*
 * Every message is one of one protocol, and the same when it is written again; no part of it is
 * one, even if that says itself that it ends there. A stream knows its length as soon as the head
 * is there.
 */
TEST(each_message_and_its_parts)
{
	static uint8_t data[ROOM];

	for (size_t i = 0; i < COUNT(messages); i++) {
		const size_t bytes = bytes_of(messages[i], data);
		size_t length, head, known;

		length_of(data, &length, &head, &known);
		if (decoded(place(data, bytes), bytes) != 1)
			fail_msg("no message: %s", messages[i]);
		assert_int_equal(overlay_message_bytes(data, bytes), bytes);
		for (size_t cut = 0; cut<bytes; cut += bytes> 400 && cut > 99 ? 97 : 1) {
			uint8_t *at = place(data, cut);

			assert_int_equal(overlay_message_bytes(at, cut), cut < known ? 0 : bytes);
			assert_int_equal(decoded(at, cut), 0);
			if (cut <= head || known > 11)
				continue;
			np_field_put16(at + length, (uint16_t)(cut - head));
			assert_int_equal(overlay_message_bytes(at, cut), cut);
			assert_int_equal(decoded(at, cut), 0);
		}
	}
}

TEST(hostile_messages)
{
	static uint8_t data[ROOM];

	for (size_t i = 0; i < COUNT(hostile); i++) {
		const size_t bytes = bytes_of(hostile[i], data);

		if (decoded(place(data, bytes), bytes))
			fail_msg("taken for a message: %s", hostile[i]);
	}
	for (size_t i = 0; i < COUNT(other_bytes); i++) {
		const size_t bytes = bytes_of(other_bytes[i].message, data);

		data[other_bytes[i].at] = other_bytes[i].value;
		if (decoded(place(data, bytes), bytes))
			fail_msg("taken for a message: %zu", i);
	}
}

/* What can be no message is none as soon as that is there; what is not there does not count. */
TEST(delimiting)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} heads[] = {
		{"12", -EBADMSG}, /* the hypercube */
		{"d0", 0},
		{"d000", -EBADMSG},
		{TO_ONE("0000", "04") "030105", -EBADMSG},
		{TO_ONE("0000", "04") "030100", -EBADMSG},
		{TO_ONE("0000", "04") "030201", -EBADMSG},
		{TO_ONE("0000", "04") "03010400010000", 23 + 7 + 65536},
	};
	static uint8_t data[ROOM];

	for (size_t i = 0; i < COUNT(heads); i++) {
		const size_t bytes = bytes_of(heads[i].text, data);

		assert_int_equal(overlay_message_bytes(place(data, bytes), bytes), heads[i].bytes);
	}
}

/* As many extensions as the table holds, then one more. */
TEST(many_extensions)
{
	for (unsigned count = 1; count <= OVERLAY_EXTENSIONS_MAX + 1; count++) {
		uint8_t data[128] = {0xd0, 0x31, [7] = 0, [8] = 0xfe, [9] = 1, [10] = 8};
		struct overlay_ol ol;

		memset(data + 11, 1, 16);
		data[6] = (uint8_t)(3 * count);
		for (unsigned i = 0; i < count; i++) {
			data[27 + 3 * i] = i + 1 < count;
			data[28 + 3 * i] = 1;
		}
		assert_int_equal(overlay_ol_decode(data, 27 + 3 * count, &ol),
				 count <= OVERLAY_EXTENSIONS_MAX ? 0 : -EBADMSG);
	}
}

TEST(what_spanning_trees_say)
{
	struct overlay_address at;
	struct overlay_spt spt;
	uint8_t data[ROOM];

	at = overlay_address_ipv4(0x0a090001, 9001, overlay_hash_realm("lab", OVERLAY_PAIR));
	assert_int_equal(overlay_spt_decode(data, bytes_of(BEACON, data), &spt), 0);
	assert_true(overlay_address_equal(&spt.address, &at));
	assert_true(spt.type == OVERLAY_SPT_BEACON && spt.source == 5 && spt.root == -7);
	assert_true(spt.parent == 3 && spt.cost == 2 && spt.metric == 9998);
	assert_true(spt.timestamp == 1542900000123 && spt.senders == 3);
	assert_int_equal(overlay_spt_told(&spt, 3), OVERLAY_SPT_TREE | 10);
	assert_int_equal(overlay_spt_told(&spt, -7), 1);
	assert_int_equal(overlay_spt_told(&spt, 4), 0);
	spt.senders = 2; /* no look beyond them */
	assert_int_equal(overlay_spt_told(&spt, -7), 0);
	assert_int_equal(overlay_spt_decode(data, bytes_of(GOODBYE, data), &spt), 0);
	assert_true(spt.type == OVERLAY_SPT_GOODBYE && spt.source == 5);
	assert_int_equal(overlay_spt_decode(data, bytes_of(REPLY, data), &spt), 0);
	assert_true(spt.source == 5 && spt.next_hop == 9 && spt.wanted == 77);
}

TEST(hashes)
{
	static const struct {
		const char *text;
		uint32_t hash;
	} texts[] = {
		{"", 0},
		{"/Public/OverlayID=Overlay_DT_Test", 0x35eb719f},
		{"/Public/OverlayID=Overlay_M", 0x90b3ea1d},
		{"/Public/OverlayID=Overlay_DT_Test&/Public/Security/SecurityLevel=plaintext&"
		 "/Public/Node=DTBuddyList",
		 0x7c15ebff},
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		assert_int_equal(overlay_hash(0, texts[i].text, strlen(texts[i].text)),
				 texts[i].hash);
	assert_int_equal(overlay_hash_realm("lab", OVERLAY_UDP), 0x7fd2);
	assert_int_equal(overlay_hash_realm("lab", OVERLAY_TCP), 0x7fd9);
	assert_int_equal(overlay_hash_realm("public_internet", OVERLAY_UDP), 0xd283);
	assert_int_equal(overlay_hash_realm("public_internet", OVERLAY_TCP), 0xd244);
}

/* Integers of 32 bits with commas between them: a number, or a point; as they are written again. */
TEST(addresses_as_text)
{
	static const struct {
		unsigned count;
		int rc;
		const char *texts;
	} forms[] = {
		{2, 0,
		 "984,4861=984,4861| -1 , +2 "
		 "=-1,2|0,5=0,5|2147483647,-2147483648=2147483647,-2147483648"},
		{2, -ERANGE, "2147483648,1|1,-2147483649|1,99999999999999999999999999|0,0"},
		{2, -EINVAL, "99999999999,x||5|5,|,5|1,2,3|1;2|1,2x|1.5,2|--1,2|0x1,2"},
		{1, 0, " -7 =-7|+2147483647=2147483647|-2147483648=-2147483648"},
		{1, -ERANGE, "2147483648|0"},
		{1, -EINVAL, "|5,6|5x"},
	};

	for (size_t i = 0; i < COUNT(forms); i++) {
		struct unit_texts texts = {.rest = forms[i].texts};

		while (unit_next(&texts)) {
			struct np_overlay_logical logical = {0};
			char text[NP_OVERLAY_LOGICAL_TEXT];

			assert_int_equal(
				overlay_logical_parse(&logical, forms[i].count, texts.text),
				forms[i].rc);
			assert_string_equal(np_overlay_format(&logical, text),
					    texts.value ? texts.value : "");
		}
	}
}

/* Logical addresses of each protocol, as bytes and as text. */
TEST(logical_addresses)
{
	const struct overlay_address where = overlay_address_ipv4(0x7f000001, 9001, 0x7fd2);
	const struct np_overlay_logical none = overlay_logical_address(&where);
	const struct np_overlay_logical point =
		overlay_logical_point((struct overlay_point){-5, 7});
	const struct np_overlay_logical tree = overlay_logical_number(-7);
	struct np_overlay_logical odd = none;
	struct overlay_address back;
	char text[NP_OVERLAY_LOGICAL_TEXT];
	uint8_t want[ROOM];
	struct sockaddr_in in;

	assert_int_equal(bytes_of("ff017fd2067f000001232900*5", want), none.size);
	assert_memory_equal(none.bytes, want, sizeof(none.bytes));
	assert_true(overlay_logical_get_address(&none, &back));
	assert_true(overlay_address_equal(&back, &where));
	assert_true(overlay_address_get_ipv4(&back, &in));
	assert_true(ntohl(in.sin_addr.s_addr) == 0x7f000001 && ntohs(in.sin_port) == 9001);
	assert_string_equal(np_overlay_format(&none, text), "127.0.0.1:9001");
	assert_string_equal(np_overlay_format(&point, text), "-5,7");
	assert_string_equal(np_overlay_format(&tree, text), "-7");
	assert_int_equal(overlay_logical_get_number(&tree), -7);
	assert_int_equal(overlay_logical_get_number(&point), 0);
	odd.bytes[0] = 0xfe;
	assert_false(overlay_logical_get_address(&odd, &back));
	assert_string_equal(np_overlay_format(&odd, text), "fe017fd2067f00000123290000000000");
	odd.bytes[0] = 0xff;
	odd.bytes[4] = 12; /* beyond its end */
	assert_false(overlay_logical_get_address(&odd, &back));
	assert_true(overlay_point_null(overlay_logical_get_point(&none)));
	assert_false(np_overlay_equal(&none, &point));
	assert_false(overlay_logical_null(&tree));
	assert_true(overlay_logical_null(&(struct np_overlay_logical){.size = 8}));
	/* What is no unicast IPv4 address that can be sent to. */
	back = overlay_address_ipv4(0, 9001, 0x7fd2);
	assert_false(overlay_address_get_ipv4(&back, &in));
	back = overlay_address_ipv4(0x7f000001, 0, 0x7fd2);
	assert_false(overlay_address_get_ipv4(&back, &in));
	back = where;
	back.kind |= 1 << 6; /* multicast */
	assert_false(overlay_address_get_ipv4(&back, &in));
	assert_false(overlay_address_equal(&back, &where));
}

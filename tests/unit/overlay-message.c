// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The messages of an overlay to the byte, its hashes, its addresses, and what is no message. */
#include "../../src/lib/overlay/message.h"
#include "overlay_vectors.h"
#include "support/unit.h"

#include <errno.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t hash_of(const char *text)
{
	return overlay_hash(text, strlen(text));
}

TEST(hashes)
{
	assert_int_equal(hash_of(""), 0);
	assert_int_equal(hash_of("/Public/OverlayID=Overlay_DT_Test"), 0x35eb719f);
	assert_int_equal(hash_of("/Public/OverlayID=Overlay_DT_Test&"
				 "/Public/Security/SecurityLevel=plaintext&"
				 "/Public/Node=DTBuddyList"),
			 0x7c15ebff);
	assert_int_equal(overlay_hash_realm("lab", OVERLAY_UDP), 0x7fd2);
	assert_int_equal(overlay_hash_realm("lab", OVERLAY_TCP), 0x7fd9);
	assert_int_equal(overlay_hash_realm("public_internet", OVERLAY_UDP), 0xd283);
	assert_int_equal(overlay_hash_realm("public_internet", OVERLAY_TCP), 0xd244);
}

TEST(points_as_text)
{
	static const struct {
		const char *text;
		int rc;
		struct overlay_point point;
	} forms[] = {
		{"984,4861", 0, {984, 4861}},
		{" -1 , +2 ", 0, {-1, 2}},
		{"0,5", 0, {0, 5}},
		{"2147483647,-2147483648", 0, {INT32_MAX, INT32_MIN}},
		{"2147483648,1", -ERANGE, {0, 0}},
		{"1,-2147483649", -ERANGE, {0, 0}},
		{"1,99999999999999999999999999", -ERANGE, {0, 0}},
		{"0,0", -ERANGE, {0, 0}},
		{"", -EINVAL, {0, 0}},
		{"5", -EINVAL, {0, 0}},
		{"5,", -EINVAL, {0, 0}},
		{",5", -EINVAL, {0, 0}},
		{"1,2,3", -EINVAL, {0, 0}},
		{"1;2", -EINVAL, {0, 0}},
		{"1,2x", -EINVAL, {0, 0}},
		{"1.5,2", -EINVAL, {0, 0}},
		{"--1,2", -EINVAL, {0, 0}},
		{"0x1,2", -EINVAL, {0, 0}},
		{"99999999999,x", -EINVAL, {0, 0}},
	};

	for (size_t i = 0; i < COUNT(forms); i++) {
		struct overlay_point point = {0, 0};

		assert_int_equal(overlay_point_parse(&point, forms[i].text), forms[i].rc);
		assert_true(overlay_point_equal(point, forms[i].point));
	}
}

/* Logical addresses of each protocol, as bytes and as text. */
TEST(logical_addresses)
{
	const struct overlay_address where = overlay_address_ipv4(0x7f000001, 9001, 0x7fd2);
	const struct np_overlay_logical none = overlay_logical_address(&where);
	const struct np_overlay_logical point =
		overlay_logical_point((struct overlay_point){-5, 7});
	const struct np_overlay_logical tree = {.size = 4, .bytes = {0, 0, 1, 0}};
	struct np_overlay_logical odd = none;
	struct overlay_address back;
	char text[NP_OVERLAY_LOGICAL_TEXT];
	uint8_t want[OVERLAY_VECTOR_MAX];
	uint32_t ip;
	uint16_t port;

	assert_int_equal(overlay_vector("ff017fd2067f000001232900*5", want), none.size);
	assert_memory_equal(none.bytes, want, sizeof(none.bytes));
	assert_true(overlay_logical_get_address(&none, &back));
	assert_true(overlay_address_equal(&back, &where));
	assert_true(overlay_address_get_ipv4(&back, &ip, &port));
	assert_true(ip == 0x7f000001 && port == 9001);
	assert_string_equal(np_overlay_format(&none, text), "127.0.0.1:9001");
	assert_string_equal(np_overlay_format(&point, text), "-5,7");
	assert_string_equal(np_overlay_format(&tree, text), "256");
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
	assert_false(overlay_address_get_ipv4(&back, &ip, &port));
	back = overlay_address_ipv4(0x7f000001, 0, 0x7fd2);
	assert_false(overlay_address_get_ipv4(&back, &ip, &port));
	back = where;
	back.kind |= 1 << 6; /* multicast */
	assert_false(overlay_address_get_ipv4(&back, &ip, &port));
	assert_false(overlay_address_equal(&back, &where));
}

/* Every captured message: read, written again, and no part of it is a message. */
TEST(captured)
{
	static uint8_t data[OVERLAY_VECTOR_MAX], again[OVERLAY_VECTOR_MAX];
	unsigned dt = 0, ol = 0;

	for (size_t i = 0; i < COUNT(overlay_vectors); i++) {
		const size_t bytes = overlay_vector(overlay_vectors[i], data);
		struct overlay_dt one;
		struct overlay_ol other;

		assert_int_equal(overlay_message_bytes(data, bytes), bytes);
		if (data[0] >> 4 == OVERLAY_MESSAGE_DT) {
			dt++;
			assert_int_equal(overlay_dt_decode(data, bytes, &one), 0);
			assert_int_equal(overlay_dt_encode(again, &one), bytes);
			assert_int_equal(overlay_ol_decode(data, bytes, &other), -EBADMSG);
		} else {
			ol++;
			assert_int_equal(overlay_ol_decode(data, bytes, &other), 0);
			assert_int_equal(overlay_ol_encode(again, bytes, &other), bytes);
			assert_int_equal(overlay_dt_decode(data, bytes, &one), -EBADMSG);
		}
		assert_memory_equal(again, data, bytes);
		for (size_t part = 0; part<bytes; part += bytes> 400 ? 97 : 1) {
			assert_int_equal(overlay_dt_decode(data, part, &one), -EBADMSG);
			assert_int_equal(overlay_ol_decode(data, part, &other), -EBADMSG);
		}
	}
	assert_int_equal(dt, 120);
	assert_int_equal(ol, 64);
}

static size_t bytes_of(const char *text, uint8_t *data)
{
	return overlay_vector(text, data);
}

/* Hostile messages, each a valid one with something wrong in it. */
TEST(hostile)
{
	static const char *const bad[] = {
		"d0", /* nothing behind the first byte */
		"d0 31 00 0000 0000 00fe 00 08 00*8 000001f4000001f4",	     /* source null */
		"d0 31 00 0000 0000 00fe 00 08 000001f4000001f4 00*8",	     /* previous null */
		"d0 33 00 0000 0000 00fe 00 08 000001f4000001f4*2 00*8",     /* destination */
		"d0 31 00 0000 0000 00fe 00 00",			     /* no size */
		"d0 31 00 0000 0000 00fe 00 ff 01*255 01*255",		     /* any size */
		"d0 34 00 0000 0000 00fe 00 08 01*8 01*8",		     /* mode 4 */
		"d0 30 00 0000 0000 00fe 00 08 01*8 01*8",		     /* mode 0 */
		"d0 21 00 0000 0000 00fe 00 08 01*8 01*8",		     /* version 2 */
		"d0 31 00 0000 0001 00fe 00 08 01*8 01*8 00",		     /* bytes, no chain */
		"d0 31 00 0000 0000 00fe 02 08 01*8 01*8",		     /* chain, no bytes */
		"d0 31 00 0000 0003 00fe 02 08 01*8 01*8 00 01 01",	     /* data cut off */
		"d0 31 00 0000 0003 00fe 02 08 01*8 01*8 00 00 00",	     /* no width */
		"d0 31 00 0000 0007 00fe 02 08 01*8 01*8 00 05 00*5",	     /* width 5 */
		"d0 31 00 0000 0006 00fe 02 08 01*8 01*8 00 04 ff*4",	     /* 4 GiB */
		"d0 31 00 0000 0006 00fe 02 08 01*8 01*8 02 01 00 00 01 00", /* DATA twice */
		"d0 31 00 0000 0006 00fe 03 08 01*8 01*8 03 01 00 00 01 00", /* ROUTE twice */
		"d0 31 00 0000 000a 00fe 03 08 01*8 01*8 00 01 07 01*7",     /* 7/8 address */
		"d0 31 00 0000 0000 00fe 04 08 01*8 01*8 00 01 05 00*5",     /* long, width 5 */
		"d0 31 00 0000 0000 00fe 04 08 01*8 01*8 00 02 00 01 00",    /* long, k 2 */
		"d0 31 00 0000 0001 00fe 04 08 01*8 01*8 00 01 01 00",	     /* length twice */
		"d0 31 00 0000 0000 00fe 04 08 01*8 01*8 04 01 01 03 00 01 00",	  /* long in long */
		"22 0024 00 35eb719f 000001f4000001f4 000003d8000012fd 00*15",	  /* 39 bytes */
		"22 0026 00 35eb719f 000001f4000001f4 000003d8000012fd 00*17",	  /* one too many */
		"22 0030 08 35eb719f 01*8 00*8 fe017fd2067f000001232a 01*8 00*8", /* mark */
		"22 0030 08 35eb719f 01*8 00*8 ff017fd2077f000001232a 01*8 00*8", /* length */
		"22 0030 08 35eb719f 01*8 00*8 ff017fd2ff7f000001232a 01*8 00*8", /* too long */
		"22 0030 08 35eb719f 01*8 00*8 ff017fd2067f000001232a 00*8 00*8", /* at 0,0 */
		"22 003d 08 35eb719f 01*8 00*8 ff017fd2137f00*18 01*8 00*8",	  /* 19 bytes */
		"12 0025 00 35eb719f 000001f4000001f4 000003d8000012fd 00*16",	  /* hypercube */
	};
	static uint8_t data[OVERLAY_VECTOR_MAX];

	for (size_t i = 0; i < COUNT(bad); i++) {
		const size_t bytes = bytes_of(bad[i], data);
		uint8_t *exact = malloc(bytes);
		struct overlay_dt dt;
		struct overlay_ol ol;

		assert_non_null(exact);
		memcpy(exact, data, bytes);
		if (!overlay_dt_decode(exact, bytes, &dt) || !overlay_ol_decode(exact, bytes, &ol))
			fail_msg("taken for a message: %s", bad[i]);
		free(exact);
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

/* A stream is delimited as soon as the head is there, and not before. */
TEST(delimiting)
{
	static const uint8_t spt[] = {0x33, 0, 20}, hypercube[] = {0x12, 0, 37}, none[] = {0xd0, 0};
	static uint8_t data[OVERLAY_VECTOR_MAX];

	assert_int_equal(overlay_message_bytes(spt, 0), 0);
	assert_int_equal(overlay_message_bytes(spt, 1), 0);
	assert_int_equal(overlay_message_bytes(spt, 2), 0);
	assert_int_equal(overlay_message_bytes(spt, 3), 23);
	assert_int_equal(overlay_message_bytes(hypercube, 1), -EBADMSG);
	assert_int_equal(overlay_message_bytes(none, 1), 0); /* what is not there does not count */
	assert_int_equal(overlay_message_bytes(none, 2), -EBADMSG);
	assert_int_equal(
		bytes_of("d0 31 00 0000 0000 00fe 04 08 01*8 01*8 00 01 04 00010000", data), 34);
	for (size_t i = 0; i < 34; i++)
		assert_int_equal(overlay_message_bytes(data, i), 0);
	assert_int_equal(overlay_message_bytes(data, 34), 34 + 65536);
	for (size_t i = 0; i < COUNT(overlay_vectors); i++) {
		const size_t bytes = overlay_vector(overlay_vectors[i], data);
		const size_t head = data[0] == 0xd0 ? 11 : 3;

		assert_int_equal(overlay_message_bytes(data, head - 1), 0);
		assert_int_equal(overlay_message_bytes(data, head), bytes);
	}
}

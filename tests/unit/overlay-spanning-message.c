// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The messages of the spanning tree protocol to the byte, its addresses, and what is no message. */
#include "../../src/lib/overlay/message.h"
#include "support/unit.h"

#include <errno.h>
#include <string.h>

#define COUNT(array)	   (sizeof(array) / sizeof((array)[0]))
#define HEAD(length, type) 0x33, 0x00, length, type, 0x90, 0xb3, 0xea, 0x1d
#define STAMP		   0x00, 0x00, 0x01, 0x67, 0x3c, 0x01, 0xa5, 0x7b

/* Node 5 of the root -7 by the parent 3, two hops away; it hears 3, 9 and, once of ten, -7. */
static const uint8_t beacon[] = {
	HEAD(0x3d, 0), 0xff, 0x01,  0xaf, 0xe3, 0x06, 10,   9,	  0,	1,    0x23, 0x29, 0x00,
	0x00,	       0x00, 0x05,  0xff, 0xff, 0xff, 0xf9, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00,
	0x00,	       0x02, STAMP, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x03, 0x8a, 0x00,
	0x00,	       0x00, 0x09,  0x8a, 0xff, 0xff, 0xff, 0xf9, 0x01, 0x27, 0x0e};
/* A root that hears nobody. */
static const uint8_t root[] = {HEAD(0x2e, 0), 0xff, 0x01, 0xaf, 0xe3, 0x06, 10,	  9,	0,     3,
			       0x23,	      0x2b, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00,  0x03,
			       0x00,	      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, STAMP, 0x00,
			       0x00,	      0x00, 0x00, 0x27, 0x10};
static const uint8_t goodbye[] = {HEAD(0x09, 1), 0, 0, 0, 5};
static const uint8_t request[] = {HEAD(0x0d, 2), 0, 0, 0, 5, 0, 0, 0, 77};
static const uint8_t reply[] = {HEAD(0x11, 3), 0, 0, 0, 5, 0, 0, 0, 9, 0, 0, 0, 77};

TEST(beacons)
{
	struct overlay_address at;
	struct overlay_spt spt;

	at = overlay_address_ipv4(0x0a090001, 9001, overlay_hash_realm("lab", OVERLAY_PAIR));
	assert_int_equal(overlay_hash("/Public/OverlayID=Overlay_M", 27), 0x90b3ea1d);
	assert_int_equal(overlay_spt_decode(beacon, sizeof(beacon), &spt), 0);
	assert_true(overlay_address_equal(&spt.address, &at));
	assert_true(spt.type == OVERLAY_SPT_BEACON && spt.source == 5 && spt.root == -7);
	assert_true(spt.parent == 3 && spt.cost == 2 && spt.metric == 9998);
	assert_true(spt.timestamp == 1542900000123 && spt.senders == 3);
	assert_int_equal(overlay_spt_told(&spt, 3), OVERLAY_SPT_TREE | 10);
	assert_int_equal(overlay_spt_told(&spt, -7), 1);
	assert_int_equal(overlay_spt_told(&spt, 4), 0);
	spt.senders = 2; /* no look beyond them */
	assert_int_equal(overlay_spt_told(&spt, -7), 0);
	assert_int_equal(overlay_spt_decode(root, sizeof(root), &spt), 0);
	assert_true(spt.source == 3 && spt.root == 3 && !spt.parent && !spt.cost && !spt.senders);
	assert_int_equal(overlay_spt_told(&spt, 3), 0);
}

TEST(others)
{
	struct overlay_spt spt;

	assert_int_equal(overlay_spt_decode(goodbye, sizeof(goodbye), &spt), 0);
	assert_true(spt.type == OVERLAY_SPT_GOODBYE && spt.source == 5);
	assert_int_equal(overlay_spt_decode(request, sizeof(request), &spt), 0);
	assert_true(spt.type == OVERLAY_SPT_ROUTE_REQUEST && spt.source == 5 && spt.wanted == 77);
	assert_int_equal(overlay_spt_decode(reply, sizeof(reply), &spt), 0);
	assert_true(spt.type == OVERLAY_SPT_ROUTE_REPLY && spt.source == 5);
	assert_true(spt.next_hop == 9 && spt.wanted == 77);
}

/* One byte other than it must be, at @at, is no message. */
static void refused(const uint8_t *message, size_t bytes, size_t at, uint8_t value)
{
	uint8_t data[128];
	struct overlay_spt spt;

	memcpy(data, message, bytes);
	data[at] = value;
	assert_int_equal(overlay_spt_decode(data, bytes, &spt), -EBADMSG);
}

TEST(hostile)
{
	refused(beacon, sizeof(beacon), 0, 0x23);
	refused(beacon, sizeof(beacon), 3, 1); /* another type's length */
	refused(beacon, sizeof(beacon), 3, 4); /* no type */
	refused(reply, sizeof(reply), 3, 2);
	refused(goodbye, sizeof(goodbye), 3, 0);
	refused(beacon, sizeof(beacon), 8, 0xfe); /* no address */
	refused(beacon, sizeof(beacon), 12, 19);  /* longer than any */
	refused(beacon, sizeof(beacon), 12, 7);
	refused(beacon, sizeof(beacon), 46, 2); /* senders: other than there are */
	refused(beacon, sizeof(beacon), 46, 4);
	refused(beacon, sizeof(beacon), 43, 0x80);
	refused(root, sizeof(root), 46, 1);
	/* Addresses of 0. */
	refused(beacon, sizeof(beacon), 22, 0);
	refused(root, sizeof(root), 26, 0);
	refused(goodbye, sizeof(goodbye), 11, 0);
	refused(request, sizeof(request), 11, 0);
	refused(request, sizeof(request), 15, 0);
	refused(reply, sizeof(reply), 11, 0);
	refused(reply, sizeof(reply), 15, 0);
	refused(reply, sizeof(reply), 19, 0);
}

TEST(numbers_as_text)
{
	static const struct {
		const char *text;
		int rc;
		int32_t number;
	} forms[] = {
		{"5", 0, 5},
		{" -7 ", 0, -7},
		{"+2147483647", 0, INT32_MAX},
		{"-2147483648", 0, INT32_MIN},
		{"2147483648", -ERANGE, 0},
		{"0", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"5,6", -EINVAL, 0},
		{"5x", -EINVAL, 0},
		{"five", -EINVAL, 0},
	};
	char text[NP_OVERLAY_LOGICAL_TEXT];
	struct np_overlay_logical logical;

	for (size_t i = 0; i < COUNT(forms); i++) {
		int32_t number = 0;

		assert_int_equal(overlay_number_parse(&number, forms[i].text), forms[i].rc);
		assert_int_equal(number, forms[i].number);
	}
	logical = overlay_logical_number(-7);
	assert_int_equal(logical.size, OVERLAY_NUMBER_BYTES);
	assert_int_equal(overlay_logical_get_number(&logical), -7);
	assert_string_equal(np_overlay_format(&logical, text), "-7");
	logical = overlay_logical_point((struct overlay_point){5, 6});
	assert_int_equal(overlay_logical_get_number(&logical), 0);
}

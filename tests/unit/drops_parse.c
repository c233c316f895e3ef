// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of drops_parse, which the kernel runs: where the headers of a packet are. */
#include <stdint.h>
#include <string.h>

static inline int drops_fetch(void *to, uint32_t bytes, const uint8_t *from)
{
	memcpy(to, from, bytes);
	return 0;
}
#include "src/lib/drops/drops_parse.h"
#include "support/unit.h"

#define ETHERNET 14

/* 10.9.0.1:258 -> 10.9.0.2:772, UDP, 12 bytes of payload. */
static const uint8_t ipv4[] = {2, 0, 0, 0,  0,	2,  2,	 0,   0,   0,	0, 1, 8,  0, 0x45, 0, 0, 40,
			       0, 1, 0, 0,  64, 17, 0,	 0,   10,  9,	0, 1, 10, 9, 0,	   2, 1, 2,
			       3, 4, 0, 20, 0,	0,  't', 'e', 's', 't', 0, 0, 0,  0, 0,	   0, 0, 0};
/* The same with a hop-by-hop header, from fd00::1 to fd00::2. */
static const uint8_t ipv6[] = {0x60, 0, 0,  0, 0, 28,  0,   64,	  0xfd, 0, 0, 0, 0, 0, 0, 0, 0,
			       0,    0, 0,  0, 0, 0,   1,   0xfd, 0,	0, 0, 0, 0, 0, 0, 0, 0,
			       0,    0, 0,  0, 0, 2,   17,  0,	  5,	2, 0, 0, 1, 0, 1, 2, 3,
			       4,    0, 20, 0, 0, 't', 'e', 's',  't',	0, 0, 0, 0, 0, 0, 0, 0};

static struct drops_buffer buffer_of(const uint8_t *data, size_t bytes)
{
	return (struct drops_buffer){.head = data, .bytes = (uint32_t)bytes};
}

TEST(an_ipv4_packet)
{
	const struct drops_buffer buffer = buffer_of(ipv4, sizeof(ipv4));
	struct drops_packet packet = {0};
	uint32_t payload;

	assert_int_equal(drops_parse_ethernet(&buffer, 0, &payload), DROPS_ETHERTYPE_IPV4);
	assert_int_equal(payload, ETHERNET);
	assert_int_equal(drops_parse_ip(&buffer, payload, &packet), DROPS_PARSED);
	assert_memory_equal(packet.source.byte, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x09\0\1", 16);
	assert_memory_equal(packet.destination.byte, "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\x09\0\2",
			    16);
	assert_memory_equal(&packet.source_port, "\1\2", 2);
	assert_memory_equal(&packet.destination_port, "\3\4", 2);
	assert_int_equal(packet.fragment, DROPS_WHOLE);
	assert_int_equal(packet.payload, ETHERNET + 28);
	assert_int_equal(packet.payload_bytes, 12);
}

TEST(an_ipv6_packet_with_extensions)
{
	const struct drops_buffer buffer = buffer_of(ipv6, sizeof(ipv6));
	struct drops_packet packet = {0};

	assert_int_equal(drops_parse_ip(&buffer, 0, &packet), DROPS_PARSED);
	assert_int_equal(packet.protocol, DROPS_UDP);
	assert_memory_equal(&packet.destination_port, "\3\4", 2);
	assert_int_equal(packet.payload, 56);
	assert_int_equal(packet.payload_bytes, 12);
	assert_int_equal(packet.source.byte[15], 1);
	assert_int_equal(packet.destination.byte[15], 2);
}

/* The IPv4 packet with two bytes of its header changed. */
TEST(fragments_and_others)
{
	static const struct {
		const char *what;
		size_t at;
		uint8_t bytes[2];
		int parsed, fragment;
	} rows[] = {
		{"more follow", 6, {0x20, 0}, DROPS_PARSED, DROPS_FIRST},
		{"not the first", 6, {0x20, 1}, DROPS_PARSED, DROPS_LATER},
		{"do not fragment", 6, {0x40, 0}, DROPS_PARSED, DROPS_WHOLE},
		{"ICMP", 8, {64, 1}, DROPS_OTHER, 0},
		{"a header of 16 bytes", 0, {0x44, 0}, DROPS_OTHER, 0},
		{"another version", 0, {0x55, 0}, DROPS_OTHER, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t data[sizeof(ipv4)];
		const struct drops_buffer buffer = buffer_of(data, sizeof(data));
		struct drops_packet packet = {0};

		print_message("%s\n", rows[i].what);
		memcpy(data, ipv4, sizeof(data));
		memcpy(data + ETHERNET + rows[i].at, rows[i].bytes, 2);
		assert_int_equal(drops_parse_ip(&buffer, ETHERNET, &packet), rows[i].parsed);
		if (rows[i].parsed == DROPS_PARSED)
			assert_int_equal(packet.fragment, rows[i].fragment);
	}
}

/* Whatever is left out, nothing behind the end is read: nor is it where nothing begins. */
TEST(cut_short)
{
	struct drops_packet packet = {0};

	for (size_t bytes = 0; bytes < ETHERNET + 24; bytes++) {
		const struct drops_buffer buffer = buffer_of(ipv4, bytes);

		assert_int_equal(drops_parse_ip(&buffer, ETHERNET, &packet), DROPS_CUT_SHORT);
	}
	for (size_t bytes = 0; bytes < 52; bytes++) {
		const struct drops_buffer buffer = buffer_of(ipv6, bytes);

		assert_int_equal(drops_parse_ip(&buffer, 0, &packet), DROPS_CUT_SHORT);
	}
}

TEST(vlan_tags_and_aoe)
{
	static const uint8_t frame[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2,	  0,	0,    0,
					0,    1,    0x81, 0,	0,    7,    0x88, 0xa2, 0x10, 0,
					0,    9,    3,	  1,	0,    0,    0,	  0};
	const struct drops_buffer buffer = buffer_of(frame, sizeof(frame));
	struct drops_packet packet;

	assert_int_equal(drops_parse_aoe(&buffer, 0, &packet), DROPS_PARSED);
	assert_int_equal(packet.protocol, DROPS_AOE);
	assert_memory_equal(packet.source.byte, "\2\0\0\0\0\1\0\0", 8);
	assert_memory_equal(packet.destination.byte, "\xff\xff\xff\xff\xff\xff\0\0", 8);
	assert_int_equal(packet.payload, 18);
	assert_int_equal(drops_parse_aoe(&(struct drops_buffer){frame, 17}, 0, &packet),
			 DROPS_CUT_SHORT);
	assert_int_equal(drops_parse_aoe(&(struct drops_buffer){ipv4, sizeof(ipv4)}, 0, &packet),
			 DROPS_OTHER);
}

TEST(a_payload_is_compared_where_the_mask_says)
{
	const struct drops_rule rule = {.payload_mask = {0xff, 0x0f}, .payload_value = {'t', 5}};
	const struct drops_rule any = {0};

	assert_true(drops_payload_fits(&rule, (const uint8_t *)"t\xf5rest.."));
	assert_false(drops_payload_fits(&rule, (const uint8_t *)"t\xf4rest.."));
	assert_false(drops_payload_fits(&rule, (const uint8_t *)"s\xf5rest.."));
	assert_true(drops_payload_fits(&any, (const uint8_t *)"anything"));
}

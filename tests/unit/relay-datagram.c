// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* relay-datagram: whole datagrams are found and damaged, all else is left alone; held ones wait. */
#include "support/unit.h"
#include "tests/relay/datagram.h"
#include "tests/relay/delay_queue.h"

/* 10.9.0.1:1000 to 10.9.0.2:9999, payload 1 2 3 4 5; the UDP checksum is filled in by hand:
 * ~(0a09+0001+0a09+0002+0011+000d+03e8+270f+000d+0102+0304+0500). */
static const uint8_t ipv4[] = {
	2,    0, 0, 0,	  0,	2,    2,    0, 0,  0,	 0,    1,    0x08, 0x00, /* Ethernet */
	0x45, 0, 0, 33,	  0,	0,    0x40, 0, 64, 17,	 0x26, 0xb8, 10,   9,	 0, 1, 10,
	9,    0, 2, 0x03, 0xe8, 0x27, 0x0f, 0, 13, 0xb7, 0xc2, 1,    2,	   3,	 4, 5,
};
#define UDP_AT	   34
#define PAYLOAD_AT 42

struct frame {
	uint8_t data[128];
	size_t length;
};

static struct frame copy_ipv4(void)
{
	struct frame frame = {.length = sizeof(ipv4)};

	memcpy(frame.data, ipv4, sizeof(ipv4));
	return frame;
}

/* The same datagram from fd00::1 to fd00::2, with its checksum mended. */
static struct frame make_ipv6(void)
{
	struct frame frame = {.length = 14 + 40 + 13};
	struct datagram datagram;
	uint8_t *ip = frame.data + 14;

	memcpy(frame.data, ipv4, 12);
	frame.data[12] = 0x86;
	frame.data[13] = 0xdd;
	ip[0] = 0x60;
	ip[5] = 13;
	ip[6] = 17;
	ip[8] = ip[24] = 0xfd;
	ip[23] = 1;
	ip[39] = 2;
	memcpy(ip + 40, ipv4 + UDP_AT, 13);
	assert_true(datagram_find(&datagram, frame.data, frame.length));
	datagram_mend_checksum(&datagram);
	return frame;
}

TEST(datagrams_are_found)
{
	struct frame frame = copy_ipv4(), other = make_ipv6();
	struct datagram datagram;
	uint64_t number;

	assert_true(datagram_find(&datagram, frame.data, frame.length));
	assert_int_equal(datagram.ends.version, 4);
	assert_int_equal(datagram.ends.source_port, 1000);
	assert_int_equal(datagram.ends.destination_port, 9999);
	assert_int_equal(datagram.payload_bytes, 5);
	assert_true(datagram_checksum_right(&datagram));
	assert_true(datagram_number(&datagram, 1, 4, &number));
	assert_int_equal(number, 0x02030405);
	assert_false(datagram_number(&datagram, 2, 4, &number));
	assert_false(datagram_number(&datagram, 0, 8, &number));

	assert_true(datagram_find(&datagram, other.data, other.length));
	assert_int_equal(datagram.ends.version, 6);
	assert_int_equal(datagram.ends.source[15], 1);
	assert_true(datagram_checksum_right(&datagram));
}

TEST(damage_shows_in_the_checksum_or_not)
{
	struct frame frames[] = {copy_ipv4(), make_ipv6()};

	for (unsigned i = 0; i < 2; i++) {
		struct datagram datagram;

		assert_true(datagram_find(&datagram, frames[i].data, frames[i].length));
		assert_true(datagram_damage(&datagram, 2));
		assert_int_equal(datagram.payload[2], 0xfc);
		assert_false(datagram_checksum_right(&datagram));
		datagram_mend_checksum(&datagram);
		assert_true(datagram_checksum_right(&datagram));
		assert_true(datagram_damage(&datagram, 100));
		assert_int_equal(datagram.payload[4], 0xfa);
	}
}

TEST(none_is_a_right_checksum_in_ipv4_only)
{
	struct frame frame = copy_ipv4(), other = make_ipv6();
	struct datagram datagram;

	frame.data[UDP_AT + 6] = frame.data[UDP_AT + 7] = 0;
	assert_true(datagram_find(&datagram, frame.data, frame.length));
	assert_true(datagram_checksum_right(&datagram));
	datagram_damage(&datagram, 0);
	datagram_mend_checksum(&datagram);
	assert_false(datagram_has_checksum(&datagram));

	other.data[14 + 40 + 6] = other.data[14 + 40 + 7] = 0;
	assert_true(datagram_find(&datagram, other.data, other.length));
	assert_false(datagram_checksum_right(&datagram));
}

TEST(all_else_is_no_datagram)
{
	static const struct {
		unsigned at;
		uint8_t value;
	} changes[] = {
		{12, 0x09},	  /* another EtherType */
		{14, 0x55},	  /* version */
		{14, 0x44},	  /* header too short */
		{14, 0x4f},	  /* header beyond the end */
		{17, 200},	  /* length beyond the frame */
		{17, 19},	  /* length below the header's */
		{20, 0x20},	  /* more fragments */
		{21, 1},	  /* a later fragment */
		{23, 6},	  /* TCP */
		{UDP_AT + 5, 7},  /* UDP length below its header's */
		{UDP_AT + 5, 14}, /* beyond the packet */
	};
	struct datagram datagram;
	struct frame frame;

	for (unsigned i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		frame = copy_ipv4();
		frame.data[changes[i].at] = changes[i].value;
		assert_false(datagram_find(&datagram, frame.data, frame.length));
	}
	frame = make_ipv6();
	for (size_t length = 0; length < frame.length; length++)
		assert_false(datagram_find(&datagram, frame.data, length));
	frame = copy_ipv4();
	for (size_t length = 0; length < frame.length; length++)
		assert_false(datagram_find(&datagram, frame.data, length));
}

static struct delay_queue *queue;
static struct flow flow, other;

static void hold(uint64_t position, unsigned by)
{
	uint8_t byte = (uint8_t)position;
	struct item item = {
		.frame = {.data = &byte, .length = 1}, .flow = &flow, .position = position};

	assert_true(delay_queue_hold(queue, &item, by, 1000));
}

/* The position of the next one that may go, whose frame must still be its own; 0: none may. */
static uint64_t next_held(void)
{
	struct item item;

	if (!delay_queue_take_held(queue, 0, &item))
		return 0;
	assert_int_equal(item.frame.data[0], item.position);
	delay_queue_give_back(queue, item.slot);
	return item.position;
}

TEST(held_ones_wait_for_later_ones_of_their_flow)
{
	assert_int_equal(delay_queue_create(&queue, 4, 64), 0);
	hold(5, 2);
	hold(6, 1);
	assert_int_equal(next_held(), 0);
	delay_queue_passed(queue, &other, 7);
	delay_queue_passed(queue, &flow, 4);
	assert_int_equal(next_held(), 0);
	delay_queue_passed(queue, &flow, 7);
	assert_int_equal(next_held(), 6);
	assert_int_equal(next_held(), 0);
	delay_queue_passed(queue, &flow, 6);
	assert_int_equal(next_held(), 5);
	assert_true(delay_queue_next(queue) == NP_TIME_NEVER);
	delay_queue_free(queue);
}

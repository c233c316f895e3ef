// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* perf.Test's messages: byte for byte what Java 3.0.16 sent, and what other generations send. */
#include "../../src/group-test/wire/jgroups.h"
#include "group_who.h"
#include "support/unit.h"

static uint8_t wire[JGROUPS_CONTROL_MAX];
static struct jgroups_message read_message;

static unsigned nibble(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static size_t bytes_of(const char *hex, uint8_t *out)
{
	size_t count = 0;

	for (; hex[0]; hex += 2)
		out[count++] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
	return count;
}

static void writes(const struct jgroups_message *message, const char *hex)
{
	uint8_t expected[256];
	size_t bytes = bytes_of(hex, expected);

	assert_int_equal(jgroups_encode(wire, message), bytes);
	assert_memory_equal(wire, expected, bytes);
}

static int reads(const char *hex)
{
	uint8_t data[256];
	size_t bytes = bytes_of(hex, data);

	return jgroups_decode(data, bytes, bytes, &read_message);
}

#define REQ	 "0201000000000000000000000000"
#define RSP	 "03020001000000000000000a0000"
#define LISTENER "0302000000000000000000000000"
#define START	 "0007000000000000000000000000"
#define FINAL_OK "0006000000000000000000000000"
#define INFO	 "000001a1fd548053000001a1fd548054000000000000000a000000000000000a01000000000009ffec"
#define RESULTS	 "04040000000000000000000001" INFO "00"
#define FINAL                                                                                      \
	"050500000000000000000000000100000002ffffffff01010001047f000001924701" INFO                \
	"ffffffff01010001047f000001b09901" INFO
/* 2.12: a zero behind the address; 2.6: the class by its name. */
#define FINAL_2_12 "050500000000000000000000000100000001ffffffff01010001047f0000019850000100" INFO
#define FINAL_2_6                                                                                  \
	"050500000000000000000000000100000001ffff0100001b6f72672e6a67726f7570732e737461636b2e4970" \
	"41646472657373047f000001e714000101" INFO
#define FINAL_UUID                                                                                 \
	"050500000000000000000000000100000001ffffffff0101004400112233445566778899aabbccddeeff0"    \
	"1" INFO

/* Trap 1: the lead byte and the type are two numberings. */
TEST(writes_what_java_sends)
{
	writes(&(struct jgroups_message){.type = JGROUPS_DISCOVERY_REQ}, REQ);
	writes(&(struct jgroups_message){.type = JGROUPS_DISCOVERY_RSP,
					 .sender = true,
					 .num_msgs = 10},
	       RSP);
	writes(&(struct jgroups_message){.type = JGROUPS_DISCOVERY_RSP}, LISTENER);
	writes(&(struct jgroups_message){.type = JGROUPS_START}, START);
	writes(&(struct jgroups_message){.type = JGROUPS_FINAL_RESULTS_OK}, FINAL_OK);
}

static const struct jgroups_info java_info = {.start_ms = 0x1a1fd548053,
					      .stop_ms = 0x1a1fd548054,
					      .expected = 10,
					      .received = 10,
					      .done = true,
					      .bytes = 655340};

static void info_is_javas(const struct jgroups_info *info)
{
	assert_int_equal(info->start_ms, java_info.start_ms);
	assert_int_equal(info->stop_ms, java_info.stop_ms);
	assert_int_equal(info->expected, 10);
	assert_int_equal(info->received, 10);
	assert_true(info->done);
	/* Trap 9: Java's own figure, 65534 a message. */
	assert_int_equal(info->bytes, 10 * 65534);
}

TEST(writes_and_reads_results)
{
	struct jgroups_message message = {
		.type = JGROUPS_RESULTS, .has_result = true, .result = java_info};

	writes(&message, RESULTS);
	assert_int_equal(reads(RESULTS), 0);
	assert_int_equal(read_message.type, JGROUPS_RESULTS);
	assert_true(read_message.has_result);
	info_is_javas(&read_message.result);
	message = (struct jgroups_message){.type = JGROUPS_FINAL_RESULTS, .count = 2};
	message.row[0] = (struct jgroups_row){who("127.0.0.1:37447"), java_info};
	message.row[1] = (struct jgroups_row){who("127.0.0.1:45209"), java_info};
	writes(&message, FINAL);
	assert_int_equal(reads(FINAL), 0);
	assert_int_equal(read_message.count, 2);
	assert_memory_equal(&read_message.row[1].who, &message.row[1].who, sizeof(struct identity));
	info_is_javas(&read_message.row[1].info);
}

TEST(reads_the_short_ones)
{
	assert_int_equal(reads(RSP), 0);
	assert_int_equal(read_message.type, JGROUPS_DISCOVERY_RSP);
	assert_true(read_message.sender);
	assert_int_equal(read_message.num_msgs, 10);
	assert_int_equal(reads(LISTENER), 0);
	assert_false(read_message.sender);
	assert_int_equal(reads(START), 0);
	assert_int_equal(read_message.type, JGROUPS_START);
	assert_int_equal(reads("0008010000000300000000000000000000000000"
			       "00"),
			 0);
	assert_int_equal(read_message.type, JGROUPS_WARMUP);
}

TEST(a_warmup_is_msg_size_and_18)
{
	uint8_t warm[3 + 18];

	assert_int_equal(jgroups_warmup_encode(warm, 3), sizeof(warm));
	assert_int_equal(bytes_of("000801000000030000000000000000000000000000", wire),
			 sizeof(warm));
	assert_memory_equal(warm, wire, sizeof(warm));
	assert_int_equal(jgroups_decode(warm, sizeof(warm), sizeof(warm), &read_message), 0);
	/* Of a long one only the head may be there. */
	assert_int_equal(jgroups_decode(warm, 8, sizeof(warm), &read_message), 0);
	assert_int_equal(read_message.type, JGROUPS_WARMUP);
	assert_int_equal(jgroups_decode(warm, 8, 8, &read_message), -EPROTO);
}

/* Behind a datagram of Java's lies the rest of its buffer. */
TEST(what_follows_is_ignored)
{
	assert_int_equal(reads(RESULTS "2e2e2e2e"), 0);
	assert_int_equal(reads(FINAL_OK "ff"), 0);
}

TEST(every_cut_is_refused)
{
	uint8_t all[256], *exact;
	size_t bytes = bytes_of(FINAL, all);

	for (size_t cut = 1; cut < bytes; cut++) {
		exact = malloc(cut);
		assert_non_null(exact);
		memcpy(exact, all, cut);
		assert_int_equal(jgroups_decode(exact, cut, cut, &read_message), -EPROTO);
		free(exact);
	}
}

TEST(the_impossible_is_refused)
{
	/* num_msgs -1; a payload beyond the message; too many rows; a negative number received */
	assert_int_equal(reads("03020001ffffffffffffffff0000"), -EPROTO);
	assert_int_equal(reads("00080100000100000000000000000000"), -EPROTO);
	assert_int_equal(reads("000801ffffffff000000000000000000"), -EPROTO);
	assert_int_equal(reads("050500000000000000000000000100000101"), -EPROTO);
	assert_int_equal(reads("04040000000000000000000001"
			       "0000000000000000"
			       "0000000000000000"
			       "000000000000000a"
			       "ffffffffffffffff"
			       "01"
			       "0000000000000000"
			       "00"),
			 -EPROTO);
	assert_int_equal(reads("0003000000000000000000000000"), -ENOTSUP);
	assert_int_equal(reads("0000000000000000000000000000"), -ENOTSUP);
	assert_int_equal(reads("0009000000000000000000000000"), -ENOTSUP);
}

TEST(keys_of_other_generations_are_named_as_such)
{
	assert_int_equal(reads(FINAL_2_6), -ENOTSUP);
	assert_int_equal(reads(FINAL_UUID), -ENOTSUP);
	/* 2.12's is the same up to a byte of which nobody can tell: its row has no figures. */
	assert_int_equal(reads(FINAL_2_12), -EPROTO);
}

/* Feeds a hand-shake byte by byte: nothing is said before @length, then the length. */
static void shakes(const char *hex, size_t length, const char *text)
{
	struct identity peer = {0}, expected = who(text);
	uint8_t data[64];
	size_t bytes = bytes_of(hex, data);

	for (size_t i = 0; i <= bytes; i++)
		assert_int_equal(jgroups_handshake_decode(data, i, &peer), i < length ? 0 : length);
	assert_memory_equal(&peer, &expected, sizeof(peer));
	assert_int_equal(jgroups_handshake_encode(wire, &expected), length);
	assert_memory_equal(wire, data, length);
}

TEST(a_handshake_is_the_listening_address)
{
	struct identity peer;

	shakes("04047f0000011e78"
	       "0000000e",
	       8, "127.0.0.1:7800");
	shakes("0410fe800000000000000000000000000001"
	       "00000000"
	       "1e79"
	       "00",
	       24, "[fe80::1]:7801");
	assert_int_equal(jgroups_handshake_decode((const uint8_t *)"\1\1\4", 3, &peer), -ENOTSUP);
	assert_int_equal(jgroups_handshake_decode((const uint8_t *)"\4\5", 2, &peer), -EPROTO);
	assert_int_equal(jgroups_handshake_decode((const uint8_t *)"GET /", 5, &peer), -EPROTO);
}

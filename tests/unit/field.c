// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of field: big-endian numbers at any address, a cursor within bounds; SipHash. */
#include "support/unit.h"

#include <netperf/field.h>

static const uint8_t message[] = {0xff, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87,
				  0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};

TEST(numbers_are_big_endian_at_any_address)
{
	uint8_t out[sizeof(message)];

	assert_int_equal(np_field_get16(message + 1), 0x8182);
	assert_int_equal(np_field_get32(message + 1), 0x81828384);
	assert_true(np_field_get64(message + 1) == UINT64_C(0x8182838485868788));
	memset(out, 0xff, sizeof(out));
	np_field_put16(out + 1, 0x8182);
	np_field_put32(out + 3, 0x83848586);
	np_field_put64(out + 7, UINT64_C(0x8788898a8b8c8d8e));
	assert_memory_equal(out, message, sizeof(out) - 1);
	assert_int_equal(out[sizeof(out) - 1], 0xff);
}

TEST(a_cursor_reads_all_of_it_in_order)
{
	struct np_field_cursor cursor = {message + 1, sizeof(message) - 1, false};

	assert_int_equal(np_field_take8(&cursor), 0x81);
	assert_ptr_equal(np_field_take(&cursor, 6), message + 2);
	assert_ptr_equal(np_field_take(&cursor, 8), message + 8);
	assert_int_equal(cursor.left, 0);
	assert_false(cursor.bad);
	/* Nothing of nothing is no mistake. */
	assert_ptr_equal(np_field_take(&cursor, 0), message + sizeof(message));
	assert_false(cursor.bad);
	assert_int_equal(np_field_take8(&cursor), 0);
	assert_true(cursor.bad);
}

TEST(what_is_not_all_there_is_zeros_from_there_on)
{
	static const size_t lacking[] = {1, 2, 4, 8, SIZE_MAX};

	for (size_t i = 0; i < sizeof(lacking) / sizeof(*lacking); i++) {
		struct np_field_cursor cursor = {message, lacking[i] - 1, false};

		if (lacking[i] == SIZE_MAX)
			cursor.left = sizeof(message);
		assert_null(np_field_take(&cursor, lacking[i]));
		assert_true(cursor.bad);
		assert_int_equal(np_field_take8(&cursor), 0);
	}
}

TEST(a_damaged_bit_changes_the_check_value)
{
	uint8_t data[sizeof(message)];
	const uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, message, 2);

	assert_true(sum == np_field_sum_word(
				   np_field_sum_word(NP_FIELD_SUM_BEGIN, np_field_get64(message)),
				   np_field_get64(message + 8)));
	assert_true(np_field_sum(sum, message, 0) == sum);
	for (size_t bit = 0; bit < 8 * sizeof(data); bit++) {
		memcpy(data, message, sizeof(data));
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_true(np_field_sum(NP_FIELD_SUM_BEGIN, data, 2) != sum);
		assert_true(np_field_sum_end(np_field_sum(NP_FIELD_SUM_BEGIN, data, 2)) !=
			    np_field_sum_end(sum));
	}
}

/* The bytes 0, 1, 2 ... */
static const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};

static uint64_t hash_of(enum np_siphash which, unsigned bytes)
{
	const uint64_t words[] = {key[0], key[1], 0};
	uint64_t input[3] = {words[0], words[1], words[2]};
	const unsigned last = bytes / 8;

	input[last] &= (UINT64_C(1) << bytes % 8 * 8) - 1;
	input[last] |= (uint64_t)bytes << 56;
	return np_siphash(which, key, input, last + 1);
}

/* Of the input 0, 1, 2 ... under the key 0, 1, 2 ...: appendix A of the paper has 15 bytes. */
TEST(vectors)
{
	assert_true(hash_of(NP_SIPHASH_2_4, 0) == UINT64_C(0x726fdb47dd0e0e31));
	assert_true(hash_of(NP_SIPHASH_2_4, 8) == UINT64_C(0x93f5f5799a932462));
	assert_true(hash_of(NP_SIPHASH_2_4, 15) == UINT64_C(0xa129ca6149be45e5));
	assert_true(hash_of(NP_SIPHASH_2_4, 16) == UINT64_C(0x3f2acc7f57c29bdb));
	assert_true(hash_of(NP_SIPHASH_1_3, 0) == UINT64_C(0xabac0158050fc4dc));
	assert_true(hash_of(NP_SIPHASH_1_3, 8) == UINT64_C(0x369095118d299a8e));
	assert_true(hash_of(NP_SIPHASH_1_3, 15) == UINT64_C(0xd320d86d2a519956));
	assert_true(hash_of(NP_SIPHASH_1_3, 16) == UINT64_C(0xcc4fdd1a7d908b66));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of the cards by which the ranks of a mesh agree on a group. */
#include "../../src/group-test/mesh/card.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct card sample(void)
{
	struct card card = {.port = 0xfedc};

	assert_int_equal(identity_parse("10.1.2.3:4567", &card.who), 0);
	card.member[0] = card.member[9] = card.member[MEMBERS_MAX - 1] = true;
	return card;
}

static void a_card_crosses_as_bytes(void **state)
{
	const struct card card = sample();
	uint8_t bytes[CARD_BYTES + 1];
	char text[IDENTITY_TEXT];
	struct card read;

	(void)state;
	card_write(&card, bytes);
	assert_int_equal(card_read(&read, bytes, CARD_BYTES), 0);
	assert_string_equal(identity_format(&read.who, text), "10.1.2.3:4567");
	assert_int_equal(read.port, 0xfedc);
	for (unsigned i = 0; i < MEMBERS_MAX; i++)
		assert_int_equal(read.member[i], i == 0 || i == 9 || i == MEMBERS_MAX - 1);
	assert_true(card_has_place(&read));
	/* All of it, and nothing else. */
	assert_int_equal(card_read(&read, bytes, CARD_BYTES - 1), -EBADMSG);
	assert_int_equal(card_read(&read, bytes, CARD_BYTES + 1), -EBADMSG);
	assert_int_equal(card_read(&read, NULL, 0), -EBADMSG);
	assert_false(card_has_place(&read));
}

static void only_a_card_of_rank_0_decides(void **state)
{
	struct card card = sample();

	(void)state;
	assert_true(card_is_first(&card, 9, MEMBERS_MAX));
	assert_true(card_is_first(&card, 0, MEMBERS_MAX));
	/* Who is not in it has come too late. */
	assert_false(card_is_first(&card, 8, MEMBERS_MAX));
	assert_false(card_is_first(&card, MEMBERS_MAX, MEMBERS_MAX));
	/* Nobody has a rank beyond the number of ranks. */
	assert_false(card_is_first(&card, 9, MEMBERS_MAX - 1));
	card.member[0] = false;
	assert_false(card_is_first(&card, 9, MEMBERS_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_crosses_as_bytes),
		cmocka_unit_test(only_a_card_of_rank_0_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

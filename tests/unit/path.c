// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of path: what was dropped before the UDP layer, from text and from the kernel. */
#include "src/lib/net/datagram_variant.h"
#include "support/unit.h"

#include <netperf/datagram.h>

TEST(second_columns_are_summed)
{
	uint64_t dropped = 7;

	assert_int_equal(path_softnet_parse("0000abcd 00000010 00000002 00000000\n"
					    "00000001 FfffffFf 00000000\n"
					    "2 1",
					    &dropped),
			 0);
	assert_int_equal(dropped, 0x10 + 0xffffffffULL + 1);
}

TEST(other_text_has_no_data)
{
	static const char *const texts[] = {"", "\n", "1\n", "1 \n", "1 x\n", "1 2\n3\n", "1\t2\n"};
	uint64_t dropped = 7;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(path_softnet_parse(texts[i], &dropped), -ENODATA);
	assert_int_equal(dropped, 7);
}

TEST(counters_go_round)
{
	const struct np_path_drops begin = {.softnet_dropped = 0xfffffffe,
					    .rx_dropped = 0xffffffff,
					    .rx_missed = 5,
					    .rx_fifo = 1,
					    .interfaces = 2,
					    .softnet_known = true,
					    .interfaces_known = true};
	struct np_path_drops now = begin;
	char text[NP_PATH_TEXT];

	now.softnet_dropped = 1;
	now.rx_dropped = 4;
	now.rx_missed = 7;
	np_path_since(&now, &begin);
	assert_string_equal(np_path_format(&now, text), "backlog 3, interface 5, missed 2, fifo 0");
}

TEST(what_went_away_is_not_known)
{
	const struct np_path_drops begin = {
		.rx_dropped = 9, .interfaces = 2, .interfaces_known = true};
	struct np_path_drops fewer = {.rx_dropped = 10, .interfaces = 1, .interfaces_known = true};
	struct np_path_drops back = {.rx_dropped = 8, .interfaces = 2, .interfaces_known = true};
	char text[NP_PATH_TEXT];

	np_path_since(&fewer, &begin);
	assert_string_equal(np_path_format(&fewer, text), "backlog unknown, interface unknown");
	np_path_since(&back, &begin);
	assert_false(back.interfaces_known);
}

TEST(the_kernel_is_read)
{
	struct np_path_drops all, lo, none;

	np_path_read(&all, NULL, NULL);
	np_path_read(&lo, "lo", NULL);
	np_path_read(&none, "no-such-one", NULL);
	assert_true(all.softnet_known && all.interfaces_known && lo.interfaces_known);
	assert_int_equal(lo.interfaces, 1);
	assert_true(all.interfaces >= 1);
	assert_false(none.interfaces_known);
}

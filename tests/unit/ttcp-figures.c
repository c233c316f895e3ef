// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The figures of runs, digit for digit; bandwidth windows. */
#include "../../src/ttcp/report/report.h"

#include "address_of.h"
#include "support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NP_MILLISECOND

/* The examples of overlays, and what is not in ttcp-console's. */
TEST(rates)
{
	static const struct {
		uint64_t bytes;
		np_time time;
		const char *ms, *kilobytes, *kilobits;
	} rows[] = {
		{1024 * 100, 125 * MS, "125", "819.2", "6553.6"},
		{10000 * 512, 2281 * MS, "2281", "2244.6296", "17957.037"},
		/* What is beyond whole milliseconds does not matter, unless there are few. */
		{1024 * 512, 31 * MS - 499999, "31", "16912.516", "135300.12"},
		{1024 * 512, 31 * MS + 499999, "31", "16912.516", "135300.12"},
		{3412345, 3412345, "3.412345", "1000000.0", "8000000.0"},
		{1000, 0, "1", "1000.0", "8000.0"},
		/* No exponent, however fast. */
		{UINT64_C(1) << 40, 1000 * MS, "1000", "1099511700.0", "8796093000.0"},
	};
	char text[FIGURES_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct figures_rate rate = figures_rate(rows[i].bytes, rows[i].time);

		assert_string_equal(figures_print_ms(&rate, text), rows[i].ms);
		assert_string_equal(figures_print_float(rate.kilobytes_per_s, text),
				    rows[i].kilobytes);
		assert_string_equal(figures_print_float(rate.kilobits_per_s, text),
				    rows[i].kilobits);
	}
}

/* From 10 ms on whole ones, cut; ttcp-files has the examples, and their rates. */
TEST(delays)
{
	struct figures_delay row = figures_delay(512, 0, 11 * MS - 1);

	assert_true(row.whole && row.rtt == 10 && row.delay == 5);
	row = figures_delay(512, 0, 10 * MS - 1);
	assert_true(!row.whole && row.rtt == 9999999 && row.delay == 4999999);
}

/* More of them are in ttcp-files. */
TEST(exact_ms)
{
	char text[FIGURES_TEXT];

	*figures_put_ms(-3412300, text) = '\0';
	assert_string_equal(text, "-3.4123");
	*figures_put_ms(-1, text) = '\0';
	assert_string_equal(text, "-0.000001");
}

static void take(struct window *window, np_time now, np_time end, uint64_t messages)
{
	struct window_row row;

	assert_true(window_take(window, now, &row));
	assert_true(row.end == end * MS);
	assert_int_equal(row.messages, messages);
}

TEST(windows)
{
	const np_time begin = 1000 * MS;
	struct window window;
	struct window_row row;

	window = (struct window){.length = 500 * MS};
	assert_false(window_take(&window, begin, &row));
	assert_false(window_last(&window, &row));
	window_add(&window, begin, 1, 1000);
	window_add(&window, begin + 499 * MS, 2, 2000);
	assert_false(window_take(&window, begin + 500 * MS - 1, &row));
	assert_true(window_take(&window, begin + 500 * MS, &row));
	assert_true(row.end == 500 * MS && row.elapsed == 500 * MS);
	assert_int_equal(row.messages, 3);
	assert_int_equal(row.bytes, 3000);
	assert_true(row.kilobits_per_s == 48.0f);
	/* Two windows in which nothing came. */
	take(&window, begin + 1600 * MS, 1000, 0);
	take(&window, begin + 1600 * MS, 1500, 0);
	assert_false(window_take(&window, begin + 1600 * MS, &row));
	window_add(&window, begin + 1600 * MS, 1, 1000);
	assert_true(window_last(&window, &row));
	assert_true(row.end == 1600 * MS && row.elapsed == 100 * MS);
	assert_true(row.kilobits_per_s == 16.0f);
	assert_false(window_last(&window, &row));
	assert_false(window_take(&window, begin + 9999 * MS, &row));
}

/* 4 Mbit/s to the end, wherever in a window that comes. */
TEST(last_windows)
{
	const np_time each = 1024000;
	struct window_row row;
	struct window window;

	for (uint64_t count = 2; count < 2000; count += 13) {
		window = (struct window){.length = 100 * MS};
		for (uint64_t i = 0; i < count; i++) {
			while (window_take(&window, 7 * MS + (np_time)i * each, &row))
				;
			window_add(&window, 7 * MS + (np_time)i * each, 1, 512);
		}
		assert_true(window_last(&window, &row));
		/* n messages of the first window alone span n - 1 of their times; from 10 ms on
		   the time is rounded to whole ones. */
		if ((np_time)count * each > 200 * MS)
			assert_true(row.kilobits_per_s > 3800 && row.kilobits_per_s < 4200);
	}
	/* Behind a pause no more than a window's length; one alone has no time of its own. */
	window = (struct window){.length = 100 * MS};
	window_add(&window, MS, 1, 512);
	while (window_take(&window, 1000 * MS + 1, &row))
		;
	window_add(&window, 1000 * MS + 1, 1, 512);
	assert_true(window_last(&window, &row));
	assert_true(row.kilobits_per_s > 40 && row.kilobits_per_s < 41);
	window = (struct window){.length = 100 * MS};
	window_add(&window, MS, 1, 512);
	assert_true(window_last(&window, &row));
	assert_true(row.elapsed == 0 && row.kilobits_per_s < 41);
}

TEST(java_addresses)
{
	struct np_address a = address_of("128.100.11.52:5001");
	char text[NP_ADDRESS_TEXT];

	snprintf(a.name, sizeof(a.name), "box");
	assert_string_equal(console_java_address(&a, text), "box/128.100.11.52");
	a = address_of("[fd00::2]:5001");
	assert_string_equal(console_java_address(&a, text), "/fd00:0:0:0:0:0:0:2");
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The figures of HyperCast's own examples, digit for digit; short runs; bandwidth windows; the
 * names of files and peers.
 */
#include "../../src/ttcp/report/figures.h"

#include "../../src/ttcp/conversation/receivers.h"
#include "../../src/ttcp/files/files.h"
#include "address_of.h"
#include "support/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS NP_MILLISECOND

TEST(transmit_examples)
{
	static const struct {
		uint64_t messages, bytes;
		np_time ms;
		const char *kilobytes, *kilobits;
	} examples[] = {
		{1024, 512, 31, "16912.516", "135300.12"},
		{1024, 512, 47, "11155.063", "89240.51"},
		{1024, 100, 125, "819.2", "6553.6"},
		{10000, 512, 2328, "2199.3127", "17594.502"},
	};
	char text[FIGURES_TEXT];

	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		/* What is beyond whole milliseconds does not matter. */
		for (np_time more = -499999; more <= 499999; more += 499999) {
			const struct figures_rate rate =
				figures_rate(examples[i].messages * examples[i].bytes,
					     examples[i].ms * MS + more);

			assert_string_equal(figures_print_float(rate.kilobytes_per_s, text),
					    examples[i].kilobytes);
			assert_string_equal(figures_print_float(rate.kilobits_per_s, text),
					    examples[i].kilobits);
			assert_int_equal(atoll(figures_print_ms(&rate, text)), examples[i].ms);
			assert_null(strchr(text, '.'));
		}
	}
}

TEST(delay_examples)
{
	struct figures_delay row =
		figures_delay(512, INT64_C(1154730964371) * MS, INT64_C(1154730964464) * MS);
	char text[FIGURES_TEXT];

	assert_true(row.whole);
	assert_int_equal(row.rtt, 93);
	assert_int_equal(row.delay, 46);
	assert_string_equal(figures_print_float(row.kilobits_per_s, text), "89.04348");
	/* Cut, not rounded: .402999 to .464 are 62 ms. */
	row = figures_delay(512, INT64_C(1154730964402) * MS + 999999, INT64_C(1154730964464) * MS);
	assert_int_equal(row.rtt, 62);
	assert_int_equal(row.delay, 31);
	assert_string_equal(figures_print_float(row.kilobits_per_s, text), "132.12903");
	row = figures_delay(512, 0, 10 * MS - 1);
	assert_false(row.whole);
	assert_int_equal(row.rtt, 9999999);
	assert_int_equal(row.delay, 4999999);
	row = figures_delay(125, 1000, 1000 + MS);
	assert_string_equal(figures_print_float(row.kilobits_per_s, text), "2000.0");
	row = figures_delay(512, 5, 5);
	assert_string_equal(figures_print_float(row.kilobits_per_s, text), "Infinity");
}

TEST(short_runs)
{
	struct figures_rate rate = figures_rate(1000, 3412345);
	char text[FIGURES_TEXT];

	assert_string_equal(figures_print_ms(&rate, text), "3.412345");
	assert_true(figures_too_short(100 * MS - 1));
	assert_false(figures_too_short(100 * MS));
	assert_true(figures_lost_percent(0, 0) == 0);
	rate = figures_rate(1000, 0);
	assert_string_equal(figures_print_ms(&rate, text), "1");
	assert_string_equal(figures_print_float(rate.kilobytes_per_s, text), "1000.0");
	/* No exponent, however fast. */
	rate = figures_rate(UINT64_C(1) << 40, 1000 * MS);
	assert_string_equal(figures_print_float(rate.kilobits_per_s, text), "8796093000.0");
}

TEST(exact_ms)
{
	static const struct {
		np_time t;
		const char *text;
	} rows[] = {
		{0, "0"},
		{31 * MS, "31"},
		{100 * MS, "100"},
		{3412345, "3.412345"},
		{-3412300, "-3.4123"},
		{1, "0.000001"},
		{-1, "-0.000001"},
		{INT64_C(1154730964371123456), "1154730964371.123456"},
		{INT64_MIN, "-9223372036854.775808"},
	};
	char text[FIGURES_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		*figures_put_ms(rows[i].t, text) = '\0';
		assert_string_equal(text, rows[i].text);
	}
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

	window_start(&window, 500 * MS);
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
		window_start(&window, 100 * MS);
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
	window_start(&window, 100 * MS);
	window_add(&window, MS, 1, 512);
	while (window_take(&window, 1000 * MS + 1, &row))
		;
	window_add(&window, 1000 * MS + 1, 1, 512);
	assert_true(window_last(&window, &row));
	assert_true(row.kilobits_per_s > 40 && row.kilobits_per_s < 41);
	window_start(&window, 100 * MS);
	window_add(&window, MS, 1, 512);
	assert_true(window_last(&window, &row));
	assert_true(row.elapsed == 0 && row.kilobits_per_s < 41);
}

TEST(file_names)
{
	static char longest[NAMES_ROOM + 1];
	const struct {
		struct names_file file;
		const char *name, *folder;
	} rows[] = {
		{{"", "seq", 1154730964371 * MS, 1, 0, NULL}, "ttcp_seq_1154730964371.txt", ""},
		{{"", "bw", 1154730964371 * MS, 2, 3, NULL}, "ttcp_bw_1154730964371_2_s3.txt", ""},
		{{"file", "seq", 0, 1, 0, NULL}, "file", ""},
		{{"file", "seq", 0, 2, 0, NULL}, "file_2", ""},
		{{"dir.d/file.txt", "seq", 0, 2, 1, NULL}, "dir.d/file_2_s1.txt", ""},
		{{"dir.d/file", "seq", 0, 2, 0, NULL}, "dir.d/file_2", ""},
		{{".hidden", "seq", 0, 2, 0, NULL}, ".hidden_2", ""},
		{{"send", "seq", 0, 1, 0, "TEST"}, "TEST_DATA/TEST_send_1.txt", "TEST_DATA/"},
		{{"/var/tmp/d", "seq", 0, 12, 2, "one"}, "/var/tmp/one_d_12_s2.txt", ""},
		{{longest, "seq", 0, 1, 0, NULL}, NULL, ""},
		{{longest + 30, "seq", 0, 1, 0, "0123456789"}, NULL, "0123456789_DATA/"},
	};
	char name[NAMES_ROOM], folder[NAMES_ROOM];

	memset(longest, 'x', NAMES_ROOM);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(names_file(&rows[i].file, name, folder),
				 rows[i].name ? 0 : -ENAMETOOLONG);
		if (rows[i].name)
			assert_string_equal(name, rows[i].name);
		assert_string_equal(folder, rows[i].folder);
	}
}

TEST(peer_names)
{
	struct np_address a = address_of("128.100.11.52:5001");
	char text[NP_ADDRESS_TEXT];

	assert_string_equal(peer_name(&a, text), "128.100.11.52:5001");
	assert_string_equal(console_java_address(&a, text), "/128.100.11.52");
	snprintf(a.name, sizeof(a.name), "box");
	assert_string_equal(peer_name(&a, text), "128.100.11.52:5001");
	assert_string_equal(console_java_address(&a, text), "box/128.100.11.52");
	a = address_of("[fd00::2]:5001");
	assert_string_equal(peer_name(&a, text), "[fd00::2]:5001");
	assert_string_equal(console_java_address(&a, text), "/fd00:0:0:0:0:0:0:2");
	a = address_of("[fe80::2%lo]:5001");
	assert_string_equal(peer_name(&a, text), "[fe80::2%lo]:5001");
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The figures of runs, digit for digit. */
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

/* More of them are in ttcp-files. */
TEST(exact_ms)
{
	char text[FIGURES_TEXT];

	*figures_put_ms(-3412300, text) = '\0';
	assert_string_equal(text, "-3.4123");
	*figures_put_ms(-1, text) = '\0';
	assert_string_equal(text, "-0.000001");
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

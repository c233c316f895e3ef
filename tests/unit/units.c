// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of units: what is read, what is refused, and that what is written reads back. */
#include "support/unit.h"

#include <netperf/units.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct whole_case {
	const char *text;
	int status;
	uint64_t value;
};

typedef int (*parse_whole)(const char *text, uint64_t min, uint64_t max, uint64_t *value);

static void check_whole(parse_whole parse, const struct whole_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 4711;
		const int status = parse(cases[i].text, 0, UINT64_MAX, &value);

		if (status != cases[i].status || value != (status ? 4711 : cases[i].value))
			fail_msg("\"%s\": status %d, value %llu", cases[i].text, status,
				 (unsigned long long)value);
	}
}

TEST(counts)
{
	static const struct whole_case cases[] = {
		{"0", 0, 0},
		{"25", 0, 25},
		{"010", 0, 10},
		{"00000000000000000000000000007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"0xff", 0, 255},
		{"0XfF", 0, 255},
		{"0xffffffffffffffff", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"0x10000000000000000", -ERANGE, 0},
		{"99999999999999999999999999", -ERANGE, 0},
		{"99999999999999999999999999x", -EINVAL, 0},
		{"", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"0x", -EINVAL, 0},
		{"0x-1", -EINVAL, 0},
		{"ff", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
	};

	check_whole(np_units_parse_count, cases, COUNT_OF(cases));
}

TEST(sizes)
{
	static const struct whole_case cases[] = {
		{"20480", 0, 20480},
		{"20k", 0, 20480},
		{"20K", 0, 20480},
		{"20kB", 0, 20480},
		{"20KiB", 0, 20480},
		{"1MiB", 0, 1048576},
		{"1m", 0, 1048576},
		{"1g", 0, 1073741824},
		{"3T", 0, 3298534883328},
		{"512B", 0, 512},
		{"16777215T", 0, 18446742974197923840u},
		{"16777216T", -ERANGE, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"18446744073709551616q", -EINVAL, 0},
		{"", -EINVAL, 0},
		{"k", -EINVAL, 0},
		{"-1k", -EINVAL, 0},
		{"1 k", -EINVAL, 0},
		{"1k ", -EINVAL, 0},
		{"1kk", -EINVAL, 0},
		{"1ki", -EINVAL, 0},
		{"1iB", -EINVAL, 0},
		{"1kBB", -EINVAL, 0},
		{"1.5k", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"1p", -EINVAL, 0},
	};

	check_whole(np_units_parse_size, cases, COUNT_OF(cases));
}

TEST(scaled)
{
	static const char *const units[] = {"B", "iB", NULL};
	static const struct np_units_scale binary = {1024, 1048576, units};
	static const struct np_units_scale decimal = {1000, 1000, units + 2};
	static const struct {
		const char *text;
		const struct np_units_scale *scale;
		int status;
		double value;
	} cases[] = {
		{"100", &binary, 0, 104857600}, {"100M", &binary, 0, 104857600},
		{"64K", &binary, 0, 65536},	{"4KB", &binary, 0, 4096},
		{"4kib", &binary, 0, 4096},	{"0.5g", &binary, 0, 536870912},
		{"512B", &binary, 0, 512},	{"-1", &binary, 0, -1048576},
		{"-1k", &binary, 0, -1024},	{"1e2", &binary, 0, 104857600},
		{"1T", &decimal, 0, 1e12},	{"64k", &decimal, 0, 64000},
		{"64", &decimal, 0, 64000},	{"1.5M", &decimal, 0, 1.5e6},
		{"4KB", &decimal, -EINVAL, 0},	{"", &binary, -EINVAL, 0},
		{"k", &binary, -EINVAL, 0},	{"1x", &binary, -EINVAL, 0},
		{"1kk", &binary, -EINVAL, 0},	{"1 k", &binary, -EINVAL, 0},
		{"1BB", &binary, -EINVAL, 0},	{"nan", &binary, -EINVAL, 0},
		{"1e", &binary, -EINVAL, 0},	{"0x10", &binary, -EINVAL, 0},
		{"4T", &binary, -ERANGE, 0},	{"-4T", &binary, -ERANGE, 0},
		{"1e400", &binary, -ERANGE, 0},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		double value = 4711;
		int status =
			np_units_parse_scaled(cases[i].text, cases[i].scale, -3e12, 3e12, &value);

		if (status != cases[i].status || value != (status ? 4711 : cases[i].value))
			fail_msg("\"%s\": status %d, value %g", cases[i].text, status, value);
	}
}

TEST(ranges_include_their_ends)
{
	uint64_t value = 0;
	np_time time = 0;
	double number = 0;

	assert_int_equal(np_units_parse_count("5", 5, 7, &value), 0);
	assert_int_equal(np_units_parse_count("7", 5, 7, &value), 0);
	assert_int_equal(np_units_parse_count("4", 5, 7, &value), -ERANGE);
	assert_int_equal(np_units_parse_count("8", 5, 7, &value), -ERANGE);
	assert_int_equal(value, 7);
	assert_int_equal(np_units_parse_size("1k", 512, 1024, &value), 0);
	assert_int_equal(np_units_parse_size("1025", 512, 1024, &value), -ERANGE);
	assert_int_equal(np_units_parse_size("511", 512, 1024, &value), -ERANGE);
	assert_int_equal(np_units_parse_time("1ms", 1000000, 2000000, &time), 0);
	assert_int_equal(np_units_parse_time("2ms", 1000000, 2000000, &time), 0);
	assert_int_equal(np_units_parse_time("999us", 1000000, 2000000, &time), -ERANGE);
	assert_int_equal(np_units_parse_time("2.1ms", 1000000, 2000000, &time), -ERANGE);
	assert_int_equal(np_units_parse_number("-1", -1, 1, &number), 0);
	assert_int_equal(np_units_parse_number("1", -1, 1, &number), 0);
	assert_int_equal(np_units_parse_number("1.01", -1, 1, &number), -ERANGE);
	assert_int_equal(np_units_parse_number("-1.01", -1, 1, &number), -ERANGE);
}

TEST(times)
{
	static const struct {
		const char *text;
		int status;
		np_time value;
	} cases[] = {
		{"10", 0, 10 * NP_SECOND},
		{"10.0", 0, 10 * NP_SECOND},
		{"0.25", 0, 250 * NP_MILLISECOND},
		{".5", 0, 500 * NP_MILLISECOND},
		{"100us", 0, 100 * NP_MICROSECOND},
		{"1.5ms", 0, 1500 * NP_MICROSECOND},
		{"7ns", 0, 7},
		{"2s", 0, 2 * NP_SECOND},
		{"1m", 0, 60 * NP_SECOND},
		{"0.1m", 0, 6 * NP_SECOND},
		{"0", 0, 0},
		{"0.000000001", 0, 1},
		{"0.0000000004", 0, 0},
		{"0.0000000005", 0, 1},
		{"0.1234567890123456789999999999999999999", 0, 123456789},
		{"0.999999999999999999999", 0, NP_SECOND},
		{"9223372036.854775807", 0, INT64_MAX},
		{"9223372036.854775808", -ERANGE, 0},
		{"99999999999999999999s", -ERANGE, 0},
		{"18446744073709551615m", -ERANGE, 0},
		{"99999999999999999999h", -EINVAL, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"5.", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"1.5.5", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1min", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x1", -EINVAL, 0},
		{"nan", -EINVAL, 0},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		np_time value = 4711;
		const int status = np_units_parse_time(cases[i].text, 0, INT64_MAX, &value);

		if (status != cases[i].status || value != (status ? 4711 : cases[i].value))
			fail_msg("\"%s\": status %d, value %lld", cases[i].text, status,
				 (long long)value);
	}
}

TEST(numbers)
{
	static const struct {
		const char *text;
		int status;
		double value;
	} cases[] = {
		{"0", 0, 0},	       {"12.5", 0, 12.5},
		{".5", 0, 0.5},	       {"-2.25", 0, -2.25},
		{"1e6", 0, 1e6},       {"1E+6", 0, 1e6},
		{"25e-2", 0, 0.25},    {"1e-999", 0, 0},
		{"1e999", -ERANGE, 0}, {"-1e999", -ERANGE, 0},
		{"nan", -EINVAL, 0},   {"inf", -EINVAL, 0},
		{"-inf", -EINVAL, 0},  {"infinity", -EINVAL, 0},
		{"0x10", -EINVAL, 0},  {"1,5", -EINVAL, 0},
		{"", -EINVAL, 0},      {"-", -EINVAL, 0},
		{"e", -EINVAL, 0},     {".", -EINVAL, 0},
		{"1e", -EINVAL, 0},    {"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},    {"1 ", -EINVAL, 0},
		{"1-1", -EINVAL, 0},   {"1%", -EINVAL, 0},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		double value = 4711;
		const int status = np_units_parse_number(cases[i].text, -1e300, 1e300, &value);

		if (status != cases[i].status ||
		    value != (status ? 4711 : cases[i].value)) /* all exact in binary */
			fail_msg("\"%s\": status %d, value %g", cases[i].text, status, value);
	}
}

TEST(times_are_written_as_read)
{
	static const struct {
		np_time t;
		const char *text;
	} cases[] = {
		{0, "0"},
		{1, "0.000000001"},
		{10 * NP_SECOND, "10"},
		{250 * NP_MILLISECOND, "0.25"},
		{100 * NP_MICROSECOND, "0.0001"},
		{60 * NP_SECOND + 1, "60.000000001"},
		{INT64_MAX, "9223372036.854775807"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		np_time back;

		assert_string_equal(np_units_format_time(cases[i].t).text, cases[i].text);
		assert_int_equal(np_units_parse_time(cases[i].text, 0, INT64_MAX, &back), 0);
		assert_true(back == cases[i].t);
	}
	assert_string_equal(np_units_format_time(-250 * NP_MILLISECOND).text, "-0.25");
	assert_string_equal(np_units_format_time(INT64_MIN).text, "-9223372036.854775808");
}

TEST(latencies_have_three_digits)
{
	static const struct {
		np_time t;
		const char *text;
	} cases[] = {
		{0, "0 ns"},
		{7, "7 ns"},
		{999, "999 ns"},
		{1000, "1.00 us"},
		{1005, "1.01 us"},
		{9994, "9.99 us"},
		{9995, "10.0 us"},
		{85200, "85.2 us"},
		{99949, "99.9 us"},
		{99950, "100 us"},
		{999499, "999 us"},
		{999500, "1.00 ms"},
		{3005000, "3.01 ms"},
		{NP_SECOND, "1.00 s"},
		{999500000, "1.00 s"},
		{60 * NP_SECOND, "60.0 s"},
		{1234 * NP_SECOND, "1234 s"},
		{-85200, "-85.2 us"},
		{INT64_MAX, "9223372037 s"},
		{INT64_MIN, "-9223372037 s"},
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_string_equal(np_units_format_latency(cases[i].t).text, cases[i].text);
	}
}

TEST(rates_have_units)
{
	static const char *const units[] = {"bit", "B", "pps", NULL};
	static const struct {
		const char *text;
		double per_s;
		enum np_rate_unit unit;
	} good[] = {
		{"100M", 1e8, NP_RATE_BITS},	     {"100Mbit", 1e8, NP_RATE_BITS},
		{"100Mbit/s", 1e8, NP_RATE_BITS},    {"100Mbps", 1e8, NP_RATE_BITS},
		{"0.1Gbps", 1e8, NP_RATE_BITS},	     {"100mb/s", 1e8, NP_RATE_BITS},
		{"7bps", 7, NP_RATE_BITS},	     {"12.5MB", 12.5e6, NP_RATE_BYTES},
		{"12.5MB/s", 12.5e6, NP_RATE_BYTES}, {"12.5MBps", 12.5e6, NP_RATE_BYTES},
		{"20kpps", 20e3, NP_RATE_PACKETS},
	};
	/* Not what a bit or a byte is called, not among the units, or nothing of a rate. */
	static const char *const bad[] = {"10Mb",   "10Mbs", "10MBPS",	"10Mbit/", "10kpps/s",
					  "10iops", "Mbps",  "10 Mbps", ""};
	struct np_rate rate;

	for (size_t i = 0; i < COUNT_OF(good); i++) {
		assert_int_equal(np_units_parse_rate(good[i].text, units, 0, 1e15, &rate), 0);
		assert_true(rate.per_s > good[i].per_s * 0.999999 &&
			    rate.per_s < good[i].per_s * 1.000001);
		assert_int_equal(rate.unit, good[i].unit);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(np_units_parse_rate(bad[i], units, 0, 1e15, &rate), -EINVAL);
}

TEST(rates_are_per_second)
{
	assert_true(np_units_rate(1000, 500 * NP_MILLISECOND) == 2000.0);
	assert_true(np_units_rate(1000, 0) == 0.0);
	assert_true(np_units_rate(1000, -5) == 0.0);
	assert_true(np_units_rate(0, NP_SECOND) == 0.0);
}

TEST(classes_of_service_by_name)
{
	static const struct {
		unsigned dscp;
		const char *name;
	} rows[] = {{0, "CS0"},	  {8, "CS1"},	{56, "CS7"}, {10, "AF11"}, {14, "AF13"},
		    {18, "AF21"}, {38, "AF43"}, {46, "EF"},  {44, "VA"},   {1, "LE"},
		    {2, "2"},	  {9, "9"},	{42, "42"},  {63, "63"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(np_units_format_dscp(rows[i].dscp).text, rows[i].name);
}

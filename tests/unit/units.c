// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of units: what is read, what is refused, and that what is written reads back. */
#include "support/unit.h"

#include <netperf/units.h>

enum kind { COUNT, SIZE, TIME, NUMBER, BINARY, DECIMAL };

#define UNTOUCHED 4711

static int parse(enum kind kind, const char *text, long double *value)
{
	static const char *const units[] = {"B", "iB", NULL};
	static const struct np_units_scale scales[] = {{1024, 1048576, units},
						       {1000, 1000, units + 2}};
	uint64_t whole = UNTOUCHED;
	np_time time = UNTOUCHED;
	double number = UNTOUCHED;
	int status;

	if (kind == COUNT || kind == SIZE) {
		status = (kind == COUNT ? np_units_parse_count
					: np_units_parse_size)(text, 0, UINT64_MAX, &whole);
		*value = whole;
	} else if (kind == TIME) {
		status = np_units_parse_time(text, 0, INT64_MAX, &time);
		*value = time;
	} else {
		status = kind == NUMBER ? np_units_parse_number(text, -1e300, 1e300, &number)
					: np_units_parse_scaled(text, &scales[kind == DECIMAL],
								-3e12, 3e12, &number);
		*value = number;
	}
	return status;
}

/* @cases: as "20k=20480|1m=1048576"; of what is refused there is no value, and none is changed. */
static void parses(enum kind kind, int wanted, const char *cases)
{
	struct unit_texts texts = {.rest = cases};

	while (unit_next(&texts)) {
		const long double right = texts.value ? strtold(texts.value, NULL) : UNTOUCHED;
		long double value;
		const int status = parse(kind, texts.text, &value);

		assert_int_equal(!texts.value, wanted != 0);
		if (status != wanted || value != right)
			fail_msg("\"%s\": status %d, value %Lg", texts.text, status, value);
	}
}

TEST(counts)
{
	parses(COUNT, 0,
	       "0=0|25=25|010=10|00000000000000000000000000007=7|0xff=255|0XfF=255|"
	       "18446744073709551615=18446744073709551615|0xffffffffffffffff=18446744073709551615");
	parses(COUNT, -ERANGE,
	       "18446744073709551616|0x10000000000000000|99999999999999999999999999");
	parses(COUNT, -EINVAL, "99999999999999999999999999x|| 1|1 |+1|-1|0x|0x-1|ff|1.0|1k|1e3");
}

TEST(sizes)
{
	parses(SIZE, 0,
	       "20480=20480|20k=20480|20K=20480|20kB=20480|20KiB=20480|1MiB=1048576|1m=1048576|"
	       "1g=1073741824|3T=3298534883328|512B=512|16777215T=18446742974197923840");
	parses(SIZE, -ERANGE, "16777216T|18446744073709551616");
	parses(SIZE, -EINVAL, "18446744073709551616q||k|-1k|1 k|1k |1kk|1ki|1iB|1kBB|1.5k|0x10|1p");
}

TEST(scaled)
{
	parses(BINARY, 0,
	       "100=104857600|100M=104857600|64K=65536|4KB=4096|4kib=4096|0.5g=536870912|512B=512|"
	       "-1=-1048576|-1k=-1024|1e2=104857600");
	parses(BINARY, -EINVAL, "|k|1x|1kk|1 k|1BB|nan|1e|0x10");
	parses(BINARY, -ERANGE, "4T|-4T|1e400");
	parses(DECIMAL, 0, "1T=1e12|64k=64000|64=64000|1.5M=1.5e6");
	parses(DECIMAL, -EINVAL, "4KB");
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
	parses(TIME, 0,
	       "10=10e9|10.0=10e9|0.25=250e6|.5=500e6|100us=100e3|1.5ms=1500e3|7ns=7|2s=2e9|"
	       "1m=60e9|0.1m=6e9|0=0|0.000000001=1|0.0000000004=0|0.0000000005=1|"
	       "0.1234567890123456789999999999999999999=123456789|0.999999999999999999999=1e9|"
	       "9223372036.854775807=9223372036854775807");
	parses(TIME, -ERANGE, "9223372036.854775808|99999999999999999999s|18446744073709551615m");
	parses(TIME, -EINVAL,
	       "99999999999999999999h||.|5.|s|1.5.5|1,5|-1|+1| 1|1 s|1S|1min|1e3|0x1|nan");
}

/* All exact in binary. */
TEST(numbers)
{
	parses(NUMBER, 0, "0=0|12.5=12.5|.5=0.5|-2.25=-2.25|1e6=1e6|1E+6=1e6|25e-2=0.25|1e-999=0");
	parses(NUMBER, -ERANGE, "1e999|-1e999");
	parses(NUMBER, -EINVAL, "nan|inf|-inf|infinity|0x10|1,5||-|e|.|1e|+1| 1|1 |1-1|1%");
}

TEST(times_are_written_as_read)
{
	struct unit_texts times = {
		.rest = "0=0|1=0.000000001|10000000000=10|250000000=0.25|100000=0.0001|"
			"60000000001=60.000000001|9223372036854775807=9223372036.854775807"};

	while (unit_next(&times)) {
		const np_time time = strtoll(times.text, NULL, 10);
		np_time back;

		assert_string_equal(np_units_format_time(time).text, times.value);
		assert_int_equal(np_units_parse_time(times.value, 0, INT64_MAX, &back), 0);
		assert_true(back == time);
	}
	assert_string_equal(np_units_format_time(-250 * NP_MILLISECOND).text, "-0.25");
	assert_string_equal(np_units_format_time(INT64_MIN).text, "-9223372036.854775808");
}

TEST(latencies_have_three_digits)
{
	struct unit_texts cases = {
		.rest = "0=0 ns|7=7 ns|999=999 ns|1000=1.00 us|1005=1.01 us|9994=9.99 us|"
			"9995=10.0 us|85200=85.2 us|99949=99.9 us|99950=100 us|999499=999 us|"
			"999500=1.00 ms|3005000=3.01 ms|1000000000=1.00 s|999500000=1.00 s|"
			"60000000000=60.0 s|1234000000000=1234 s|-85200=-85.2 us|"
			"9223372036854775807=9223372037 s|-9223372036854775808=-9223372037 s"};

	while (unit_next(&cases))
		assert_string_equal(np_units_format_latency(strtoll(cases.text, NULL, 10)).text,
				    cases.value);
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

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(np_units_parse_rate(good[i].text, units, 0, 1e15, &rate), 0);
		assert_true(rate.per_s > good[i].per_s * 0.999999 &&
			    rate.per_s < good[i].per_s * 1.000001);
		assert_int_equal(rate.unit, good[i].unit);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
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

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(np_units_format_dscp(rows[i].dscp).text, rows[i].name);
}

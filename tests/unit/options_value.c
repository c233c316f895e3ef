// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_value: tests of every kind of value: default, range, error, and back to text. */
#include <stdint.h>

#include "options_run.h"
#include "support/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

TEST(test_rates_with_units)
{
	static const struct {
		char *text;
		double per_s;
		enum np_rate_unit unit;
	} cases[] = {
		{"--rate=100M", 100e6, NP_RATE_BITS},	  {"--rate=1.5Gbit/s", 1.5e9, NP_RATE_BITS},
		{"--rate=12.5MB", 12.5e6, NP_RATE_BYTES}, {"--rate=20kpps", 20e3, NP_RATE_PACKETS},
		{"--rate=7pps", 7, NP_RATE_PACKETS},	  {"--rate=9kB/s", 9e3, NP_RATE_BYTES},
	};
	static char *const bad[] = {"--rate=0",	  "--rate=100Mb", "--rate=5iops",  "--rate=5pps/s",
				    "--rate=-1",  "--rate=",	  "--rate=M",	   "--rate=1KiB",
				    "--rate=nan", "--rate=1 M",	  "--rate=1kkbit", "--rate=1.5.2",
				    "--rate=5/s", "--start=5",	  "--tx-rate=5",   "--rate=1e400"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run run;

		PARSE(&run, &lineage, cases[i].text);
		assert_int_equal(run.rc, 0);
		assert_true(run.values.rate.per_s == cases[i].per_s);
		assert_int_equal(run.values.rate.unit, cases[i].unit);
		done(&run);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct run run;

		PARSE(&run, &lineage, bad[i]);
		assert_int_equal(run.rc, -EINVAL);
		done(&run);
	}
}

TEST(test_errors_of_rates_and_former_names)
{
	struct run run;

	PARSE(&run, &gnu, "--rate=5iops");
	assert_string_equal(run.result.error,
			    "--rate '5iops': not valid; expected more than 0, with "
			    "k, M, G or T (1000): 20M (20Mbit) or 20MB or 20Mpps");
	done(&run);
	PARSE(&run, &gnu, "--tx-rate", "5");
	assert_string_equal(run.result.error, "--tx-rate: no longer an option; use --rate");
	done(&run);
	PARSE(&run, &lineage, "-R", "5");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.start == 5);
	done(&run);
}

TEST(test_defaults)
{
	struct run run;

	PARSE(&run, &gnu);
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.result.action, NP_OPTIONS_RUN);
	assert_int_equal(run.values.operation, OPERATION_WRITE);
	assert_int_equal(run.values.count, 25);
	assert_int_equal(run.values.size, 20480);
	assert_int_equal(run.values.seed, 0);
	assert_int_equal(run.values.duration, 10 * NP_SECOND);
	assert_true(run.values.ratio == 0);
	assert_false(run.values.jumbo);
	assert_null(run.values.json);
	assert_false(run.values.range.given);
	assert_int_equal(run.values.range.count, 0);
	assert_int_equal(run.values.peers.count, 0);
	assert_null(run.values.netif);
	assert_int_equal(run.result.operands_given, 0);
	for (size_t i = 0; i < gnu.count; i++)
		assert_false(np_options_given(&gnu, &run.result, table[i].name));
	assert_false(np_options_given(&gnu, &run.result, "no-such-option"));
	done(&run);
}

TEST(test_every_kind)
{
	struct run run;

	PARSE(&run, &gnu, "--operation=read", "--size=64k", "--seed=18446744073709551615",
	      "--duration=250ms", "--ratio=12.5", "--jumbo", "--text=a b", "--json=x.json");
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.values.operation, OPERATION_READ);
	assert_int_equal(run.values.size, 65536);
	assert_true(run.values.seed == UINT64_MAX);
	assert_int_equal(run.values.duration, 250 * NP_MILLISECOND);
	assert_true(run.values.ratio == 12.5);
	assert_true(run.values.jumbo);
	assert_string_equal(run.values.text, "a b");
	assert_string_equal(run.values.json, "x.json");
	done(&run);
}

TEST(test_errors)
{
	assert_error(&gnu, "--bogus: unknown option; 'sample-exercise --help' lists them",
		     "--bogus");
	assert_error(&gnu, "--bogus=1: unknown option; 'sample-exercise --help' lists them",
		     "--bogus=1");
	assert_error(&gnu, "--coun: unknown option; 'sample-exercise --help' lists them", "--coun",
		     "5");
	assert_error(&gnu, "--=5: unknown option; 'sample-exercise --help' lists them", "--=5");
	assert_error(&gnu, "-n: given twice", "--count=5", "-n5");
	assert_error(&gnu, "--json: given twice", "--json", "--json=x");
	assert_error(&lineage, "-packetCount: given twice", "--count=5", "-packetCount", "5");
	assert_error(&gnu, "--count: needs a value: N", "--count");
	assert_error(&gnu, "-n: needs a value: N", "-jn");
	assert_error(&gnu, "--jumbo: takes no value, 'yes' given", "--jumbo=yes");
	assert_error(&gnu, "--help: takes no value, '' given", "--help=");
	assert_error(&gnu, "-n '0': out of range; expected a whole number, 1 to 4096", "-n0");
	assert_error(&gnu, "-n 'x': not valid; expected a whole number, 1 to 4096", "-nx");
	assert_error(&gnu, "--count '': not valid; expected a whole number, 1 to 4096", "--count=");
	assert_error(&gnu, "--seed '0': out of range; expected a whole number, at least 1",
		     "--seed=0");
	assert_error(&gnu, "--size '2G': out of range; expected bytes, with k, M, G or T, 0 to 1G",
		     "--size=2G");
	assert_error(&gnu,
		     "--duration '5h': not valid; expected seconds, or with ns, us, ms, s or m",
		     "--duration=5h");
	assert_error(&gnu, "--ratio '101': out of range; expected a number, not negative, 0 to 100",
		     "--ratio=101");
	assert_error(&gnu, "--ratio '-1': out of range; expected a number, not negative, 0 to 100",
		     "--ratio", "-1");
	assert_error(&gnu, "--operation 'rea': not valid; expected read, write", "--operation=rea");
	/* One line, whatever was typed. */
	assert_error(&gnu, "--a?b?[1m: unknown option; 'sample-exercise --help' lists them",
		     "--a\nb\033[1m");
}

/* A default that does not parse is the programmer's error, found by the first run. */
TEST(test_bad_default)
{
	static const struct np_option rows[] = {
		{.name = "count",
		 .kind = NP_OPTION_COUNT,
		 .initial = "0",
		 .min = 1,
		 .max = 9,
		 AT(count),
		 .help = ""},
	};
	const struct np_options wrong = {
		.program = "b", .version = "1", .summary = "", .table = rows, .count = 1};

	assert_error(&wrong, "the option table: a default is not valid");
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: tests of both grammars. */
#include <stdint.h>

#include "options_run.h"
#include "support/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Two operands and no list behind them. */
static const struct np_options strict = {
	.program = "sample",
	.version = "1",
	.summary = "",
	.grammar = NP_GRAMMAR_GNU,
	.table = table,
	.count = sizeof(table) / sizeof(table[0]),
	.operands = operands,
	.operand_count = 2,
};

TEST(test_no_arguments_at_all)
{
	char *const empty[] = {NULL};
	struct run run;

	parse_in(&run, &gnu, empty);
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.values.count, 25);
	done(&run);
	np_options_result_free(NULL);
}

TEST(test_gnu_spellings)
{
	static const struct {
		char *const argv[4];
	} same[] = {
		{{"p", "-n5", NULL}},	      {{"p", "-n", "5", NULL}},
		{{"p", "--count=5", NULL}},   {{"p", "--count", "5", NULL}},
		{{"p", "--count=0x5", NULL}},
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		struct run run;

		parse_in(&run, &gnu, same[i].argv);
		assert_int_equal(run.rc, 0);
		assert_int_equal(run.values.count, 5);
		assert_true(np_options_given(&gnu, &run.result, "count"));
		assert_int_equal(run.result.operands_given, 0);
		done(&run);
	}
}

TEST(test_gnu_bundles)
{
	struct run run;

	PARSE(&run, &gnu, "-jvn7");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.jumbo);
	assert_true(run.values.verbose);
	assert_int_equal(run.values.count, 7);
	done(&run);

	PARSE(&run, &gnu, "-vjo", "read", "-s1M");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.jumbo);
	assert_int_equal(run.values.operation, OPERATION_READ);
	assert_int_equal(run.values.size, 1 << 20);
	done(&run);

	assert_error(&gnu, "-jx: unknown option; 'sample-exercise --help' lists them", "-jx");
	assert_error(&gnu, "-j: given twice", "-jj");
	assert_error(&gnu, "-n '=5': not valid; expected a whole number, 1 to 4096", "-n=5");
}

/* Flags that take each other back, as a lineage's roles. */
TEST(test_last_counts)
{
	static const struct np_option roles[] = {
		{.name = "jumbo", .lineage = "jumbo", AT(jumbo), .undoes = "verbose", .help = "a"},
		{.name = "verbose", .lineage = "more", AT(verbose), .undoes = "jumbo", .help = "b"},
	};
	static const struct np_options two = {
		.program = "p", .grammar = NP_GRAMMAR_LINEAGE, .table = roles, .count = 2};
	struct run run;

	PARSE(&run, &two, "-jumbo", "-more");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.verbose && !run.values.jumbo);
	assert_true(np_options_given(&two, &run.result, "verbose"));
	assert_false(np_options_given(&two, &run.result, "jumbo"));
	done(&run);
	PARSE(&run, &two, "-jumbo", "-jumbo", "-more", "--jumbo");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.jumbo && !run.values.verbose);
	done(&run);
}

TEST(test_bare)
{
	struct run run;

	PARSE(&run, &gnu, "--json", "eth0");
	assert_int_equal(run.rc, 0);
	assert_string_equal(run.values.json, "-");
	assert_string_equal(run.values.netif, "eth0");
	done(&run);

	PARSE(&run, &lineage, "-json", "eth0");
	assert_string_equal(run.values.json, "-");
	assert_string_equal(run.values.netif, "eth0");
	done(&run);

	PARSE(&run, &lineage, "-json:file");
	assert_string_equal(run.values.json, "file");
	done(&run);

	assert_error(&gnu, "--json '': not valid; expected FILE", "--json=");
}

TEST(test_operands)
{
	struct run run;

	PARSE(&run, &gnu, "eth0", "-n5", "4", "--jumbo", "a", "-o", "read", "b", "-");
	assert_int_equal(run.rc, 0);
	assert_string_equal(run.values.netif, "eth0");
	assert_int_equal(run.values.shelf, 4);
	assert_int_equal(run.values.files.count, 3);
	assert_string_equal(run.values.files.item[0], "a");
	assert_string_equal(run.values.files.item[1], "b");
	assert_string_equal(run.values.files.item[2], "-");
	assert_int_equal(run.result.operands_given, 5);
	assert_true(np_options_given(&gnu, &run.result, "NETIF"));
	assert_null(np_options_missing(&gnu, &run.result));
	done(&run);

	PARSE(&run, &gnu, "eth0");
	assert_int_equal(run.rc, 0);
	assert_string_equal(np_options_missing(&gnu, &run.result), "SHELF");
	done(&run);

	PARSE(&run, &gnu, "eth0", "4");
	assert_null(np_options_missing(&gnu, &run.result));
	assert_false(np_options_given(&gnu, &run.result, "FILE"));
	done(&run);

	assert_error(&strict, "x: one operand too many; 'sample --help' shows the usage", "eth0",
		     "4", "x");
	assert_error(&gnu, "SHELF '65535': out of range; expected a whole number, 0 to 65534",
		     "eth0", "65535");
	assert_error(&gnu, "SHELF 'four': not valid; expected a whole number, 0 to 65534", "eth0",
		     "four");
}

TEST(test_double_dash)
{
	struct run run;

	PARSE(&run, &gnu, "-n5", "--", "-n7", "4", "--", "--help");
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.result.action, NP_OPTIONS_RUN);
	assert_int_equal(run.values.count, 5);
	assert_string_equal(run.values.netif, "-n7");
	assert_int_equal(run.values.files.count, 2);
	assert_string_equal(run.values.files.item[0], "--");
	done(&run);

	/* Where a value is due, "--" is that value. */
	PARSE(&run, &gnu, "--text", "--", "-n5");
	assert_int_equal(run.rc, 0);
	assert_string_equal(run.values.text, "--");
	assert_int_equal(run.values.count, 5);
	done(&run);
}

TEST(test_lists)
{
	struct run run;

	PARSE(&run, &gnu, "-pa", "eth0", "--peer=b", "4", "f", "-p", "c", "g", "--peer", "d");
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.values.peers.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(run.values.peers.item[i][0], "abcd"[i]);
	assert_int_equal(run.values.files.count, 2);
	assert_string_equal(run.values.files.item[0], "f");
	assert_string_equal(run.values.files.item[1], "g");
	done(&run);
}

TEST(test_lineage_spellings)
{
	static const struct {
		char *const argv[4];
	} same[] = {
		{{"p", "-packetCount", "5", NULL}}, {{"p", "-packetCount:5", NULL}},
		{{"p", "-packetCount=5", NULL}},    {{"p", "--count", "5", NULL}},
		{{"p", "--count=5", NULL}},
	};
	struct run run;

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		parse_in(&run, &lineage, same[i].argv);
		assert_int_equal(run.rc, 0);
		assert_int_equal(run.values.count, 5);
		done(&run);
	}
	/* Only the first "=" or ":" ends the name. */
	PARSE(&run, &lineage, "-peer:10.0.0.1:7", "-peer=a=b", "--text=x:y=z", "-jumbo", "-h");
	assert_int_equal(run.rc, 0);
	assert_string_equal(run.values.peers.item[0], "10.0.0.1:7");
	assert_string_equal(run.values.peers.item[1], "a=b");
	assert_string_equal(run.values.text, "x:y=z");
	assert_true(run.values.jumbo);
	assert_int_equal(run.result.action, NP_OPTIONS_HELP);
	done(&run);
}

/* Letters stand alone there, and an old name goes before a letter. */
TEST(test_lineage_letters)
{
	struct run run;

	PARSE(&run, &lineage, "-v", "-n", "5", "-o=read", "-s:1k", "-d", "3");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.verbose);
	assert_int_equal(run.values.count, 5);
	assert_int_equal(run.values.operation, OPERATION_READ);
	assert_int_equal(run.values.size, 1024);
	assert_true(run.values.duration == 3 * NP_SECOND);
	done(&run);
	PARSE(&run, &lineage, "-V");
	assert_int_equal(run.result.action, NP_OPTIONS_VERSION);
	done(&run);
	assert_error(&lineage, "--verbose: given twice", "-v", "--verbose");
	assert_error(&lineage, "-vj: unknown option; 'sample-test --help' lists them", "-vj");
	assert_error(&lineage, "-n5: unknown option; 'sample-test --help' lists them", "-n5");
}

/* Errors name an option as it was typed. */
TEST(test_errors_as_typed)
{
	assert_error(&lineage,
		     "-packetCount '5000': out of range; expected a whole number, 1 to 4096",
		     "-packetCount", "5000");
	assert_error(&lineage, "--count '5000': out of range; expected a whole number, 1 to 4096",
		     "--count", "5000");
	assert_error(&lineage, "-n '5000': out of range; expected a whole number, 1 to 4096", "-n",
		     "5000");
	assert_error(&gnu, "-n '5000': out of range; expected a whole number, 1 to 4096",
		     "-jn5000");
	assert_error(&gnu, "--count '5000': out of range; expected a whole number, 1 to 4096",
		     "--count=5000");
}

TEST(test_lineage_names_are_exact)
{
	assert_error(&lineage, "--packetCount: unknown option; 'sample-test --help' lists them",
		     "--packetCount", "5");
	assert_error(&lineage, "-count: unknown option; 'sample-test --help' lists them", "-count");
	/* In the other grammar a bundle of letters. */
	assert_error(&gnu, "-jumbo: unknown option; 'sample-exercise --help' lists them", "-jumbo");
	assert_error(&lineage, "-jumbo: takes no value, 'yes' given", "-jumbo:yes");
	assert_error(&lineage, "-packetCount: needs a value: N", "-packetCount");
	assert_error(&lineage, "-packetCount: needs a value: N", "-packetCount", "-jumbo");
	assert_error(&lineage, "--text: needs a value: TEXT; if '-1' is it, type --text=-1",
		     "--text", "-1");
	assert_error(&lineage, "--text: needs a value: TEXT; if '-file' is it, type --text=-file",
		     "--text", "-file");
	assert_error(&lineage, "--text: needs a value: TEXT", "--text", "--jumbo");
	/* Only what would be taken is proposed. */
	assert_error(&lineage,
		     "-packetCount: needs a value: N; '-1' cannot be it, expected a whole number, "
		     "1 to 4096",
		     "-packetCount", "-1");
	assert_error(&lineage,
		     "-packetCount '5000': out of range; expected a whole number, 1 to 4096",
		     "-packetCount:5000");
}

TEST(test_words)
{
	struct run run;

	PARSE(&run, &lineage, "-range", "-jumbo");
	assert_int_equal(run.rc, 0);
	assert_true(run.values.range.given);
	assert_int_equal(run.values.range.count, 0);
	assert_true(run.values.jumbo);
	done(&run);

	PARSE(&run, &lineage, "-range", "10", "-jumbo");
	assert_int_equal(run.values.range.count, 1);
	assert_string_equal(run.values.range.word[0], "10");
	done(&run);

	PARSE(&run, &lineage, "-range:10", "20", "eth0");
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.values.range.count, 2);
	assert_string_equal(run.values.range.word[1], "20");
	assert_string_equal(run.values.netif, "eth0");
	done(&run);
}

/* A row that allows numbers below zero takes them as typed; nothing else that begins so. */
TEST(test_below_zero)
{
	static const struct np_option rows[] = {
		{.name = "rate",
		 .lineage = "rate",
		 .kind = NP_OPTION_TEXT,
		 .negative = true,
		 AT(text),
		 .help = ""},
		{.name = "jumbo", .lineage = "1", AT(jumbo), .help = ""},
	};
	const struct np_options below = {.program = "b",
					 .version = "1",
					 .summary = "",
					 .grammar = NP_GRAMMAR_LINEAGE,
					 .table = rows,
					 .count = 2};
	static const char *const texts[] = {"-1", "-.5", "-64k"};
	struct run run;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		PARSE(&run, &below, "-rate", (char *)(uintptr_t)texts[i], "-1");
		assert_int_equal(run.rc, 0);
		assert_string_equal(run.values.text, texts[i]);
		assert_string_equal(run.result.typed[0], texts[i]);
		assert_null(run.result.typed[1]);
		assert_true(run.values.jumbo);
		done(&run);
	}
	assert_error(&below, "-rate: needs a value: rate; '-x' cannot be it, expected rate",
		     "-rate", "-x");
	assert_error(&below, "-rate: needs a value: rate", "-rate");
}

/* Rows whose words have a lower end, and no upper end. */
TEST(test_word_bounds)
{
	static const struct np_option rows[] = {
		{.name = "pair",
		 .kind = NP_OPTION_WORDS,
		 .min = 2,
		 .max = 2,
		 AT(range),
		 .help = ""},
		{.name = "any", .kind = NP_OPTION_WORDS, AT(range), .help = ""},
	};
	const struct np_options words = {.program = "w",
					 .version = "1",
					 .summary = "",
					 .table = rows,
					 .count = 2,
					 .operands = operands,
					 .operand_count = 1};
	struct run run;

	assert_error(&words, "--pair: needs 2 words after it, 1 given", "--pair", "a");
	assert_error(&words, "--pair: needs 2 words after it, 1 given", "--pair=a");
	assert_error(&words, "--pair: needs 2 words after it, 1 given", "--pair", "a", "-5");
	assert_error(&words,
		     "--pair: needs 2 words after it, 0 given; if '-5' is it, type --pair=-5",
		     "--pair", "-5");
	PARSE(&run, &words, "--pair=a", "b", "c");
	assert_int_equal(run.rc, 0);
	assert_string_equal(run.values.range.word[1], "b");
	assert_string_equal(run.values.netif, "c");
	done(&run);
	PARSE(&run, &words, "--any", "a", "b", "c", "d", "e");
	assert_int_equal(run.rc, 0);
	assert_int_equal(run.values.range.count, NP_OPTION_WORDS_MAX);
	assert_string_equal(run.values.netif, "e");
	done(&run);
}

TEST(test_operand_left_out)
{
	struct np_option address = operands[0];
	const struct np_options one = {.program = "w",
				       .version = "1",
				       .summary = "",
				       .operands = &address,
				       .operand_count = 1};
	struct run run;

	address.bare = "";
	PARSE(&run, &one, "eth0");
	assert_int_equal(run.rc, 0);
	assert_string_equal(run.values.netif, "eth0");
	done(&run);
	parse_in(&run, &one, (char *const[]){"w", NULL});
	assert_int_equal(run.rc, 0);
	assert_null(np_options_missing(&one, &run.result));
	assert_null(run.values.netif);
	done(&run);
}

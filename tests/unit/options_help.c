// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_help: tests of the help that is made from the table; tests/cli has the completion, too.
 */

#include "options_run.h"
#include "support/unit.h"

#define assert_contains(text, words) assert_non_null(strstr(text, words))

static char *answer(const struct np_options *options, const char *asked)
{
	char *text = NULL;
	struct run run;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	PARSE(&run, options, asked);
	assert_int_equal(run.rc, 0);
	assert_int_equal(np_options_answer(&run.result, out), 0);
	fclose(out);
	done(&run);
	return text;
}

TEST(test_help)
{
	char *text = answer(&gnu, "--help");

	assert_contains(text, "Usage: sample-exercise [options] NETIF SHELF [FILE ...]\n"
			      "Is this a sample?\n");
	assert_contains(text, "  -n, --count N                 how many (default 25)\n");
	assert_contains(text, "      --json[=FILE]             JSON\n");
	assert_contains(text, "      --ratio X                 a share, in percent\n");
	assert_contains(text, "  -h, --help                    show this text and exit\n");
	assert_contains(
		text,
		"      --completion[=SHELL]      print a completion script for bash, zsh or fish");
	assert_contains(text, "\nOperands:\n  NETIF                         interface\n");
	free(text);

	text = answer(&lineage, "-h");
	assert_contains(text, "  -n, -packetCount, --count N   how many (default 25)\n");
	assert_contains(text, "  -v, --verbose                 more\n");
	assert_contains(text,
			"  -d, --duration TIME           how long, in seconds (default 10)\n");
	assert_contains(text, "  -V, --version                 show the version and exit\n");
	assert_contains(text, "  -h, --help                    show this text and exit\n");
	assert_contains(text, "  -range, --range [FROM [TO]]   optional words\n");
	assert_contains(text, "\nLoad:\n      --rate RATE               how fast\n"
			      "  -R KBPS                       as fast as formerly\n"
			      "\nOutput:\n  -h, --help");
	free(text);
}

/* A text that explains each choice is not followed by a list of them; a part of a word names none.
 */
TEST(test_choices_that_the_text_names)
{
	static const char *const choices[] = {"all", "some", NULL};
	const struct np_option rows[] = {
		{.name = "named",
		 .kind = NP_OPTION_CHOICE,
		 .argument = "WHAT",
		 .initial = "all",
		 .choices = choices,
		 .offset = offsetof(struct sample, operation),
		 .help = "everything (all), or some"},
		{.name = "unnamed",
		 .kind = NP_OPTION_CHOICE,
		 .argument = "WHAT",
		 .initial = "all",
		 .choices = choices,
		 .offset = offsetof(struct sample, operation),
		 .help = "small, or some"},
	};
	const struct np_options options = {
		.program = "p", .version = "1", .summary = "s", .table = rows, .count = 2};
	char *text = answer(&options, "--help");

	assert_contains(text, "everything (all), or some (default all)\n");
	assert_contains(text, "small, or some: all, some (default all)\n");
	free(text);
}

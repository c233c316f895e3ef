// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_read: a program's beginning: what it logs, what it answers, its help, its exit status. */
#include "options_run.h"
#include "page.h"
#include "support/unit.h"

#include <fcntl.h>

struct answers {
	bool verbose;
	bool quiet;
	bool usage;
};

#define ROW(row) .offset = offsetof(struct answers, row), .help = #row

static const struct np_option flags[] = {
	{.name = "quiet", .letter = 'q', ROW(quiet)},
	{.name = "verbose", .letter = 'v', ROW(verbose)},
	{.name = "usage", .letter = '?', ROW(usage), .action = NP_OPTIONS_HELP},
};
static const struct np_options few = {
	.program = "few-exercise",
	.version = "1.2.3",
	.summary = "Are there few?",
	.table = flags,
	.count = 3,
};

/* What one beginning did. */
struct beginning {
	struct answers values;
	struct np_log log;
	int status;
	char out[4096], err[512];
};

static void read_all(int fd, char *text, size_t room)
{
	ssize_t got = pread(fd, text, room - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	close(fd);
}

/* With @to in place of stdout. */
static void begin_to(struct beginning *b, int to, char *first, char *second)
{
	char *argv[] = {(char *)"few", first, second, NULL};
	struct np_options_result result;
	FILE *err = fmemopen(b->err, sizeof(b->err), "w");
	int kept = dup(STDOUT_FILENO);

	b->err[0] = '\0'; /* nothing written, nothing flushed */
	assert_non_null(err);
	assert_true(kept >= 0);
	b->log = (struct np_log){.program = "few-exercise", .stream = err};
	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	b->status =
		np_options_read(&few, !!first + !!second + 1, argv, &b->values, &result, &b->log);
	fflush(stdout);
	clearerr(stdout);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	fclose(err);
	np_options_result_free(&result);
}

static void begin(struct beginning *b, char *first, char *second)
{
	char name[] = "/tmp/options_read.XXXXXX";
	int to = mkstemp(name);

	assert_true(to >= 0);
	unlink(name);
	begin_to(b, to, first, second);
	read_all(to, b->out, sizeof(b->out));
}

TEST(a_run_goes_on_in_silence)
{
	struct beginning b;

	begin(&b, NULL, NULL);
	assert_int_equal(b.status, -1);
	assert_string_equal(b.out, "");
	assert_string_equal(b.err, "");
	assert_false(b.log.quiet);
	assert_false(b.log.verbose);
	begin(&b, "-q", NULL);
	assert_int_equal(b.status, -1);
	assert_true(b.log.quiet);
	assert_false(b.log.verbose);
	begin(&b, "--verbose", NULL);
	assert_false(b.log.quiet);
	assert_true(b.log.verbose);
}

TEST(what_is_wrong_is_logged)
{
	struct beginning b;

	begin(&b, "--nix", NULL);
	assert_int_equal(b.status, 2);
	assert_string_equal(b.out, "");
	assert_string_equal(b.err, "few-exercise: --nix: unknown option; 'few-exercise --help' "
				   "lists them\n");
	begin(&b, "-q", "-q");
	assert_int_equal(b.status, 2);
	assert_string_equal(b.err, "few-exercise: -q: given twice\n");
}

TEST(questions_are_answered)
{
	static char *const asking_help[] = {"--help", "-h", "--usage", "-?"};
	struct beginning b;

	for (unsigned i = 0; i < 4; i++) {
		begin(&b, asking_help[i], "-q");
		assert_int_equal(b.status, 0);
		assert_memory_equal(b.out, "Usage: few-exercise [options]\nAre there few?\n", 45);
		assert_string_equal(b.err, "");
	}
	begin(&b, "-V", "-?"); /* the first one counts */
	assert_int_equal(b.status, 0);
	assert_string_equal(b.out, "few-exercise 1.2.3\n");
	begin(&b, "-?", "-V");
	assert_memory_equal(b.out, "Usage: ", 7);
	begin(&b, "--completion", NULL);
	assert_memory_equal(b.out, "# bash completion", 17);
}

TEST(an_answer_that_is_not_written_is_a_failure)
{
	struct beginning b;
	int full = open("/dev/full", O_WRONLY);

	if (full < 0)
		skip();
	begin_to(&b, full, "--help", NULL);
	close(full);
	assert_int_equal(b.status, 2);
	assert_string_equal(b.err, "few-exercise: stdout: No space left on device\n");
}

TEST(every_row_can_be_read)
{
	char *argv[] = {(char *)"sample", "-n", "7", "eth0", "3", NULL};
	struct np_log log = {.program = "sample", .stream = stderr};
	struct np_options_result result;
	struct options values;

	assert_int_equal(np_options_read(&gnu, 5, argv, &values, &result, &log), -1);
	assert_int_equal(values.count, 7);
	assert_int_equal(values.shelf, 3);
	assert_true(np_options_given(&result, "NETIF"));
	np_options_result_free(&result);
	/* Whether that is wrong is for the program to say. */
	assert_int_equal(np_options_read(&gnu, 1, argv, &values, &result, &log), -1);
	assert_string_equal(np_options_missing(&result), "NETIF");
	np_options_result_free(&result);
}

/* The value as typed, else the default, else the option alone; the program's exit status. */
TEST(refusals_show_the_value)
{
	char *argv[] = {(char *)"sample", "-s64K", "--jumbo", NULL};
	struct page *page = page_open();
	struct np_log log = {.program = "sample", .stream = page->out};
	struct np_options_result result;
	struct options values;

	assert_int_equal(np_options_read(&gnu, 3, argv, &values, &result, &log), -1);
	assert_string_equal(np_options_typed(&result, "size"), "64K");
	assert_null(np_options_typed(&result, "count"));
	assert_null(np_options_typed(&result, "no-such-option"));
	assert_int_equal(np_options_refuse(&result, "size", "too %s", "large"), 2);
	assert_int_equal(np_options_refuse(&result, "count", "too few"), 2);
	assert_int_equal(np_options_refuse(&result, "jumbo", "no"), 2);
	page_expect(page, "sample: -s '64K': too large\n"
			  "sample: --count '25': too few\n"
			  "sample: --jumbo: no\n");
	np_options_result_free(&result);
}

static struct page *answer(const struct np_options *options, const char *asked)
{
	struct page *page = page_open();
	struct run run;

	PARSE(&run, options, asked);
	assert_int_equal(run.rc, 0);
	assert_int_equal(options_answer(&run.result, page->out), 0);
	done(&run);
	return page;
}

TEST(test_help)
{
	struct page *page = answer(&gnu, "--help");

	page_holds(page, "Usage: sample-exercise [options] NETIF SHELF [FILE ...]\n"
			 "Is this a sample?\n");
	page_holds(page, "  -n, --count N                 how many (default 25)\n");
	page_holds(page, "      --json[=FILE]             JSON\n");
	page_holds(page, "      --ratio X                 a share, in percent\n");
	page_holds(page, "  -h, --help                    show this text and exit\n");
	page_holds(
		page,
		"      --completion[=SHELL]      print a completion script for bash, zsh or fish");
	page_holds(page, "\nOperands:\n  NETIF                         interface\n");
	page_close(page);

	page = answer(&lineage, "-h");
	page_holds(page, "  -n, -packetCount, --count N   how many (default 25)\n");
	page_holds(page, "  -v, --verbose                 more\n");
	page_holds(page, "  -d, --duration TIME           how long, in seconds (default 10)\n");
	page_holds(page, "  -V, --version                 show the version and exit\n");
	page_holds(page, "  -h, --help                    show this text and exit\n");
	page_holds(page, "  -range, --range [FROM [TO]]   optional words\n");
	page_holds(page, "\nLoad:\n      --rate RATE               how fast\n"
			 "  -R KBPS                       as fast as formerly\n"
			 "\nOutput:\n  -h, --help");
	page_close(page);
}

/* A text that explains each choice is not followed by a list of them; a part of a word names none.
 */
TEST(test_choices_that_the_text_names)
{
	static const char *const choices[] = {"all", "some", NULL};
	const struct np_option rows[] = {
		NP_VALUE(MAIN, CHOICE, "named", NULL, "WHAT", operation,
			 "everything (all), or some", .initial = "all", .choices = choices),
		NP_VALUE(MAIN, CHOICE, "unnamed", NULL, "WHAT", operation, "small, or some",
			 .initial = "all", .choices = choices),
	};
	const struct np_options options = {
		.program = "p", .version = "1", .summary = "s", .table = rows, .count = 2};
	struct page *page = answer(&options, "--help");

	page_holds(page, "everything (all), or some (default all)\n");
	page_holds(page, "small, or some: all, some (default all)\n");
	page_close(page);
}

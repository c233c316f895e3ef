// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: tests of where records go, what they look like there, and of writes that fail. */

#include "page.h"
#include "report_log.h"
#include "report_place.h"
#include "support/unit.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <netperf/interval.h>
#include <netperf/report.h>
#include <regex.h>
#include <signal.h>
#include <sys/wait.h>

/* Each moment of the wall clock, with its nanoseconds, becomes T. */
static void hide_times(char *text)
{
	regmatch_t at;
	regex_t moment;

	assert_int_equal(regcomp(&moment, "20[0-9-]{8}T[0-9:]{8}\\.[0-9]{9}Z", REG_EXTENDED), 0);
	while (!regexec(&moment, text, 1, &at, 0)) {
		text[at.rm_so] = 'T';
		memmove(text + at.rm_so + 1, text + at.rm_eo, strlen(text + at.rm_eo) + 1);
	}
	regfree(&moment);
}

/* What is in the file but for its times; "" when there is none. free() it. */
static char *content(const char *path)
{
	char *text = calloc(1, 4096);
	FILE *file = fopen(path, "r");

	assert_non_null(text);
	if (file) {
		assert_true(fread(text, 1, 4095, file) < 4095);
		fclose(file);
	}
	hide_times(text);
	return text;
}

/* A * in @words is any text. */
#define assert_content(path, words)                                                                \
	do {                                                                                       \
		char *found = content(path);                                                       \
		if (fnmatch(words, found, 0))                                                      \
			assert_string_equal(found, words);                                         \
		free(found);                                                                       \
	} while (0)

/* A run of the smallest program: some text, an interval, a summary. Returns the exit status. */
static int small_run(const struct np_report_options *options)
{
	struct np_report *report;
	struct np_record *record;
	int rc = np_report_begin(&report, options, report_log());

	if (rc)
		return rc;
	if (np_report_text(report))
		fputs("text\n", np_report_text(report));
	record = np_record_new("interval");
	np_record_interval(record, 0, 7, NULL, "packets");
	np_report_write(report, record);
	np_report_write(report, np_record_new("summary"));
	return np_report_end(report, 0, report_log());
}

/* A process whose stdout may become something else: 0 within it. */
static pid_t process_of_its_own(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	return pid;
}

static int exit_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The same with stdout at @path, in a process of its own. */
static int small_run_to(const char *path, const struct np_report_options *options)
{
	const pid_t pid = process_of_its_own();

	if (!pid) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		dup2(fd, STDOUT_FILENO);
		_exit(small_run(options));
	}
	return exit_status(pid);
}

#define JSON_LINES                                                                                 \
	"{\"type\":\"interval\",\"time\":\"T\",\"from_ns\":0,\"to_ns\":7}\n"                       \
	"{\"type\":\"summary\",\"time\":\"T\",\"exit_status\":0}\n"
/* net/csv-rows has all columns, by netperf-json(5). */
#define CSV_HEADING "time,from_ns,to_ns,flow,sent_packets,*,bytes,rate_bytes_per_s,p50_ns,p99_ns*\n"
#define CSV_LINES   CSV_HEADING "T,0,7,,,*,\n"

PLACE_TEST(test_where_it_goes)
{
	const struct {
		struct np_report_options options;
		const char *out, *json, *csv;
	} rows[] = {
		{{0}, "text\n", "", ""},
		{{.json = "-"}, JSON_LINES, "", ""},
		{{.json = place->json, .csv = "-"}, CSV_LINES, JSON_LINES, ""},
		{{.json = place->json, .csv = place->csv}, "text\n", JSON_LINES, CSV_LINES},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unlink(place->json);
		assert_int_equal(small_run_to(place->out, &rows[i].options), 0);
		assert_content(place->out, rows[i].out);
		assert_content(place->json, rows[i].json);
		assert_content(place->csv, rows[i].csv);
	}
}

/* How a program writes its text: at once or in pieces, less or more than stdio holds. */
static int text_run(size_t bytes, bool pieces)
{
	struct np_report *report;
	int rc = np_report_begin(&report, &(struct np_report_options){0}, report_log());

	if (rc)
		return rc;
	for (size_t i = 0; i < bytes; i++) {
		fputc('x', np_report_text(report));
		if (pieces)
			fflush(np_report_text(report));
	}
	fprintf(np_report_text(report), "%*s\n", (int)bytes, "end");
	fflush(np_report_text(report));
	return np_report_end(report, 0, report_log());
}

/* A record larger than what stdio holds. */
static int record_run(const struct np_report_options *options)
{
	char text[20000];
	struct np_report *report;
	struct np_record *record;
	int rc = np_report_begin(&report, options, report_log());

	if (rc)
		return rc;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (unsigned i = 0; i < 2; i++) {
		record = np_record_new("interval");
		np_record_interval(record, 0, 0, text, "packets");
		np_record_text(record, "name", text);
		np_report_write(report, record);
	}
	return np_report_end(report, 0, report_log());
}

/* Whether a run failed for that reason. */
static bool failed(int status, const char *why)
{
	return status == 1 && !strcmp(report_log()->reason->text, why);
}

/* Stdout becomes what @to is; a run of each kind has to fail then, for the reason @why. */
static void all_fail(int to, const char *why)
{
	const struct np_report_options json = {.json = "-"}, csv = {.csv = "-"};
	const pid_t pid = process_of_its_own();

	if (!pid) {
		signal(SIGPIPE, SIG_IGN);
		dup2(to, STDOUT_FILENO);
		_exit(!failed(text_run(1, false), why)	     ? 1
		      : !failed(text_run(1, true), why)	     ? 2
		      : !failed(text_run(20000, false), why) ? 3
		      : !failed(text_run(20000, true), why)  ? 4
		      : !failed(small_run(&json), why)	     ? 5
		      : !failed(record_run(&json), why)	     ? 6
		      : !failed(record_run(&csv), why)	     ? 7
							     : 0);
	}
	assert_int_equal(exit_status(pid), 0);
}

/* The reason is told that the first write had, however the text went. */
PLACE_TEST(test_reader_gone)
{
	int pipe_fds[2];

	assert_int_equal(pipe(pipe_fds), 0);
	close(pipe_fds[0]);
	all_fail(pipe_fds[1], "stdout: Broken pipe");
	close(pipe_fds[1]);
}

PLACE_TEST(test_full_disk_at_any_write)
{
	const struct np_report_options json = {.json = "/dev/full"}, csv = {.csv = "/dev/full"};
	int full = open("/dev/full", O_WRONLY);

	if (full < 0)
		skip();
	all_fail(full, "stdout: No space left on device");
	close(full);
	assert_true(failed(record_run(&json), "/dev/full: No space left on device"));
	assert_true(failed(record_run(&csv), "/dev/full: No space left on device"));
}

PLACE_TEST(test_csv_columns)
{
	struct np_report *report;
	struct np_record *record;

	assert_int_equal(np_report_begin(&report, &(struct np_report_options){.csv = place->csv},
					 report_log()),
			 0);
	np_report_write(report, np_record_new("start"));
	/* A late packet takes back a loss; what is not known leaves its field empty. */
	record = np_record_new("interval");
	np_record_interval(record, 5, 9, "a,\"b\"", "packets");
	np_record_count(record, "sent_packets", 3);
	np_record_count(record, "received_packets", 4);
	np_record_time(record, "lost_packets", -1);
	np_record_count(record, "bytes", 2000);
	np_record_number(record, "rate_bytes_per_s", 0.5);
	np_record_time(np_record_object(record, "rtt_ns"), "p50", 7);
	np_record_count(record, "errors_sectors", 2);
	assert_int_equal(np_report_write(report, record), 0);
	record = np_record_new("interval");
	np_record_interval(record, 0, 0, "line\r\nend", "packets");
	np_record_number(record, "rate_bytes_per_s", NAN);
	assert_int_equal(np_report_write(report, record), 0);
	assert_int_equal(np_report_write(report, np_record_new("summary")), 0);
	assert_int_equal(np_report_end(report, 0, report_log()), 0);
	assert_content(place->csv, CSV_HEADING "T,5,9,\"a,\"\"b\"\"\",3,4,-1,*,2,2000,0.5,7,*\n"
					       "T,0,0,\"line\r\nend\",,,*,\n");
}

/* By one name; cli/error-record has both at stdout. */
TEST(two_outputs_of_one_name_are_refused)
{
	const struct np_report_options one = {.json = "x", .csv = "x"};
	struct page *page = page_open();
	const struct np_log log = {.program = "p", .stream = page->out};
	struct np_report *report;

	assert_int_equal(np_report_begin(&report, &one, &log), 2);
	assert_null(report);
	page_expect(page, "p: --json and --csv: cannot both go to stdout or to one file; "
			  "name another file\n");
}

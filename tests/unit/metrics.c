// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of metrics: what rows add up to, labels, many flows, and when the file is replaced. */
#include "report_log.h"
#include "support/unit.h"

#include <netperf/interval.h>
#include <netperf/report.h>
#include <sys/stat.h>

static const struct np_options options = {.program = "a-test", .version = "1"};

static struct scene {
	char directory[32], path[64];
	struct np_report *report;
	char text[65536];
} scene;

static int begin(void **state)
{
	const struct np_report_options asked = {.metrics = scene.path,
						.interval = 50 * NP_MILLISECOND};

	(void)state;
	snprintf(scene.directory, sizeof(scene.directory), "/tmp/metrics-XXXXXX");
	assert_non_null(mkdtemp(scene.directory));
	snprintf(scene.path, sizeof(scene.path), "%s/m.prom", scene.directory);
	assert_int_equal(np_report_begin(&scene.report, &asked, report_log()), 0);
	assert_true(np_report_wants_rest(scene.report));
	assert_int_equal(np_report_write(scene.report, np_record_start(&options, NULL)), 0);
	return 0;
}

static void write_row(const char *flow, uint64_t received, int64_t lost)
{
	struct np_record *r = np_record_new("interval"), *delay;

	np_record_interval(r, 0, 0, flow, "packets");
	np_record_count(r, "received_packets", received);
	np_record_time(r, "lost_packets", lost);
	np_record_count(r, "bytes", 100 * received);
	np_record_number(r, "rate_bytes_per_s", 2.5);
	delay = np_record_object(r, "delay_ns");
	np_record_time(delay, "p50", 1500);
	np_record_time(delay, "p99", 1000000000);
	assert_int_equal(np_report_write(scene.report, r), 0);
}

/* The file has that line; its text stays. */
static void expect_line(const char *wanted)
{
	char line[256];
	FILE *file = fopen(scene.path, "r");

	assert_non_null(file);
	scene.text[fread(scene.text, 1, sizeof(scene.text) - 1, file)] = '\0';
	fclose(file);
	snprintf(line, sizeof(line), "\n%s\n", wanted);
	if (!strstr(scene.text, line))
		fail_msg("no line %s in %s", wanted, scene.text);
}

static void end(void)
{
	assert_int_equal(np_report_end(scene.report, 0, report_log()), 0);
	expect_line("a_test_running 0");
	unlink(scene.path);
	assert_int_equal(rmdir(scene.directory), 0);
}

TEST_WITH(begin, NULL, rows_add_up)
{
	expect_line("a_test_running 1");
	write_row("a \"b\" \\", 10, 3);
	/* A late one takes back a loss. */
	write_row("a \"b\" \\", 5, -1);
	expect_line("a_test_running 1");
	assert_null(strstr(scene.text, "received"));
	np_report_metrics(scene.report);
	expect_line("# TYPE a_test_received_packets_total counter");
	expect_line("a_test_received_packets_total{flow=\"a \\\"b\\\" \\\\\"} 15");
	expect_line("# TYPE a_test_lost_packets gauge");
	expect_line("a_test_lost_packets{flow=\"a \\\"b\\\" \\\\\"} 2");
	expect_line("a_test_bytes_total{flow=\"a \\\"b\\\" \\\\\"} 1500");
	assert_null(strstr(scene.text, "sent_packets"));
	end();
}

TEST_WITH(begin, NULL, what_is_of_the_last_interval_goes_with_it)
{
	write_row("a", 10, 0);
	write_row("b", 10, 0);
	np_report_metrics(scene.report);
	expect_line("a_test_rate_bytes_per_second{flow=\"a\"} 2.5");
	expect_line("a_test_delay_seconds{flow=\"a\",percentile=\"50\"} 1.5e-06");
	expect_line("a_test_delay_seconds{flow=\"b\",percentile=\"99\"} 1");
	write_row("b", 10, 0);
	np_report_metrics(scene.report);
	expect_line("a_test_rate_bytes_per_second{flow=\"b\"} 2.5");
	assert_null(strstr(scene.text, "second{flow=\"a\""));
	end();
	assert_null(strstr(scene.text, "second{"));
}

static void write_rows(int from, int to)
{
	char flow[16];

	for (int i = from; i < to; i++) {
		snprintf(flow, sizeof(flow), "%d", i);
		write_row(flow, 10, 0);
	}
}

TEST_WITH(begin, NULL, of_many_flows_the_first_have_names)
{
	for (int i = 1; i <= 3; i++) {
		write_rows(0, 66);
		np_report_metrics(scene.report);
	}
	expect_line("a_test_received_packets_total{flow=\"0\"} 30");
	expect_line("a_test_received_packets_total{flow=\"63\"} 30");
	expect_line("a_test_received_packets_total{flow=\"other\"} 60");
	expect_line("a_test_bytes_total{flow=\"other\"} 6000");
	assert_null(strstr(scene.text, "flow=\"64\""));
	end();
}

TEST_WITH(begin, NULL, a_flow_that_is_over_gives_its_name_to_another)
{
	write_rows(0, 64);
	/* More than ten intervals. */
	np_clock_sleep_until(np_clock_now() + 600 * NP_MILLISECOND);
	write_rows(1, 64);
	np_report_metrics(scene.report);
	write_rows(64, 66);
	np_report_metrics(scene.report);
	expect_line("a_test_received_packets_total{flow=\"64\"} 10");
	expect_line("a_test_received_packets_total{flow=\"1\"} 20");
	/* What has gone, and what has no place. */
	expect_line("a_test_received_packets_total{flow=\"other\"} 20");
	assert_null(strstr(scene.text, "flow=\"0\""));
	end();
}

static void expect_refused(const struct np_report_options *asked, const char *why)
{
	struct np_report *other;
	char text[160];

	assert_int_equal(np_report_begin(&other, asked, report_log()), 2);
	assert_null(other);
	snprintf(text, sizeof(text), "%s: %s", asked->json ? asked->json : asked->metrics, why);
	assert_string_equal(report_log()->reason->text, text);
}

TEST_WITH(begin, NULL, others_write_no_such_file)
{
	char path[80];
	expect_refused(&(struct np_report_options){.json = scene.path},
		       "is being written by another output");
	write_row("a", 1, 0);
	np_report_metrics(scene.report);
	/* It is another file by now. */
	expect_refused(&(struct np_report_options){.metrics = scene.path},
		       "is being written by another output");
	snprintf(path, sizeof(path), "%s/fifo", scene.directory);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_refused(&(struct np_report_options){.metrics = path},
		       "is no regular file, and no other one can be replaced");
	unlink(path);
	end();
}

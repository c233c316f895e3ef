// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of usage: work shows, sleep does not, and the record has the documented names. */
#include "support/unit.h"

#include <jansson.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

TEST(work_shows)
{
	struct np_usage begin = np_usage_now();
	struct np_usage used;
	np_time deadline = np_clock_now() + 5 * NP_SECOND;

	do {
		used = np_usage_since(&begin);
	} while (used.user + used.system < 20 * NP_MILLISECOND && np_clock_now() < deadline);
	assert_true(used.user >= 0);
	assert_true(used.system >= 0);
	assert_true(used.user + used.system >= 20 * NP_MILLISECOND);
	assert_true(used.user + used.system < 60 * NP_MILLISECOND);
}

TEST(sleep_is_a_voluntary_switch)
{
	struct np_usage begin = np_usage_now();
	struct np_usage used;

	for (int i = 0; i < 5; i++)
		np_clock_sleep_until(np_clock_now() + 2 * NP_MILLISECOND);
	used = np_usage_since(&begin);
	assert_true(used.voluntary_switches >= 5);
	assert_true(used.user + used.system < 10 * NP_MILLISECOND);
}

TEST(a_share_needs_time)
{
	const struct np_usage usage = {.user = 2 * NP_SECOND, .system = NP_SECOND};

	assert_true(np_usage_share(&usage, 2 * NP_SECOND) == 1.5);
	assert_true(np_usage_share(&usage, NP_MILLISECOND) < 0);
	assert_true(np_usage_share(&usage, 0) < 0);
}

TEST(the_record_has_its_names)
{
	const struct np_usage usage = {.user = 1,
				       .system = 2000000000,
				       .voluntary_switches = 3,
				       .involuntary_switches = 1ULL << 40};
	char path[] = "/tmp/netperf-test.XXXXXX";
	const struct np_report_options options = {.json = path};
	struct np_record *record = np_record_new("summary");
	struct np_report *report;
	long long user, system, voluntary, involuntary;
	int fd = mkstemp(path);
	json_t *line;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(np_report_open(&report, &options, NULL), 0);
	np_record_usage(record, &usage);
	assert_int_equal(np_report_write(report, record), 0);
	assert_int_equal(np_report_close(report), 0);
	line = json_load_file(path, 0, NULL);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(json_unpack(line, "{s:{s:I,s:I}, s:{s:I,s:I}}", "cpu", "user_ns", &user,
				     "system_ns", &system, "context_switches", "voluntary",
				     &voluntary, "involuntary", &involuntary),
			 0);
	assert_int_equal(user, 1);
	assert_int_equal(system, 2000000000);
	assert_int_equal(voluntary, 3);
	assert_int_equal(involuntary, 1LL << 40);
	json_decref(line);
}

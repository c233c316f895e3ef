// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of usage: work shows, sleep does not, and the record has the documented names. */
#include "src/lib/base/record.h"
#include "support/unit.h"

#include <netperf/process.h>

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
	struct np_record *record = np_record_new("summary");
	long long user, system, voluntary, involuntary;

	np_record_usage(record, &usage);
	assert_int_equal(json_unpack(record->json, "{s:{s:I,s:I}, s:{s:I,s:I}}", "cpu", "user_ns",
				     &user, "system_ns", &system, "context_switches", "voluntary",
				     &voluntary, "involuntary", &involuntary),
			 0);
	assert_true(user == 1 && system == 2000000000);
	assert_true(voluntary == 3 && involuntary == 1LL << 40);
	np_record_free(record);
}

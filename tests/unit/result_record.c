// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* result_record: tests of bad sectors and histograms as members of a result. */

#include "record_written.h"
#include "support/unit.h"

#include <netperf/histogram.h>
#include <netperf/pattern.h>

TEST(a_clean_run_has_noughts_and_no_list)
{
	const struct np_damage damage = {0};
	struct np_record *record = np_record_new("summary");

	np_record_damage(record, &damage);
	expect_record(record,
		      "{'type':'summary','errors_sectors':0,'errors':{'zero':0,'misplaced':0,"
		      "'stale':0,'flipped':0,'torn':0,'foreign':0}}");
}

TEST(damage_is_counted_and_listed)
{
	const struct np_damage damage = {
		.total = 3,
		.sectors = {[NP_PATTERN_MISPLACED] = 2, [NP_PATTERN_TORN] = 1},
		.run = {{102, 2, 7000, NP_PATTERN_MISPLACED}, {9, 1, 9, NP_PATTERN_TORN}},
		.runs = 2,
	};
	struct np_record *record = np_record_new("summary");

	np_record_damage(record, &damage);
	expect_record(record,
		      "{'type':'summary','errors_sectors':3,'errors':{'zero':0,'misplaced':2,"
		      "'stale':0,'flipped':0,'torn':1,'foreign':0},'damage':["
		      "{'lba':102,'sectors':2,'class':'misplaced','found':7000},"
		      "{'lba':9,'sectors':1,'class':'torn','found':9}]}");
}

TEST(a_full_list_says_what_is_missing)
{
	const struct np_damage damage = {.total = 2, .runs_unlisted = 2};
	struct np_record *record = np_record_new("summary");

	np_record_damage(record, &damage);
	expect_record(record,
		      "{'type':'summary','errors_sectors':2,'errors':{'zero':0,'misplaced':0,"
		      "'stale':0,'flipped':0,'torn':0,'foreign':0},'damage_unlisted':2}");
}

TEST(a_histogram_is_an_object_unless_empty)
{
	struct np_record *record = np_record_new("summary");
	struct np_histogram *histogram;

	assert_int_equal(np_histogram_create(&histogram), 0);
	np_record_histogram(record, "none_ns", histogram, true);
	for (int64_t value = 1; value <= 1000; value++)
		np_histogram_add(histogram, value);
	np_record_histogram(record, "rtt_ns", histogram, false);
	np_histogram_free(histogram);
	expect_record(record,
		      "{'type':'summary','rtt_ns':{'min':1,'mean':500.5,'p50':500,'p90':900,"
		      "'p99':990,'p999':999,'max':1000,'count':1000}}");
}

TEST(buckets_count_all_values)
{
	struct np_record *record = np_record_new("summary");
	struct np_histogram *histogram;

	assert_int_equal(np_histogram_create(&histogram), 0);
	np_histogram_add(histogram, 63);
	for (int i = 0; i < 3; i++)
		np_histogram_add(histogram, 64);
	np_histogram_add(histogram, 127);
	/* From 2048 on 128 wide, from 2^20 on 2^16. */
	np_histogram_add(histogram, 2047);
	np_histogram_add(histogram, 2048 + 127);
	np_histogram_add(histogram, 2048 + 128);
	np_histogram_add(histogram, (1 << 20) + (1 << 16) - 1);
	np_histogram_add(histogram, (1 << 20) + (1 << 16));
	np_record_histogram(record, "rtt_ns", histogram, true);
	np_histogram_free(histogram);
	expect_record(
		record,
		"{'type':'summary','rtt_ns':{'min':63,'mean':223500.3,'p50':127,'p90':1114111,"
		"'p99':1114112,'p999':1114112,'max':1114112,'count':10,'buckets':["
		"{'from_ns':0,'count':1},{'from_ns':64,'count':4},{'from_ns':1984,'count':1},"
		"{'from_ns':2048,'count':1},{'from_ns':2176,'count':1},"
		"{'from_ns':1048576,'count':1},{'from_ns':1114112,'count':1}]}}");
}

/* Of another origin than a histogram: whole numbers, below 0, too. */
TEST(so_are_figures)
{
	const struct np_histogram_figures none = {.min = 5}, some = {8, -3, -1, 0, 1, 2, 3, 4};
	struct np_record *record = np_record_new("summary");

	np_record_figures(record, "none_ns", &none);
	np_record_figures(record, "delay_ns", &some);
	expect_record(record, "{'type':'summary','delay_ns':{'min':-3,'mean':-1,'p50':0,'p90':1,"
			      "'p99':2,'p999':3,'max':4,'count':8}}");
}

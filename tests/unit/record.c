// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: what stands in a record: of a run's start, of flows, bad sectors and histograms. */
#include "options_run.h"
#include "record_written.h"
#include "support/unit.h"

#include <math.h>
#include <netperf/flow.h>
#include <netperf/histogram.h>
#include <netperf/pattern.h>

TEST(test_members)
{
	struct np_record *record = np_record_new("summary");

	np_record_count(record, "zero", 0);
	np_record_count(record, "largest", (UINT64_C(1) << 53) - 1);
	np_record_count(record, "beyond", UINT64_C(1) << 53);
	np_record_time(record, "least", -(INT64_C(1) << 53) + 1);
	np_record_time(record, "below_ns", INT64_MIN);
	np_record_count(record, "larger", UINT64_MAX);
	np_record_time(record, "back_ns", -5);
	np_record_number(record, "third", 1.0 / 3);
	np_record_number(record, "nan", NAN);
	np_record_number(record, "infinite", -INFINITY);
	np_record_number(np_record_object(record, "object"), "nan", NAN);
	np_record_number(np_record_append(record, "list"), "nan", NAN);
	np_record_text(record, "text", "a\"b\n");
	np_record_text(record, "unicode", "\xc3\xa9");
	np_record_text(record, "latin1", "a\xe9z");
	np_record_text(record, "none", NULL);
	np_record_flag(record, "yes", true);
	/* What a double cannot hold is text; fifteen digits: 0.1 comes out as it was typed. */
	expect_record(record, "{'type':'summary','zero':0,'largest':9007199254740991,"
			      "'beyond':'9007199254740992','least':-9007199254740991,"
			      "'below_ns':'-9223372036854775808','larger':'18446744073709551615',"
			      "'back_ns':-5,'third':0.333333333333333,'object':{},'list':[{}],"
			      "'text':'a\\'b\\n','unicode':'\xc3\xa9','latin1':'a?z','yes':true}");
}

TEST(test_nesting)
{
	struct np_record *record = np_record_new("summary"), *child;

	child = np_record_object(record, "cpu");
	np_record_count(np_record_object(child, "deep"), "n", 1);
	np_record_count(child, "user_ns", 2);
	/* The same object again, when two writers share it. */
	np_record_count(np_record_object(record, "cpu"), "system_ns", 3);
	np_record_count(child, "late", 4);
	for (unsigned i = 0; i < 3; i++)
		np_record_count(np_record_append(record, "runs"), "lba", i);
	expect_record(record, "{'type':'summary','cpu':{'deep':{'n':1},'user_ns':2,'system_ns':3,"
			      "'late':4},'runs':[{'lba':0},{'lba':1},{'lba':2}]}");
}

/* What runs out of memory is told once, when the record is written. */
PLACE_TEST(test_no_record)
{
	struct np_report *report;

	np_record_count(NULL, "n", 1);
	np_record_number(NULL, "n", 1);
	np_record_text(NULL, "n", "x");
	np_record_flag(NULL, "n", true);
	assert_null(np_record_object(NULL, "n"));
	assert_null(np_record_append(NULL, "n"));
	np_record_free(NULL);
	np_record_free(np_record_new("summary"));
	assert_int_equal(np_report_begin(&report, &(struct np_report_options){.json = place->json},
					 report_log()),
			 0);
	assert_int_equal(np_report_write(report, NULL), -ENOMEM);
	assert_int_equal(np_report_end(report, 0, report_log()), 1);
	assert_string_equal(report_log()->reason->text, "stdout: Cannot allocate memory");
}

TEST(test_start)
{
	struct np_record *record;
	struct run run;

	PARSE(&run, &gnu,
	      "eth0 4 f g\xff --peer 10.0.0.1 --duration=250ms --range a --jumbo "
	      "--seed=18446744073709551615 --text=\xffxy");
	assert_int_equal(run.rc, 0);
	record = np_record_start(&gnu, &run.values);
	done(&run);
	/* Every row but the text and the rate that were not given. */
	expect_record(record,
		      "{'type':'start','schema':1,'program':'sample-exercise','version':'1.2.3',"
		      "'options':{'operation':'write','count':25,'size_bytes':20480,"
		      "'seed':'18446744073709551615','duration_ns':250000000,'ratio':0.0,"
		      "'start':0.0,'jumbo':true,'verbose':false,'text':'?xy','range':['a'],"
		      "'peer':['10.0.0.1']},"
		      "'operands':{'NETIF':'eth0','SHELF':4,'FILE':['f','g?']}}");
}

/* Damage is counted and listed; a clean run has no list, and a full one says what is missing. */
TEST(damage)
{
	static const struct {
		struct np_damage damage;
		const char *record;
	} rows[] = {
		{{0},
		 "{'type':'summary','errors_sectors':0,'errors':{'zero':0,'misplaced':0,'stale':0,"
		 "'flipped':0,'torn':0,'foreign':0}}"},
		{{.total = 3,
		  .sectors = {[NP_PATTERN_MISPLACED] = 2, [NP_PATTERN_TORN] = 1},
		  .run = {{102, 2, 7000, NP_PATTERN_MISPLACED}, {9, 1, 9, NP_PATTERN_TORN}},
		  .runs = 2},
		 "{'type':'summary','errors_sectors':3,'errors':{'zero':0,'misplaced':2,'stale':0,"
		 "'flipped':0,'torn':1,'foreign':0},'damage':["
		 "{'lba':102,'sectors':2,'class':'misplaced','found':7000},"
		 "{'lba':9,'sectors':1,'class':'torn','found':9}]}"},
		{{.total = 2, .runs_unlisted = 2},
		 "{'type':'summary','errors_sectors':2,'errors':{'zero':0,'misplaced':0,'stale':0,"
		 "'flipped':0,'torn':0,'foreign':0},'damage_unlisted':2}"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct np_record *record = np_record_new("summary");

		np_record_damage(record, &rows[i].damage);
		expect_record(record, rows[i].record);
	}
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

static const struct np_flow_counts counts = {
	.flows = 1,
	.sent = 10,
	.sent_known = true,
	.received = 8,
	.lost = UINT64_MAX, /* one was taken back */
	.duplicates = 2,
	.reordered = 3,
	.late = 4,
	.stray = 5,
	.damaged = 6,
	.unsent = 7,
	.missed_before = 9,
	.bytes = 800,
	.head_bytes = 200,
	.elapsed = NP_SECOND / 2,
	.order = {11, 12, 13, 14, 15, 16, true},
};

#define COUNTS                                                                                     \
	"{'type':'summary','sent_packets':10,'received_packets':8,'lost_packets':-1,"              \
	"'duplicates_packets':2,'reordered_packets':3,'late_packets':4,'stray_packets':5,"
#define RATES                                                                                      \
	"'bytes':800,'elapsed_ns':500000000,'rate_bytes_per_s':1200.0,'rate_packets_per_s':12.0}"

TEST(what_each_kind_has)
{
	static const struct {
		unsigned what;
		const char *record;
	} rows[] = {
		{0, COUNTS RATES},
		{NP_FLOW_DAMAGE, COUNTS "'damaged_packets':6,'unsent_packets':7," RATES},
		{NP_FLOW_ORDER,
		 COUNTS "'offset_sum_packets':11,'extent_sum_packets':15,'extent_max_packets':16,"
			"'gaps':12,'gaps_packets':13,'gaps_ns':14," RATES},
		{NP_FLOW_WHOLE, COUNTS "'missed_before_packets':9,'end_known':true," RATES},
		/* Where no clock is shared there are no rates. */
		{NP_FLOW_SUMS, COUNTS "'bytes':800}"},
		/* Whether there were more is not known without numbers. */
		{NP_FLOW_BARE, "{'type':'summary','received_packets':8," RATES},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct np_record *record = np_record_new("summary");

		np_record_flow(record, "packets", &counts, rows[i].what);
		expect_record(record, rows[i].record);
	}
}

TEST(rates)
{
	static const struct {
		uint64_t messages;
		np_time elapsed;
		double share;
		const char *rates; /* behind the time */
	} rows[] = {
		{10, NP_SECOND, 1, ",'rate_bytes_per_s':1000.0,'rate_messages_per_s':10.0"},
		{10, NP_SECOND, 0.5, ",'rate_bytes_per_s':500.0,'rate_messages_per_s':5.0"},
		{10, NP_SECOND, 0, ""},
		{10, 0, 1, ""},
		{10, -5, 1, ""},
		{0, NP_SECOND, 0, ",'rate_bytes_per_s':0.0,'rate_messages_per_s':0.0"},
		{0, 0, 1, ",'rate_bytes_per_s':0.0,'rate_messages_per_s':0.0"},
		{1, 1, 0.001, ",'rate_bytes_per_s':100000000.0,'rate_messages_per_s':1000000.0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct np_record *record = np_record_new("summary");
		char text[200];

		np_record_rates(record, "messages", rows[i].messages, 100 * rows[i].messages,
				rows[i].elapsed, rows[i].share);
		snprintf(text, sizeof(text), "{'type':'summary','bytes':%d,'elapsed_ns':%lld%s}",
			 (int)(100 * rows[i].messages), (long long)rows[i].elapsed, rows[i].rates);
		expect_record(record, text);
	}
}

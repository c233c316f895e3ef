// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: tests of what stands in a record, and of the one a run begins with. */

#include "options_sample.h"
#include "record_written.h"
#include "support/unit.h"

#include <math.h>

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
TEST_WITH(make_place, remove_place, test_no_record)
{
	const struct place *place = *state;
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
	char *const argv[] = {"p",
			      "eth0",
			      "4",
			      "f",
			      "g\xff",
			      "--peer",
			      "10.0.0.1",
			      "--duration=250ms",
			      "--range",
			      "a",
			      "--jumbo",
			      "--seed=18446744073709551615",
			      "--text=\xffxy",
			      NULL};
	struct np_options_result result;
	struct np_record *record;
	struct sample values;

	assert_int_equal(np_options_parse(&gnu, 13, argv, &values, &result), 0);
	record = np_record_start(&gnu, &values);
	np_options_result_free(&result);
	/* Every row but the text and the rate that were not given. */
	expect_record(record,
		      "{'type':'start','schema':1,'program':'sample-exercise','version':'1.2.3',"
		      "'options':{'operation':'write','count':25,'size_bytes':20480,"
		      "'seed':'18446744073709551615','duration_ns':250000000,'ratio':0.0,"
		      "'start':0.0,'jumbo':true,'verbose':false,'text':'?xy','range':['a'],"
		      "'peer':['10.0.0.1']},"
		      "'operands':{'NETIF':'eth0','SHELF':4,'FILE':['f','g?']}}");
}

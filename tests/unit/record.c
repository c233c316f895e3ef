// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: tests of what stands in a record, and of the one a run begins with. */

#include "options_sample.h"
#include "record_written.h"
#include "support/unit.h"

#include <math.h>
#include <netperf/report.h>

#define assert_text(json, name, value)                                                             \
	assert_string_equal(json_string_value(json_object_get(json, name)), value)
#define assert_count(json, name, value)                                                            \
	do {                                                                                       \
		assert_true(json_is_integer(json_object_get(json, name)));                         \
		assert_int_equal(json_integer_value(json_object_get(json, name)), value);          \
	} while (0)

TEST_WITH(make_place, remove_place, test_members)
{
	struct np_record *record = np_record_new("summary");
	json_t *json;

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
	json = written(*state, record);
	assert_text(json, "type", "summary");
	assert_count(json, "zero", 0);
	/* What a double cannot hold is text. */
	assert_count(json, "largest", (INT64_C(1) << 53) - 1);
	assert_text(json, "beyond", "9007199254740992");
	assert_count(json, "least", -(INT64_C(1) << 53) + 1);
	assert_text(json, "below_ns", "-9223372036854775808");
	assert_text(json, "larger", "18446744073709551615");
	assert_count(json, "back_ns", -5);
	/* Fifteen digits: what was typed as 0.1 comes out as 0.1. */
	assert_true(json_real_value(json_object_get(json, "third")) == 0.333333333333333);
	assert_text(json, "text", "a\"b\n");
	assert_text(json, "unicode", "\xc3\xa9");
	assert_text(json, "latin1", "a?z");
	assert_true(json_is_true(json_object_get(json, "yes")));
	/* No nan, infinite, none. */
	assert_int_equal(json_object_size(json), 16);
	assert_int_equal(json_object_size(json_object_get(json, "object")), 0);
	assert_int_equal(json_object_size(json_array_get(json_object_get(json, "list"), 0)), 0);
	json_decref(json);
}

TEST_WITH(make_place, remove_place, test_nesting)
{
	struct np_record *record = np_record_new("summary"), *child;
	json_t *json, *array;

	child = np_record_object(record, "cpu");
	np_record_count(np_record_object(child, "deep"), "n", 1);
	np_record_count(child, "user_ns", 2);
	/* The same object again, when two writers share it. */
	np_record_count(np_record_object(record, "cpu"), "system_ns", 3);
	np_record_count(child, "late", 4);
	for (unsigned i = 0; i < 3; i++)
		np_record_count(np_record_append(record, "runs"), "lba", i);
	json = written(*state, record);
	assert_count(json_object_get(json_object_get(json, "cpu"), "deep"), "n", 1);
	assert_count(json_object_get(json, "cpu"), "user_ns", 2);
	assert_count(json_object_get(json, "cpu"), "system_ns", 3);
	assert_count(json_object_get(json, "cpu"), "late", 4);
	array = json_object_get(json, "runs");
	assert_int_equal(json_array_size(array), 3);
	assert_count(json_array_get(array, 2), "lba", 2);
	json_decref(json);
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

TEST_WITH(make_place, remove_place, test_start)
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
	struct sample values;
	json_t *json, *options, *operands_json;

	assert_int_equal(np_options_parse(&gnu, 13, argv, &values, &result), 0);
	json = written(*state, np_record_start(&gnu, &values));
	np_options_result_free(&result);
	assert_text(json, "type", "start");
	assert_text(json, "program", "sample-exercise");
	assert_text(json, "version", "1.2.3");
	assert_non_null(json_object_get(json, "host"));
	assert_non_null(json_object_get(json, "kernel"));
	assert_int_equal(json_string_length(json_object_get(json, "time")), 30);

	options = json_object_get(json, "options");
	assert_text(options, "operation", "write");
	assert_count(options, "count", 25);
	assert_count(json, "schema", NP_RECORD_SCHEMA);
	assert_count(options, "size_bytes", 20480);
	assert_text(options, "seed", "18446744073709551615");
	assert_count(options, "duration_ns", 250000000);
	assert_true(json_is_real(json_object_get(options, "ratio")));
	assert_true(json_is_true(json_object_get(options, "jumbo")));
	assert_true(json_is_false(json_object_get(options, "verbose")));
	assert_null(json_object_get(options, "json"));
	assert_text(options, "text", "?xy");
	assert_string_equal(json_string_value(json_array_get(json_object_get(options, "range"), 0)),
			    "a");
	assert_string_equal(json_string_value(json_array_get(json_object_get(options, "peer"), 0)),
			    "10.0.0.1");
	/* Every row but the text and the rate that were not given. */
	assert_int_equal(json_object_size(options), gnu.count - 2);

	operands_json = json_object_get(json, "operands");
	assert_text(operands_json, "NETIF", "eth0");
	assert_count(operands_json, "SHELF", 4);
	assert_int_equal(json_array_size(json_object_get(operands_json, "FILE")), 2);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(operands_json, "FILE"), 1)), "g?");
	json_decref(json);
}

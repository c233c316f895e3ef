/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record_written: what a record is as JSON. */
#pragma once

#include "report_log.h"
#include "report_place.h"
#include "support/unit.h"

#include <jansson.h>
#include <netperf/report.h>

/*
 * Writes @record as JSON and reads it back, without its time, what a start says of this host, and
 * the exit status, which np_report_end adds to a summary; json_decref() it.
 */
static inline json_t *written(struct np_record *record)
{
	struct np_report *report;
	const struct place *place;
	void *state = NULL;
	json_t *json;
	const char *time;
	bool starts;

	assert_int_equal(make_place(&state), 0);
	place = state;
	assert_int_equal(np_report_begin(&report, &(struct np_report_options){.json = place->json},
					 report_log()),
			 0);
	assert_true(np_report_wants_records(report));
	assert_int_equal(np_report_write(report, record), 0);
	assert_int_equal(np_report_end(report, 0, report_log()), 0);
	json = json_load_file(place->json, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(json);
	remove_place(&state);
	time = json_string_value(json_object_get(json, "time"));
	assert_non_null(time);
	assert_int_equal(strlen(time), strlen("2026-11-22T02:45:21.123456789Z"));
	json_object_del(json, "time");
	json_object_del(json, "exit_status");
	starts = !strcmp(json_string_value(json_object_get(json, "type")), "start");
	assert_int_equal(!json_object_del(json, "host"), starts);
	assert_int_equal(!json_object_del(json, "kernel"), starts);
	assert_int_equal(!json_object_del(json, "machine"), starts);
	return json;
}

/* Requires that the text of @json is @expected, where ' stands for "; ends @json. */
static inline void expect_json(json_t *json, const char *expected)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(15));

	assert_non_null(text);
	for (char *at = text; (at = strchr(at, '"'));)
		*at = '\'';
	assert_string_equal(text, expected);
	free(text);
	json_decref(json);
}

static inline void expect_record(struct np_record *record, const char *expected)
{
	expect_json(written(record), expected);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record_written: what a record is as JSON. */
#pragma once

#include "report_place.h"

#include <jansson.h>
#include <netperf/report.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Writes @record as JSON and reads it back; json_decref() it. */
static inline json_t *written(const struct place *place, struct np_record *record)
{
	struct np_report *report;
	json_t *json;

	assert_int_equal(
		np_report_open(&report, &(struct np_report_options){.json = place->json}, NULL), 0);
	assert_true(np_report_wants_records(report));
	assert_int_equal(np_report_write(report, record), 0);
	assert_int_equal(np_report_close(report), 0);
	json = json_load_file(place->json, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(json);
	return json;
}

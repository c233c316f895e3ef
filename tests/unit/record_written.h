/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record_written: what a record is as JSON. */
#pragma once

#include "report_log.h"
#include "report_place.h"
#include "support/unit.h"

#include <jansson.h>
#include <netperf/report.h>

/* Writes @record as JSON and reads it back; json_decref() it. */
static inline json_t *written(const struct place *place, struct np_record *record)
{
	struct np_report *report;
	json_t *json;

	assert_int_equal(np_report_begin(&report, &(struct np_report_options){.json = place->json},
					 report_log()),
			 0);
	assert_true(np_report_wants_records(report));
	assert_int_equal(np_report_write(report, record), 0);
	assert_int_equal(np_report_end(report, 0, report_log()), 0);
	json = json_load_file(place->json, JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(json);
	/* np_report_end adds it to a summary. */
	json_object_del(json, "exit_status");
	return json;
}

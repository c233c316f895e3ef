/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record: what report.c may know of a record that record.c builds. */
#ifndef LIB_RECORD_H
#define LIB_RECORD_H

#include <jansson.h>
#include <netperf/report.h>
#include <time.h>

struct np_record {
	json_t *json;		/* an object */
	struct np_record *next; /* sub-records, owned by the outermost one */
	bool failed;		/* out of memory somewhere below */
	struct timespec made;	/* of the outermost one, by the wall clock */
};

/*
 * Adds the member "time": when the record was made (RFC 3339, UTC, ns). What other hosts wrote at
 * that moment has the same, as far as their clocks agree.
 */
void record_stamp(struct np_record *record);

/* A JSON string of @value, whatever bytes are in it; NULL when out of memory. */
json_t *record_string(const char *value);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record: the parts of a record, which record.c builds, that report.c uses. */
#pragma once

#include <jansson.h>
#include <netperf/report.h>
#include <time.h>

struct np_record {
	json_t *json;		/* an object */
	struct np_record *next; /* sub-records, owned by the outermost one */
	bool failed;		/* an allocation below it failed */
	struct timespec made;	/* when the outermost one was created: its member "time" */
	char *flow;		/* of an interval, for the CSV; owned */
	const char *unit;	/* of its counts; NULL: it is no interval */
};

/*
 * Writes the summary at once, if there is one: before what may take long, or end the process, such
 * as leaving a mesh.
 */
void report_settle(struct np_report *report, int status, const struct np_log *log);

/*
 * The last call of a program: unless its exit status is 0, the last line on stderr becomes the
 * reason that was logged; if it is 2, and standard output was to have JSON (@log->reason->record),
 * ends that with an "error" record: exit_status and text, that reason. Returns @status.
 */
int report_conclude(const struct np_log *log, int status);

/* Writes a line of the interval @record, below one with the names of the columns if @heading. */
void csv_write(FILE *out, const struct np_record *record, bool heading);

/* Finds the times that an interval has percentiles of; returns their name, or NULL. */
const char *interval_times(const json_t *record, const json_t **times);

/*
 * metrics: what the interval rows of each flow add up to, in a file that is replaced as a whole,
 * for node_exporter's textfile collector. Opening judges the file, for @inputs see np_output, and
 * locks it; call metrics_free in any case. Nothing is written before a start record was added. A
 * flow that has one of the 64 names keeps it, with counters that never fall, until it had no row
 * for ten intervals and another one comes; what has no name, or no longer, counts as "other".
 */
struct metrics;
int metrics_open(struct metrics **metrics, const struct np_report_options *options);
int metrics_add(struct metrics *metrics, const struct np_record *record);
int metrics_write(struct metrics *metrics, bool running);
void metrics_free(struct metrics *metrics);

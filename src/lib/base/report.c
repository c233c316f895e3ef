// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: writes text, JSON lines and CSV rows to stdout or files, and remembers failed writes. */
#include "log.h"
#include "record.h"

#include <errno.h>
#include <netperf/report.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const np_report_layouts[] = {"default", "full", "result", "original", NULL};
const char *const np_report_units[] = {"bits", "bytes", NULL};

/* A destination of records; the stream may be that of stdout. */
struct sink {
	FILE *stream; /* NULL: none */
	const char *name;
};

struct np_report {
	pthread_mutex_t lock; /* of all that np_report_write and np_report_metrics change */
	FILE *out;	      /* stdout */
	struct sink json, csv;
	struct metrics *metrics; /* NULL: none */
	const char *metrics_name;
	const struct np_log *log;
	bool never_began;	   /* the files keep their content */
	atomic_bool rows;	   /* intervals were asked for, or one was written */
	struct np_record *start;   /* held until the measured run begins, or NULL */
	struct np_record *summary; /* held until the exit status is known */
	bool headed;		   /* the CSV has its heading */
	int error;		   /* the first failed write */
	const char *where;	   /* where it failed */
};

#define OUTPUT "stdout" /* its name in messages, as tool.c has it */

static const char *name_of(const char *path)
{
	return path && strcmp(path, "-") != 0 ? path : OUTPUT;
}

/* "-" is stdout; for a NULL path there is no stream. */
static int open_sink(struct np_report *r, const char *path, const char *const *inputs,
		     struct sink *sink)
{
	const struct np_output how = {.inputs = inputs, .never_began = &r->never_began};
	int rc;

	sink->name = name_of(path);
	if (!path)
		return 0;
	if (strcmp(path, "-"))
		return np_output_stream(path, &how, &sink->stream);
	rc = np_output_judge(STDOUT_FILENO);
	sink->stream = rc ? NULL : r->out;
	return rc;
}

static void keep_error(struct np_report *report, int rc, const char *where)
{
	if (!rc || report->error)
		return;
	report->error = rc;
	report->where = where;
}

/* Closes and frees all but @report itself, which has the first error. */
static void close_all(struct np_report *report)
{
	const struct sink *sinks[] = {&report->json, &report->csv};

	for (size_t i = 0; i < 2; i++) {
		if (sinks[i]->stream != report->out)
			keep_error(report, np_output_close(sinks[i]->stream), sinks[i]->name);
	}
	if (report->metrics && !report->never_began)
		keep_error(report, metrics_write(report->metrics, false), report->metrics_name);
	metrics_free(report->metrics);
	np_record_free(report->start);
	keep_error(report, np_output_close(report->out), OUTPUT);
	pthread_mutex_destroy(&report->lock);
}

int np_report_begin(struct np_report **report, const struct np_report_options *options,
		    const struct np_log *log)
{
	struct np_report *r = calloc(1, sizeof(*r));
	const char *object = NULL; /* what is refused; NULL: stdout */
	int rc;

	*report = NULL;
	if (!r)
		return np_log_refuse(log, NULL, "%s", strerror(ENOMEM));
	pthread_mutex_init(&r->lock, NULL);
	r->log = log;
	r->metrics_name = options->metrics;
	rc = np_output_standard(STDOUT_FILENO, log->status, &r->out);
	if (!rc && options->json && options->csv && !strcmp(options->json, options->csv))
		rc = -EINVAL;
	if (!rc)
		rc = open_sink(r, object = options->json, options->inputs, &r->json);
	if (!rc)
		rc = open_sink(r, object = options->csv, options->inputs, &r->csv);
	if (!rc && options->metrics)
		rc = metrics_open(&r->metrics, object = options->metrics, options->inputs);
	if (rc) {
		r->never_began = true;
		close_all(r);
		free(r);
	}
	if (rc == -EINVAL)
		return np_log_refuse(log, "--json and --csv",
				     "cannot both go to stdout or to one file; name another file");
	if (rc)
		return np_log_refuse(log, object ? name_of(object) : NULL, "%s",
				     np_output_reason(rc));
	r->rows = options->interval > 0 || r->csv.stream || r->metrics;
	*report = r;
	return 0;
}

FILE *np_report_text(struct np_report *report)
{
	return report->json.stream == report->out || report->csv.stream == report->out
		       ? NULL
		       : report->out;
}

bool np_report_wants_records(const struct np_report *report)
{
	return report->json.stream || report->csv.stream || report->metrics;
}

bool np_report_wants_rest(const struct np_report *report)
{
	return np_report_wants_records(report) && report->rows;
}

static int write_json(FILE *out, json_t *object)
{
	bool failed = json_dumpf(object, out,
				 JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15)) ||
		      fputc('\n', out) == EOF;
	int rc = np_output_flush(out);

	return failed && !rc ? -ENOMEM : rc;
}

int report_conclude(const struct np_log *log, int status)
{
	struct np_record *record;
	FILE *out;

	log_end(log, status);
	if (status != 2 || !log->reason || !log->reason->record || np_output_judge(STDOUT_FILENO) ||
	    np_output_standard(STDOUT_FILENO, NULL, &out))
		return status;
	record = np_record_new("error");
	np_record_count(record, "exit_status", (uint64_t)status);
	np_record_text(record, "text", log->reason->text);
	if (record) {
		record_stamp(record);
		write_json(out, record->json);
	}
	np_record_free(record);
	np_output_close(out);
	return status;
}

static int write_and_free(struct np_report *report, struct np_record *record)
{
	FILE *out = report->csv.stream;
	bool failed = !record;
	int json = 0, csv = 0;

	for (const struct np_record *r = record; r; r = r->next)
		failed |= r->failed;
	if (failed) {
		keep_error(report, -ENOMEM, OUTPUT);
		np_record_free(record);
		return -ENOMEM;
	}
	if (record->row)
		report->rows = true;
	/* If one stream fails, the other still gets its row. */
	if (out && record->row) {
		csv_write(out, record, !report->headed);
		report->headed = true;
		csv = np_output_flush(out);
	}
	if (report->json.stream)
		json = write_json(report->json.stream, record->json);
	keep_error(report, json, report->json.name);
	keep_error(report, csv, report->csv.name);
	if (report->metrics)
		keep_error(report, metrics_add(report->metrics, record), report->metrics_name);
	np_record_free(record);
	return json ? json : csv;
}

void np_report_metrics(struct np_report *report)
{
	int rc;

	pthread_mutex_lock(&report->lock);
	rc = report->metrics ? metrics_write(report->metrics, true) : 0;
	/* The run may go on for months. */
	if (rc && !report->error)
		np_log_warning(report->log, report->metrics_name, "%s", np_output_reason(rc));
	keep_error(report, rc, report->metrics_name);
	pthread_mutex_unlock(&report->lock);
}

/* Under the lock. */
static void begun(struct np_report *report)
{
	struct np_record *start = report->start;

	report->start = NULL;
	if (start)
		write_and_free(report, start);
}

void np_report_hold(struct np_report *report, struct np_record *start)
{
	pthread_mutex_lock(&report->lock);
	if (start)
		record_stamp(start);
	keep_error(report, start ? 0 : -ENOMEM, OUTPUT);
	report->start = start;
	pthread_mutex_unlock(&report->lock);
}

void np_report_begun(struct np_report *report)
{
	pthread_mutex_lock(&report->lock);
	begun(report);
	pthread_mutex_unlock(&report->lock);
}

int np_report_write(struct np_report *report, struct np_record *record)
{
	struct np_record *first = record;
	const char *type = NULL;
	int rc;

	pthread_mutex_lock(&report->lock);
	begun(report);
	if (record) {
		record_stamp(record);
		type = json_string_value(json_object_get(record->json, "type"));
	}
	if (type && !strcmp(type, "summary")) {
		first = report->summary;
		report->summary = record;
	}
	rc = record && !first ? 0 : write_and_free(report, first);
	pthread_mutex_unlock(&report->lock);
	return rc;
}

void report_settle(struct np_report *report, int status, const struct np_log *log)
{
	struct np_record *summary = report ? report->summary : NULL;

	if (!summary)
		return;
	report->summary = NULL;
	np_record_count(summary, "exit_status", (uint64_t)status);
	if (status && log->reason && *log->reason->text)
		np_record_text(summary, "text", log->reason->text);
	write_and_free(report, summary);
}

int np_report_end(struct np_report *report, int status, const struct np_log *log)
{
	int early = 0;

	if (!report)
		return status;
	/* What could not be written so far, the summary of another output shall say. */
	if (status != 2) {
		np_report_begun(report);
		keep_error(report, np_output_flush(report->out), OUTPUT);
		early = report->error;
	}
	if (early)
		np_log_error(log, report->where, "%s", np_output_reason(early));
	if (early && !status)
		status = 1;
	report_settle(report, status, log);
	report->never_began = status == 2;
	close_all(report);
	if (report->error && !early)
		np_log_error(log, report->where, "%s", np_output_reason(report->error));
	if (report->error && !status)
		status = 1;
	free(report);
	return status;
}

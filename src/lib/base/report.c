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

struct np_report {
	pthread_mutex_t lock; /* of all that np_report_write and np_report_metrics change */
	struct np_report_options options;
	FILE *out;		 /* stdout */
	FILE *json, *csv;	 /* may be stdout, too; NULL: none */
	struct metrics *metrics; /* NULL: none */
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
static int open_sink(struct np_report *r, const char *path, FILE **sink)
{
	const struct np_output how = {.inputs = r->options.inputs, .never_began = &r->never_began};
	int rc;

	if (!path)
		return 0;
	if (strcmp(path, "-"))
		return np_output_stream(path, &how, sink);
	rc = np_output_judge(STDOUT_FILENO);
	*sink = rc ? NULL : r->out;
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
	const struct np_report_options *options = &report->options;

	if (report->json != report->out)
		keep_error(report, np_output_close(report->json), options->json);
	if (report->csv != report->out)
		keep_error(report, np_output_close(report->csv), options->csv);
	if (report->metrics && !report->never_began)
		keep_error(report, metrics_write(report->metrics, false), options->metrics);
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
	r->lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	r->options = *options;
	r->log = log;
	rc = np_output_standard(STDOUT_FILENO, log->status, &r->out);
	if (!rc && options->json && options->csv && !strcmp(options->json, options->csv))
		rc = -EINVAL;
	if (!rc)
		rc = open_sink(r, object = options->json, &r->json);
	if (!rc)
		rc = open_sink(r, object = options->csv, &r->csv);
	if (!rc && options->metrics) {
		object = options->metrics;
		rc = metrics_open(&r->metrics, options);
	}
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
	r->rows = options->interval > 0 || r->csv || r->metrics;
	*report = r;
	return 0;
}

FILE *np_report_text(struct np_report *report)
{
	return report->json == report->out || report->csv == report->out ? NULL : report->out;
}

bool np_report_wants_records(const struct np_report *report)
{
	return report->json || report->csv || report->metrics;
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
	if (record)
		write_json(out, record->json);
	np_record_free(record);
	np_output_close(out);
	return status;
}

static void write_and_free(struct np_report *report, struct np_record *record)
{
	const struct np_report_options *options = &report->options;
	bool failed = !record;

	for (const struct np_record *r = record; r; r = r->next)
		failed |= r->failed;
	if (failed) {
		keep_error(report, -ENOMEM, OUTPUT);
		np_record_free(record);
		return;
	}
	/* If one stream fails, the other still gets its row. */
	if (report->json)
		keep_error(report, write_json(report->json, record->json), name_of(options->json));
	if (report->csv && record->unit) {
		csv_write(report->csv, record, !report->headed);
		report->headed = true;
		keep_error(report, np_output_flush(report->csv), name_of(options->csv));
	}
	if (report->metrics)
		keep_error(report, metrics_add(report->metrics, record), options->metrics);
	if (record->unit)
		report->rows = true;
	np_record_free(record);
}

/* Says at once what failed first since @error: the run may go on for months. */
static void warn_since(const struct np_report *report, int error)
{
	if (report->error && !error)
		np_log_warning(report->log, report->where, "%s", np_output_reason(report->error));
}

static void write_row(struct np_report *report, struct np_record *record)
{
	const int error = report->error;

	write_and_free(report, record);
	warn_since(report, error);
}

void np_report_metrics(struct np_report *report)
{
	pthread_mutex_lock(&report->lock);
	if (report->metrics) {
		const int error = report->error;

		keep_error(report, metrics_write(report->metrics, true), report->options.metrics);
		warn_since(report, error);
	}
	pthread_mutex_unlock(&report->lock);
}

void np_report_hold(struct np_report *report, struct np_record *start)
{
	pthread_mutex_lock(&report->lock);
	keep_error(report, start ? 0 : -ENOMEM, OUTPUT);
	report->start = start;
	pthread_mutex_unlock(&report->lock);
}

void np_report_begun(struct np_report *report)
{
	struct np_record *start;

	pthread_mutex_lock(&report->lock);
	start = report->start;
	report->start = NULL;
	if (start)
		write_row(report, start);
	pthread_mutex_unlock(&report->lock);
}

int np_report_write(struct np_report *report, struct np_record *record)
{
	struct np_record *first = record;
	const char *type;
	int rc;

	pthread_mutex_lock(&report->lock);
	np_report_begun(report);
	type = record ? json_string_value(json_object_get(record->json, "type")) : NULL;
	if (type && !strcmp(type, "summary")) {
		first = report->summary;
		report->summary = record;
	}
	if (first || !record)
		write_row(report, first);
	rc = report->error;
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

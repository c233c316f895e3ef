// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: hands results to the chosen outputs, and remarks on what they mean. */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define MEGA 1e6

int report_open(struct reporter *reporter, const struct options *options, const struct np_log *log)
{
	int status;

	*reporter = (struct reporter){.options = options, .log = log};
	status = np_report_begin(&reporter->out, &options->report, log);
	if (status)
		return status;
	reporter->progress = np_report_text(reporter->out) && !options->report.quiet &&
			     options->report.interval == 0 && isatty(STDERR_FILENO);
	return 0;
}

int report_close(struct reporter *reporter, int status)
{
	return np_report_end(reporter->out, status, reporter->log);
}

static void erase_progress(struct reporter *reporter)
{
	if (reporter->drawn)
		fputs("\r\033[K", stderr);
	reporter->drawn = false;
}

void report_progress(struct reporter *reporter, const struct result *result, np_time at)
{
	fprintf(stderr, "\r%.1f s, %.1f MB, %.1f MB/s\033[K", np_clock_seconds(at),
		(double)result->total.bytes / MEGA, np_units_rate(result->total.bytes, at) / MEGA);
	fflush(stderr);
	reporter->drawn = true;
}

/* What the user should know before trusting the figures. */
static void warn_of_cache(const struct reporter *reporter)
{
	const struct options *options = reporter->options;

	if (options->mode == NP_DISK_DIRECT)
		return;
	if (options->operation == OPERATION_VERIFIED_WRITE)
		np_log_warning(
			reporter->log, NULL,
			"a buffered verified-write compares with the page cache, not the disk");
	if (options->operation == OPERATION_READ && !options->drop_cache)
		np_log_warning(
			reporter->log, NULL,
			"the page cache may answer buffered reads; --drop-cache empties it first");
}

static void describe_engine(const struct reporter *reporter, const struct np_engine *engine)
{
	int refusal = np_engine_refusal(engine);

	np_log_detail(reporter->log, "engine %s, queue depth %u%s", reporter->engine,
		      reporter->depth, np_engine_registered(engine) ? ", buffers registered" : "");
	if (refusal)
		np_log_detail(reporter->log, "not io_uring: %s%s", strerror(-refusal),
			      refusal == -ENOMEM ? " (ulimit -l)" : "");
}

void report_start(struct reporter *reporter, const struct target *target,
		  const struct np_engine *engine, unsigned depth)
{
	reporter->target = target;
	reporter->engine = np_engine_variant(engine);
	reporter->depth = depth;
	describe_engine(reporter, engine);
	if (depth < reporter->options->queue_depth)
		np_log_info(reporter->log,
			    "the region has %u chunks, and no two I/Os go to one place at a time: "
			    "queue depth %u instead of %" PRIu64,
			    depth, depth, reporter->options->queue_depth);
	if (strcmp(reporter->engine, "null") == 0)
		np_log_warning(reporter->log, NULL, "the null engine does no I/O at all");
	warn_of_cache(reporter);
	if (np_report_wants_records(reporter->out))
		np_report_write(reporter->out, report_record_start(reporter));
}

static void tell_interval(struct reporter *reporter, const struct result *result, np_time at,
			  np_time length)
{
	FILE *text = np_report_text(reporter->out);

	reporter->intervals++;
	erase_progress(reporter);
	if (text) {
		report_text_interval(text, reporter, result, at, length);
		fflush(text);
	}
}

void report_interval(struct reporter *reporter, const struct result *result, np_time at,
		     np_time length)
{
	tell_interval(reporter, result, at, length);
	if (np_report_wants_records(reporter->out))
		np_report_write(reporter->out, report_record_interval(result, at, length));
}

void report_rest(struct reporter *reporter, const struct result *result, np_time at, np_time length)
{
	const struct tally rest = result_recent(result);

	if (reporter->intervals && !rest.operations && !rest.io_errors && !rest.errors_sectors)
		return;
	if (np_report_wants_rest(reporter->out))
		np_report_write(reporter->out, report_record_interval(result, at, length));
	if (reporter->options->report.interval)
		tell_interval(reporter, result, at, length);
}

static const char *cut_reason(int error)
{
	switch (error) {
	case -EAGAIN: return "another process has it open";
	case -EOPNOTSUPP:
		return "on an overlay or FUSE other processes that have it open are not visible";
	default: return strerror(-error);
	}
}

/* Reports its present size, which a write in flight may have changed. */
static void tell_cut(const struct reporter *reporter, const struct result *result)
{
	const struct target *target = reporter->target;

	if (result->cut_error)
		np_log_error(reporter->log, target->path,
			     "was cut while it was written; the run ended; it has %" PRIu64
			     " bytes, and what writes in flight added was not taken back: %s",
			     result->cut_bytes, cut_reason(result->cut_error));
	else if (result->cut_bytes == np_disk_geometry(target->disk)->bytes)
		np_log_error(reporter->log, target->path,
			     "lost blocks while it was written, by a hole that was punched; the "
			     "run ended");
	else
		np_log_error(reporter->log, target->path,
			     "was cut to %" PRIu64 " bytes while it was written; the run ended",
			     result->cut_bytes);
}

static void remark(const struct reporter *reporter, const struct result *result)
{
	const struct failures *failures = &result->failures;
	const char *path = reporter->target->path;

	if (failures->count > 0)
		np_log_error(reporter->log, path, "%s at offset %" PRIu64 ": %s",
			     failures->write ? "write" : "read", failures->offset_bytes,
			     strerror(-failures->error));
	if (failures->given_up_after > 0)
		np_log_error(reporter->log, path, "gave up after %" PRIu64 " failed I/Os in a row",
			     failures->given_up_after);
	if (result->cut)
		tell_cut(reporter, result);
	if (result->user.reason != NP_GUARD_FREE)
		np_log_error(reporter->log, path, "%s, since it is being written; the run ended",
			     result->user.text);
	if (result->sync_error)
		np_log_error(reporter->log, path, "sync: %s", strerror(-result->sync_error));
	if (result->engine_error)
		np_log_error(reporter->log, path, "%s: %s", reporter->engine,
			     strerror(-result->engine_error));
	if (result->total.bytes == 0 && failures->count == 0 && !result->interrupted &&
	    !result->cut && result->user.reason == NP_GUARD_FREE)
		np_log_error(reporter->log, path, "no I/O completed within --duration");
	if (reporter->options->operation != OPERATION_READ)
		return;
	if (!result_is_no_test_data(result))
		return;
	if (result->damage.sectors[NP_PATTERN_ALL_ZERO] == result->damage.total)
		np_log_info(reporter->log, "%s is all zero: it was never written by this program",
			    path);
	else
		np_log_info(reporter->log,
			    "%s carries no test pattern: it was not written by this program", path);
}

void report_summary(struct reporter *reporter, const struct result *result)
{
	FILE *text = np_report_text(reporter->out);

	erase_progress(reporter);
	remark(reporter, result);
	if (text)
		report_text_summary(text, reporter, result);
	if (np_report_wants_records(reporter->out))
		np_report_write(reporter->out, report_record_summary(reporter, result));
}

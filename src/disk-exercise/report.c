// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: hands results to the chosen outputs, and remarks on what they mean. */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MEGA 1e6

static struct np_record *record_start(const struct reporter *reporter)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(reporter->target->disk);
	struct np_record *record = np_record_start(&options_table, reporter->options);
	struct np_record *target = np_record_object(record, "target");

	np_record_text(target, "path", reporter->target->path);
	np_record_flag(target, "block_device", geometry->block_device);
	np_record_count(target, "bytes", geometry->bytes);
	np_record_count(target, "logical_block_bytes", geometry->logical_block);
	np_record_count(target, "physical_block_bytes", geometry->physical_block);
	np_record_text(target, "model", geometry->model[0] ? geometry->model : NULL);
	np_record_text(target, "serial", geometry->serial[0] ? geometry->serial : NULL);
	np_record_text(target, "scheduler", geometry->scheduler[0] ? geometry->scheduler : NULL);
	np_record_count(target, "region_offset_bytes", reporter->target->begin_bytes);
	np_record_count(target, "region_bytes", reporter->target->length_bytes);
	np_record_text(record, "engine", reporter->engine);
	np_record_count(record, "queue_depth_ios", reporter->depth);
	return record;
}

static struct np_record *record_interval(const struct result *result, np_time at, np_time length)
{
	struct np_record *record = np_record_new("interval");
	struct tally now = result_recent(result);

	np_record_interval(
		record, &(struct np_interval_row){
				.from = at - length,
				.to = at,
				.unit = "operations",
				.counts = {.sent = NP_COUNT_EXACT(now.operations + now.io_errors),
					   .received = NP_COUNT_EXACT(now.operations)}});
	np_record_time(record, "elapsed_ns", length);
	np_record_count(record, "bytes", now.bytes);
	np_record_count(record, "operations", now.operations);
	np_record_number(record, "rate_bytes_per_s", np_units_rate(now.bytes, length));
	np_record_count(record, "io_errors", now.io_errors);
	np_record_count(record, "errors_sectors", now.errors_sectors);
	np_record_histogram(record, "latency_ns", result->recent);
	return record;
}

static void add_failures(struct np_record *record, const struct failures *failures)
{
	struct np_record *first;

	np_record_count(record, "io_errors", failures->count);
	np_record_flag(record, "gave_up", failures->given_up_after > 0);
	if (failures->count == 0)
		return;
	first = np_record_object(record, "first_io_error");
	np_record_text(first, "operation", failures->write ? "write" : "read");
	np_record_count(first, "offset_bytes", failures->offset_bytes);
	np_record_count(first, "errno", (uint64_t)-failures->error);
	np_record_text(first, "text", strerror(-failures->error));
}

static void add_extras(struct np_record *record, const struct reporter *reporter,
		       const struct result *result)
{
	if (result->intended) {
		np_record_histogram(record, "latency_intended_ns", result->intended);
		np_record_time(record, "behind_ns", result->worst_behind);
	}
	if (result->verify) {
		np_record_count(record, "verified_bytes", result->verified_bytes);
		np_record_histogram(record, "verify_latency_ns", result->verify);
	}
	if (reporter->options->mode == NP_DISK_BUFFERED_SYNC) {
		np_record_time(record, "sync_ns", result->sync_ns);
		np_record_flag(record, "sync_failed", result->sync_error != 0);
	}
	if (result->cut)
		np_record_count(record, "cut_bytes", result->cut_bytes);
	if (result->replaced)
		np_record_flag(record, "replaced", true);
	if (result->engine_error)
		np_record_text(record, "engine_error", strerror(-result->engine_error));
}

static struct np_record *record_summary(const struct reporter *reporter,
					const struct result *result)
{
	struct np_record *record = np_record_new("summary");
	np_time elapsed = result_elapsed(result);

	np_record_count(record, "bytes", result->total.bytes);
	np_record_count(record, "operations", result->total.operations);
	np_record_count(record, "short_operations", result->short_operations);
	np_record_time(record, "elapsed_ns", elapsed);
	if (result_rate_known(result)) {
		np_record_number(record, "rate_bytes_per_s",
				 np_units_rate(result->total.bytes, elapsed));
		np_record_number(record, "rate_operations_per_s",
				 np_units_rate(result->total.operations, elapsed));
	}
	np_record_count(record, "passes", result->passes);
	np_record_histogram(record, "latency_ns", result->latency);
	if (reporter->options->operation != OPERATION_WRITE) {
		np_record_count(record, "checked_sectors", result->checked_sectors);
		np_record_flag(record, "test_data", !result_is_no_test_data(result));
		np_record_damage(record, &result->damage);
	}
	add_failures(record, &result->failures);
	add_extras(record, reporter, result);
	np_record_usage(record, &result->usage);
	np_record_flag(record, "interrupted", result->interrupted);
	return record;
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
			reporter->run->log, NULL,
			"a buffered verified-write compares with the page cache, not the disk");
	if (options->operation == OPERATION_READ && !options->drop_cache)
		np_log_warning(
			reporter->run->log, NULL,
			"the page cache may answer buffered reads; --drop-cache empties it first");
}

static void describe_engine(const struct reporter *reporter, const struct np_engine *engine)
{
	int refusal = np_engine_refusal(engine);

	np_log_detail(reporter->run->log, "engine %s, queue depth %u%s", reporter->engine,
		      reporter->depth, np_engine_registered(engine) ? ", buffers registered" : "");
	if (refusal)
		np_log_detail(reporter->run->log, "not io_uring: %s%s", strerror(-refusal),
			      refusal == -ENOMEM ? " (ulimit -l)" : "");
}

void report_start(struct reporter *reporter, const struct np_engine *engine, unsigned depth)
{
	reporter->engine = np_engine_variant(engine);
	reporter->depth = depth;
	describe_engine(reporter, engine);
	if (depth < reporter->options->queue_depth)
		np_log_info(reporter->run->log,
			    "the region has %u chunks, and no two I/Os go to one place at a time: "
			    "queue depth %u instead of %" PRIu64,
			    depth, depth, reporter->options->queue_depth);
	if (strcmp(reporter->engine, "null") == 0)
		np_log_warning(reporter->run->log, NULL, "the null engine does no I/O at all");
	warn_of_cache(reporter);
	if (np_report_wants_records(reporter->run->report))
		np_report_write(reporter->run->report, record_start(reporter));
}

/* --report=full has all intervals at the end, in one table. */
static void keep_interval(struct reporter *reporter, const struct result *result, np_time at,
			  np_time length)
{
	const struct tally now = result_recent(result);

	np_block_full_interval(reporter->run->full,
			       &(struct np_block_interval){
				       .from = at - length,
				       .to = at,
				       .count = now.operations,
				       .bytes_per_s = np_units_rate(now.bytes, length),
				       .delay_known = now.operations > 0,
				       .delay_p50 = np_histogram_percentile(result->recent, 50),
				       .delay_p99 = np_histogram_percentile(result->recent, 99),
			       });
}

/* The text has rows by default, and those that a signal asked for. */
static void tell_interval(struct reporter *reporter, const struct result *result, np_time at,
			  np_time length, bool asked)
{
	FILE *text = np_report_text(reporter->run->report);

	reporter->intervals++;
	erase_progress(reporter);
	keep_interval(reporter, result, at, length);
	if (text && (asked || reporter->options->layout == NP_REPORT_DEFAULT)) {
		report_text_interval(text, reporter, result, at, length);
		fflush(text);
	}
}

void report_interval(struct reporter *reporter, const struct result *result, np_time at,
		     np_time length, bool asked)
{
	tell_interval(reporter, result, at, length, asked);
	if (np_report_wants_records(reporter->run->report))
		np_report_write(reporter->run->report, record_interval(result, at, length));
}

void report_rest(struct reporter *reporter, const struct result *result, np_time at, np_time length)
{
	const struct tally rest = result_recent(result);

	if (reporter->intervals && !length && !rest.operations && !rest.io_errors &&
	    !rest.errors_sectors)
		return;
	if (np_report_wants_rest(reporter->run->report))
		np_report_write(reporter->run->report, record_interval(result, at, length));
	if (reporter->options->report.interval)
		tell_interval(reporter, result, at, length, false);
}

/* Where the file of @bytes may have what this run wrote: "; bytes 0 to 4096 may hold ..." or "". */
static const char *written_range(const struct target *target, uint64_t bytes, char *out,
				 size_t room)
{
	const uint64_t begin = target->begin_bytes, end = begin + target->length_bytes;

	*out = '\0';
	if (bytes > begin)
		snprintf(out, room, "; bytes %" PRIu64 " to %" PRIu64 " of it may hold test data",
			 begin, bytes < end ? bytes : end);
	return out;
}

/* Reports its present size, which a write in flight may have changed. */
static void tell_cut(const struct reporter *reporter, const struct result *result)
{
	const struct target *target = reporter->target;
	const uint64_t opened = np_disk_geometry(target->disk)->bytes;
	char range[96];

	if (result->cut)
		written_range(target, result->cut_bytes, range, sizeof(range));
	else
		written_range(target, opened, range, sizeof(range));
	if (result->cut && result->cut_bytes == opened)
		np_log_error(reporter->run->log, target->path,
			     "lost blocks while it was written; the run ended%s", range);
	else if (result->cut)
		np_log_error(reporter->run->log, target->path,
			     "was truncated while it was written; the run ended; it has %" PRIu64
			     " bytes%s",
			     result->cut_bytes, range);
	if (result->replaced)
		np_log_error(reporter->run->log, target->path,
			     "is no longer the file that was written%s", result->cut ? "" : range);
}

static void remark(const struct reporter *reporter, const struct result *result)
{
	const struct failures *failures = &result->failures;
	const char *path = reporter->target->path;

	if (failures->count > 0)
		np_log_error(reporter->run->log, path, "%s at offset %" PRIu64 ": %s",
			     failures->write ? "write" : "read", failures->offset_bytes,
			     strerror(-failures->error));
	if (failures->given_up_after > 0)
		np_log_error(reporter->run->log, path,
			     "gave up after %" PRIu64 " failed I/Os in a row",
			     failures->given_up_after);
	if (result->cut || result->replaced)
		tell_cut(reporter, result);
	if (result->sync_error)
		np_log_error(reporter->run->log, path, "sync: %s", strerror(-result->sync_error));
	if (result->engine_error)
		np_log_error(reporter->run->log, path, "%s: %s", reporter->engine,
			     strerror(-result->engine_error));
	if (result->total.bytes == 0 && failures->count == 0 && !result->interrupted &&
	    !result->cut && !result->replaced)
		np_log_error(reporter->run->log, path, "no I/O completed within --duration");
}

static void remark_on_no_test_data(const struct reporter *reporter, const struct result *result)
{
	const char *path = reporter->target->path;

	if (result->damage.sectors[NP_PATTERN_ALL_ZERO] == result->damage.total)
		np_log_info(reporter->run->log,
			    "%s is all zero: it was never written by this program", path);
	else
		np_log_info(reporter->run->log,
			    "%s carries no test pattern: it was not written by this program", path);
}

/* What was found on the disk, and what of it makes the exit status 1. */
static void remark_on_data(const struct reporter *reporter, const struct result *result)
{
	const struct options *options = reporter->options;
	const bool strict = options->strict || options->operation == OPERATION_VERIFIED_WRITE;
	const char *path = reporter->target->path;

	if (options->operation == OPERATION_READ && result_is_no_test_data(result))
		remark_on_no_test_data(reporter, result);
	if (strict && result->damage.total)
		np_log_error(reporter->run->log, path, "%" PRIu64 " sectors with data errors",
			     result->damage.total);
}

void report_summary(struct reporter *reporter, const struct result *result)
{
	FILE *text = np_report_text(reporter->run->report);

	erase_progress(reporter);
	remark(reporter, result);
	remark_on_data(reporter, result);
	if (text)
		report_text_summary(text, reporter, result);
	if (np_report_wants_records(reporter->run->report))
		np_report_write(reporter->run->report, record_summary(reporter, result));
}

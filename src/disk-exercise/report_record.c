// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report_record: the result as JSON; netperf-json(5) documents each member. */
#include "report.h"

#include <netperf/interval.h>
#include <string.h>

struct np_record *report_record_start(const struct reporter *reporter)
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

struct np_record *report_record_interval(const struct result *result, np_time at, np_time length)
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

struct np_record *report_record_summary(const struct reporter *reporter,
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

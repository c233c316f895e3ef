// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: what follows from what was counted, and the records of it. */
#include "run.h"

#include <errno.h>

bool result_no_test_data(const struct result *result)
{
	return np_damage_is_no_test_data(&result->damage, result->checked_sectors,
					 result->passes + 1);
}

np_time result_elapsed(const struct result *result)
{
	return result->end > result->begin && result->begin > 0 ? result->end - result->begin : 0;
}

bool result_rate_known(const struct result *result)
{
	return result_elapsed(result) > 0 && !(result->intended && result->total.operations == 1);
}

/* Of what can be resumed. */
static void add_position(struct np_record *record, const struct run *run)
{
	const struct position position = run_position(run);
	struct np_record *object;

	if (run->options->operation != OPERATION_VERIFIED_WRITE || run->flow)
		return;
	object = np_record_object(record, "position");
	np_record_count(object, "passes", position.passes);
	np_record_count(object, "chunks", position.chunks);
}

/* Which of several runs it is of. */
static void add_part(struct np_record *record, const struct run *run)
{
	if (run->options->chunks > 1)
		np_record_count(record, "chunk_size_bytes", run->options->chunk_bytes);
	else
		np_record_text(record, "disk", run->flow);
}

static void add_target(struct np_record *target, const struct run *run)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);

	np_record_text(target, "path", run->options->path);
	np_record_flag(target, "block_device", geometry->block_device);
	np_record_count(target, "bytes", geometry->bytes);
	np_record_count(target, "logical_block_bytes", geometry->logical_block);
	np_record_count(target, "physical_block_bytes", geometry->physical_block);
	np_record_text(target, "model", geometry->model[0] ? geometry->model : NULL);
	np_record_text(target, "serial", geometry->serial[0] ? geometry->serial : NULL);
	np_record_text(target, "scheduler", geometry->scheduler[0] ? geometry->scheduler : NULL);
	np_record_count(target, "region_offset_bytes", run->cursor.begin);
	np_record_count(target, "region_bytes", run->cursor.length);
}

struct np_record *record_start(const struct exercise *exercise)
{
	const struct run *run = exercise->run, *end = run + exercise->disks;
	const struct options *options = run->options;
	struct np_record *record = np_record_start(&options_table, options), *at = record;
	struct np_record *given = np_record_object(record, "options");

	if (options->chunks > 1)
		np_record_text(given, "chunk_size_bytes", options->chunk_text);
	else
		np_record_count(given, "chunk_size_bytes", options->chunk_bytes);

	if (exercise->disks == 1)
		add_target(np_record_object(record, "target"), run);
	for (; run < end; run++) {
		if (exercise->disks > 1)
			add_target(at = np_record_append(record, "targets"), run);
		np_record_text(at, "engine", np_engine_info(run->engine)->variant);
		np_record_count(at, "queue_depth_ios", run->depth);
		if (exercise->disks == 1)
			add_position(at, run);
	}
	return record;
}

struct np_record *record_interval(const struct run *run, const struct tally *now, np_time at,
				  np_time length)
{
	struct np_record *record = np_record_new("interval");

	add_part(record, run);
	np_record_interval(
		record, &(struct np_interval_row){
				.flow = run->flow,
				.from = at - length,
				.to = at,
				.unit = "operations",
				.counts = {.sent = NP_COUNT_EXACT(now->operations + now->io_errors),
					   .received = NP_COUNT_EXACT(now->operations)}});
	np_record_time(record, "elapsed_ns", length);
	np_record_count(record, "bytes", now->bytes);
	np_record_count(record, "operations", now->operations);
	np_record_number(record, "rate_bytes_per_s", np_units_rate(now->bytes, length));
	np_record_count(record, "io_errors", now->io_errors);
	np_record_count(record, "errors_sectors", now->errors_sectors);
	np_record_histogram(record, "latency_ns", run->result.recent, false);
	add_position(record, run);
	return record;
}

static void add_share(struct np_record *record, const char *name, const struct share *share)
{
	struct np_record *object;

	if (!share->latency)
		return;
	object = np_record_object(record, name);
	np_record_count(object, "bytes", share->bytes);
	np_record_count(object, "operations", share->operations);
	np_record_histogram(object, "latency_ns", share->latency, true);
}

#define COLUMN(member, name_, kind_, part_)                                                        \
	{                                                                                          \
		.name = (name_), .offset = offsetof(struct result, member), .kind = (kind_),       \
		.unit = "", .part = (part_),                                                       \
	}

const struct np_column result_columns[] = {
	COLUMN(total.bytes, "bytes", NP_COLUMN_SUM, 0),
	COLUMN(total.operations, "operations", NP_COLUMN_SUM, 0),
	COLUMN(total.io_errors, "io_errors", NP_COLUMN_SUM, 0),
	COLUMN(total.errors_sectors, "errors_sectors", NP_COLUMN_SUM, NP_COLUMN_HIDDEN),
	COLUMN(short_operations, "short_operations", NP_COLUMN_SUM, 0),
	COLUMN(begin, "begin", NP_COLUMN_FIRST, NP_COLUMN_HIDDEN),
	COLUMN(end, "end", NP_COLUMN_MOST, NP_COLUMN_HIDDEN),
	{0},
};

void record_rates(struct np_record *record, const struct result *result)
{
	const np_time elapsed = result_elapsed(result);

	np_schema_record(record, result_columns, 0, result, "");
	np_record_time(record, "elapsed_ns", elapsed);
	if (!result_rate_known(result))
		return;
	np_record_number(record, "rate_bytes_per_s", np_units_rate(result->total.bytes, elapsed));
	np_record_number(record, "rate_operations_per_s",
			 np_units_rate(result->total.operations, elapsed));
}

struct np_record *record_result(const struct run *run, const char *type)
{
	const struct result *result = &run->result;
	struct np_record *record = np_record_new(type), *first;

	record_rates(record, result);
	np_record_count(record, "passes", result->passes);
	np_record_histogram(record, "latency_ns", result->latency, true);
	add_share(record, "reads", &result->reads);
	add_share(record, "writes", &result->writes);
	if (run->options->operation != OPERATION_WRITE || run->options->mix_percent) {
		np_record_count(record, "checked_sectors", result->checked_sectors);
		np_record_damage(record, &result->damage);
	}
	if (run->options->mix_percent)
		np_record_count(record, "blank_sectors", result->blank_sectors);
	if (run->options->operation != OPERATION_WRITE)
		np_record_flag(record, "test_data", !result_no_test_data(result));
	np_record_flag(record, "gave_up", result->given_up_after > 0);
	np_record_flag(record, "duration_ended", result->duration_ended);
	if (result->total.io_errors) {
		np_record_error(record, "first_io_error", result->first_failure.error);
		first = np_record_object(record, "first_io_error");
		np_record_text(first, "operation", result->first_failure.write ? "write" : "read");
		np_record_count(first, "offset_bytes", result->first_failure.offset_bytes);
	}
	if (result->intended) {
		np_record_histogram(record, "latency_intended_ns", result->intended, true);
		np_record_time(record, "behind_ns", result->worst_behind);
	}
	if (result->verify) {
		np_record_count(record, "verified_bytes", result->verified_bytes);
		np_record_histogram(record, "verify_latency_ns", result->verify, true);
	}
	if (run->options->mode == NP_DISK_BUFFERED_SYNC) {
		np_record_time(record, "sync_ns", result->sync_ns);
		np_record_flag(record, "sync_failed", result->sync_error != 0);
	}
	if (result->cut)
		np_record_count(record, "cut_bytes", result->cut_bytes);
	if (result->replaced)
		np_record_flag(record, "replaced", true);
	if (result->engine_error)
		np_record_text(record, "engine_error", strerror(-result->engine_error));
	add_position(record, run);
	add_part(record, run);
	/* The usage is that of the process. */
	if (run->exercise->disks == 1)
		np_record_usage(record, &result->usage);
	np_record_flag(record, "interrupted", result->interrupted);
	return record;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: what follows from what was counted, and the text and the records of it. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#define MEGA	   1e6
#define NAME_SHOWN 17
#define RATE_BYTES 32
#define INDENT	   15 /* of what a line's word is followed by */
/* Below this many bytes one decimal of a megabyte is too coarse. */
#define LITTLE 100000

bool result_no_test_data(const struct result *result)
{
	return np_damage_is_no_test_data(&result->damage, result->checked_sectors,
					 result->passes + 1);
}

np_time result_elapsed(const struct result *result)
{
	return result->end > result->begin && result->begin > 0 ? result->end - result->begin : 0;
}

/*
 * Whether the bytes over that time are a rate: with --rate a single I/O has none, and n I/Os take n
 * intervals.
 */
static bool result_rate_known(const struct result *result)
{
	return result_elapsed(result) > 0 && !(result->intended && result->total.operations == 1);
}

/* How far what can be resumed has come. */
static void add_position(struct np_record *record, const struct run *run)
{
	const uint64_t pieces = run->cursor.pieces;
	uint64_t first = np_least(run->failed, run->cursor.passes * pieces + run->cursor.next);
	struct np_record *object;

	if (run->options.operation != OPERATION_VERIFIED_WRITE || run->flow)
		return;
	for (unsigned slot = 0; slot < run->depth; slot++) {
		if (run->chunk[slot].length_bytes)
			first = np_least(first, run->chunk[slot].number);
	}
	object = np_record_object(record, "position");
	np_record_count(object, "passes", first / pieces);
	np_record_count(object, "chunks", first % pieces);
}

/* Which of several runs it is of. */
static void add_part(struct np_record *record, const struct run *run)
{
	if (run->options.chunks > 1)
		np_record_count(record, "chunk_size_bytes", run->options.chunk_bytes);
	else
		np_record_text(record, "disk", run->flow);
}

static void add_target(struct np_record *target, const struct run *run)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);

	np_record_text(target, "path", run->options.path);
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

static struct np_record *record_start(const struct exercise *exercise)
{
	const struct run *run = exercise->run, *end = run + exercise->disks;
	const struct options *options = &run->options;
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

static struct np_record *record_interval(const struct run *run, const struct tally *now, np_time at,
					 np_time length)
{
	struct np_record *record = np_record_new("interval");

	add_part(record, run);
	np_record_interval(record, at - length, at, run->flow, "operations");
	np_record_count(record, "sent_operations", now->operations + now->io_errors);
	np_record_count(record, "received_operations", now->operations);
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

static void record_rates(struct np_record *record, const struct result *result)
{
	np_schema_record(record, result_columns, 0, result, "");
	np_record_rates(record, "operations", result->total.operations, result->total.bytes,
			result_elapsed(result), result_rate_known(result) ? 1 : (double)NAN);
}

static struct np_record *record_result(const struct run *run, const char *type)
{
	const struct result *result = &run->result;
	struct np_record *record = np_record_new(type), *first;

	record_rates(record, result);
	np_record_count(record, "passes", result->passes);
	np_record_histogram(record, "latency_ns", result->latency, true);
	add_share(record, "reads", &result->reads);
	add_share(record, "writes", &result->writes);
	if (run->options.operation != OPERATION_WRITE || run->options.mix_percent) {
		np_record_count(record, "checked_sectors", result->checked_sectors);
		np_record_damage(record, &result->damage);
	}
	if (run->options.mix_percent)
		np_record_count(record, "blank_sectors", result->blank_sectors);
	if (run->options.operation != OPERATION_WRITE)
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
	if (run->options.mode == NP_DISK_BUFFERED_SYNC) {
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

/* "@amount MB@per", or bytes for small amounts. */
static char *format_amount(double amount, int width, const char *per, char out[RATE_BYTES])
{
	if (amount > 0 && amount < LITTLE)
		snprintf(out, RATE_BYTES, "%*.0f B%s", width, amount, per);
	else
		snprintf(out, RATE_BYTES, "%*.1f MB%s", width, amount / MEGA, per);
	return out;
}

/* Whether what was read carries none, which is no damage unless --strict says so. */
static bool is_no_test_data(const struct run *run)
{
	return run->options.operation == OPERATION_READ && !run->options.strict &&
	       result_no_test_data(&run->result);
}

static void print_data(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;

	if (is_no_test_data(run)) {
		fprintf(out, "  not test data: %" PRIu64 " sector%s (not checked)\n",
			result->damage.total, np_plural(result->damage.total));
		return;
	}
	if (run->options.operation == OPERATION_WRITE && !run->options.mix_percent)
		return;
	if (result->blank_sectors)
		fprintf(out, "  not written  %" PRIu64 " sector%s, read as zeros\n",
			result->blank_sectors, np_plural(result->blank_sectors));
	np_block_damage(out, "  data errors  ", 0, &result->damage, run->options.report.layout);
}

#define SAY(part, ...) np_block_full_say(full, part, __VA_ARGS__)

/* What --report=full adds. */
static void print_full(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;
	static const char *const times[] = {"latency", "reading back", "from due"};
	const struct options *options = &run->options;
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);
	struct np_block block = np_block_init("", "I/Os", true);
	struct np_block_full *full = run->tool->full;

	SAY(NP_BLOCK_CONFIGURATION, "region", "%" PRIu64 " bytes at %" PRIu64, run->cursor.length,
	    run->cursor.begin);
	SAY(NP_BLOCK_CONFIGURATION, "warm-up", "%.3f s", np_clock_seconds(options->warm_up));
	if (options->mix_percent)
		SAY(NP_BLOCK_CONFIGURATION, "mix", "%" PRIu64 " %% reads", options->mix_percent);
	if (options->random || options->mix_percent)
		SAY(NP_BLOCK_CONFIGURATION, "seed", "%" PRIu64, options->seed);
	SAY(NP_BLOCK_HOSTS, "disk", "%" PRIu64 " bytes, model %s, serial %s", geometry->bytes,
	    geometry->model[0] ? geometry->model : "unknown",
	    geometry->serial[0] ? geometry->serial : "unknown");
	SAY(NP_BLOCK_HOSTS, "blocks", "logical %u, physical %u bytes", geometry->logical_block,
	    geometry->physical_block);
	SAY(NP_BLOCK_HOSTS, "scheduler", "%s",
	    geometry->scheduler[0] ? geometry->scheduler : "unknown");
	SAY(NP_BLOCK_HOSTS, "context switches", "%" PRIu64 " voluntary, %" PRIu64 " forced",
	    result->usage.voluntary_switches, result->usage.involuntary_switches);
	block.times = times;
	block.full = full;
	np_histogram_figures(result->latency, &block.delay);
	np_histogram_figures(result->verify, &block.rtt);
	np_histogram_figures(result->intended, &block.delay_raw);
	np_block_print_full(out, &block);
}

static void print_amount(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;
	const np_time elapsed = result_elapsed(result);
	const bool read = run->options.operation == OPERATION_READ;
	const bool mixed = run->options.mix_percent;
	char amount[RATE_BYTES], rate[RATE_BYTES], both[2 * RATE_BYTES] = "rate unknown";

	if (result_rate_known(result))
		snprintf(both, sizeof(both), "%s, %.0f I/O/s",
			 format_amount(np_units_rate(result->total.bytes, elapsed), 0, "/s", rate),
			 np_units_rate(result->total.operations, elapsed));
	np_block_line(out, INDENT, "  %-12s %s in %.3f s: %s, %" PRIu64 " pass%s",
		      mixed  ? "mixed"
		      : read ? "read"
			     : "written",
		      format_amount((double)result->total.bytes, 0, "", amount),
		      np_clock_seconds(elapsed), both, result->passes,
		      result->passes == 1 ? "" : "es");
}

/* Of a mix: how much of it was read, or written. */
static void print_share(FILE *out, const char *title, const struct share *share)
{
	char amount[RATE_BYTES];

	fprintf(out, "  %-12s %s, %" PRIu64 " I/Os\n", title,
		format_amount((double)share->bytes, 0, "", amount), share->operations);
	np_block_times(out, "    latency    ", share->latency);
}

/* What else happened, and what it cost. */
static void print_disturbance(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;
	const struct np_rate *asked = &run->options.rate;
	char rate[RATE_BYTES];

	if (result->total.io_errors > 0)
		np_block_line(
			out, INDENT,
			"  I/O errors   %" PRIu64 ", first: %s at offset %" PRIu64 ": %s",
			result->total.io_errors, result->first_failure.write ? "write" : "read",
			result->first_failure.offset_bytes, strerror(-result->first_failure.error));
	else
		fputs("  I/O errors   0\n", out);
	if (run->options.mode == NP_DISK_BUFFERED_SYNC)
		fprintf(out, "  sync         %s, counted in\n",
			np_units_format_latency(result->sync_ns).text);
	if (result->short_operations > 0)
		fprintf(out, "  short I/Os   %" PRIu64 "\n", result->short_operations);
	if (asked->unit == NP_RATE_BYTES)
		format_amount(asked->per_s, 0, "/s", rate);
	else
		snprintf(rate, sizeof(rate), "%.0f I/O/s", asked->per_s);
	if (result->intended)
		fprintf(out, "  rate         asked %s, at worst %s behind\n", rate,
			np_units_format_latency(result->worst_behind).text);
	if (result->interrupted)
		fputs("  interrupted  by a signal\n", out);
	fprintf(out, "  cpu          user %.3f s, system %.3f s\n",
		np_clock_seconds(result->usage.user), np_clock_seconds(result->usage.system));
}

void report_summary(const struct run *run)
{
	const struct result *result = &run->result;
	const struct options *options = &run->options;
	const uint64_t end = run->cursor.begin + run->cursor.length;
	const uint64_t bytes = np_disk_geometry(run->disk)->bytes;
	FILE *out = np_report_text(run->tool->report);
	char mix[40] = "";

	np_report_write(run->tool->report, record_result(run, "summary"));
	if (!out)
		return;
	if (options->report.layout == NP_REPORT_ORIGINAL) {
		print_amount(out, run);
		print_data(out, run);
		return;
	}
	if (options->mix_percent)
		snprintf(mix, sizeof(mix), ", %" PRIu64 " %% read,", options->mix_percent);
	np_block_line(out, INDENT,
		      "%s%s of %s: %s, chunks of %" PRIu64 " bytes, %s, queue depth %u, %s",
		      options_operations[options->operation], mix, options->path,
		      options_modes[options->mode], options->chunk_bytes,
		      options->random ? "random" : "linear", run->depth,
		      np_engine_info(run->engine)->variant);
	print_amount(out, run);
	if (options->mix_percent) {
		print_share(out, "read", &result->reads);
		print_share(out, "written", &result->writes);
	}
	if (result->verify)
		fprintf(out, "  %-12s %.1f MB, seed %" PRIu64 "\n", "read back",
			(double)result->verified_bytes / MEGA, options->seed);
	/* A region that extends to the end stops short of it if no whole block is left. */
	if (bytes > end && bytes - end < run->step_bytes)
		np_block_line(out, INDENT,
			      "  left out     the last %" PRIu64
			      " bytes: no whole block of %" PRIu64 ", never read or written",
			      bytes - end, run->step_bytes);
	if (!options->mix_percent)
		np_block_times(out, "  latency      ", result->latency);
	np_block_times(out, "  from due     ", result->intended);
	np_block_times(out, "  reading back ", result->verify);
	print_data(out, run);
	print_disturbance(out, run);
	if (options->report.layout == NP_REPORT_FULL)
		print_full(out, run);
}

uint64_t report_damaged(const struct run *run)
{
	return is_no_test_data(run) ? 0 : run->result.total.errors_sectors;
}

static void report_target(FILE *out, const char *name, const struct result *result,
			  uint64_t damaged, const char *fault)
{
	const np_time elapsed = result_elapsed(result);
	char rate[RATE_BYTES] = "unknown", per_s[RATE_BYTES] = "unknown", rest[256], data[48] = "";
	const size_t length = strlen(name);
	struct np_block_target target = {
		/* The ends of long paths differ. */
		.name = length > NAME_SHOWN ? name + length - NAME_SHOWN : name,
		.rate = rate,
		.per_s = per_s,
		.count = result->total.operations + result->total.io_errors,
		.lost = result->total.io_errors,
		.rest = rest,
	};

	if (result_rate_known(result)) {
		snprintf(rate, sizeof(rate), "%.2f",
			 np_units_rate(result->total.bytes, elapsed) / MEGA);
		snprintf(per_s, sizeof(per_s), "%.0f",
			 np_units_rate(result->total.operations, elapsed));
	}
	if (damaged)
		snprintf(data, sizeof(data), "  data errors %" PRIu64, damaged);
	snprintf(rest, sizeof(rest), "%s%s%s", data, result->interrupted ? "  interrupted" : "",
		 fault);
	np_histogram_figures(result->latency, &target.delay);
	np_block_target(out, &target);
}

void report_part(const struct run *run)
{
	FILE *text = np_report_text(run->tool->report);

	if (text) {
		report_target(text, run->flow, &run->result, report_damaged(run),
			      run_is_bad(run) ? "  failed" : "");
		fflush(text);
	}
	np_report_write(run->tool->report, record_result(run, "result"));
}

void report_start(const struct exercise *exercise)
{
	const struct np_run *tool = exercise->run->tool;
	const struct options *options = &exercise->run->options;
	const bool cached = options->mode != NP_DISK_DIRECT;
	const struct np_log *log = tool->log;

	for (const struct run *run = exercise->run; run < exercise->run + exercise->disks; run++) {
		const struct np_engine_info *engine = np_engine_info(run->engine);

		np_log_detail(log, "engine %s, queue depth %u%s", engine->variant, run->depth,
			      engine->registered ? ", buffers registered" : "");
		if (engine->refusal)
			np_log_detail(log, "not io_uring: %s%s", strerror(-engine->refusal),
				      engine->refusal == -ENOMEM ? " (ulimit -l)" : "");
		if (run->depth < run->options.queue_depth)
			np_log_info(log,
				    "the region has %u chunk%s, and no two I/Os go to one place at "
				    "a time: queue depth %u instead of %" PRIu64,
				    run->depth, np_plural(run->depth), run->depth,
				    run->options.queue_depth);
	}
	/* What the user should know before trusting the figures. */
	if (!strcmp(np_engine_info(exercise->run->engine)->variant, "null"))
		np_log_warning(log, NULL, "the null engine does no I/O at all");
	if (cached && options->operation == OPERATION_VERIFIED_WRITE)
		np_log_warning(
			log, NULL,
			"a buffered verified-write compares with the page cache, not the disk");
	if (cached && options->operation == OPERATION_READ && !options->drop_cache)
		np_log_warning(
			log, NULL,
			"the page cache may answer buffered reads; --drop-cache empties it first");
	if (np_report_wants_records(tool->report))
		np_report_hold(tool->report, record_start(exercise));
	/* Else when that is over. */
	if (!options->warm_up)
		np_report_begun(tool->report);
}

void report_row(struct run *run, np_time at, np_time length, enum moment moment)
{
	const struct result *result = &run->result;
	const struct options *options = &run->options;
	const struct tally now = {
		.bytes = result->total.bytes - result->mark.bytes,
		.operations = result->total.operations - result->mark.operations,
		.io_errors = result->total.io_errors - result->mark.io_errors,
		.errors_sectors = result->total.errors_sectors - result->mark.errors_sectors,
	};
	struct np_report *report = run->tool->report;
	char rate[RATE_BYTES], failed[40] = "", data[40] = "";
	struct np_histogram_figures latency;
	FILE *text = np_report_text(report);
	const bool end = moment == MOMENT_END;
	int digits = 1;

	if (end && run->intervals && !length && !now.operations && !now.io_errors &&
	    !now.errors_sectors)
		return;
	/* The text has rows by default, and those that a signal asked for. */
	if ((end && !options->report.interval) ||
	    (moment != MOMENT_ASKED && options->report.layout != NP_REPORT_DEFAULT))
		text = NULL;
	np_histogram_figures(result->recent, &latency);
	/* --report=full has all intervals at the end, in one table. */
	if (!end || options->report.interval)
		np_block_full_interval(run->tool->full,
				       &(struct np_block_interval){
					       .from = at - length,
					       .to = at,
					       .count = now.operations,
					       .bytes_per_s = np_units_rate(now.bytes, length),
					       .delay = latency,
				       });
	run->intervals++;
	/* As many decimals as the interval has. */
	for (np_time unit = NP_SECOND / 10; options->report.interval % unit && digits < 6;
	     unit /= 10)
		digits++;
	if (now.io_errors)
		snprintf(failed, sizeof(failed), "  I/O errors %" PRIu64, now.io_errors);
	/* The result says once that it is no test data. */
	if (now.errors_sectors && !is_no_test_data(run))
		snprintf(data, sizeof(data), "  data errors %" PRIu64, now.errors_sectors);
	if (text) {
		np_block_line(text, INDENT, "%s%s%8.*f s  %s  %8.0f I/O/s  p50 %7s  p99 %7s%s%s",
			      run->flow ? run->flow : "", run->flow ? " " : "", digits,
			      np_clock_seconds(at),
			      format_amount(np_units_rate(now.bytes, length), 8, "/s", rate),
			      np_units_rate(now.operations, length),
			      latency.count ? np_units_format_latency(latency.p50).text : "-",
			      latency.count ? np_units_format_latency(latency.p99).text : "-",
			      failed, data);
		fflush(text);
	}
	/* In one pipe with the text it comes after its row. */
	if (end ? np_report_wants_rest(report) : np_report_wants_records(report))
		np_report_write(report, record_interval(run, &now, at, length));
}

void report_all(const struct exercise *exercise, const struct result *sum,
		const struct np_usage *usage)
{
	const struct options *options = &exercise->run->options;
	struct np_report *report = exercise->run->tool->report;
	FILE *text = np_report_text(report);
	struct np_record *record;
	uint64_t damaged = 0;

	if (text) {
		np_block_line(text, INDENT,
			      "%s of %u disks: %s, chunks of %" PRIu64
			      " bytes, %s, queue depth %" PRIu64,
			      options_operations[options->operation], exercise->count,
			      options_modes[options->mode], options->chunk_bytes,
			      options->random ? "random" : "linear", options->queue_depth);
		if (options->operation == OPERATION_VERIFIED_WRITE)
			fprintf(text, "seed %" PRIu64 "\n", options->seed);
		np_block_target_heading(text, "disk", "MB/s", "I/O/s", "I/Os", "failed");
	}
	for (unsigned i = 0; i < exercise->count; i++) {
		report_part(&exercise->run[i]);
		damaged += report_damaged(&exercise->run[i]);
	}
	if (text) {
		report_target(text, "total", sum, damaged, "");
		np_block_line(
			text, INDENT, "%.2f MB in %.3f s, from the first I/O to the last of all",
			(double)sum->total.bytes / 1e6, np_clock_seconds(result_elapsed(sum)));
	}
	record = np_record_new("summary");
	np_record_count(record, "disks", exercise->count);
	record_rates(record, sum);
	np_record_count(record, "errors_sectors", sum->total.errors_sectors);
	if (sum->latency)
		np_record_histogram(record, "latency_ns", sum->latency, true);
	np_record_usage(record, usage);
	np_record_flag(record, "interrupted", sum->interrupted);
	np_report_write(report, record);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: hands results to the chosen outputs, and remarks on what they mean. */
#include "run.h"

#include <errno.h>
#include <inttypes.h>

#define MEGA	   1e6
#define RUNS_SHOWN 8
#define NAME_SHOWN 17
#define RATE_BYTES 32
#define INDENT	   15 /* of what a line's word is followed by */
/* Below this many bytes one decimal of a megabyte is too coarse. */
#define LITTLE 100000

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
	return run->options->operation == OPERATION_READ && !run->options->strict &&
	       result_no_test_data(&run->result);
}

static void print_interval(FILE *out, const struct run *run, const struct tally *now, np_time at,
			   np_time length)
{
	char rate[RATE_BYTES], failed[40] = "", data[40] = "";
	struct np_histogram_figures latency;
	int digits = 1;

	np_histogram_figures(run->result.recent, &latency);
	/* As many decimals as the interval has. */
	for (np_time unit = NP_SECOND / 10; run->options->report.interval % unit && digits < 6;
	     unit /= 10)
		digits++;
	if (now->io_errors)
		snprintf(failed, sizeof(failed), "  I/O errors %" PRIu64, now->io_errors);
	/* The result says once that it is no test data. */
	if (now->errors_sectors && !is_no_test_data(run))
		snprintf(data, sizeof(data), "  data errors %" PRIu64, now->errors_sectors);
	np_block_line(
		out, INDENT, "%s%s%8.*f s  %s  %8.0f I/O/s  p50 %7s  p99 %7s%s%s",
		run->flow ? run->flow : "", run->flow ? " " : "", digits, np_clock_seconds(at),
		format_amount(np_units_rate(now->bytes, length), 8, "/s", rate),
		np_units_rate(now->operations, length),
		latency.count ? np_units_format_latency(latency.p50).text : "-",
		latency.count ? np_units_format_latency(latency.p99).text : "-", failed, data);
	fflush(out);
}

static void print_data(FILE *out, const struct run *run)
{
	const unsigned layout = run->options->layout;
	const struct np_damage *damage = &run->result.damage;
	size_t shown = damage->runs;
	uint64_t others;
	char classes[128] = "";

	if (is_no_test_data(run)) {
		fprintf(out, "  not test data: %" PRIu64 " sector%s (not checked)\n", damage->total,
			np_plural(damage->total));
		return;
	}
	if (run->options->operation == OPERATION_WRITE && !run->options->mix_percent)
		return;
	if (run->options->mix_percent && run->result.blank_sectors)
		fprintf(out, "  not written  %" PRIu64 " sector%s that were read are zero\n",
			run->result.blank_sectors, np_plural(run->result.blank_sectors));
	for (int class = NP_PATTERN_GOOD + 1; class < NP_PATTERN_CLASSES; class ++) {
		if (damage->sectors[class])
			np_text_append(classes, sizeof(classes), "%s %" PRIu64 " %s",
				       classes[0] ? "," : ":", damage->sectors[class],
				       np_pattern_class_name((enum np_pattern_class) class));
	}
	np_block_line(out, INDENT, "  data errors  %" PRIu64 " sector%s%s", damage->total,
		      np_plural(damage->total), classes);
	if (layout == NP_REPORT_ORIGINAL)
		return;
	if (layout != NP_REPORT_FULL && shown > RUNS_SHOWN)
		shown = RUNS_SHOWN;
	for (const struct np_damage_run *bad = damage->run; bad < damage->run + shown; bad++) {
		char more[80] = "", carries[40] = "";

		if (bad->sectors > 1)
			snprintf(more, sizeof(more), " to %" PRIu64 " (%" PRIu64 " sectors)",
				 bad->lba + bad->sectors - 1, bad->sectors);
		if (bad->kind == NP_PATTERN_MISPLACED)
			snprintf(carries, sizeof(carries), ", begins with number %" PRIu64,
				 bad->found);
		np_block_line(out, INDENT + 2, "               LBA %" PRIu64 "%s: %s%s", bad->lba,
			      more, np_pattern_class_name(bad->kind), carries);
	}
	others = damage->runs - shown + damage->runs_unlisted;
	if (others > 0)
		fprintf(out, "               and %" PRIu64 " more run%s\n", others,
			np_plural(others));
}

static void print_disturbance(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;
	char rate[RATE_BYTES];

	if (result->total.io_errors > 0)
		np_block_line(
			out, INDENT,
			"  I/O errors   %" PRIu64 ", first: %s at offset %" PRIu64 ": %s",
			result->total.io_errors, result->first_failure.write ? "write" : "read",
			result->first_failure.offset_bytes, strerror(-result->first_failure.error));
	else
		fputs("  I/O errors   0\n", out);
	if (run->options->mode == NP_DISK_BUFFERED_SYNC)
		fprintf(out, "  sync         %s, counted in\n",
			np_units_format_latency(result->sync_ns).text);
	if (result->short_operations > 0)
		fprintf(out, "  short I/Os   %" PRIu64 "\n", result->short_operations);
	if (result->intended && run->options->rate.unit == NP_RATE_BYTES)
		format_amount(run->options->rate.per_s, 0, "/s", rate);
	else if (result->intended)
		snprintf(rate, sizeof(rate), "%.0f I/O/s", run->options->rate.per_s);
	if (result->intended)
		fprintf(out, "  rate         asked %s, at worst %s behind\n", rate,
			np_units_format_latency(result->worst_behind).text);
	if (result->interrupted)
		fputs("  interrupted  by a signal\n", out);
}

#define SAY(part, ...) np_block_full_say(full, part, __VA_ARGS__)

/* What --report=full adds. */
static void print_full(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;
	static const char *const times[] = {"latency", "reading back", "from due"};
	const struct options *options = run->options;
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
	const bool read = run->options->operation == OPERATION_READ;
	const bool mixed = run->options->mix_percent;
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

static void print_summary(FILE *out, const struct run *run)
{
	const struct result *result = &run->result;
	const struct options *options = run->options;
	const uint64_t end = run->cursor.begin + run->cursor.length;
	const uint64_t bytes = np_disk_geometry(run->disk)->bytes;
	char mix[40] = "";

	if (options->layout == NP_REPORT_ORIGINAL) {
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
	fprintf(out, "  cpu          user %.3f s, system %.3f s\n",
		np_clock_seconds(result->usage.user), np_clock_seconds(result->usage.system));
	if (options->layout == NP_REPORT_FULL)
		print_full(out, run);
}

uint64_t report_damaged(const struct run *run)
{
	return is_no_test_data(run) ? 0 : run->result.total.errors_sectors;
}

void report_target(FILE *out, const char *name, const struct result *result, uint64_t damaged,
		   const char *fault)
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
	if (np_report_wants_records(run->tool->report))
		np_report_write(run->tool->report, record_result(run, "result"));
}

void report_io(struct run *run, const struct np_io *io, bool reading_back, uint64_t bytes,
	       int error)
{
	const char *reading = reading_back ? "read back" : "read";
	const char *operation = io->write ? "write" : reading;
	FILE *text = np_report_text(run->tool->report);
	const np_time latency = io->completed - io->submitted;
	struct np_record *record;

	run->reported++;
	if (text) {
		fprintf(text,
			"%s: request=%" PRIu64 " offset=%" PRIu64 " bytes=%" PRIu64
			" time=%s%s%s\n",
			operation, run->reported, io->offset, bytes,
			np_units_format_latency(latency).text, bytes ? "" : ": ",
			bytes ? "" : strerror(-error));
		fflush(text);
	}
	if (!np_report_wants_records(run->tool->report))
		return;
	record = np_record_new("io");
	np_record_count(record, "request", run->reported);
	np_record_text(record, "operation", operation);
	np_record_time(record, "from_ns", io->submitted - run->result.begin);
	np_record_count(record, "offset_bytes", io->offset);
	np_record_count(record, "bytes", bytes);
	np_record_time(record, "latency_ns", latency);
	if (!bytes) {
		np_record_count(record, "errno", (uint64_t)-error);
		np_record_text(record, "text", strerror(-error));
	}
	np_report_write(run->tool->report, record);
}

void report_status(const struct run *run, unsigned count, np_time now, np_time begun, np_time end)
{
	struct np_status *status = run->tool->log->status;
	struct np_status_figures figures = {
		.begun = begun,
		.end = end,
		.rate_in_bytes = true,
		.unit = "I/Os",
		.fault = "I/O errors",
	};

	if (now < np_status_next(status))
		return;
	pthread_mutex_lock(&run->exercise->report);
	for (const struct run *one = run; one < run + count; one++) {
		figures.bytes += one->seen.bytes;
		figures.count += one->seen.operations;
		figures.faults += one->seen.io_errors;
	}
	pthread_mutex_unlock(&run->exercise->report);
	np_status_show(status, now, &figures);
}

void report_start(const struct exercise *exercise)
{
	const struct np_run *tool = exercise->run->tool;
	const struct options *options = exercise->run->options;
	const bool cached = options->mode != NP_DISK_DIRECT;
	const struct np_log *log = tool->log;

	for (const struct run *run = exercise->run; run < exercise->run + exercise->disks; run++) {
		const struct np_engine_info *engine = np_engine_info(run->engine);

		np_log_detail(log, "engine %s, queue depth %u%s", engine->variant, run->depth,
			      engine->registered ? ", buffers registered" : "");
		if (engine->refusal)
			np_log_detail(log, "not io_uring: %s%s", strerror(-engine->refusal),
				      engine->refusal == -ENOMEM ? " (ulimit -l)" : "");
		if (run->depth < run->options->queue_depth)
			np_log_info(log,
				    "the region has %u chunks, and no two I/Os go to one place at "
				    "a time: queue depth %u instead of %" PRIu64,
				    run->depth, run->depth, run->options->queue_depth);
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

static void row(struct run *run, np_time at, np_time length, enum moment moment)
{
	const struct result *result = &run->result;
	const struct tally now = {
		.bytes = result->total.bytes - result->mark.bytes,
		.operations = result->total.operations - result->mark.operations,
		.io_errors = result->total.io_errors - result->mark.io_errors,
		.errors_sectors = result->total.errors_sectors - result->mark.errors_sectors,
	};
	struct np_report *report = run->tool->report;
	struct np_histogram_figures latency;
	FILE *text = np_report_text(report);
	const bool end = moment == MOMENT_END;

	if (end && run->intervals && !length && !now.operations && !now.io_errors &&
	    !now.errors_sectors)
		return;
	if (end && np_report_wants_rest(report))
		np_report_write(report, record_interval(run, &now, at, length));
	if (end && !run->options->report.interval)
		return;
	run->intervals++;
	np_histogram_figures(result->recent, &latency);
	/* --report=full has all intervals at the end, in one table. */
	np_block_full_interval(run->tool->full,
			       &(struct np_block_interval){
				       .from = at - length,
				       .to = at,
				       .count = now.operations,
				       .bytes_per_s = np_units_rate(now.bytes, length),
				       .delay = latency,
			       });
	/* The text has rows by default, and those that a signal asked for. */
	if (text && (moment == MOMENT_ASKED || run->options->layout == NP_REPORT_DEFAULT))
		print_interval(text, run, &now, at, length);
	/* In one pipe with the text it comes after its row. */
	if (!end && np_report_wants_records(report))
		np_report_write(report, record_interval(run, &now, at, length));
}

void report_row(struct run *run, np_time at, np_time length, enum moment moment)
{
	pthread_mutex_lock(&run->exercise->report);
	row(run, at, length, moment);
	pthread_mutex_unlock(&run->exercise->report);
}

/* Reports the present size of the file, which a write in flight may have changed. */
static void remark_on_file(const struct run *run)
{
	const struct result *result = &run->result;
	const char *path = run->options->path;
	const uint64_t opened = np_disk_geometry(run->disk)->bytes;
	const uint64_t bytes = result->cut ? result->cut_bytes : opened;
	const uint64_t begin = run->cursor.begin, end = begin + run->cursor.length;
	char range[96] = "";

	if (bytes > begin)
		snprintf(range, sizeof(range),
			 "; bytes %" PRIu64 " to %" PRIu64 " of it may hold test data", begin,
			 bytes < end ? bytes : end);
	if (result->cut && bytes == opened)
		np_log_error(run->tool->log, path,
			     "lost blocks while it was written; the run ended%s", range);
	else if (result->cut)
		np_log_error(run->tool->log, path,
			     "was truncated while it was written; the run ended; it has %" PRIu64
			     " bytes%s",
			     bytes, range);
	if (result->replaced)
		np_log_error(run->tool->log, path, "is no longer the file that was written%s",
			     result->cut ? "" : range);
}

void report_remark(const struct run *run)
{
	const struct result *result = &run->result;
	const struct options *options = run->options;
	const struct np_log *log = run->tool->log;
	const char *path = options->path,
		   *hint = np_damage_hint(&result->damage, result->checked_sectors,
					  result->passes + 1);

	if (result->total.io_errors)
		np_log_error(log, path, "%s at offset %" PRIu64 ": %s",
			     result->first_failure.write ? "write" : "read",
			     result->first_failure.offset_bytes,
			     strerror(-result->first_failure.error));
	if (result->given_up_after)
		np_log_error(log, path, "gave up after %" PRIu64 " failed I/O%s in a row",
			     result->given_up_after, np_plural(result->given_up_after));
	if (result->cut || result->replaced)
		remark_on_file(run);
	if (result->sync_error)
		np_log_error(log, path, "sync: %s", strerror(-result->sync_error));
	if (result->engine_error)
		np_log_error(log, path, "%s: %s",
			     run->tool == &run->own && !run->started
				     ? "no thread"
				     : np_engine_info(run->engine)->variant,
			     strerror(-result->engine_error));
	else if (!result->total.bytes && !result->total.io_errors && !result->interrupted &&
		 !result->cut && !result->replaced)
		np_log_error(log, path, "no I/O completed within --duration");
	if (options->operation == OPERATION_READ && result_no_test_data(result))
		np_log_info(log, "%s %s", path,
			    result->damage.sectors[NP_PATTERN_ALL_ZERO] == result->damage.total
				    ? "is all zero: it was never written by this program"
				    : "carries no test pattern: it was not written by this "
				      "program");
	if (options->operation == OPERATION_READ && hint)
		np_log_info(log, "%s %s", path, hint);
	if (result->damage.total &&
	    (options->strict || options->operation == OPERATION_VERIFIED_WRITE))
		np_log_error(log, path, "%" PRIu64 " sector%s with data errors",
			     result->damage.total, np_plural(result->damage.total));
}

void report_summary(struct run *run)
{
	FILE *text = np_report_text(run->tool->report);

	report_remark(run);
	if (text)
		print_summary(text, run);
	if (np_report_wants_records(run->tool->report))
		np_report_write(run->tool->report, record_result(run, "summary"));
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report_text: the result as text, in lines of at most 80 columns. MB is 10^6 bytes. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#define MEGA	      1e6
#define LATENCY_BYTES 32
#define RUNS_SHOWN    8
#define RATE_BYTES    32
#define INDENT	      15 /* of what a line's word is followed by */
/* Below this many bytes one decimal of a megabyte is too coarse. */
#define LITTLE 100000

static double megabytes(uint64_t bytes)
{
	return (double)bytes / MEGA;
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

/* As many decimals as the interval has. */
static int time_digits(np_time interval)
{
	int digits = 1;

	for (np_time unit = NP_SECOND / 10; interval % unit && digits < 6; unit /= 10)
		digits++;
	return digits;
}

/* A read that found no test data, which is no damage unless --strict says so. */
static bool is_no_test_data(const struct reporter *reporter, const struct result *result)
{
	const struct options *options = reporter->options;

	return options->operation == OPERATION_READ && !options->strict &&
	       result_is_no_test_data(result);
}

void report_text_interval(FILE *out, const struct reporter *reporter, const struct result *result,
			  np_time at, np_time length)
{
	struct tally now = result_recent(result);
	char p50[LATENCY_BYTES], p99[LATENCY_BYTES], rate[RATE_BYTES], failed[40] = "",
								       data[40] = "";

	np_units_format_latency(np_histogram_percentile(result->recent, 50), p50, sizeof(p50));
	np_units_format_latency(np_histogram_percentile(result->recent, 99), p99, sizeof(p99));
	if (now.io_errors)
		snprintf(failed, sizeof(failed), "  I/O errors %" PRIu64, now.io_errors);
	if (is_no_test_data(reporter, result))
		snprintf(data, sizeof(data), "  not test data");
	else if (now.errors_sectors)
		snprintf(data, sizeof(data), "  data errors %" PRIu64, now.errors_sectors);
	np_block_line(out, INDENT, "%8.*f s  %s  %8.0f I/O/s  p50 %7s  p99 %7s%s%s",
		      time_digits(reporter->options->report.interval), np_clock_seconds(at),
		      format_amount(np_units_rate(now.bytes, length), 8, "/s", rate),
		      np_units_rate(now.operations, length), p50, p99, failed, data);
}

/* The rest is among what --report=full adds. */
static void print_latency(FILE *out, const char *title, const struct np_histogram *histogram)
{
	char p50[LATENCY_BYTES], p99[LATENCY_BYTES], most[LATENCY_BYTES];

	if (!histogram || np_histogram_count(histogram) == 0)
		return;
	fprintf(out, "  %-12s p50 %s, p99 %s, max %s\n", title,
		np_units_format_latency(np_histogram_percentile(histogram, 50), p50, sizeof(p50)),
		np_units_format_latency(np_histogram_percentile(histogram, 99), p99, sizeof(p99)),
		np_units_format_latency(np_histogram_max(histogram), most, sizeof(most)));
}

static void print_run(FILE *out, const struct np_damage_run *run)
{
	char more[80] = "", carries[40] = "";

	if (run->sectors > 1)
		snprintf(more, sizeof(more), " to %" PRIu64 " (%" PRIu64 " sectors)",
			 run->lba + run->sectors - 1, run->sectors);
	if (run->kind == NP_PATTERN_MISPLACED)
		snprintf(carries, sizeof(carries), ", begins with number %" PRIu64, run->found);
	np_block_line(out, INDENT + 2, "               LBA %" PRIu64 "%s: %s%s", run->lba, more,
		      np_pattern_class_name(run->kind), carries);
}

static void print_damage(FILE *out, const struct np_damage *damage)
{
	char classes[128] = "";
	size_t used = 0;

	for (int class = NP_PATTERN_GOOD + 1; class < NP_PATTERN_CLASSES; class ++) {
		if (damage->sectors[class])
			used += (size_t)snprintf(
				classes + used, sizeof(classes) - used, "%s %" PRIu64 " %s",
				used ? "," : ":", damage->sectors[class],
				np_pattern_class_name((enum np_pattern_class) class));
	}
	np_block_line(out, INDENT, "  data errors  %" PRIu64 " sectors%s", damage->total, classes);
}

static void print_runs(FILE *out, const struct np_damage *damage, size_t most)
{
	size_t shown = damage->runs < most ? damage->runs : most;
	uint64_t more = damage->runs - shown + damage->runs_unlisted;

	for (size_t i = 0; i < shown; i++)
		print_run(out, &damage->run[i]);
	if (more > 0)
		fprintf(out, "               and %" PRIu64 " more runs\n", more);
}

static void print_data(FILE *out, const struct reporter *reporter, const struct result *result)
{
	const unsigned layout = reporter->options->layout;

	if (is_no_test_data(reporter, result)) {
		fprintf(out, "  not test data: %" PRIu64 " sectors (not checked)\n",
			result->damage.total);
		return;
	}
	if (reporter->options->operation == OPERATION_WRITE)
		return;
	print_damage(out, &result->damage);
	if (layout != NP_REPORT_ORIGINAL)
		print_runs(out, &result->damage, layout == NP_REPORT_FULL ? SIZE_MAX : RUNS_SHOWN);
}

static void print_failures(FILE *out, const struct failures *failures)
{
	if (failures->count > 0)
		np_block_line(out, INDENT,
			      "  I/O errors   %" PRIu64 ", first: %s at offset %" PRIu64 ": %s",
			      failures->count, failures->write ? "write" : "read",
			      failures->offset_bytes, strerror(-failures->error));
	else
		fputs("  I/O errors   0\n", out);
}

static void print_disturbance(FILE *out, const struct reporter *reporter,
			      const struct result *result)
{
	char value[LATENCY_BYTES], rate[RATE_BYTES];

	if (reporter->options->mode == NP_DISK_BUFFERED_SYNC)
		fprintf(out, "  sync         %s, counted in\n",
			np_units_format_latency(result->sync_ns, value, sizeof(value)));
	if (result->short_operations > 0)
		fprintf(out, "  short I/Os   %" PRIu64 "\n", result->short_operations);
	if (result->intended && reporter->options->rate.unit == NP_RATE_BYTES)
		format_amount(reporter->options->rate.per_s, 0, "/s", rate);
	else if (result->intended)
		snprintf(rate, sizeof(rate), "%.0f I/O/s", reporter->options->rate.per_s);
	if (result->intended)
		fprintf(out, "  rate         asked %s, at worst %s behind\n", rate,
			np_units_format_latency(result->worst_behind, value, sizeof(value)));
	if (result->interrupted)
		fputs("  interrupted  by a signal\n", out);
}

static void print_heading(FILE *out, const struct reporter *reporter)
{
	const struct options *options = reporter->options;

	np_block_line(out, INDENT,
		      "%s of %s: %s, chunks of %" PRIu64 " bytes, %s, queue depth %u, %s",
		      options_operations[options->operation], reporter->target->path,
		      options_modes[options->mode], options->chunk_bytes,
		      options->random ? "random" : "linear", reporter->depth, reporter->engine);
}

/*
 * Reports the end of a region that stops short of a whole block, if the region extends to the end.
 */
static void print_left_out(FILE *out, const struct target *target)
{
	uint64_t end = target->begin_bytes + target->length_bytes;
	uint64_t bytes = np_disk_geometry(target->disk)->bytes;

	if (bytes > end && bytes - end < target->step_bytes)
		np_block_line(out, INDENT,
			      "  left out     the last %" PRIu64
			      " bytes: no whole block of %" PRIu64 ", never read or written",
			      bytes - end, target->step_bytes);
}

/* What --report=full adds. */
static void print_full(FILE *out, const struct reporter *reporter, const struct result *result)
{
	static const char *const times[] = {"latency", "reading back", "from due"};
	const struct options *options = reporter->options;
	const struct np_disk_geometry *geometry = np_disk_geometry(reporter->target->disk);
	struct np_block block = np_block_init("", "I/Os", true);
	struct np_block_full *full = reporter->run->full;

	np_block_full_say(full, NP_BLOCK_CONFIGURATION, "region", "%" PRIu64 " bytes at %" PRIu64,
			  reporter->target->length_bytes, reporter->target->begin_bytes);
	np_block_full_say(full, NP_BLOCK_CONFIGURATION, "warm-up", "%.3f s",
			  np_clock_seconds(options->warm_up));
	if (options->random)
		np_block_full_say(full, NP_BLOCK_CONFIGURATION, "seed", "%" PRIu64, options->seed);
	np_block_full_say(full, NP_BLOCK_HOSTS, "disk", "%" PRIu64 " bytes, %s %s", geometry->bytes,
			  geometry->model[0] ? geometry->model : "model unknown", geometry->serial);
	np_block_full_say(full, NP_BLOCK_HOSTS, "blocks", "logical %u, physical %u bytes",
			  geometry->logical_block, geometry->physical_block);
	np_block_full_say(full, NP_BLOCK_HOSTS, "scheduler", "%s",
			  geometry->scheduler[0] ? geometry->scheduler : "unknown");
	np_block_full_say(full, NP_BLOCK_HOSTS, "context switches",
			  "%" PRIu64 " voluntary, %" PRIu64 " forced",
			  result->usage.voluntary_switches, result->usage.involuntary_switches);
	block.times = times;
	block.full = full;
	np_histogram_figures(result->latency, &block.delay);
	if (result->verify)
		np_histogram_figures(result->verify, &block.rtt);
	if (result->intended)
		np_histogram_figures(result->intended, &block.delay_raw);
	np_block_print_full(out, &block);
}

static void print_amount(FILE *out, const struct reporter *reporter, const struct result *result)
{
	const np_time elapsed = result_elapsed(result);
	const bool read = reporter->options->operation == OPERATION_READ;
	char amount[RATE_BYTES], rate[RATE_BYTES], both[2 * RATE_BYTES] = "rate unknown";

	if (result_rate_known(result))
		snprintf(both, sizeof(both), "%s, %.0f I/O/s",
			 format_amount(np_units_rate(result->total.bytes, elapsed), 0, "/s", rate),
			 np_units_rate(result->total.operations, elapsed));
	np_block_line(out, INDENT, "  %-12s %s in %.3f s: %s, %" PRIu64 " passes",
		      read ? "read" : "written",
		      format_amount((double)result->total.bytes, 0, "", amount),
		      np_clock_seconds(elapsed), both, result->passes);
}

void report_text_summary(FILE *out, const struct reporter *reporter, const struct result *result)
{
	if (reporter->options->layout == NP_REPORT_ORIGINAL) {
		print_amount(out, reporter, result);
		print_data(out, reporter, result);
		return;
	}
	print_heading(out, reporter);
	print_amount(out, reporter, result);
	if (result->verify)
		fprintf(out, "  %-12s %.1f MB, seed %" PRIu64 "\n", "read back",
			megabytes(result->verified_bytes), reporter->options->seed);
	print_left_out(out, reporter->target);
	print_latency(out, "latency", result->latency);
	print_latency(out, "from due", result->intended);
	print_latency(out, "reading back", result->verify);
	print_data(out, reporter, result);
	print_failures(out, &result->failures);
	print_disturbance(out, reporter, result);
	fprintf(out, "  cpu          user %.3f s, system %.3f s\n",
		np_clock_seconds(result->usage.user), np_clock_seconds(result->usage.system));
	if (reporter->options->layout == NP_REPORT_FULL)
		print_full(out, reporter, result);
}

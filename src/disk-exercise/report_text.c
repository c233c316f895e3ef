// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report_text: the result as text. MB is 10^6 bytes. */
#include "report.h"

#include <inttypes.h>
#include <string.h>

#define MEGA	      1e6
#define LATENCY_BYTES 32
#define RUNS_SHOWN    8
#define RATE_BYTES    32
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
	char p50[LATENCY_BYTES], p99[LATENCY_BYTES], rate[RATE_BYTES];

	np_units_format_latency(np_histogram_percentile(result->recent, 50), p50, sizeof(p50));
	np_units_format_latency(np_histogram_percentile(result->recent, 99), p99, sizeof(p99));
	fprintf(out,
		"%8.*f s  %9.1f MB  %s  %8.0f I/O/s  50%% %s  99%% %s  %" PRIu64 " I/O errors  ",
		time_digits(reporter->options->report.interval), np_clock_seconds(at),
		megabytes(result->total.bytes),
		format_amount(np_units_rate(now.bytes, length), 8, "/s", rate),
		np_units_rate(now.operations, length), p50, p99, now.io_errors);
	if (is_no_test_data(reporter, result))
		fputs("not test data\n", out);
	else
		fprintf(out, "%" PRIu64 " data errors\n", now.errors_sectors);
}

static void print_latency(FILE *out, const char *title, const struct np_histogram *histogram)
{
	static const struct {
		const char *name;
		double percent;
	} ranks[] = {{"50%", 50}, {"90%", 90}, {"99%", 99}, {"99.9%", 99.9}};
	char value[LATENCY_BYTES];

	if (!histogram || np_histogram_count(histogram) == 0)
		return;
	fprintf(out, "  %-12s min %s", title,
		np_units_format_latency(np_histogram_min(histogram), value, sizeof(value)));
	fprintf(out, ", mean %s",
		np_units_format_latency((np_time)np_histogram_mean(histogram), value,
					sizeof(value)));
	for (size_t i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		fprintf(out, ", %s %s", ranks[i].name,
			np_units_format_latency(
				np_histogram_percentile(histogram, ranks[i].percent), value,
				sizeof(value)));
	fprintf(out, ", max %s\n",
		np_units_format_latency(np_histogram_max(histogram), value, sizeof(value)));
}

static void print_run(FILE *out, const struct np_damage_run *run)
{
	fprintf(out, "               LBA %" PRIu64, run->lba);
	if (run->sectors > 1)
		fprintf(out, " to %" PRIu64 " (%" PRIu64 " sectors)", run->lba + run->sectors - 1,
			run->sectors);
	fprintf(out, ": %s", np_pattern_class_name(run->kind));
	if (run->kind == NP_PATTERN_MISPLACED)
		fprintf(out, ", begins with number %" PRIu64, run->found);
	fputc('\n', out);
}

static void print_damage(FILE *out, const struct np_damage *damage)
{
	size_t shown = damage->runs < RUNS_SHOWN ? damage->runs : RUNS_SHOWN;
	uint64_t more = damage->runs - shown + damage->runs_unlisted;
	const char *comma = ": ";

	fprintf(out, "  data errors  %" PRIu64 " sectors", damage->total);
	for (int class = NP_PATTERN_GOOD + 1; class < NP_PATTERN_CLASSES; class ++) {
		if (damage->sectors[class] == 0)
			continue;
		fprintf(out, "%s%" PRIu64 " %s", comma, damage->sectors[class],
			np_pattern_class_name((enum np_pattern_class) class));
		comma = ", ";
	}
	fputc('\n', out);
	for (size_t i = 0; i < shown; i++)
		print_run(out, &damage->run[i]);
	if (more > 0)
		fprintf(out, "               and %" PRIu64 " more runs\n", more);
}

static void print_failures(FILE *out, const struct failures *failures)
{
	fprintf(out, "  I/O errors   %" PRIu64, failures->count);
	if (failures->count > 0)
		fprintf(out, ", first: %s at offset %" PRIu64 ": %s",
			failures->write ? "write" : "read", failures->offset_bytes,
			strerror(-failures->error));
	fputc('\n', out);
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
	if (result->intended)
		fprintf(out, "  rate         asked %s, at worst %s behind\n",
			format_amount((double)reporter->options->rate_bytes_per_s, 0, "/s", rate),
			np_units_format_latency(result->worst_behind, value, sizeof(value)));
	if (result->interrupted)
		fputs("  interrupted  by a signal\n", out);
}

static void print_heading(FILE *out, const struct reporter *reporter)
{
	const struct options *options = reporter->options;

	fprintf(out, "%s of %s: %s, chunks of %" PRIu64 " bytes, %s, queue depth %u, %s\n",
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
		fprintf(out,
			"  left out     the last %" PRIu64 " bytes: no whole block of %" PRIu64
			", never read or written\n",
			bytes - end, target->step_bytes);
}

void report_text_summary(FILE *out, const struct reporter *reporter, const struct result *result)
{
	np_time elapsed = result_elapsed(result);
	char amount[RATE_BYTES];
	bool read = reporter->options->operation == OPERATION_READ;

	print_heading(out, reporter);
	fprintf(out, "  %-12s %s in %.3f s: ", read ? "read" : "written",
		format_amount((double)result->total.bytes, 0, "", amount),
		np_clock_seconds(elapsed));
	if (result_rate_known(result))
		fprintf(out, "%s, %.0f I/O/s",
			format_amount(np_units_rate(result->total.bytes, elapsed), 0, "/s", amount),
			np_units_rate(result->total.operations, elapsed));
	else
		fputs("rate unknown", out);
	fprintf(out, ", %" PRIu64 " passes\n", result->passes);
	if (result->verify)
		fprintf(out, "  %-12s %.1f MB, seed %" PRIu64 "\n", "read back",
			megabytes(result->verified_bytes), reporter->options->seed);
	print_left_out(out, reporter->target);
	print_latency(out, "latency", result->latency);
	print_latency(out, "from due", result->intended);
	print_latency(out, "reading back", result->verify);
	if (is_no_test_data(reporter, result))
		fprintf(out, "  not test data: %" PRIu64 " sectors (not checked)\n",
			result->damage.total);
	else if (reporter->options->operation != OPERATION_WRITE)
		print_damage(out, &result->damage);
	print_failures(out, &result->failures);
	print_disturbance(out, reporter, result);
	if (elapsed > 0)
		fprintf(out, "  CPU          user %.1f %%, system %.1f %%\n",
			100.0 * (double)result->usage.user / (double)elapsed,
			100.0 * (double)result->usage.system / (double)elapsed);
}

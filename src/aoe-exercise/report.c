// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: the text output. MB is 10^6 bytes. */
#include "report.h"

#include "record.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>

#define MB 1e6
/* A pacer that was this far behind was not just woken late. */
#define BEHIND_WORTH_SAYING (10 * NP_MILLISECOND)
/* A shorter time is the first check, or a few late answers on a busy machine. */
#define HELD_WORTH_SAYING (10 * NP_MILLISECOND)

#define RATE_BYTES	  64

static double rate_mb(uint64_t bytes, np_time elapsed)
{
	return np_units_rate(bytes, elapsed) / MB;
}

/* Both rates of an exchange in the given widths, or "unknown". */
static const char *rate_text(const struct result *r, int mb_width, int packets_width,
			     char text[RATE_BYTES])
{
	const char *comma = mb_width ? " " : ",";

	if (!result_rate_known(r))
		snprintf(text, RATE_BYTES, "%*s MB/s%s %*s packets/s", mb_width, "unknown", comma,
			 packets_width, "unknown");
	else
		snprintf(text, RATE_BYTES, "%*.2f MB/s%s %*.0f packets/s", mb_width,
			 rate_mb(r->tally.bytes, r->elapsed), comma, packets_width,
			 np_units_rate(r->tally.received, r->elapsed));
	return text;
}

void report_start(struct reporter *reporter)
{
	const struct options *o = reporter->options;
	const struct target *t = reporter->target;
	FILE *text = np_report_text(reporter->report);
	char name[TARGET_NAME_BYTES];

	if (np_report_wants_records(reporter->report))
		np_report_write(reporter->report, record_start(reporter));
	if (!text)
		return;
	fprintf(text, "%s %s on %s: %s, firmware %04x, buffers %u, %" PRIu64 " sectors, %.1f MB\n",
		o->operation == OPERATION_WRITE ? "write" : "read", target_name(t, name),
		o->target.interface, *t->identity.model ? t->identity.model : "no model",
		t->firmware, t->buffer_count, t->identity.sectors,
		(double)t->identity.sectors * NP_AOE_SECTOR_BYTES / MB);
	fflush(text);
}

void report_new_exchange(struct reporter *reporter)
{
	reporter->last = (struct tally){0};
	reporter->last_at = 0;
	reporter->now_at = 0;
	reporter->intervals = 0;
	reporter->progress_bytes = 0;
}

/* What was counted since the last interval. */
static struct tally since(const struct tally *now, const struct tally *last)
{
	struct tally d = *now;

	d.sent -= last->sent;
	d.received -= last->received;
	d.bytes -= last->bytes;
	d.duplicates -= last->duplicates;
	d.stray -= last->stray;
	d.errors -= last->errors;
	d.late -= last->late;
	d.lost -= last->lost; /* modulo 2^64: late answers may take back more than was lost */
	return d;
}

static void write_interval(FILE *text, np_time at, const struct tally *now, np_time length)
{
	fprintf(text,
		"%7.1f s  %8.2f MB/s  %8.0f packets/s  lost %" PRId64 "  late %" PRIu64
		"  duplicates %" PRIu64 "  errors %" PRIu64 "\n",
		np_clock_seconds(at), rate_mb(now->bytes, length),
		np_units_rate(now->received, length), (int64_t)now->lost, now->late,
		now->duplicates, now->errors);
	fflush(text);
}

/* Reports the counts since the last row, where @text and @record ask for it. */
static void tell_interval(struct reporter *reporter, const struct result *life, bool text,
			  bool record)
{
	const np_time length = reporter->now_at - reporter->last_at;
	const struct tally now = since(&life->tally, &reporter->last);

	reporter->last = life->tally;
	reporter->last_at = reporter->now_at;
	reporter->intervals++;
	if (record)
		np_report_write(reporter->report, record_interval(reporter, life, &now, length));
	if (text)
		write_interval(np_report_text(reporter->report), reporter->last_at, &now, length);
}

void report_interval(void *owner, const struct result *life, np_time length, bool asked)
{
	struct reporter *reporter = owner;
	uint64_t bytes = life->tally.bytes - reporter->progress_bytes;

	reporter->now_at += length;
	reporter->progress_bytes = life->tally.bytes;
	if (asked || reporter->options->report.interval)
		tell_interval(reporter, life, np_report_text(reporter->report),
			      np_report_wants_records(reporter->report));
	else if (reporter->progress)
		fprintf(stderr, "\r%7.1f s  %8.2f MB/s  lost %" PRIu64 " ",
			np_clock_seconds(reporter->now_at), rate_mb(bytes, length),
			life->tally.lost);
}

static bool is_nothing(const struct tally *t)
{
	return !(t->sent | t->received | t->late | t->lost | t->duplicates | t->stray | t->errors);
}

/* In a sweep the row of the step itself is that of the whole step. */
void report_rest(void *owner, const struct result *life, np_time length)
{
	struct reporter *reporter = owner;
	const struct tally now = since(&life->tally, &reporter->last);
	const bool asked = reporter->options->report.interval;
	bool record = np_report_wants_rest(reporter->report);

	reporter->now_at += length;
	if (reporter->in_sweep && !asked)
		return;
	if (reporter->intervals && is_nothing(&now))
		return;
	tell_interval(reporter, life, asked && np_report_text(reporter->report), record);
}

void report_step(struct reporter *reporter, const struct result *result)
{
	const struct tally *t = &result->tally;
	FILE *text = np_report_text(reporter->report);
	char p50[24], p99[24], rate[RATE_BYTES];

	if (np_report_wants_records(reporter->report))
		np_report_write(reporter->report, record_step(reporter, result));
	if (!text)
		return;
	np_units_format_latency(np_histogram_percentile(result->rtt, 50), p50, sizeof(p50));
	np_units_format_latency(np_histogram_percentile(result->rtt, 99), p99, sizeof(p99));
	fprintf(text, "window %4u  %s  lost %" PRIu64 "  late %" PRIu64 "  rtt p50 %s, p99 %s",
		result->window, rate_text(result, 8, 8, rate), t->lost, t->late, p50, p99);
	if (t->errors)
		fprintf(text, "  errors %" PRIu64, t->errors);
	if (result->damage.total)
		fprintf(text, "  data errors %" PRIu64, result->damage.total);
	fputc('\n', text);
	fflush(text);
}

void report_knee(struct reporter *reporter, const struct sweep_step *steps, size_t count, int knee)
{
	FILE *text = np_report_text(reporter->report);

	if (!text)
		return;
	if (knee == SWEEP_CUT_SHORT)
		fprintf(text, "knee: not known, the sweep was cut short at window %u\n",
			steps[count - 1].window);
	else if (knee < 0)
		fprintf(text, "knee: none, every window lost packets\n");
	else
		fprintf(text,
			"knee: window %u, the smallest of %zu within 3 %% of the best rate "
			"without loss\n",
			steps[knee].window, count);
}

static void write_loss(FILE *text, const struct result *r)
{
	const struct np_loss *l = &r->loss;
	char bounds[NP_PATH_TEXT], dropped[NP_DROPS_TEXT];

	fprintf(text, "lost        %12" PRIu64 " packets  %.4f %%", r->tally.lost,
		result_loss_percent(&r->tally));
	if (r->tally.lost && l->exact)
		fprintf(text,
			"  (on the way or in the target %" PRIu64 ", in this host %" PRIu64 ")",
			l->path, l->host);
	else if (r->tally.lost)
		fprintf(text,
			"  (on the way or in the target at least %" PRIu64 ", %" PRIu64
			" unattributed)",
			l->path, l->unattributed);
	fputc('\n', text);
	if (r->tally.lost)
		fprintf(text,
			"  of it at most, before this host's packet layer, in frames of anybody: "
			"%s\n",
			np_path_format(&r->path, bounds));
	if (r->tally.lost && r->host.known)
		fprintf(text, "  %s\n", np_drops_format(&r->host, NULL, dropped));
}

static void write_latency(FILE *text, const char *name, const struct np_histogram *h)
{
	static const double percents[] = {50, 90, 99, 99.9};
	char value[24];

	if (!np_histogram_count(h))
		return;
	fprintf(text, "%-12smin %s", name,
		np_units_format_latency(np_histogram_min(h), value, sizeof(value)));
	np_units_format_latency((np_time)np_histogram_mean(h), value, sizeof(value));
	fprintf(text, ", mean %s", value);
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		np_units_format_latency(np_histogram_percentile(h, percents[i]), value,
					sizeof(value));
		fprintf(text, ", p%g %s", percents[i], value);
	}
	fprintf(text, ", max %s\n",
		np_units_format_latency(np_histogram_max(h), value, sizeof(value)));
}

static void write_damage(FILE *text, const struct np_damage *damage)
{
	fprintf(text, "data errors %12" PRIu64 " sectors", damage->total);
	for (unsigned c = NP_PATTERN_ALL_ZERO; c < NP_PATTERN_CLASSES; c++) {
		if (damage->sectors[c])
			fprintf(text, "  %s %" PRIu64, np_pattern_class_name(c),
				damage->sectors[c]);
	}
	fputc('\n', text);
	for (size_t i = 0; i < damage->runs; i++) {
		const struct np_damage_run *run = &damage->run[i];

		fprintf(text, "  sector %" PRIu64 ", %" PRIu64 " long: %s", run->lba, run->sectors,
			np_pattern_class_name(run->kind));
		if (run->kind == NP_PATTERN_MISPLACED)
			fprintf(text, ", carries number %" PRIu64, run->found);
		fputc('\n', text);
	}
	if (damage->runs_unlisted)
		fprintf(text, "  and %" PRIu64 " more places\n", damage->runs_unlisted);
}

static void write_errors(FILE *text, const struct result *r)
{
	const struct answer_error *e = &r->first_error;

	fprintf(text, "errors      %12" PRIu64 " packets", r->tally.errors);
	if (r->tally.errors && e->aoe_error)
		fprintf(text, "  (first: sector %" PRIu64 ", AoE error %u, %s)", e->lba,
			e->aoe_error, np_aoe_error_text(e->aoe_error));
	else if (r->tally.errors)
		fprintf(text, "  (first: sector %" PRIu64 ", ATA status %02x, error %02x)", e->lba,
			e->ata_status, e->ata_error);
	fputc('\n', text);
}

static void write_summary(FILE *text, const struct reporter *reporter, const struct result *r)
{
	const struct tally *t = &r->tally;
	char rate[RATE_BYTES];

	fprintf(text, "sent        %12" PRIu64 " packets", t->sent);
	if (t->retransmitted)
		fprintf(text, "  (%" PRIu64 " of them again, %" PRIu64 " requests given up)",
			t->retransmitted, t->given_up);
	fprintf(text, "\nreceived    %12" PRIu64 " packets\n", t->received);
	write_loss(text, r);
	fprintf(text, "late        %12" PRIu64 " packets\n", t->late);
	if (t->outstanding)
		fprintf(text, "outstanding %12" PRIu64 " packets\n", t->outstanding);
	if (t->refused)
		fprintf(text, "refused     %12" PRIu64 " tries  (by this host%s%s)\n", t->refused,
			r->refused_error ? ", " : "",
			r->refused_error ? strerror(-r->refused_error) : "");
	fprintf(text, "duplicates  %12" PRIu64 " packets\n", t->duplicates);
	fprintf(text, "stray       %12" PRIu64 " packets\n", t->stray);
	write_errors(text, r);
	if (reporter->options->operation == OPERATION_READ && !reporter->options->data.strict &&
	    result_is_no_test_data(r))
		fprintf(text, "not test data: %" PRIu64 " sectors (not checked)\n",
			r->damage.total);
	else if (reporter->options->operation == OPERATION_READ)
		write_damage(text, &r->damage);
	write_latency(text, "rtt", r->rtt);
	write_latency(text, "paced", r->paced);
	if (r->rechecks.held > HELD_WORTH_SAYING)
		fprintf(text, "held        %.3f s, until the target had been examined again\n",
			np_clock_seconds(r->rechecks.held));
	if (r->worst_behind > BEHIND_WORTH_SAYING)
		fprintf(text, "the rate could not be sustained: at worst %.3f s behind\n",
			np_clock_seconds(r->worst_behind));
	fprintf(text, "cpu         user %.3f s, system %.3f s\n", np_clock_seconds(r->usage.user),
		np_clock_seconds(r->usage.system));
	fprintf(text, "%s %.2f MB in %.3f s: %s\n",
		reporter->options->operation == OPERATION_WRITE ? "wrote" : "read",
		(double)t->bytes / MB, np_clock_seconds(r->elapsed), rate_text(r, 0, 0, rate));
}

void report_summary(struct reporter *reporter, const struct result *result, int knee_window)
{
	FILE *text = np_report_text(reporter->report);

	if (reporter->progress)
		fprintf(stderr, "\r%48s\r", "");
	if (np_report_wants_records(reporter->report))
		np_report_write(reporter->report, record_summary(reporter, result, knee_window));
	if (text)
		write_summary(text, reporter, result);
}

void report_targets(struct reporter *reporter, const struct target *targets, unsigned count)
{
	FILE *text = np_report_text(reporter->report);

	if (text)
		fprintf(text, "%-10s %-17s %8s %7s %7s %14s %12s  %s\n", "target", "mac",
			"firmware", "buffers", "sectors", "disk sectors", "MB", "model");
	for (unsigned i = 0; i < count; i++) {
		const struct target *t = &targets[i];
		char name[TARGET_NAME_BYTES], mac[TARGET_MAC_BYTES];

		if (np_report_wants_records(reporter->report))
			np_report_write(reporter->report, record_target(t));
		if (!text)
			continue;
		fprintf(text, "%-10s %s %8.4x %7u %7u", target_name(t, name),
			target_mac(t->mac, mac), t->firmware, t->buffer_count, t->sector_count);
		if (t->identified)
			fprintf(text, " %14" PRIu64 " %12.1f  %s", t->identity.sectors,
				(double)t->identity.sectors * NP_AOE_SECTOR_BYTES / MB,
				t->identity.model);
		else
			fprintf(text, " %14s %12s  unknown", "unknown", "unknown");
		fprintf(text, "%s\n", t->ambiguous ? " (several answer for it)" : "");
	}
}

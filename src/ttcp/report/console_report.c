// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * console_report: text that the original does not have: intervals, windows, the full report,
 * receivers.
 */
#include "console.h"

#include <inttypes.h>
#include <string.h>

static double ms_of(int64_t ns)
{
	return (double)ns / (double)NP_MILLISECOND;
}

/* Ends the line of dots before a line of ours. */
static FILE *begin_line(struct console *console)
{
	if (console->out && console->column) {
		fputc('\n', console->out);
		console->column = 0;
	}
	return console->out;
}

void console_interval(struct console *console, np_time at, const struct np_flow_counts *now,
		      bool waiting)
{
	const struct figures_rate rate = figures_rate(now->bytes, now->elapsed);
	char kilobytes[FIGURES_TEXT], kilobits[FIGURES_TEXT];
	FILE *out = begin_line(console);

	if (!out)
		return;
	fprintf(out, "%9.3f s: %" PRIu64 " packets, %s KB/sec (%s Kbps)", np_clock_seconds(at),
		console->transmit ? now->sent : now->received,
		figures_print_float(rate.kilobytes_per_s, kilobytes),
		figures_print_float(rate.kilobits_per_s, kilobits));
	if (!console->transmit)
		fprintf(out, ", lost %" PRId64 ", out of order %" PRIu64, (int64_t)now->lost,
			now->reordered);
	fputs(waiting ? ", waiting\n" : "\n", out);
	fflush(out);
}

void console_window(struct console *console, const struct window_row *row)
{
	char end[FIGURES_TEXT], kilobits[FIGURES_TEXT];
	FILE *out = begin_line(console);

	if (!out)
		return;
	fprintf(out, "%s ms: %" PRIu64 " packets, %" PRIu64 " bytes, %s Kbps\n",
		figures_print_exact_ms(row->end, end), row->messages, row->bytes,
		figures_print_float(row->kilobits_per_s, kilobits));
	fflush(out);
}

void console_neighbour(struct console *console, const char *logical, const char *address,
		       bool child)
{
	FILE *out = begin_line(console);

	if (out)
		fprintf(out, "neighbor %s at %s%s\n", logical, address, child ? " child" : "");
}

void console_neighbours(struct console *console, const char *self, unsigned count)
{
	FILE *out = begin_line(console);

	if (!out)
		return;
	fprintf(out, "%u neighbors of %s\n", count, self);
	fflush(out);
}

static void put_delays(FILE *out, const char *what, const struct np_histogram_figures *d)
{
	fprintf(out,
		"%s ms: min %.3f mean %.3f p50 %.3f p90 %.3f p99 %.3f p99.9 %.3f max %.3f of "
		"%" PRIu64 "\n",
		what, ms_of(d->min), ms_of(d->mean), ms_of(d->p50), ms_of(d->p90), ms_of(d->p99),
		ms_of(d->p999), ms_of(d->max), d->count);
}

static void put_rtt(FILE *out, const struct np_histogram *rtt)
{
	struct np_histogram_figures d;

	np_histogram_figures(rtt, &d);
	if (d.count)
		put_delays(out, "round trip", &d);
}

/* Datagrams with wrong checksums are dropped, too, and only the host's total of these is known. */
static void put_drops(FILE *out, const struct console_full *full)
{
	if (!full->drop_unit)
		fputs("dropped by this host: unknown\n", out);
	else if (full->host_drops == full->host_drops_most)
		fprintf(out, "dropped by this host: %" PRIu64 " %ss\n", full->host_drops,
			full->drop_unit);
	else
		fprintf(out, "dropped by this host: %" PRIu64 " to %" PRIu64 " %ss\n",
			full->host_drops, full->host_drops_most, full->drop_unit);
}

static void put_counts(FILE *out, const struct console_full *full)
{
	const struct np_flow_counts *f = full->figures;
	char path[NP_PATH_TEXT];

	fprintf(out,
		"sent%s %" PRIu64 " received %" PRIu64 " lost %" PRIu64 " duplicates %" PRIu64
		" reordered %" PRIu64 " late %" PRIu64 " damaged %" PRIu64 "\n",
		f->sent_known ? "" : " at least", f->sent, f->received, f->lost, f->duplicates,
		f->reordered, f->late, f->damaged + f->stray);
	if (f->missed_before)
		fprintf(out, "before the first that came: %" PRIu64 ", lost or not\n",
			f->missed_before);
	put_drops(out, full);
	if (full->path && (full->path->softnet_known || full->path->interfaces_known))
		fprintf(out,
			"of the lost at most, before this host's UDP, in frames of anybody: %s\n",
			np_path_format(full->path, path));
}

static void put_one_way(FILE *out, const struct console_full *full)
{
	struct np_histogram_figures corrected;

	if (!full->delays.count)
		return;
	put_delays(out, "delay by the clocks", &full->delays);
	if (!delay_correct(&full->delays, &full->clock, &corrected)) {
		fputs("delay: unknown, the clocks were not compared\n", out);
		return;
	}
	fprintf(out, "clock offset ms: %.3f within %.3f\n", ms_of(full->clock.offset),
		ms_of(full->clock.bound));
	put_delays(out, "delay", &corrected);
}

static void put_reasons(FILE *out, const struct console_full *full)
{
	char line[NP_DROPS_TEXT];
	uint64_t neither;
	const uint64_t *way = hosts_way(&full->hosts, &neither) ? &neither : NULL;

	if (full->dropped && full->segments)
		fprintf(out, "%s\n", np_drops_format_segments(full->dropped, line));
	else if (full->dropped)
		fprintf(out, "%s\n",
			full->lost ? np_drops_format_sent(full->dropped, full->lost, way, line)
				   : np_drops_format(full->dropped, way, line));
}

void console_report_full(struct console *console, const struct console_full *full)
{
	FILE *out = console->full ? begin_line(console) : NULL;

	if (!out)
		return;
	if (full->figures)
		put_counts(out, full);
	put_reasons(out, full);
	if (full->rtt)
		put_rtt(out, full->rtt);
	put_one_way(out, full);
	if (full->paced)
		fprintf(out, "worst lag behind schedule: %.3f ms\n", ms_of(full->behind));
	fflush(out);
}

/* The mean one-way delay, by the best clock known. */
static const char *delay_text(const struct receivers_receiver *receiver, char *text, size_t room)
{
	const struct message_report *report = &receiver->report;
	const struct message_clock *clock =
		receiver->clock.known ? &receiver->clock : &report->clock;
	struct np_histogram_figures corrected;

	if (!delay_correct(&report->delays, clock, &corrected))
		return "unknown";
	snprintf(text, room, "%.3f", ms_of(corrected.mean));
	return text;
}

static const char *drops_text(const struct message_report *report, char *text, size_t room)
{
	if (report->drop_unit == MESSAGE_DROPS_UNKNOWN)
		return "unknown";
	snprintf(text, room, "%" PRIu64 "%s", report->host_drops,
		 report->drop_unit == MESSAGE_DROPS_BUFFERS ||
				 report->host_drops_most > report->host_drops
			 ? "+"
			 : "");
	return text;
}

static void put_receiver(FILE *out, const struct receivers_receiver *receiver)
{
	const struct message_report *r = &receiver->report;
	const struct figures_rate rate = figures_rate(r->bytes, r->last - r->first);
	char kilobits[FIGURES_TEXT], drops[32], delay[32];

	fprintf(out, "%-24s", receiver->name);
	if (!receiver->reported) {
		fputs("  no report\n", out);
		return;
	}
	fprintf(out,
		" %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
		" %9s %14s %9s%s\n",
		r->received, r->lost, r->duplicates, r->reordered, r->damaged,
		drops_text(r, drops, sizeof(drops)),
		figures_print_float(rate.kilobits_per_s, kilobits),
		delay_text(receiver, delay, sizeof(delay)),
		receiver->joined_late ? "  joined late" : "");
	if (r->missed_before)
		fprintf(out, "%-24s  %" PRIu64 " before its first one, lost or not\n", "",
			r->missed_before);
}

void console_receivers(struct console *console, const struct receivers *receivers, uint64_t sent)
{
	FILE *out = begin_line(console);
	size_t shown = 0;

	if (!out)
		return;
	fprintf(out, "%" PRIu64 " packets to\n%-24s %9s %9s %9s %9s %9s %9s %14s %9s\n", sent,
		"receiver", "received", "lost", "dup", "reordered", "damaged", "host", "Kbps",
		"delay ms");
	for (size_t i = 0; i < receivers->count; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];

		if (!receiver->ready && !receiver->reported)
			continue;
		put_receiver(out, receiver);
		shown++;
	}
	if (!shown)
		fputs("nobody\n", out);
	fflush(out);
}

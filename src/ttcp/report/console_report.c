// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_report: text that the original does not have: intervals, windows, neighbours. */
#include "console.h"

#include <inttypes.h>

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
	FILE *out = console->original ? NULL : begin_line(console);

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

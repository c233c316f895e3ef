// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block_full: what --report=full adds to the result block, in one layout for all programs. */
#include "block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM  28
#define VALUE_ROOM 240
#define NAMES_AT   4  /* columns */
#define VALUES_AT  28 /* columns */
#define PARTS	   (NP_BLOCK_MEMBERS + 1)
#define MORE	   64 /* intervals at a time */

struct np_block_full {
	FILE *facts[PARTS]; /* their lines in memory; NULL: there are none */
	char *text[PARTS];
	size_t bytes[PARTS];
	struct np_block_interval *interval;
	size_t intervals;
	bool incomplete; /* for want of memory */
};

struct np_block_full *block_full_create(void)
{
	return calloc(1, sizeof(struct np_block_full));
}

void np_block_full_clear(struct np_block_full *full)
{
	if (!full)
		return;
	for (size_t i = 0; i < PARTS; i++) {
		if (full->facts[i])
			fclose(full->facts[i]);
		free(full->text[i]);
	}
	free(full->interval);
	*full = (struct np_block_full){.intervals = 0};
}

void block_full_free(struct np_block_full *full)
{
	np_block_full_clear(full);
	free(full);
}

__attribute__((format(printf, 3, 4))) static void put_fact(FILE *out, const char *name,
							   const char *format, ...)
{
	char value[VALUE_ROOM], text[VALUES_AT + NAME_ROOM + VALUE_ROOM];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	snprintf(text, sizeof(text), "%*s%-*s%s", NAMES_AT, "", VALUES_AT - NAMES_AT, name, value);
	block_write(out, VALUES_AT, BLOCK_WORDS, text);
}

void np_block_full_say(struct np_block_full *full, enum np_block_part part, const char *name,
		       const char *format, ...)
{
	char value[VALUE_ROOM];
	va_list arguments;

	if (!full)
		return;
	if (!full->facts[part])
		full->facts[part] = open_memstream(&full->text[part], &full->bytes[part]);
	if (!full->facts[part]) {
		full->incomplete = true;
		return;
	}
	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	put_fact(full->facts[part], name, "%s", value);
}

void np_block_full_columns(struct np_block_full *full, enum np_block_part part,
			   const struct np_column *columns, unsigned parts, const void *values,
			   bool bytes)
{
	for (const struct np_column *c = columns; c->name; c++) {
		const uint64_t n = *(const uint64_t *)((const char *)values + c->offset);
		char name[NAME_ROOM];
		struct np_text text;

		if (!np_column_shown(c, parts, values))
			continue;
		snprintf(name, sizeof(name), "%s", c->name);
		for (char *at = name; (at = strchr(at, '_'));)
			*at = ' ';
		if (!strcmp(c->unit, "ns"))
			text = np_units_format_latency((np_time)n);
		else if (!strcmp(c->unit, "bytes_per_s"))
			text = np_rate_format((double)n, bytes);
		else
			text = np_text_of("%" PRIu64 " %s", n, c->unit);
		np_block_full_say(full, part, name, "%s", text.text);
	}
}

void np_block_full_interval(struct np_block_full *full, const struct np_block_interval *interval)
{
	struct np_block_interval *larger;

	if (full && full->intervals % MORE == 0) {
		larger = reallocarray(full->interval, full->intervals + MORE, sizeof(*larger));
		full->incomplete |= !larger;
		if (!larger)
			return;
		full->interval = larger;
	}
	if (full)
		full->interval[full->intervals++] = *interval;
}

static void put_facts(FILE *out, const struct np_block_full *full, enum np_block_part part,
		      const char *heading)
{
	if (full->facts[part] && !fflush(full->facts[part]))
		fprintf(out, "  %s\n%s", heading, full->text[part]);
}

/* The columns of the intervals. */
enum { FROM = 1, TO, COUNT, RATE, LOST, P50, P99, INTERVAL_COLUMNS };

static const char *interval_cells(const void *context, size_t row, struct np_text cell[])
{
	const struct np_block *block = context;
	const struct np_block_interval *i = &block->full->interval[row];

	cell[FROM] = np_text_of("%.3f s", np_clock_seconds(i->from));
	cell[TO] = np_text_of("%.3f s", np_clock_seconds(i->to));
	cell[COUNT] = np_text_of("%" PRIu64, i->count);
	if (i->bytes_per_s >= 0)
		cell[RATE] = np_rate_format(i->bytes_per_s, block->bytes);
	if (i->lost.known != NP_UNKNOWN)
		cell[LOST] = np_count_format(&i->lost);
	if (i->delay.count) {
		cell[P50] = np_units_format_latency(i->delay.p50);
		cell[P99] = np_units_format_latency(i->delay.p99);
	}
	return "";
}

static void put_intervals(FILE *out, const struct np_block *block)
{
	const bool delay = !block->times;
	const char *const heading[] = {"",
				       "from",
				       "to",
				       block->unit,
				       "rate",
				       "lost",
				       delay ? "delay p50" : "p50",
				       delay ? "delay p99" : "p99"};
	const struct block_table table = {
		.heading = heading,
		.columns = INTERVAL_COLUMNS,
		.rows = block->full->intervals,
		.blanks = NAMES_AT - 2,
		.fill = interval_cells,
		.context = block,
	};

	if (!table.rows)
		return;
	fputs("  intervals\n", out);
	block_put_table(out, &table);
}

/* Packets of the run, unlike the lost ones in messages: a dropped one may have been sent again. */
static void put_reasons(FILE *out, const char *host, const struct np_drops_counts *dropped)
{
	if (!dropped)
		return;
	if (!dropped->known) {
		put_fact(out, host, "unknown: %s", dropped->why ? dropped->why : "not counted");
		return;
	}
	put_fact(out, host, "%s%" PRIu64 " packet%s dropped%s%s",
		 dropped->exact ? "" : ">= ", dropped->copies ? 0 : dropped->packets,
		 np_plural(dropped->copies ? 0 : dropped->packets), dropped->doubt[0] ? ": " : "",
		 dropped->doubt);
	for (unsigned i = 0; i < dropped->entries; i++) {
		const struct np_drops_entry *entry = &dropped->entry[i];
		const char *place = entry->place;

		put_fact(out, "", "%" PRIu64 " %s %s%s%s%s", entry->packets,
			 entry->direction == NP_DROPS_OUT ? "outgoing" : "incoming", entry->reason,
			 *place ? " (" : "", place, *place ? ")" : "");
	}
	if (dropped->others)
		put_fact(out, "", "%" PRIu64 " for other reasons", dropped->others);
}

enum { DELAY = 1, ROUND_TRIP, RAW, TIME_COLUMNS };

static const char *const shares[] = {"min", "mean", "p50", "p90", "p99", "p99.9", "max", "count"};
#define SHARES (sizeof(shares) / sizeof(*shares))
enum { SHARE_P50 = 2, SHARE_P99 = 4, SHARE_MAX = 6 };

static void put_share(const struct np_histogram_figures *times, size_t row, struct np_text *cell)
{
	const int64_t value[SHARES - 1] = {times->min, times->mean, times->p50, times->p90,
					   times->p99, times->p999, times->max};

	/* Those that came in a report have p50, p99 and the maximum alone, each of which may be 0.
	 */
	const bool whole = times->mean || !times->max;
	const bool reported = row == SHARE_P50 || row == SHARE_P99 || row == SHARE_MAX;

	if (!times->count || (!whole && !reported))
		return;
	if (row < SHARES - 1)
		*cell = np_units_format_latency(value[row]);
	else
		*cell = np_text_of("%" PRIu64, times->count);
}

static const char *share_cells(const void *context, size_t row, struct np_text cell[])
{
	const struct np_block *block = context;

	put_share(&block->delay, row, &cell[DELAY]);
	put_share(&block->rtt, row, &cell[ROUND_TRIP]);
	put_share(&block->delay_raw, row, &cell[RAW]);
	return shares[row];
}

static void put_percentiles(FILE *out, const struct np_block *block)
{
	static const char *const usual[] = {"delay", "round trip", "delay by both clocks"};
	const char *const *times = block->times ? block->times : usual;
	const char *const heading[] = {"", times[0], times[1], times[2]};
	const struct block_table table = {
		.heading = heading,
		.columns = TIME_COLUMNS,
		.rows = SHARES,
		.blanks = NAMES_AT,
		.fill = share_cells,
		.context = block,
	};

	if (!block->delay.count && !block->rtt.count && !block->delay_raw.count)
		return;
	fputs("  percentiles\n", out);
	block_put_table(out, &table);
	if (block->clock.known)
		fprintf(out, "  clock offset  %.3f ms, within %.3f ms\n",
			(double)block->clock.offset / (double)NP_MILLISECOND,
			(double)block->delay_bound / (double)NP_MILLISECOND);
	else if (block->delay_raw.count && !block->times)
		fputs("  clock offset  unknown: the clocks were not compared\n", out);
}

void np_block_print_full(FILE *out, const struct np_block *block)
{
	const struct np_block_full *full = block->full;
	bool any = false;

	put_facts(out, full, NP_BLOCK_CONFIGURATION, "configuration");
	put_intervals(out, block);
	put_facts(out, full, NP_BLOCK_TRANSPORT, "transport");
	if (block->dropped[NP_BLOCK_SENDER] || block->dropped[NP_BLOCK_RECEIVER])
		fputs("  dropped, by kernel reason\n", out);
	put_reasons(out, "sender host", block->dropped[NP_BLOCK_SENDER]);
	put_reasons(out, "receiver host", block->dropped[NP_BLOCK_RECEIVER]);
	put_facts(out, full, NP_BLOCK_HOSTS, "hosts");
	put_facts(out, full, NP_BLOCK_MEMBERS, "members");
	put_percentiles(out, block);
	for (unsigned i = 0; i < NP_BLOCK_ENDS; i++) {
		const struct np_usage *usage = block->cpu[i].usage;
		char switches[64] = "";

		if (!usage)
			continue;
		fputs(any ? "" : "  processor time\n", out);
		any = true;
		if (usage->voluntary_switches || usage->involuntary_switches)
			snprintf(switches, sizeof(switches),
				 ", %" PRIu64 " context switches, %" PRIu64 " forced",
				 usage->voluntary_switches + usage->involuntary_switches,
				 usage->involuntary_switches);
		put_fact(out, block_ends[i], "user %.3f s, system %.3f s%s",
			 np_clock_seconds(usage->user), np_clock_seconds(usage->system), switches);
	}
	if (full->incomplete)
		fputs("  incomplete: out of memory\n", out);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block: the result as people read it, the same in all programs. */
#include <inttypes.h>
#include <math.h>
#include <netperf/result.h>
#include <netperf/units.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS	   80
#define INDENT	   16 /* of what follows a word, and of further lines */
#define PIECE_ROOM 160

/* A line of pieces, which goes on in the next one where it would be too long. */
struct line {
	FILE *out;
	size_t column;
	bool begun; /* it has a piece, so the next one follows a separator */
};

__attribute__((format(printf, 3, 4))) static void put(struct line *line, const char *separator,
						      const char *format, ...)
{
	char piece[PIECE_ROOM];
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	vsnprintf(piece, sizeof(piece), format, arguments);
	va_end(arguments);
	length = strlen(piece);
	if (line->begun) {
		fputs(separator, line->out);
		line->column += strlen(separator);
		if (line->column + 2 + length > COLUMNS) {
			fprintf(line->out, "\n%*s", INDENT - 1, "");
			line->column = INDENT - 1;
		}
		fputc(' ', line->out);
		line->column++;
	}
	fputs(piece, line->out);
	line->column += length;
	line->begun = true;
}

/* Begins a line with a word, and a count where there is one. */
static struct line begin(FILE *out, const char *word, const char *count)
{
	struct line line = {.out = out};

	line.column = (size_t)(count ? fprintf(out, "  %-10s%10s", word, count)
				     : fprintf(out, "  %-*s", INDENT - 2, word));
	line.begun = count != NULL;
	return line;
}

char *np_rate_format(double bytes_per_s, bool bytes, char out[NP_RATE_TEXT])
{
	static const char letters[] = " kMGT";
	double value = bytes ? bytes_per_s / 1e6 : bytes_per_s * 8;
	size_t power = 0;

	while (!bytes && value >= 1000 && letters[power + 1]) {
		value /= 1000;
		power++;
	}
	if (bytes)
		snprintf(out, NP_RATE_TEXT, "%.*f MB/s", value < 100 ? 2 : 1, value);
	else if (power)
		snprintf(out, NP_RATE_TEXT, "%.*f %cbit/s", value < 100 ? 2 : 1, value,
			 letters[power]);
	else
		snprintf(out, NP_RATE_TEXT, "%.0f bit/s", value);
	return out;
}

struct np_block np_block_init(const char *title, const char *unit, bool bytes)
{
	return (struct np_block){
		.title = title,
		.unit = unit,
		.bytes = bytes,
		.sent_bytes_per_s = -1,
		.received_bytes_per_s = -1,
		.cpu_sender = -1,
		.cpu_receiver = -1,
	};
}

static void put_amount(FILE *out, const struct np_block *block, const char *word,
		       const struct np_count *count, double bytes_per_s)
{
	char text[NP_COUNT_TEXT], rate[NP_RATE_TEXT];
	struct line line;

	if (count->known == NP_UNKNOWN)
		return;
	line = begin(out, word, np_count_format(count, text));
	put(&line, "", "%s", block->unit);
	if (bytes_per_s >= 0)
		fprintf(out, " %*s", 16, np_rate_format(bytes_per_s, block->bytes, rate));
	fputc('\n', out);
}

static void put_place(struct line *line, const char *separator, const char *place,
		      const struct np_count *count)
{
	char text[NP_COUNT_TEXT];

	if (count->known != NP_UNKNOWN)
		put(line, separator, "%s %s", place, np_count_format(count, text));
}

static void put_lost(FILE *out, const struct np_result *r)
{
	const struct np_count *none = &r->lost_unattributed;
	char text[NP_COUNT_TEXT];
	struct line line;

	if (r->lost.known == NP_UNKNOWN)
		return;
	line = begin(out, "lost", np_count_format(&r->lost, text));
	if (r->lost.n) {
		put(&line, "", "(%.3g %%):", np_loss_percent(r->lost.n, r->sent.n));
		line.begun = true;
		put_place(&line, "", "sender host", &r->lost_sender_host);
		put_place(&line, r->lost_sender_host.known ? "," : "", "path", &r->lost_path);
		put_place(&line, ",", "receiver host", &r->lost_receiver_host);
		if (none->n)
			put_place(&line, ",", "unattributed", none);
	}
	fputc('\n', out);
}

static void put_order(FILE *out, const struct np_result *r)
{
	char text[NP_COUNT_TEXT];
	struct line line;

	if (r->duplicates.known == NP_UNKNOWN)
		return;
	line = begin(out, "duplicates", np_count_format(&r->duplicates, text));
	put_place(&line, ",", "reordered", &r->reordered);
	if (r->late.n)
		put_place(&line, ",", "late", &r->late);
	put_place(&line, ",", "damaged", &r->damaged);
	fputc('\n', out);
}

static void put_times(FILE *out, const char *word, const struct np_histogram_figures *times,
		      const char *remark)
{
	char p50[24], p99[24], most[24];
	struct line line;

	if (!times->count)
		return;
	line = begin(out, word, NULL);
	put(&line, "", "p50 %s", np_units_format_latency(times->p50, p50, sizeof(p50)));
	put(&line, ",", "p99 %s", np_units_format_latency(times->p99, p99, sizeof(p99)));
	put(&line, ",", "max %s", np_units_format_latency(times->max, most, sizeof(most)));
	if (remark[0])
		put(&line, "", "%s", remark);
	fputc('\n', out);
}

static void put_delay(FILE *out, const struct np_block *block)
{
	char bound[24], remark[64] = "";

	if (block->delay_bound >= 0)
		snprintf(remark, sizeof(remark), "(clocks within %s)",
			 np_units_format_latency(block->delay_bound, bound, sizeof(bound)));
	put_times(out, "delay", &block->delay, remark);
}

static void put_cpu(FILE *out, const struct np_block *block)
{
	struct line line;

	if (block->cpu_sender < 0 && block->cpu_receiver < 0)
		return;
	line = begin(out, "cpu", NULL);
	if (block->cpu_sender >= 0)
		put(&line, ",", "sender %.0f %%", 100 * block->cpu_sender);
	if (block->cpu_receiver >= 0)
		put(&line, ",", "receiver %.0f %%", 100 * block->cpu_receiver);
	fputc('\n', out);
}

static double percent_of(const struct np_block_row *row)
{
	return np_loss_percent(row->result.lost.n, row->result.sent.n);
}

/* Worst loss first; those who did not report before all, since nothing is known of theirs. */
static int by_loss(const void *left, const void *right)
{
	const struct np_block_row *a = left, *b = right;

	if (a->confirmed != b->confirmed)
		return a->confirmed ? 1 : -1;
	if (percent_of(a) > percent_of(b))
		return -1;
	return percent_of(a) < percent_of(b);
}

static void put_row(FILE *out, const struct np_block *block, const struct np_block_row *row)
{
	const struct np_result *r = &row->result;
	char received[NP_COUNT_TEXT], lost[NP_COUNT_TEXT], copies[NP_COUNT_TEXT],
		order[NP_COUNT_TEXT], p50[24] = "";
	const double rate = row->received_bytes_per_s * (block->bytes ? 1 : 8) / 1e6;

	/* A long name has a line of its own. */
	if (strlen(row->name) > 20)
		fprintf(out, "  %s\n  %-20s", row->name, "");
	else
		fprintf(out, "  %-20s", row->name);
	if (!row->confirmed) {
		fputs("  not confirmed\n", out);
		return;
	}
	if (row->delay_known)
		np_units_format_latency(row->delay_p50, p50, sizeof(p50));
	fprintf(out, " %8s %7s %7.3g %5s %5s", np_count_format(&r->received, received),
		np_count_format(&r->lost, lost), percent_of(row),
		np_count_format(&r->duplicates, copies), np_count_format(&r->reordered, order));
	if (row->received_bytes_per_s >= 0)
		fprintf(out, " %8.*f", rate < 100 ? 2 : 1, rate);
	else
		fprintf(out, " %8s", "");
	fprintf(out, "%s%s\n", p50[0] ? "  " : "", p50);
}

static void put_rows(FILE *out, struct np_block *block)
{
	if (block->rows < 2)
		return;
	qsort(block->row, block->rows, sizeof(*block->row), by_loss);
	fprintf(out, "  %-20s %8s %7s %7s %5s %5s %8s  p50\n", block->noun, "received", "lost", "%",
		"dup", "reord", block->bytes ? "MB/s" : "Mbit/s");
	for (size_t i = 0; i < block->rows; i++)
		put_row(out, block, &block->row[i]);
}

/* In further lines where it is too long, as between two IPv6 addresses. */
static void put_title(FILE *out, const char *title)
{
	size_t column = 0;

	while (*title) {
		const size_t word = strcspn(title, " "), blanks = strspn(title + word, " ");

		if (column && column + 1 + word > COLUMNS) {
			fputs("\n   ", out);
			column = 3;
		}
		column += (size_t)fprintf(out, "%s%.*s", column ? " " : "", (int)word, title);
		title += word + blanks;
	}
	fputc('\n', out);
}

void np_block_print(FILE *out, struct np_block *block)
{
	const struct np_result *r = &block->result;

	put_title(out, block->title);
	put_amount(out, block, "sent", &r->sent, block->sent_bytes_per_s);
	if (block->unconfirmed)
		fprintf(out, "  %-*snot confirmed: %s\n", INDENT - 2, "received",
			block->unconfirmed);
	else
		put_amount(out, block, "received", &r->received, block->received_bytes_per_s);
	if (!block->unconfirmed && !block->repaired) {
		put_lost(out, r);
		put_order(out, r);
	}
	put_delay(out, block);
	put_times(out, "round trip", &block->rtt, "");
	put_cpu(out, block);
	put_rows(out, block);
}

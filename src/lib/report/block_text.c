// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block_text: writes lines and tables. */
#include "block_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define LINE_ROOM 1024

/* A name that the user or another host gave may hold newlines and terminal commands. */
static void put_clean(FILE *out, const char *text, size_t length)
{
	for (; length; length--, text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
}

/* The length of what must stay in one line: up to a comma, a colon or more than one blank. */
static size_t piece_length(const char *text, size_t room)
{
	size_t length = strcspn(text, " ");

	while (text[length] && text[length + 1] != ' ' && !strchr(",:", text[length - 1]))
		length += 1 + strcspn(text + length + 1, " ");
	return length <= room ? length : strcspn(text, " ");
}

void block_write(FILE *out, size_t indent, enum block_break at, const char *text)
{
	size_t column = 0;

	while (*text) {
		const size_t blanks = strspn(text, " ");
		const char *rest = text + blanks;
		const size_t piece = at == BLOCK_WORDS ? strcspn(rest, " ")
						       : piece_length(rest, BLOCK_COLUMNS - indent);
		const bool spare = at == BLOCK_WORDS || (at == BLOCK_PHRASES && !rest[piece]);

		if (column + blanks + piece + spare > BLOCK_COLUMNS && column > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			fprintf(out, "%*s", (int)blanks, "");
			column += blanks;
		}
		put_clean(out, rest, piece);
		column += piece;
		text = rest + piece;
	}
	fputc('\n', out);
}

void np_block_line(FILE *out, size_t indent, const char *format, ...)
{
	char text[LINE_ROOM];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	block_write(out, indent, BLOCK_LINE, text);
}

/* The widths of the columns; 0: left out. */
struct widths {
	size_t name, cell[BLOCK_COLUMNS_MAX], gap;
};

static size_t higher(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the row's name. */
static const char *read_row(const struct block_table *table, size_t row, struct np_text cell[])
{
	for (size_t c = 0; c < table->columns; c++)
		cell[c].text[0] = '\0';
	return table->fill(table->context, row, cell);
}

static struct widths measure(const struct block_table *table)
{
	struct np_text cell[BLOCK_COLUMNS_MAX];
	struct widths w = {.name = strlen(table->heading[0]), .gap = 2};
	size_t figures = 0, columns = 0, room;

	for (size_t row = 0; row < table->rows; row++) {
		w.name = higher(w.name, strlen(read_row(table, row, cell)));
		for (size_t c = 1; c < table->columns; c++)
			w.cell[c] = higher(w.cell[c], strlen(cell[c].text));
	}
	for (size_t c = 1; c < table->columns; c++) {
		if (w.cell[c])
			w.cell[c] = higher(w.cell[c], strlen(table->heading[c]));
		figures += w.cell[c];
		columns += w.cell[c] > 0;
	}
	if (table->blanks + strlen(table->heading[0]) + figures + 2 * columns > BLOCK_COLUMNS)
		w.gap = 1;
	room = table->blanks + figures + w.gap * columns;
	room = room < BLOCK_COLUMNS ? BLOCK_COLUMNS - room : 0;
	if (w.name > room)
		w.name = higher(room, strlen(table->heading[0]));
	return w;
}

static void put_cells(FILE *out, const struct block_table *table, const struct widths *w,
		      struct np_text cell[])
{
	size_t gap = w->gap;

	/* No blanks at the end of a line. */
	for (size_t c = 1; c < table->columns; c++) {
		if (!w->cell[c])
			continue;
		if (cell[c].text[0]) {
			fprintf(out, "%*s%*s", (int)gap, "", (int)w->cell[c], cell[c].text);
			gap = w->gap;
		} else {
			gap += w->cell[c] + w->gap;
		}
	}
	fputc('\n', out);
}

static void put_row(FILE *out, const struct block_table *table, const struct widths *w, size_t row)
{
	struct np_text cell[BLOCK_COLUMNS_MAX];
	const char *name = read_row(table, row, cell);
	bool any = false;

	for (size_t c = 1; c < table->columns; c++)
		any |= cell[c].text[0] != '\0';
	fprintf(out, "%*s%-*s", (int)table->blanks, "", any || table->empty ? (int)w->name : 0,
		name);
	if (strlen(name) > w->name)
		fprintf(out, "\n%*s", (int)(table->blanks + w->name), "");
	if (!any && table->empty)
		fprintf(out, "  %s\n", table->empty);
	else
		put_cells(out, table, w, cell);
}

void block_put_table(FILE *out, const struct block_table *table)
{
	const struct widths w = measure(table);
	struct np_text heading[BLOCK_COLUMNS_MAX];

	for (size_t c = 0; c < table->columns; c++)
		snprintf(heading[c].text, NP_TEXT, "%s", table->heading[c]);
	fprintf(out, "%*s%-*s", (int)table->blanks, "", (int)w.name, table->heading[0]);
	put_cells(out, table, &w, heading);
	for (size_t row = 0; row < table->rows; row++)
		put_row(out, table, &w, row);
}

#define TARGET_INDENT  12
#define KNEE_TOLERANCE 0.97

int np_block_knee(const double *rate, size_t count)
{
	double best = 0;

	for (size_t i = 0; i < count; i++)
		best = rate[i] > best ? rate[i] : best;
	for (size_t i = 0; i < count; i++) {
		if (rate[i] > 0 && rate[i] >= best * KNEE_TOLERANCE)
			return (int)i;
	}
	return -1;
}

void np_block_target_heading(FILE *out, const char *noun, const char *unit, const char *per_s,
			     const char *count, const char *lost)
{
	fprintf(out, "%-17s %8s %9s %10s %7s %.4s %%     p50     p99\n", noun, unit, per_s, count,
		lost, lost);
}

void np_block_target(FILE *out, const struct np_block_target *t)
{
	struct np_text p50 = {"-"}, p99 = {"-"};

	if (t->delay.count) {
		p50 = np_units_format_latency(t->delay.p50);
		p99 = np_units_format_latency(t->delay.p99);
	}
	np_block_line(out, TARGET_INDENT,
		      "%-17.17s %8s %9s %10" PRIu64 " %7" PRIu64 " %6.2f %7s %7s%s", t->name,
		      t->rate, t->per_s, t->count, t->lost, np_loss_percent(t->lost, t->count),
		      p50.text, p99.text, t->rest);
}

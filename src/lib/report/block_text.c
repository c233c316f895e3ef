// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block_text: writes lines and tables. */
#include "block_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define PIECE_ROOM 160
#define LINE_ROOM  1024

/* A name that the user or another host gave may hold newlines and terminal commands. */
static void clean(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = '?';
}

void block_put(struct block_line *line, const char *separator, const char *format, ...)
{
	char piece[PIECE_ROOM];
	va_list arguments;
	size_t length;

	va_start(arguments, format);
	vsnprintf(piece, sizeof(piece), format, arguments);
	va_end(arguments);
	clean(piece);
	length = strlen(piece);
	if (line->begun) {
		fputs(separator, line->out);
		line->column += strlen(separator);
		/* Room for a separator after it. */
		if (line->column + 2 + length > BLOCK_COLUMNS) {
			fprintf(line->out, "\n%*s", (int)line->indent - 1, "");
			line->column = line->indent - 1;
		}
		fputc(' ', line->out);
		line->column++;
	}
	fputs(piece, line->out);
	line->column += length;
	line->begun = true;
}

void block_put_words(struct block_line *line, const char *text)
{
	while (*text) {
		const size_t word = strcspn(text, " ");

		if (word)
			block_put(line, "", "%.*s", (int)word, text);
		text += word + strspn(text + word, " ");
	}
}

/* The length of what must stay in one line: up to a comma, a colon or more than one blank. */
static size_t piece_length(const char *text, size_t room)
{
	size_t length = strcspn(text, " ");

	while (text[length] && text[length + 1] != ' ' && !strchr(",:", text[length - 1]))
		length += 1 + strcspn(text + length + 1, " ");
	return length <= room ? length : strcspn(text, " ");
}

void np_block_line(FILE *out, size_t indent, const char *format, ...)
{
	char text[LINE_ROOM], *rest = text;
	size_t column = 0;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	clean(text);
	while (*rest) {
		const size_t blanks = strspn(rest, " ");
		const size_t piece = piece_length(rest + blanks, BLOCK_COLUMNS - indent);

		if (column + blanks + piece > BLOCK_COLUMNS && column > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			fprintf(out, "%*s", (int)blanks, "");
			column += blanks;
		}
		fprintf(out, "%.*s", (int)piece, rest + blanks);
		column += piece;
		rest += blanks + piece;
	}
	fputc('\n', out);
}

struct block_line block_begin(FILE *out, const char *word, const char *count)
{
	struct block_line line = {.out = out, .indent = BLOCK_INDENT};

	line.column = (size_t)(count ? fprintf(out, "  %-10s%10s", word, count)
				     : fprintf(out, "  %-*s", BLOCK_INDENT - 2, word));
	line.begun = count != NULL;
	return line;
}

struct block_line block_begin_at(FILE *out, size_t blanks, const char *word, size_t indent)
{
	struct block_line line = {.out = out, .indent = indent};

	line.column =
		(size_t)fprintf(out, "%*s%-*s", (int)blanks, "", (int)(indent - blanks), word);
	return line;
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

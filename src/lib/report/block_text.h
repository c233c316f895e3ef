/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* block_text: the lines and tables of a result block, at most 80 columns wide. */
#pragma once

#include <netperf/result.h>
#include <netperf/units.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define BLOCK_COLUMNS 80
#define BLOCK_INDENT  16 /* of what follows a line's word */

extern const char *const block_ends[NP_BLOCK_ENDS]; /* their names */

int block_full_create(struct np_block_full **full);
void block_full_free(struct np_block_full *full);

/* A line of pieces; a piece that does not fit goes on the next line. */
struct block_line {
	FILE *out;
	size_t column, indent;
	bool begun; /* it has a piece, so the next one follows a separator */
};

/* Begins a line with @word, followed by @count unless that is NULL. */
struct block_line block_begin(FILE *out, const char *word, const char *count);

/* Begins a line with @word, @blanks before it; its pieces start at column @indent. */
struct block_line block_begin_at(FILE *out, size_t blanks, const char *word, size_t indent);

/* Adds a piece, after @separator unless it is the first. */
__attribute__((format(printf, 3, 4))) void block_put(struct block_line *line, const char *separator,
						     const char *format, ...);

/* Adds the words of @text, each as a piece. */
void block_put_words(struct block_line *line, const char *text);

#define BLOCK_COLUMNS_MAX 9

/*
 * Rows of cells: a name, aligned to the left, then figures, aligned to the right. A column without
 * any cell is left out; a name too long for its column has a line of its own.
 */
struct block_table {
	const char *const *heading; /* of each column */
	size_t columns, rows;
	size_t blanks;	   /* before each line */
	const char *empty; /* in place of the cells of a row that has none */
	/* Fills in the cells that the row has, from 1 on, and returns its name. */
	const char *(*fill)(const void *context, size_t row, struct np_text cell[]);
	const void *context;
};
void block_put_table(FILE *out, const struct block_table *table);

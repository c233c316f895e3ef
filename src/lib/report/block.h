/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* block: the lines and tables of a result block, at most 80 columns wide. */
#pragma once

#include <netperf/result.h>

#define BLOCK_COLUMNS 80
#define BLOCK_INDENT  16 /* of what follows a line's word */

extern const char *const block_ends[NP_BLOCK_ENDS]; /* their names */

struct np_block_full *block_full_create(void); /* NULL: no memory */
void block_full_free(struct np_block_full *full);

/*
 * Where a line may go on below: as np_block_line says; the same with a column left free after the
 * last phrase; or at any blank, with a column left free after each word.
 */
enum block_break { BLOCK_LINE, BLOCK_PHRASES, BLOCK_WORDS };

/* Prints @text as a line, or several: the others begin with @indent blanks. */
void block_write(FILE *out, size_t indent, enum block_break at, const char *text);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the parser, the values and the help of options share. */
#ifndef LIB_OPTIONS_H
#define LIB_OPTIONS_H

#include <netperf/options.h>

/*
 * The rows that every program has: help, version, completion; their offsets refer to this struct.
 */
struct option_builtins {
	bool help;
	bool version;
	bool completion;
};

/*
 * The name of a row in messages: an operand by its name, an option with its dashes, as it was
 * spelled, or else as the program's lineage has it. Returns @out.
 */
const char *option_title(const struct np_options *options, const struct np_options_result *result,
			 const struct np_option *row, char *out, size_t room);

/* The same with the value as typed, or the default: "-name 'value'". Returns @out. */
char *option_object(const struct np_options *options, const struct np_options_result *result,
		    const struct np_option *row, char *out, size_t room);

/* The option, or with @operands also the operand, with this long name, or NULL. */
const struct np_option *option_called(const struct np_options *options, const char *name,
				      bool operands);

/* The first clash in the table with something that is neither option nor operand, or NULL. */
const struct np_option_clash *option_clash_with_none(const struct np_options *options);

#define OPTION_BUILTINS 3
extern const struct np_option option_builtins[OPTION_BUILTINS];

/* True when the row takes any argument. */
static inline bool option_takes_argument(const struct np_option *row)
{
	return row->kind != NP_OPTION_FLAG;
}

/*
 * Converts @text as the row says, and stores it in @values. Returns 0, -EINVAL or -ERANGE. Not for
 * WORDS and LIST, which take several texts.
 */
int option_convert(const struct np_option *row, const char *text, void *values);

/* The most words that a row of kind WORDS takes. */
unsigned option_words_max(const struct np_option *row);

/* Describes valid values of this row: "1 to 4096", "read, write". Returns @out. */
char *option_expected(const struct np_option *row, char *out, size_t room);

/* Sets every row of the table to its default. Returns -EINVAL for an invalid default. */
int option_defaults(const struct np_option *table, size_t count, void *values);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: fuzz target; any command line in either grammar, and every value back through its text.
 */
#include "../unit/options_sample.h"
#include "text.h"

#include <stdlib.h>

#define ARGUMENTS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check_error(const struct np_options_result *result)
{
	must(result->error[0]);
	must(memchr(result->error, '\0', sizeof(result->error)));
	must(!strpbrk(result->error, "\r\n\033"));
}

/* Kinds whose text reads back as the same value. */
static bool reads_back(const struct np_option *row, const struct sample *values)
{
	switch (row->kind) {
	case NP_OPTION_COUNT:
	case NP_OPTION_SIZE:
	case NP_OPTION_TOS:
		return *(const uint64_t *)((const char *)values + row->offset) >= row->min;
	case NP_OPTION_TIME:
	case NP_OPTION_NUMBER:
	case NP_OPTION_RATE:
	case NP_OPTION_CHOICE: return true;
	case NP_OPTION_TEXT: return *(const char *const *)((const char *)values + row->offset);
	case NP_OPTION_FLAG:
	case NP_OPTION_WORDS:
	case NP_OPTION_LIST: break;
	}
	return false;
}

/* Bytes of a value of one of the kinds that read back. */
static size_t width(enum np_option_kind kind)
{
	return kind == NP_OPTION_CHOICE ? sizeof(unsigned) : sizeof(uint64_t);
}

static void check_row(const struct np_options *options, const struct np_option *row,
		      const struct sample *values, size_t room)
{
	char *text = malloc(room), *argument = malloc(room + 64);
	char *argv[] = {(char *)"p", argument, NULL};
	struct np_options_result result;
	struct sample again;
	const char *was, *is;

	must(text && argument);
	np_option_format(row, values, text, room);
	must(memchr(text, '\0', room));
	if (reads_back(row, values)) {
		snprintf(argument, room + 64, "--%s=%s", row->name, text);
		must(!np_options_parse(options, 2, argv, &again, &result));
		was = (const char *)values + row->offset;
		is = (const char *)&again + row->offset;
		if (row->kind == NP_OPTION_TEXT)
			must(!strcmp(*(const char *const *)(const void *)was,
				     *(const char *const *)(const void *)is));
		else
			must(!memcmp(was, is, width(row->kind)));
		np_options_result_free(&result);
	}
	free(argument);
	free(text);
}

static void check_grammar(const struct np_options *options, int argc, char **argv, size_t size)
{
	struct np_options_result result;
	struct sample values;

	memset(&values, 0xA5, sizeof(values));
	if (np_options_parse(options, argc, argv, &values, &result)) {
		check_error(&result);
	} else {
		for (size_t i = 0; i < options->count; i++)
			check_row(options, &options->table[i], &values, size + 64);
		for (size_t i = 0; i < options->operand_count; i++)
			np_options_given(options, &result, options->operands[i].name);
		must(result.operands_given >= 2 || np_options_missing(options, &result));
	}
	np_options_result_free(&result);
}

/* The bytes are the arguments, one a line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = fuzz_text(data, size), *at = copy;
	char *argv[ARGUMENTS_MAX + 2] = {(char *)"p"};
	int argc = 1;

	while (at && argc <= ARGUMENTS_MAX)
		argv[argc++] = strsep(&at, "\n");
	check_grammar(&gnu, argc, argv, size);
	check_grammar(&lineage, argc, argv, size);
	free(copy);
	return 0;
}

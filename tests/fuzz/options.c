// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: fuzz target; any command line in either grammar. */
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

static void check_grammar(const struct np_options *options, int argc, char **argv)
{
	struct np_options_result result;
	struct options values;

	memset(&values, 0, sizeof(values));
	if (options_parse(options, argc, argv, &values, &result)) {
		check_error(&result);
	} else {
		for (size_t i = 0; i < options->operand_count; i++)
			np_options_given(&result, options->operands[i].name);
		must(result.operands_given >= 2 || np_options_missing(&result));
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
	check_grammar(&gnu, argc, argv);
	check_grammar(&lineage, argc, argv);
	free(copy);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Fuzz target of units: any text parses or is refused, and what is written reads back. */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <netperf/units.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define UNTOUCHED 4711

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void must_be_status(int status)
{
	must(status == 0 || status == -EINVAL || status == -ERANGE);
}

static void try_whole_numbers(const char *text)
{
	uint64_t value = UNTOUCHED;
	int status = np_units_parse_count(text, 0, UINT64_MAX, &value);

	must_be_status(status);
	must(!status || value == UNTOUCHED);

	value = UNTOUCHED;
	status = np_units_parse_size(text, 0, UINT64_MAX, &value);
	must_be_status(status);
	must(!status || value == UNTOUCHED);
}

static void try_time(const char *text)
{
	np_time value = UNTOUCHED;
	np_time back;
	const int status = np_units_parse_time(text, 0, INT64_MAX, &value);

	must_be_status(status);
	must(!status || value == UNTOUCHED);
	must(!np_units_parse_time(np_units_format_time(value).text, value, value, &back) &&
	     back == value);
	must(strlen(np_units_format_latency(value).text) < NP_TEXT - 1);
}

static void try_number(const char *text)
{
	double value = UNTOUCHED;
	const int status = np_units_parse_number(text, -INFINITY, INFINITY, &value);

	must_be_status(status);
	must(isfinite(value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	try_whole_numbers(text);
	try_time(text);
	try_number(text);
	free(text);
	return 0;
}

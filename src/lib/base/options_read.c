// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_read: handles a program's command line. */
#include "options.h"

#include <errno.h>
#include <netperf/launch.h>
#include <netperf/output.h>
#include <stdarg.h>
#include <string.h>

const struct np_option *option_called(const struct np_options *options, const char *name,
				      bool operands)
{
	for (size_t i = 0; i < options->count; i++) {
		if (!strcmp(options->table[i].name, name))
			return &options->table[i];
	}
	for (size_t i = 0; operands && i < options->operand_count; i++) {
		if (!strcmp(options->operands[i].name, name))
			return &options->operands[i];
	}
	return NULL;
}

const char *np_options_typed(const struct np_options *options,
			     const struct np_options_result *result, const char *name)
{
	const struct np_option *row = option_called(options, name, false);

	return row ? result->typed[row - options->table] : NULL;
}

char *option_object(const struct np_options *options, const struct np_options_result *result,
		    const struct np_option *row, char *out, size_t room)
{
	const char *typed = result->typed[row - options->table];
	const char *text = typed ? typed : row->initial;
	char what[64];

	option_title(options, result, row, what, sizeof(what));
	snprintf(out, room, text ? "%s '%s'" : "%s", what, text);
	return out;
}

int np_options_refuse(const struct np_options *options, const struct np_options_result *result,
		      const struct np_log *log, const char *name, const char *format, ...)
{
	const struct np_option *row = option_called(options, name, false);
	char reason[256], object[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (!row)
		return np_log_refuse(log, name, "%s", reason);
	return np_log_refuse(log, option_object(options, result, row, object, sizeof(object)), "%s",
			     reason);
}

static int answer(const struct np_options *options, const struct np_options_result *result,
		  const struct np_log *log)
{
	int rc = np_options_answer(options, result, stdout);

	return rc ? np_log_refuse(log, "stdout", "%s", np_output_reason(rc)) : 0;
}

/*
 * Whether standard output is to have JSON, found before the options are known to be right. Of the
 * ranks of a mesh only the first one writes it.
 */
static bool asks_for_json(int argc, char *const argv[])
{
	bool json = false, mesh = false;
	uint32_t rank;

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		json |= !strcmp(argv[i], "--json");
		mesh |= !strcmp(argv[i], "--mesh");
	}
	return json && !(mesh && !np_launch_expected_rank(NULL, &rank) && rank);
}

int np_options_read(const struct np_options *options, int argc, char *const argv[], void *values,
		    struct np_options_result *result, struct np_log *log)
{
	int rc = np_options_parse(options, argc, argv, values, result);

	if (log->reason)
		log->reason->record = asks_for_json(argc, argv);
	if (rc)
		return np_log_refuse(log, NULL, "%s",
				     *result->error ? result->error : strerror(-rc));
	if (result->action != NP_OPTIONS_RUN)
		return answer(options, result, log);
	log->quiet = np_options_given(options, result, "quiet");
	log->verbose = np_options_given(options, result, "verbose");
	if (log->reason)
		log->reason->holds = np_options_given(options, result, "mesh");
	return -1;
}

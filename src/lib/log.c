// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* log: prints one line per remark, whatever its text contains. */
#include <netperf/log.h>

#include <stdarg.h>
#include <stdlib.h>

/* Names and strings may come from the network or a file: removes newlines and terminal commands. */
static void print_clean(FILE *stream, char *line)
{
	for (unsigned char *c = (unsigned char *)line; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stream, "%s\n", line);
}

/* @kind and @object may be NULL. */
static void say(const struct np_log *log, const char *kind, const char *object, const char *format,
		va_list arguments)
{
	char *reason = NULL;
	char *line = NULL;

	if (vasprintf(&reason, format, arguments) < 0)
		return;
	if (asprintf(&line, "%s%s%s%s%s: %s", log->program, kind ? ": " : "", kind ? kind : "",
		     object ? ": " : "", object ? object : "", reason) >= 0) {
		print_clean(log->stream, line);
		free(line);
	}
	free(reason);
}

void np_log_error(const struct np_log *log, const char *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(log, NULL, object, format, arguments);
	va_end(arguments);
}

int np_log_refuse(const struct np_log *log, const char *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(log, NULL, object, format, arguments);
	va_end(arguments);
	return 2;
}

void np_log_warning(const struct np_log *log, const char *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(log, "warning", object, format, arguments);
	va_end(arguments);
}

void np_log_info(const struct np_log *log, const char *format, ...)
{
	va_list arguments;

	if (log->quiet)
		return;
	va_start(arguments, format);
	say(log, NULL, NULL, format, arguments);
	va_end(arguments);
}

void np_log_detail(const struct np_log *log, const char *format, ...)
{
	va_list arguments;

	if (!log->verbose)
		return;
	va_start(arguments, format);
	say(log, NULL, NULL, format, arguments);
	va_end(arguments);
}

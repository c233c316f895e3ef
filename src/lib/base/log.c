// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* log: prints one line per remark, whatever its text contains; keeps why a request fails. */
#include <netperf/log.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names and strings may come from the network or a file: removes newlines and terminal commands. */
static void print_clean(FILE *stream, char *line)
{
	for (unsigned char *c = (unsigned char *)line; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stream, "%s\n", line);
}

/* A warning must not replace the error that ended the run. Threads share the stream and its lock.
 */
static void keep(const struct np_log *log, bool error, const char *object, const char *reason)
{
	struct np_log_reason *kept = log->reason;

	if (!kept)
		return;
	flockfile(log->stream);
	if (error || !kept->error) {
		kept->error = error;
		kept->last = true;
		snprintf(kept->text, sizeof(kept->text), "%s%s%s", object ? object : "",
			 object ? ": " : "", reason);
	}
	funlockfile(log->stream);
}

/* Returns whether the warning waits. */
static bool hold(const struct np_log *log, const char *object, const char *reason)
{
	struct np_log_reason *kept = log->reason;
	size_t room;
	int length;

	if (!kept || !kept->holds)
		return false;
	flockfile(log->stream);
	room = sizeof(kept->held) - kept->held_bytes;
	length = snprintf(kept->held + kept->held_bytes, room, "%s%c%s%s%s", log->program, '\0',
			  object ? object : "", object ? ": " : "", reason);
	if (length > 0 && (size_t)length < room)
		kept->held_bytes += (size_t)length + 1;
	funlockfile(log->stream);
	return length > 0 && (size_t)length < room;
}

/* @kind and @object may be NULL. Returns the reason, to be freed, or NULL. */
static char *say(const struct np_log *log, const char *kind, const char *object, const char *format,
		 va_list arguments)
{
	char *reason = NULL;
	char *line = NULL;

	if (vasprintf(&reason, format, arguments) < 0)
		return NULL;
	if (log->reason)
		log->reason->last = false;
	if (kind && hold(log, object, reason))
		return reason;
	if (asprintf(&line, "%s%s%s%s%s: %s", log->program, kind ? ": " : "", kind ? kind : "",
		     object ? ": " : "", object ? object : "", reason) >= 0) {
		print_clean(log->stream, line);
		free(line);
	}
	return reason;
}

/* One that bears on the exit status. */
static void complain(const struct np_log *log, const char *kind, const char *object,
		     const char *format, va_list arguments)
{
	char *reason = say(log, kind, object, format, arguments);

	if (reason)
		keep(log, !kind, object, reason);
	free(reason);
}

void np_log_error(const struct np_log *log, const char *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(log, NULL, object, format, arguments);
	va_end(arguments);
}

int np_log_refuse(const struct np_log *log, const char *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(log, NULL, object, format, arguments);
	va_end(arguments);
	return 2;
}

void np_log_warning(const struct np_log *log, const char *object, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	complain(log, "warning", object, format, arguments);
	va_end(arguments);
}

void np_log_end(const struct np_log *log, bool failed)
{
	struct np_log_reason *kept = log->reason;
	size_t at = 0;

	if (!kept)
		return;
	kept->holds = false;
	while (at < kept->held_bytes) {
		const char *program = kept->held + at, *text = program + strlen(program) + 1;

		fprintf(log->stream, "%s: warning: ", program);
		at += strlen(program) + strlen(text) + 2;
		print_clean(log->stream, kept->held + (text - kept->held));
	}
	kept->held_bytes = 0;
	if (failed && *kept->text && !kept->last)
		np_log_error(log, NULL, "%s", kept->text);
}

void np_log_info(const struct np_log *log, const char *format, ...)
{
	va_list arguments;

	if (log->quiet)
		return;
	va_start(arguments, format);
	free(say(log, NULL, NULL, format, arguments));
	va_end(arguments);
}

void np_log_detail(const struct np_log *log, const char *format, ...)
{
	va_list arguments;

	if (!log->verbose)
		return;
	va_start(arguments, format);
	free(say(log, NULL, NULL, format, arguments));
	va_end(arguments);
}

int np_fault_set(struct np_fault *fault, int error, const char *object, const char *format, ...)
{
	va_list arguments;

	snprintf(fault->object, sizeof(fault->object), "%s", object);
	va_start(arguments, format);
	vsnprintf(fault->reason, sizeof(fault->reason), format, arguments);
	va_end(arguments);
	return error;
}

int np_fault_errno(struct np_fault *fault, int error, const char *object)
{
	return np_fault_set(fault, error, object, "%s", strerror(-error));
}

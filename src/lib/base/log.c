// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* log: prints one line per remark, whatever its text contains; keeps why a request fails. */
#include <netperf/log.h>

#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names and strings may come from the network or a file: removes newlines and terminal commands. */
static void print_clean(const struct np_log *log, char *line)
{
	for (unsigned char *c = (unsigned char *)line; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	status_hide(log->status);
	fprintf(log->stream, "%s\n", line);
	status_release(log->status, true);
}

/* A warning must not replace the error that ended the run. */
static void keep(struct np_log_reason *kept, bool error, const char *object, const char *reason)
{
	if (!error && kept->error)
		return;
	kept->error = error;
	kept->last = true;
	snprintf(kept->text, sizeof(kept->text), "%s%s%s", object ? object : "", object ? ": " : "",
		 reason);
}

/* Returns whether the warning waits. */
static bool hold(const struct np_log *log, const char *object, const char *reason)
{
	struct np_log_reason *kept = log->reason;
	const size_t room = sizeof(kept->held) - kept->held_bytes;
	const int length = snprintf(kept->held + kept->held_bytes, room, "%s%c%s%s%s", log->program,
				    '\0', object ? object : "", object ? ": " : "", reason);
	const bool fits = length > 0 && (size_t)length < room;

	kept->held_bytes += fits ? (size_t)length + 1 : 0;
	return fits;
}

int np_log_say(const struct np_log *log, enum np_log_kind kind, const char *object,
	       const char *format, ...)
{
	struct np_log_reason *kept = log->reason;
	char *reason = NULL, *line = NULL;
	bool waits = false;
	va_list arguments;
	int length;

	if ((kind == NP_LOG_INFO && log->quiet) || (kind == NP_LOG_DETAIL && !log->verbose))
		return 2;
	va_start(arguments, format);
	length = vasprintf(&reason, format, arguments);
	va_end(arguments);
	if (length < 0)
		return 2;
	/* Threads share the stream and its lock. */
	flockfile(log->stream);
	if (kept) {
		kept->last = false;
		waits = kind == NP_LOG_WARNING && kept->holds && hold(log, object, reason);
		if (kind <= NP_LOG_WARNING)
			keep(kept, kind == NP_LOG_ERROR, object, reason);
	}
	if (!waits &&
	    asprintf(&line, "%s%s%s%s: %s", log->program, kind == NP_LOG_WARNING ? ": warning" : "",
		     object ? ": " : "", object ? object : "", reason) >= 0) {
		print_clean(log, line);
		free(line);
	}
	funlockfile(log->stream);
	free(reason);
	return 2;
}

void log_end(const struct np_log *log, bool failed)
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
		print_clean(log, kept->held + (text - kept->held));
	}
	kept->held_bytes = 0;
	if (failed && *kept->text && !kept->last)
		np_log_error(log, NULL, "%s", kept->text);
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

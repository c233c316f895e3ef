// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * log: prints one line per remark, whatever its text contains; keeps why a request fails; draws a
 * line that shows how a run gets on, and erases it before other text.
 */
#include "log.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/units.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Names and strings may come from the network or a file: removes newlines and terminal commands. */
static void print_clean(const struct np_log *log, const char *program, bool warning, char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c; c++)
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	status_hide(log->status);
	fprintf(log->stream, "%s%s: %s\n", program, warning ? ": warning" : "", text);
	status_release(log->status, true);
}

/* Keeps "object: reason" as far as it matters. Returns whether the line waits. */
static bool keep(const struct np_log *log, enum np_log_kind kind, const char *text)
{
	struct np_log_reason *kept = log->reason;
	const size_t room = sizeof(kept->held) - kept->held_bytes;
	int length;

	/* A warning must not replace the error that ended the run. */
	kept->last = kind == NP_LOG_ERROR || (kind == NP_LOG_WARNING && !kept->error);
	if (kept->last) {
		kept->error = kind == NP_LOG_ERROR;
		snprintf(kept->text, sizeof(kept->text), "%s", text);
	}
	if (kind != NP_LOG_WARNING || !kept->holds)
		return false;
	length = snprintf(kept->held + kept->held_bytes, room, "%s%c%s", log->program, '\0', text);
	if (length < 0 || (size_t)length >= room)
		return false;
	kept->held_bytes += (size_t)length + 1;
	return true;
}

int np_log_say(const struct np_log *log, enum np_log_kind kind, const char *object,
	       const char *format, ...)
{
	char *reason = NULL, *text = NULL;
	va_list arguments;
	int length;

	if ((kind == NP_LOG_INFO && log->quiet) || (kind == NP_LOG_DETAIL && !log->verbose))
		return 2;
	va_start(arguments, format);
	length = vasprintf(&reason, format, arguments);
	va_end(arguments);
	if (length < 0)
		return 2;
	if (asprintf(&text, "%s%s%s", object ? object : "", object ? ": " : "", reason) >= 0) {
		/* Threads share the stream and its lock. */
		flockfile(log->stream);
		if (!log->reason || !keep(log, kind, text))
			print_clean(log, log->program, kind == NP_LOG_WARNING, text);
		funlockfile(log->stream);
		free(text);
	}
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
		const char *program = kept->held + at;
		char *text = kept->held + at + strlen(program) + 1;

		at += strlen(program) + strlen(text) + 2;
		print_clean(log, program, true, text);
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

#define PERIOD	    NP_SECOND
#define LINE	    160
#define COLUMNS	    80 /* of a terminal that does not tell */
#define COLUMNS_MAX (LINE - 1)
#define ECHOED	    2

struct np_status {
	int fd;
	pthread_mutex_t lock; /* of the terminal and what follows, but for @due */
	size_t drawn;	      /* columns of the line on the terminal */
	bool amid;	      /* other text ended within a line */
	_Atomic np_time due;
	/* What was shown last, also if it could not be drawn: the rate is that since then. */
	np_time begun, at;
	uint64_t bytes;
};

int status_create(struct np_status **status, int fd)
{
	struct np_status *s = calloc(1, sizeof(*s));

	*status = s;
	if (!s)
		return -ENOMEM;
	s->fd = fd;
	pthread_mutex_init(&s->lock, NULL);
	/* A short run shows its result only. */
	atomic_init(&s->due, np_clock_now() + PERIOD);
	return 0;
}

/*
 * Replaces the line by @text, padded with blanks, which any terminal has. If that fails, the line
 * is incomplete until the next one.
 */
static void draw(struct np_status *s, const char *text)
{
	struct pollfd ready = {.fd = s->fd, .events = POLLOUT};
	struct winsize size = {.ws_col = 0};
	const bool told = !ioctl(s->fd, TIOCGWINSZ, &size) && size.ws_col;
	/* One column stays free: text in the last one may begin another line. */
	const size_t room = np_least((told ? size.ws_col : COLUMNS) - 1, COLUMNS_MAX);
	/* The terminal may have become narrower since. */
	const size_t drawn = np_least(s->drawn, room);
	size_t length = strnlen(text, room);
	char line[2 * LINE + 3];
	int bytes;

	/* Half a number is another one: what has no room is left out. */
	while (length && !strchr(",:", text[length]))
		length--;
	bytes = snprintf(line, sizeof(line), "\r%.*s%*s%s", (int)length, text,
			 (int)(drawn > length ? drawn - length : 0), "", length ? "" : "\r");
	/*
	 * A background process would disturb who has the terminal, or be stopped (SIGTTOU). One
	 * that flow control has stopped would block.
	 */
	if (tcgetpgrp(s->fd) == getpgrp() && poll(&ready, 1, 0) == 1 && ready.revents == POLLOUT)
		(void)!write(s->fd, line, (size_t)bytes);
	/* The terminal may show ^C after it. */
	s->drawn = !length || length + ECHOED > room ? length : length + ECHOED;
}

void status_hide(struct np_status *status)
{
	if (!status)
		return;
	pthread_mutex_lock(&status->lock);
	if (status->drawn)
		draw(status, "");
}

void status_release(struct np_status *status, bool at_start)
{
	if (!status)
		return;
	status->amid = !at_start;
	pthread_mutex_unlock(&status->lock);
}

void np_status_erase(struct np_status *status)
{
	status_hide(status);
	if (status)
		pthread_mutex_unlock(&status->lock);
}

void status_free(struct np_status *status)
{
	if (!status)
		return;
	np_status_erase(status);
	pthread_mutex_destroy(&status->lock);
	free(status);
}

np_time np_status_next(const struct np_status *status)
{
	return status ? atomic_load_explicit(&status->due, memory_order_relaxed) : NP_TIME_NEVER;
}

void np_status_show(struct np_status *s, np_time now, const struct np_status_figures *f)
{
	char text[LINE];
	double rate;

	if (now < np_status_next(s))
		return;
	atomic_store_explicit(&s->due, now + PERIOD, memory_order_relaxed);
	/* Who holds the lock is writing, perhaps to a terminal that takes nothing. */
	if (pthread_mutex_trylock(&s->lock))
		return;
	if (f->begun != s->begun || f->bytes < s->bytes) {
		s->begun = s->at = f->begun;
		s->bytes = 0;
	}
	rate = np_units_rate(f->bytes - s->bytes, now - s->at);
	snprintf(text, LINE, "%.0f s", np_clock_seconds(now - f->begun));
	if (f->end < NP_TIME_NEVER)
		np_text_append(text, LINE, ", %.0f s left",
			       np_clock_seconds(f->end > now ? f->end - now : 0));
	np_text_append(text, LINE, ": %s, %" PRIu64 " %s",
		       np_rate_format(rate, f->rate_in_bytes).text, f->count, f->unit);
	if (f->fault)
		np_text_append(text, LINE, ", %s %" PRIu64, f->fault, f->faults);
	s->at = now;
	s->bytes = f->bytes;
	if (!s->amid)
		draw(s, text);
	pthread_mutex_unlock(&s->lock);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report: keeps the outputs of the threads apart. */
#include "report.h"

#include <stdarg.h>
#include <time.h>

#define TICKS_ROOM	   512
#define LOGGED_EACH_SECOND 4

void report_open(struct reporter *reporter, const struct np_run *run)
{
	const struct options *o = run->options;
	FILE *text = np_report_text(run->report);
	const bool newest = o->layout == NP_REPORT_ORIGINAL;

	*reporter = (struct reporter){
		.report = run->report,
		.full = run->full,
		.newest = newest,
		.text = newest || o->layout == NP_REPORT_DEFAULT ? text : NULL,
		.block = newest ? NULL : text,
		.records = np_report_wants_records(run->report),
	};
	reporter->ticks = reporter->text && !o->report.quiet ? o->tick_packets : 0;
	pthread_mutex_init(&reporter->lock, NULL);
}

FILE *report_text_begin(struct reporter *reporter)
{
	if (!reporter->text)
		return NULL;
	pthread_mutex_lock(&reporter->lock);
	return reporter->text;
}

void report_text_end(struct reporter *reporter)
{
	fflush(reporter->text);
	pthread_mutex_unlock(&reporter->lock);
}

struct console_style report_style(const struct reporter *reporter,
				  const struct np_address *listener)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct console_style){
		.newest = reporter->newest,
		.listener = listener,
		.completed = now.tv_sec * NP_SECOND + now.tv_nsec,
	};
}

void report_newest(struct reporter *reporter, const char *format, ...)
{
	FILE *text = reporter->newest ? report_text_begin(reporter) : NULL;
	va_list arguments;

	if (!text)
		return;
	va_start(arguments, format);
	vfprintf(text, format, arguments);
	va_end(arguments);
	report_text_end(reporter);
}

void report_ticks(struct reporter *reporter, char small, uint64_t before, uint64_t after)
{
	const uint64_t interval = reporter->ticks;
	char ticks[TICKS_ROOM];
	size_t count;
	FILE *text;

	if (!interval || before / interval == after / interval)
		return;
	text = report_text_begin(reporter);
	if (!text)
		return;
	while ((count = console_ticks(small, before, after, interval, ticks, sizeof(ticks)))) {
		fwrite(ticks, 1, count, text);
		before = (before / interval + count) * interval;
	}
	report_text_end(reporter);
}

void report_record(struct reporter *reporter, struct np_record *record)
{
	pthread_mutex_lock(&reporter->lock);
	np_report_write(reporter->report, record);
	pthread_mutex_unlock(&reporter->lock);
}

bool report_wants_rest(struct reporter *reporter)
{
	bool wants;

	pthread_mutex_lock(&reporter->lock);
	wants = np_report_wants_rest(reporter->report);
	pthread_mutex_unlock(&reporter->lock);
	return wants;
}

bool complaints_allow(struct complaints *complaints, np_time now, uint64_t *missed)
{
	if (now - complaints->second >= NP_SECOND) {
		complaints->second = now;
		complaints->logged = 0;
	}
	if (complaints->logged >= LOGGED_EACH_SECOND) {
		complaints->suppressed++;
		return false;
	}
	complaints->logged++;
	*missed = complaints->suppressed;
	complaints->suppressed = 0;
	return true;
}

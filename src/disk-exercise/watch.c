// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* watch: handles signals and intervals, some twenty times a second. */
#include "watch.h"

#include <string.h>

#define LOOK_NS	    (50 * NP_MILLISECOND)
#define PROGRESS_NS (500 * NP_MILLISECOND)

int watch_open(struct watch *watch, struct reporter *reporter)
{
	memset(watch, 0, sizeof(*watch));
	watch->reporter = reporter;
	watch->next_progress = NP_TIME_NEVER;
	watch->interval.due = NP_TIME_NEVER;
	return np_signals_open(&watch->signals);
}

int watch_start(struct watch *watch)
{
	return np_signals_start(watch->signals);
}

void watch_close(struct watch *watch)
{
	np_signals_free(watch->signals);
}

void watch_begin(struct watch *watch, np_time now)
{
	np_interval_start(&watch->interval, now, watch->reporter->options->report.interval);
	if (watch->reporter->progress)
		watch->next_progress = now + PROGRESS_NS;
	watch->next_look = now;
}

static void next_interval(struct watch *watch, np_time now, struct result *result)
{
	np_time length = np_interval_next(&watch->interval, now);

	report_interval(watch->reporter, result, now - watch->interval.begin, length,
			watch->report_asked);
	result_mark(result);
}

void watch_end(struct watch *watch, struct result *result)
{
	np_time begin = watch->interval.begin, mark = watch->interval.mark;

	if (begin == 0)
		return;
	if (result->end < mark)
		result->end = mark;
	report_rest(watch->reporter, result, result->end - begin, result->end - mark);
	result_mark(result);
}

bool watch_look(struct watch *watch, np_time now, struct result *result)
{
	unsigned taken = np_signals_take(watch->signals);
	bool begun = watch->interval.begin > 0;

	watch->report_asked |= (taken & NP_SIGNALS_REPORT) != 0;
	if (begun && (np_interval_due(&watch->interval, now) || watch->report_asked)) {
		next_interval(watch, now, result);
		watch->report_asked = false;
	}
	if (now >= watch->next_progress) {
		report_progress(watch->reporter, result, now - watch->interval.begin);
		watch->next_progress = now + PROGRESS_NS;
	}
	watch->next_look = now + LOOK_NS;
	if (watch->interval.due < watch->next_look)
		watch->next_look = watch->interval.due;
	if (taken & NP_SIGNALS_STOP)
		result->interrupted = true;
	return !(taken & NP_SIGNALS_STOP);
}

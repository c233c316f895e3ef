/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * report: the one way out for all threads: text, records and ticks, a whole block at a time.
 */
#ifndef DATAGRAM_TEST_REPORT_H
#define DATAGRAM_TEST_REPORT_H

#include "console.h"
#include "options.h"

#include <pthread.h>

struct reporter {
	const struct options *options;
	const struct np_log *log;
	struct np_report *report;
	FILE *text; /* NULL when stdout carries JSON or CSV */
	bool ticks; /* wanted */
	bool full;
	bool records;
	pthread_mutex_t lock;
};

/* Opens the outputs. Returns 0 or, after a message, the exit status 2. */
int report_open(struct reporter *reporter, const struct options *options, const struct np_log *log);

/* Returns @status, or 1 in place of 0 after a message that a result was not written. */
int report_close(struct reporter *reporter, int status);

/* Says why what @local asks for cannot be had, by the name of whose fault it is. */
void report_blame(const struct reporter *reporter, const struct np_address *local, int rc);

/* The text's stream, for this thread alone until report_text_end; NULL: there is no text. */
FILE *report_text_begin(struct reporter *reporter);
void report_text_end(struct reporter *reporter);

/* Which lines a report has; completed now. */
struct console_style report_style(const struct reporter *reporter);

/* The ticks for packets @before + 1 .. @after of a counter, in one write. */
void report_ticks(struct reporter *reporter, char small, uint64_t before, uint64_t after);

/* Writes and frees a record, from any thread. */
struct np_record;
void report_record(struct reporter *reporter, struct np_record *record);

/* See np_report_wants_rest. */
bool report_wants_rest(struct reporter *reporter);

/* A line that floods may cause: at most a few a second are said, the others counted. */
struct complaints {
	np_time second; /* began then */
	unsigned said;
	uint64_t unsaid;
};

/* Whether one more may be said at @now; @*missed: how many were not since the last one. */
bool complaints_allow(struct complaints *complaints, np_time now, uint64_t *missed);

#endif

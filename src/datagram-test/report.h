/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report: the output of all threads: text, records and ticks, one whole block at a time. */
#ifndef DATAGRAM_TEST_REPORT_H
#define DATAGRAM_TEST_REPORT_H

#include "console.h"
#include "options.h"

#include <netperf/tool.h>
#include <pthread.h>

struct reporter {
	const struct options *options;
	const struct np_log *log;
	struct np_report *report;
	struct np_block_full *full; /* NULL: the result block alone */
	FILE *text;  /* the original's lines; NULL: none, as when stdout carries JSON or CSV */
	FILE *block; /* the result block, when the threads have ended; NULL: none */
	bool ticks;  /* wanted */
	bool newest; /* the lines of version 22.06 are wanted */
	bool records;
	pthread_mutex_t lock;
};

/* Divides the outputs that @run has opened; destroy @lock at the end. */
void report_open(struct reporter *reporter, const struct np_run *run);

/* Logs why @local cannot be used, and names the option or address at fault. */
void report_blame(const struct reporter *reporter, const struct np_address *local, int rc);

/* Locks the text stream for this thread until report_text_end; NULL: there is no text. */
FILE *report_text_begin(struct reporter *reporter);
void report_text_end(struct reporter *reporter);

/* Which lines a report has, with the completion time now. */
struct console_style report_style(const struct reporter *reporter);

/* Writes the ticks for packets @before + 1 .. @after of a counter, in one write. */
void report_ticks(struct reporter *reporter, char small, uint64_t before, uint64_t after);

/* Writes and frees a record, from any thread. */
struct np_record;
void report_record(struct reporter *reporter, struct np_record *record);

/* See np_report_wants_rest. */
bool report_wants_rest(struct reporter *reporter);

/* Limits a message that a flood may cause to a few a second; counts the others. */
struct complaints {
	np_time second; /* when the current second began */
	unsigned logged;
	uint64_t suppressed;
};

/*
 * Whether one more message may be logged at @now; @*missed: how many were suppressed since the last
 * one.
 */
bool complaints_allow(struct complaints *complaints, np_time now, uint64_t *missed);

#endif

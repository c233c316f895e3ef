/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * report: the destinations of results: text for people; for programs JSON lines (json-lines,
 * netperf-json(5)) and CSV rows of the intervals; each to stdout or to a file.
 *
 * A program builds a record, hands it over, and prints its text to np_report_text() when that is
 * not NULL. Threads may share a report: what they write during the run is written one after the
 * other.
 */
#pragma once

#include <netperf/options.h>

/* The user's output options; the rows below fill it. */
struct np_report_options {
	const char *json;    /* NULL: none; "-": stdout in place of the text; else a file */
	const char *csv;     /* the same for interval rows */
	const char *metrics; /* file of the sums of these rows; NULL: none */
	np_time interval;    /* between reports; 0: none */
	bool quiet;
	bool verbose;
	unsigned layout; /* enum np_report_layout */
	unsigned unit;	 /* of rates: 0 bits, 1 bytes */
	/* Files that must not be overwritten, see np_output; set by the program. */
	const char *const *inputs;
};

/*
 * The rows for the options every program has. @member: the np_report_options; @verbose_lineage:
 * another name of --verbose.
 */
#define NP_REPORT_OPTIONS(member, interval_default) NP_REPORT_ROWS(member, interval_default, NULL)
#define NP_REPORT_ROWS(member, interval_default, verbose_lineage)                                  \
	NP_VALUE(OUTPUT, TIME, "interval", NULL, "TIME", member.interval,                          \
		 "time between interval reports, in seconds; 0: none", .letter = 'i',              \
		 .initial = interval_default, .max = 86400 * UINT64_C(1000000000)),                \
		NP_VALUE(OUTPUT, TEXT, "json", NULL, "FILE", member.json,                          \
			 "JSON lines to FILE, or to stdout in place of the text", .bare = "-"),    \
		NP_VALUE(OUTPUT, TEXT, "csv", NULL, "FILE", member.csv,                            \
			 "interval rows as CSV to FILE, or to stdout in place of the text",        \
			 .bare = "-"),                                                             \
		NP_FLAG(OUTPUT, "quiet", NULL, member.quiet,                                       \
			"no status line and no remarks on stderr, only errors and warnings",       \
			.letter = 'q', .scope = {{NP_OPTION_ANY_MODE, NULL}}),                     \
		NP_FLAG(OUTPUT, "verbose", verbose_lineage, member.verbose,                        \
			"report which variants were chosen and what the kernel granted",           \
			.letter = 'v', .scope = {{NP_OPTION_ANY_MODE, NULL}})

/*
 * The row of --metrics, for programs that may run for long. @member: the np_report_options. Without
 * --interval the intervals are then of NP_REPORT_METRICS_INTERVAL.
 */
#define NP_REPORT_METRICS_INTERVAL (10 * NP_SECOND)
#define NP_REPORT_METRICS(member)                                                                  \
	NP_VALUE(OUTPUT, TEXT, "metrics", NULL, "FILE", member.metrics,                            \
		 "sums of the intervals to FILE, for Prometheus' node_exporter")

/* The row of --report. @member: the np_report_options. */
#define NP_REPORT_LAYOUT(member)                                                                   \
	NP_VALUE(OUTPUT, CHOICE, "report", NULL, "REPORT", member.layout,                          \
		 "print the original program's lines (original), the result (result), both "       \
		 "(default), or all there is (full)",                                              \
		 .initial = "default", .choices = np_report_layouts)

/* The words of it, NULL-terminated. */
enum np_report_layout { NP_REPORT_DEFAULT, NP_REPORT_FULL, NP_REPORT_RESULT, NP_REPORT_ORIGINAL };
extern const char *const np_report_layouts[];

/* The row of --unit. @member: the np_report_options; @initial_: "bits" or "bytes". */
#define NP_REPORT_UNIT(member, initial_)                                                           \
	NP_VALUE(OUTPUT, CHOICE, "unit", NULL, "UNIT", member.unit,                                \
		 "rates of the result: bits (bit/s) or bytes (MB/s)", .initial = initial_,         \
		 .choices = np_report_units)
extern const char *const np_report_units[];

struct np_report;

/*
 * Start and end a program's output; errors are logged. Begin opens the files named in @options;
 * JSON and CSV cannot both go to stdout or to one file. It returns 0 or the exit status 2 with
 * *@report NULL, and keeps the strings of @options; end flushes and closes, and returns @status, or
 * 1 in place of 0 when a result could not be written, on stdout or in a file, at any time of the
 * run. A file keeps its content until something is written to it, and for good when the run never
 * began: @status 2 and nothing written. End writes the summary with exit_status and, unless that is
 * 0, text, the reason that was logged.
 */
int np_report_begin(struct np_report **report, const struct np_report_options *options,
		    const struct np_log *log);
int np_report_end(struct np_report *report, int status, const struct np_log *log);

/* The stream for the text, or NULL when stdout carries JSON or CSV. */
FILE *np_report_text(struct np_report *report);

/*
 * Whether a record has any destination: otherwise it need not be built. And whether a run that ends
 * must write an interval record of the rest, so that the rows add up to the summary: with
 * --interval, with --csv, or after an interval that a signal asked for.
 */
bool np_report_wants_records(const struct np_report *report);
bool np_report_wants_rest(const struct np_report *report);

/*
 * Replaces the file of --metrics, if there is one: when the rows of an interval are written. Done
 * for the start record, too, and by np_report_end.
 */
void np_report_metrics(struct np_report *report);

/*
 * Creates a record {"type": type, "time": the wall clock, RFC 3339 in UTC with ns}; NULL when out
 * of memory, which every function below accepts and np_report_write answers with -ENOMEM. The
 * caller owns it until np_report_write. Records that other hosts create at that moment show the
 * same time, as far as the clocks agree.
 */
struct np_record *np_record_new(const char *type);

/*
 * Creates the "start" record: schema, program, version, host, kernel, wall-clock time, and the
 * value of every option and operand. The schema grows when a member goes or changes its meaning.
 */
#define NP_RECORD_SCHEMA 1
struct np_record *np_record_start(const struct np_options *options, const void *values);
void np_record_free(struct np_record *record);

/*
 * Adds a member. A double that is not finite is unknown, and is left out, as is a NULL text. An
 * integer of 2^53 or more becomes text, since JSON readers would round it.
 */
void np_record_count(struct np_record *record, const char *name, uint64_t value);
void np_record_time(struct np_record *record, const char *name, np_time value);
void np_record_number(struct np_record *record, const char *name, double value);
void np_record_text(struct np_record *record, const char *name, const char *value);
void np_record_flag(struct np_record *record, const char *name, bool value);
/* An object with "errno" and its "text"; @error: -errno. */
void np_record_error(struct np_record *record, const char *name, int error);

/*
 * Adds an object (or returns the one of that name), or appends an object to an array; @record owns
 * the result.
 */
struct np_record *np_record_object(struct np_record *record, const char *name);
struct np_record *np_record_append(struct np_record *record, const char *name);

/* Makes a record the member @name, without its type and time, and frees it; NULL: none. */
void np_record_adopt(struct np_record *record, const char *name, struct np_record *member);

/*
 * Writes @record as one JSON line, and as a CSV row when np_record_interval made it one; the first
 * row prints the heading. A "summary" is held for np_report_end. Frees @record.
 * Returns 0, or -errno of the first write that failed, which also stays for np_report_end.
 */
int np_report_write(struct np_report *report, struct np_record *record);

/*
 * Hold takes @start, the first record, in place of np_report_write: it is written by begun, when
 * the measured run begins, or before the next record, or by np_report_end unless the run never
 * began. So a signal in the warm-up leaves the files as they were.
 */
void np_report_hold(struct np_report *report, struct np_record *start);
void np_report_begun(struct np_report *report);

/*
 * Opens the files that a program writes its results to. They may be regular files, pipes, character
 * devices and sockets, but never block devices. The file that was opened is judged, and only then
 * emptied: replacing the name in between has no effect. A file may keep its content until there is
 * something to write: the run may never begin. These functions are thread-safe.
 */
struct np_output {
	bool append; /* appends to the file instead of emptying it */
	/*
	 * The file is emptied at the first write, or else when it is closed, unless this is true
	 * then; in that case a file that was made and never written to is removed. Must stay valid
	 * while the stream is open. NULL: false.
	 */
	const bool *never_began;
	/*
	 * What is written before the run is a heading: if the run never began, no more of it is
	 * written, and a file that was made is removed all the same.
	 */
	bool heading;
	/* Files that the run reads or exercises, NULL-terminated; NULL: none. */
	const char *const *inputs;
};

/*
 * Opens @path as the shell's > and >> do, close-on-exec, for all functions of stdio except those
 * that need a descriptor or a position. A regular file that is emptied is locked (F_OFD_SETLK)
 * while it is open, so that two outputs cannot overwrite each other. The stream remembers its first
 * failed write, after which it tries no other; if its reader has gone, it stops the run
 * (np_signals_stop_self), provided that SIGPIPE is ignored, as np_tool_main does.
 * @how NULL: empties, no inputs. Returns 0, or -errno with *@stream NULL; among these, with nothing
 * written:
 *   -ENOTBLK  @path is a block device
 *   -EDEADLK  it is an input, or an input is stored on it (by loop devices)
 *   -EXDEV    it has content, and whether an input is stored on it cannot be determined
 *   -EALREADY it is the regular file of standard output or standard error
 *   -EBUSY    it is locked by another output, of this process or another one
 */
int np_output_stream(const char *path, const struct np_output *how, FILE **stream);

/*
 * Such a stream on @fd, such as stdout, which stays open. Line-buffered on a terminal, where
 * @status is erased before each write; NULL: there is none.
 */
int np_output_standard(int fd, struct np_status *status, FILE **stream);

/*
 * Flushes a stream of the two functions above, or also closes it, NULL too. Returns 0, or -errno of
 * its first failed write at any time: ferror(3) does not tell the reason.
 */
int np_output_flush(FILE *stream);
int np_output_close(FILE *stream);

/*
 * Whether output may go to @fd, for example a standard stream: 0, -ENOTBLK, -EBADF when it is
 * closed or open only for reading, or -errno of fstat(2). A descriptor opened with O_PATH is judged
 * by its file alone.
 */
int np_output_judge(int fd);

/* The message for a value that one of the functions above returned; not to be freed. */
const char *np_output_reason(int error);

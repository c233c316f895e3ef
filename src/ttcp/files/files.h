/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* files: the files that the user wants of each run, at either end. One thread. */
#ifndef TTCP_FILES_FILES_H
#define TTCP_FILES_FILES_H

#include "../report/figures.h"
#include "../session/session_state.h"
#include "../wire/message.h"
#include "recorder.h"

struct files {
	struct session *session;
	uint64_t run;
	struct recorder *rows[MESSAGE_STREAMS_MAX]; /* a sender's of -d, a receiver's of -s */
	struct recorder *bandwidth, *log;
	struct recorder **early; /* opened by files_begin, for files_open to take */
	uint64_t early_runs;
	unsigned early_streams;
	struct window window; /* of the bandwidth, and of -monitor */
	bool made_folder;
	bool forgotten; /* no run began */
};

/*
 * Call it before privileges are dropped: opens the log, and with @streams each the files of @runs
 * runs (0: unknown), or of as many as have 1 024 files, but at least of the first. What they have
 * is lost only when they are written. Returns 0, or after a message the exit status 2.
 */
int files_begin(struct files *files, struct session *session, uint64_t runs, unsigned streams);

/*
 * Starts the files of run @run with @streams; opens those that are not open. Returns 0, or after a
 * message the exit status: 2, or 1 when it is not the first run.
 */
int files_open(struct files *files, uint64_t run, unsigned streams);

/* Counts messages that were sent or received by @now. */
void files_count(struct files *files, np_time now, uint64_t messages, uint64_t bytes);

/* Writes the rows of windows that ended by @now, so that an empty one shows in time. */
void files_look(struct files *files, np_time now);

/* Flushes the files. */
void files_flush(struct files *files);

/* Writes the result's lines to the log. */
void files_log(struct files *files, const char *side, const char *text);

/*
 * No run began: the files that have something from an earlier one keep it, those that were made for
 * this one are removed, and none is drawn.
 */
void files_forget(struct files *files);

/* Completes the run's files. Returns 0, or after a message 1. */
int files_close_run(struct files *files);

/* Closes everything, including the log, and removes files that were made for no run. */
int files_close(struct files *files);

/* names: the names of files. Pure. */
#define NAMES_ROOM 4096

/*
 * The file name for @name, which is as typed, or "" for the default: ttcp_KIND_TIMESTAMP.txt, with
 * @kind "seq", "bw" or "log", and the time in ms since 1970. Runs after the first and streams after
 * stream 0 have "_RUN" and "_sSTREAM" before the extension. Returns 0 or -ENAMETOOLONG.
 */
struct names_file {
	const char *name, *kind;
	np_time begun; /* when the program started, wall clock */
	uint64_t run;  /* 1.. */
	unsigned stream;
};
int names_file(const struct names_file *file, char *out, size_t room);

/*
 * The file name of -d: SESSION_DATA/SESSION_NAME_RUN.txt; if @name has a slash, the prefix goes to
 * its last component and there is no SESSION_DATA. Streams as above. @folder, also of @room bytes,
 * is the directory to create first, or "".
 */
int names_delay_file(const char *session, const struct names_file *file, char *out, char *folder,
		     size_t room);

#endif

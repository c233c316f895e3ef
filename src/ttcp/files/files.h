/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * files: the files that the user wants of each run, at either end; and what is written to them. One
 * thread.
 */
#pragma once

#include "../session/session_state.h"
#include "../wire/message.h"

/*
 * recorder: the files of a run, ttcp-files(5), written during the run: delays (-d), sequence
 * numbers (-s), bandwidth (-bw), log (-f). Rows are buffered; recorder_flush or recorder_close
 * completes the file. Times are wall-clock ns.
 */
struct recorder;

enum recorder_kind { RECORDER_DELAY, RECORDER_SEQUENCE, RECORDER_BANDWIDTH, RECORDER_LOG };

/*
 * Opens the file at @path; what it has stays until there is a row or the recorder is closed, and
 * for good if *@never_began is true then: a file that was made for it is removed. RECORDER_LOG:
 * opens it for appending. Returns 0 or -errno; then *@recorder is NULL.
 */
int recorder_open(struct recorder **recorder, enum recorder_kind kind, const char *path,
		  const bool *never_began);

/*
 * Writes the heading; not for RECORDER_LOG. @mode: the first line of RECORDER_DELAY. Returns 0 or
 * -errno.
 */
int recorder_begin(struct recorder *recorder, const char *mode);

/* A row of a delay file, for an ACK. */
struct recorder_delay {
	const char *receiver;
	uint64_t number;
	uint32_t size;
	np_time sent, received, acked;
};
void recorder_delay(struct recorder *recorder, const struct recorder_delay *ack);

/* Writes a row of a sequence file, for a DATA, in order of arrival, duplicates included. Hot. */
void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received);

void recorder_bandwidth(struct recorder *recorder, const struct window_row *window);

/*
 * Appends @text, the result lines, each after "DATE<tab>MODE<tab>RUN<tab>"; @mode like "TCP
 * Transmit".
 */
void recorder_log(struct recorder *recorder, np_time now, const char *mode, uint64_t run,
		  const char *text);

/* The path of an open one, valid until it is closed. */
const char *recorder_path(const struct recorder *recorder);

/* Flushes. Returns 0 or -errno of the first failed write. */
int recorder_flush(struct recorder *recorder);

/* Flushes and closes; returns the same. NULL is allowed. */
int recorder_close(struct recorder *recorder);

/* The places of the other files behind those of the streams. */
#define FILES_BANDWIDTH MESSAGE_STREAMS_MAX
#define FILES_LOG	(FILES_BANDWIDTH + 1)

struct files {
	struct session *session;
	uint64_t run;
	/*
	 * Of the run a sender's of -d, a receiver's of -s, one for each stream, and that of -bw;
	 * then the log, which is of all runs.
	 */
	struct recorder *rows[FILES_LOG + 1];
	/* Those of the first runs, opened by files_begin, for files_open to take. */
	struct recorder *(*early)[FILES_BANDWIDTH + 1];
	uint64_t early_runs;
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

/*
 * Closes everything, including the log, and removes files that were made for no run. Returns the
 * exit status @status (2: no run began), or 1 after a message.
 */
int files_close(struct files *files, int status);

/* names: the names of files. Pure. */
#define NAMES_ROOM 4096

/*
 * The file name for @name, which is as typed, or "" for the default: ttcp_KIND_TIMESTAMP.txt, with
 * @kind "seq", "bw" or "log", and the time in ms since 1970. Runs after the first and streams after
 * stream 0 have "_RUN" and "_sSTREAM" before the extension.
 *
 * That of -d, which has a @session: SESSION_DATA/SESSION_NAME_RUN.txt; if @name has a slash, the
 * prefix goes to its last component and there is no SESSION_DATA. Streams as above. @folder is the
 * directory to create first, or "". Returns 0 or -ENAMETOOLONG.
 */
struct names_file {
	const char *name, *kind;
	np_time begun; /* when the program started, wall clock */
	uint64_t run;  /* 1.. */
	unsigned stream;
	const char *session; /* NULL: it is not that of -d */
};
int names_file(const struct names_file *file, char out[NAMES_ROOM], char folder[NAMES_ROOM]);

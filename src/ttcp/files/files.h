/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * files: the files that the user wants of each run, at either end; and what is written to them. One
 * thread.
 */
#pragma once

#include "../session/session_state.h"

/* One of them, ttcp-files(5). Rows are buffered. Times are wall-clock ns. */
struct recorder {
	FILE *file;    /* NULL: not open */
	char *buffer;  /* of the stream; NULL: its own */
	bool keeps;    /* what an earlier run left in it, until there is a row */
	np_time first; /* a sequence file: arrival of its first message; 0: it has none */
};

/* Writes a row of a delay file, for an ACK that arrived at @acked. */
void recorder_delay(struct recorder *recorder, const char *receiver, const struct message *ack,
		    np_time acked);

/* Writes a row of a sequence file, for a DATA, in order of arrival, duplicates included. Hot. */
void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received);

/* The places of the other files behind those of the streams. */
#define FILES_BANDWIDTH MESSAGE_STREAMS_MAX
#define FILES_LOG	(FILES_BANDWIDTH + 1)

struct files {
	struct session *session;
	uint64_t run;
	/*
	 * Of the run a sender's of -d, a receiver's of -s, one for each stream, and that of -bw;
	 * then the log, which is of all runs. NULL: there is none.
	 */
	struct recorder *rows[FILES_LOG + 1];
	struct recorder log;
	/* Of each of the first runs, opened by files_begin; then of the others, in turn. */
	struct recorder (*file)[FILES_BANDWIDTH + 1];
	uint64_t early_runs;
	/*
	 * Of the bandwidth, and of -monitor: consecutive ones of one length, from the first message
	 * on.
	 */
	struct window {
		np_time first;	/* the first message */
		np_time end;	/* of the current window; 0: no message arrived */
		np_time last;	/* the last message */
		np_time before; /* the last message before this window; 0: none */
		uint64_t messages, bytes;
	} window;
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

/* Writes the rows of all windows that ended by @now, even empty ones. */
void files_look(struct files *files, np_time now);

/* Flushes the files. */
void files_flush(struct files *files);

/*
 * Appends @text, the result's lines, to the log, each after "DATE<tab>MODE<tab>RUN<tab>", with the
 * transport and @side ("Transmit") as the mode.
 */
void files_log(struct files *files, const char *side, const char *text);

/*
 * Completes the run's files. @never_began: no run began; the files that have something from an
 * earlier one keep it, and those that were made for this one are removed. Returns 0, or after a
 * message 1.
 */
int files_close_run(struct files *files, bool never_began);

/*
 * Closes everything, including the log, and removes files that were made for no run. Returns the
 * exit status @status (2: no run began), or 1 after a message.
 */
int files_close(struct files *files, int status);

/*
 * Names the file @which of @files->rows in run @run, which was asked for: as typed, or by default
 * ttcp_KIND_TIMESTAMP.txt, with KIND seq, bw or log, and the time in ms since 1970. Runs after the
 * first and streams after stream 0 have "_RUN" and "_sSTREAM" before the extension.
 *
 * That of -d is SESSION_DATA/SESSION_name_RUN.txt; if what was typed has a slash, the prefix goes
 * to its last component and there is no SESSION_DATA. Streams as above. @folder is the directory to
 * create first, or "". Returns 0 or -ENAMETOOLONG. Pure.
 */
#define FILES_NAME 4096
int files_name(const struct files *files, uint64_t run, unsigned which, char path[FILES_NAME],
	       char folder[FILES_NAME]);

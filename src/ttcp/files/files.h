/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* files: the files that the user wants of each run, at either end. One thread. */
#ifndef TTCP_FILES_FILES_H
#define TTCP_FILES_FILES_H

#include "../report/window.h"
#include "../session/session_state.h"
#include "../wire/message.h"
#include "opener.h"
#include "recorder.h"

struct files {
	struct session *session;
	uint64_t run;
	struct recorder *delay[MESSAGE_STREAMS_MAX];	/* a sender's */
	struct recorder *sequence[MESSAGE_STREAMS_MAX]; /* a receiver's */
	struct recorder *bandwidth, *log;
	uint64_t named[OPENER_KINDS][MESSAGE_STREAMS_MAX]; /* the run in the name of each */
	uint32_t made[OPENER_KINDS][MESSAGE_STREAMS_MAX];  /* of OPENER_MADE_ */
	struct window window;				   /* of the bandwidth, and of -monitor */
	bool forgotten;					   /* no run began */
};

/*
 * Opens the files of run @run with @streams. Returns 0, or after a message the exit status: 2, or 1
 * when it is not the first run.
 */
int files_open(struct files *files, struct session *session, uint64_t run, unsigned streams);

/*
 * Opens the file that @request names, and makes it and the folder it is in where they are not. A
 * plot's is emptied; what a run's file has is lost only when it is written. Returns 0 or -errno
 * of np_output_open, and stores in *@made what was made, of OPENER_MADE_.
 */
int files_create(struct session *session, const struct opener_request *request, int *fd,
		 uint32_t *made);

/* Whether the file that @request names could be opened. Returns 0 or -errno of np_output_probe. */
int files_probe(struct session *session, const struct opener_request *request);

/* Removes what request->unmake says; a file only if it is empty. Returns 0 or -errno. */
int files_unmake(struct session *session, const struct opener_request *request);

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

/* Closes everything, including the log. */
int files_close(struct files *files);

#endif

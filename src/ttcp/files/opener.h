/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * opener: a child process that keeps the privileges which this one drops, only to create the files
 * of later runs and streams, and of plots: without privileges even root cannot create them in
 * another user's directory. It receives no names, but derives them from the options. One thread.
 */
#ifndef TTCP_FILES_OPENER_H
#define TTCP_FILES_OPENER_H

#include <stdint.h>

struct session;
struct opener;

enum opener_kind { OPENER_DELAY, OPENER_SEQUENCE, OPENER_BANDWIDTH, OPENER_KINDS };

/* The file itself, or a part of its plot. */
enum opener_part { OPENER_FILE, OPENER_SCRIPT, OPENER_PICTURE, OPENER_PARTS };

/* What was not there before, and was made. */
enum { OPENER_MADE_FILE = 1, OPENER_MADE_FOLDER = 2 };

/* Which file. */
struct opener_request {
	uint32_t kind, part, stream;
	uint32_t unmake; /* not to be opened: what is to be removed again, of OPENER_MADE_ */
	uint32_t probe;	 /* not to be opened: only whether it could be (np_output_probe) */
	uint64_t run;
};

/*
 * Call it before privileges are dropped: starts the process if there are privileges and files to
 * come; else *@opener is NULL. Returns 0 or -errno.
 */
int opener_start(struct opener **opener, struct session *session);

/*
 * The file, made where it is not, open to be written, and in *@made what was made for it; or
 * np_output_open's -errno.
 */
int opener_ask(struct opener *opener, const struct opener_request *request, uint32_t *made);

/*
 * A request that opens nothing: removes what request->unmake says, a file only if it is empty; or
 * probes. Returns 0 or -errno.
 */
int opener_tell(struct opener *opener, const struct opener_request *request);

/* Ends it. NULL is allowed. */
void opener_free(struct opener *opener);

#endif

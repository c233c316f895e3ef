/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tool: what every program does around its work. main is one call: it reads and checks the command
 * line, opens the outputs and what needs privileges, drops these, works, closes, and ends with the
 * exit status and its reason. Signals wait from the end of opening on.
 */
#pragma once

#include <netperf/drops.h>
#include <netperf/process.h>
#include <netperf/report.h>
#include <netperf/result.h>

struct np_tool;

/* One run of a program; owned by np_tool_main. */
struct np_run {
	const struct np_tool *tool;
	void *options; /* zeros, then what was parsed */
	void *state;   /* the program's own, zeros at first */
	struct np_options_result given;
	struct np_log *log;
	struct np_report *report;
	struct np_block_full *full; /* with --report=full, else NULL */
	struct np_signals *signals; /* since the end of open */
	struct np_drops *drops;	    /* opened by the program, or NULL */
};

/* A program. Each function returns 0 or the exit status, after a message, unless it says more. */
struct np_tool {
	const struct np_options *options;
	size_t options_bytes;
	size_t state_bytes;
	size_t report; /* offset of the struct np_report_options in the options */
	size_t layout; /* offset of the unsigned that is an enum np_report_layout */
	/*
	 * Checks what no single row can, and completes the options. Returns -1 if the run may
	 * start, else the exit status.
	 */
	int (*check)(struct np_run *run);
	/* Opens what needs privileges. */
	int (*open)(struct np_run *run);
	/* From the first foreign byte to the summary. */
	int (*work)(struct np_run *run);
	/* Called if open was. Frees all, however far that came; returns what @status becomes. */
	int (*close)(struct np_run *run, int status);
};

/*
 * The program, with its messages on @errors, stderr, and as many descriptors as it may have: see
 * RLIMIT_NOFILE. Returns what main returns.
 */
int np_tool_main(const struct np_tool *tool, int argc, char *argv[], FILE *errors);

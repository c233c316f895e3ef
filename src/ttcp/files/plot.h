/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * plot: a gnuplot script beside a file of ours, and its picture, when gnuplot is here.
 */
#ifndef TTCP_FILES_PLOT_H
#define TTCP_FILES_PLOT_H

#include "recorder.h"

#include <netperf/log.h>
#include <stdio.h>

enum plot_kind { PLOT_DELAY, PLOT_SEQUENCE, PLOT_BANDWIDTH, PLOT_DENSITY, PLOT_SMOOTH };

/* Beside the data. */
enum plot_part { PLOT_SCRIPT, PLOT_PICTURE };

/* Writes the script that draws @path into PATH.png. Pure but for the stream. */
void plot_script(FILE *out, enum plot_kind kind, const char *path);

/*
 * Writes PATH.gnuplot and lets gnuplot draw PATH.png, for at most a minute; says on @log how to do
 * that by hand when there is no gnuplot, and warns when it fails. Returns 0, or -errno when the
 * script could not be written: said, too.
 */
int plot_file(enum plot_kind kind, const char *path, const struct np_log *log);

/*
 * Where this process may not make files itself any more: opens, for writing and empty, the one
 * beside the data. Returns 0 or -errno of np_output_open.
 */
struct plot_opener {
	int (*open)(void *context, enum plot_part part, int *fd);
	void *context;
};

/*
 * Closes a recorder and, when that went well, plots its file as plot_file does, with the files that
 * @opener (or NULL: this process) makes; gnuplot needs no name then. Returns 0, or -errno of what
 * could not be written, which is said with its name on @log.
 */
int plot_close(struct recorder *recorder, const struct plot_opener *opener,
	       const struct np_log *log);

#endif

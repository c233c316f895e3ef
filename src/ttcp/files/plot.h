/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* plot: a gnuplot script beside a data file, and its picture, if gnuplot is installed. */
#ifndef TTCP_FILES_PLOT_H
#define TTCP_FILES_PLOT_H

#include "recorder.h"

#include <netperf/log.h>
#include <stdio.h>

enum plot_kind { PLOT_DELAY, PLOT_SEQUENCE, PLOT_BANDWIDTH, PLOT_DENSITY, PLOT_SMOOTH };

/* The files beside the data. */
enum plot_part { PLOT_SCRIPT, PLOT_PICTURE };

/* Writes the script that draws @path into PATH.png. Pure but for the stream. */
void plot_script(FILE *out, enum plot_kind kind, const char *path);

/*
 * Writes PATH.gnuplot and runs gnuplot to draw PATH.png, for at most a minute; logs how to do that
 * by hand when gnuplot is not installed, and warns when it fails. Returns 0, or -errno when the
 * script could not be written, which is logged, too.
 */
int plot_file(enum plot_kind kind, const char *path, const struct np_log *log);

/*
 * Opens, emptied for writing, the file beside the data, where this process may not create files
 * itself. Returns 0 or -errno of np_output_open.
 */
struct plot_opener {
	int (*open)(void *context, enum plot_part part, int *fd);
	void *context;
};

/*
 * Closes a recorder and, if that succeeds, plots its file as plot_file does, with files created by
 * @opener (or NULL: this process); then gnuplot needs no names. Returns 0, or -errno of what could
 * not be written, which is logged with its name.
 */
int plot_close(struct recorder *recorder, const struct plot_opener *opener,
	       const struct np_log *log);

#endif

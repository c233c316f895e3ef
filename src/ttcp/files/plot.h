/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* plot: a gnuplot script beside a data file, and its picture, if gnuplot is installed. */
#ifndef TTCP_FILES_PLOT_H
#define TTCP_FILES_PLOT_H

#include "recorder.h"

#include <netperf/log.h>
#include <stdio.h>

enum plot_kind { PLOT_DELAY, PLOT_SEQUENCE, PLOT_BANDWIDTH, PLOT_DENSITY, PLOT_SMOOTH };

/* Writes the script that draws @path into PATH.png. Pure but for the stream. */
void plot_script(FILE *out, enum plot_kind kind, const char *path);

/*
 * Writes PATH.gnuplot and runs gnuplot to draw PATH.png, for at most a minute; logs how to do that
 * by hand when gnuplot is not installed, and warns when it fails. Returns 0, or -errno when the
 * script could not be written, which is logged, too.
 */
int plot_file(enum plot_kind kind, const char *path, const struct np_log *log);

/*
 * Closes a recorder and, if that succeeds and with @draw, plots its file as plot_file does, unless
 * it is a log. NULL is allowed. Returns 0, or -errno of what could not be written, which is logged
 * with its name.
 */
int plot_close(struct recorder *recorder, bool draw, const struct np_log *log);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * gnuplot: runs gnuplot(1), for at most a minute, and writes scripts for it: beside a file of data,
 * PATH, its script is PATH.gnuplot, and its picture PATH.png. Thread-safe.
 */
#ifndef NETPERF_GNUPLOT_H
#define NETPERF_GNUPLOT_H

#include <netperf/log.h>
#include <stdbool.h>
#include <stdio.h>

#include <netperf/bits/begin.h>

/*
 * Writes the name @path followed by @more, for example ".png", to a script, in quotes and so that
 * gnuplot takes it for nothing but a name.
 */
void np_gnuplot_quote(FILE *script, const char *path, const char *more);

/* Whether @path can be in a script: a control character cannot, and confuses a terminal, too. */
bool np_gnuplot_nameable(const char *path);

/* Writes the script that draws the file @path into PATH.png. */
typedef void (*np_gnuplot_write)(FILE *script, const char *path, const void *context);

/*
 * Writes the script beside @path and lets gnuplot, if it is installed, draw the picture. Returns 0,
 * even if there is no picture, or -errno of a script that could not be written, or of a picture
 * that must not be (np_output_open); both are logged.
 */
int np_gnuplot_plot(const char *path, np_gnuplot_write write, const void *context,
		    const struct np_log *log);

/*
 * Before the run: whether np_gnuplot_plot could write the script and the picture of @path. Nothing
 * stays changed. Returns 0 or -errno, which is logged.
 */
int np_gnuplot_probe(const char *path, const struct np_log *log);

#include <netperf/bits/end.h>
#endif

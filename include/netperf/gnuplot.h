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

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Where gnuplot finds the descriptors that it inherits. */
#define NP_GNUPLOT_DATA	  "/proc/self/fd/3"
#define NP_GNUPLOT_SCRIPT "/proc/self/fd/4"

/* What gnuplot gets: names, or descriptors instead, which stay the caller's. */
struct np_gnuplot {
	const char *script; /* its name, or NP_GNUPLOT_SCRIPT */
	int data_fd;	    /* NP_GNUPLOT_DATA; -1: none */
	int script_fd;	    /* NP_GNUPLOT_SCRIPT; -1: none */
	int picture_fd;	    /* its stdout; -1: the same as our messages */
};

/*
 * Runs it without our blocked signals. Returns 0 with the exit status as waitpid(2) has it, or
 * -errno: gnuplot is not installed.
 */
int np_gnuplot_run(const struct np_gnuplot *how, int *status);

/*
 * Runs it, and logs what kept it from drawing: it is not installed (then how to draw by hand), or
 * it failed. @script: the script's name for the user. Returns whether there is a picture.
 */
bool np_gnuplot_draw(const struct np_gnuplot *how, const char *script, const struct np_log *log);

/*
 * What stands before a file's name in a script, "" or "./": gnuplot takes some characters at the
 * start of a name for a command to run, or for options.
 */
const char *np_gnuplot_folder(const char *path);

/* Writes the name @path followed by @more, for example ".png", to a script, in quotes. */
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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* gnuplot: runs gnuplot(1), for at most a minute. */
#ifndef TTCP_FILES_GNUPLOT_H
#define TTCP_FILES_GNUPLOT_H

/* Where gnuplot finds the descriptors that it inherits. */
#define GNUPLOT_DATA   "/proc/self/fd/3"
#define GNUPLOT_SCRIPT "/proc/self/fd/4"

/* What gnuplot gets: names, or descriptors instead, which stay the caller's. */
struct gnuplot {
	const char *script; /* its name, or GNUPLOT_SCRIPT */
	int data_fd;	    /* GNUPLOT_DATA; -1: none */
	int script_fd;	    /* GNUPLOT_SCRIPT; -1: none */
	int picture_fd;	    /* its stdout; -1: the same as our messages */
};

/*
 * Runs it without our blocked signals. Returns 0 with the exit status as waitpid(2) has it, or
 * -errno: gnuplot is not installed.
 */
int gnuplot_run(const struct gnuplot *how, int *status);

#endif

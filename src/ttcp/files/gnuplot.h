/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* gnuplot: runs gnuplot(1), for at most a minute. */
#ifndef TTCP_FILES_GNUPLOT_H
#define TTCP_FILES_GNUPLOT_H

/* Where gnuplot finds descriptors that it is given. */
#define GNUPLOT_DATA   "/proc/self/fd/3"
#define GNUPLOT_SCRIPT "/proc/self/fd/4"

/* What gnuplot is given: names, or descriptors in place of them, which stay the caller's. */
struct gnuplot {
	const char *script; /* its name, or GNUPLOT_SCRIPT */
	int data_fd;	    /* GNUPLOT_DATA; -1: none */
	int script_fd;	    /* GNUPLOT_SCRIPT; -1: none */
	int picture_fd;	    /* its stdout; -1: where our talk goes */
};

/*
 * Without our blocked signals. Returns 0 with the exit status as waitpid(2) has it, or -errno:
 * there is no gnuplot.
 */
int gnuplot_run(const struct gnuplot *how, int *status);

#endif

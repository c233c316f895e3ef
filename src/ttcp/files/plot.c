// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* plot: writes scripts for gnuplot, and runs them. */
#include "plot.h"

#include <netperf/gnuplot.h>
#include <stdlib.h>
#include <string.h>

/* What is drawn of each kind of file; %s stands for its quoted name. */
static const struct drawing {
	const char *x, *y;
	const char *before; /* NULL: nothing */
	const char *columns, *style;
} drawings[] = {
	[PLOT_DELAY] = {"sent (s)", "RTT (ms)", "skip 2 using 4 nooutput",
			"skip 2 using (($4 - STATS_min) / 1000):7", "points pt 7 ps 0.3"},
	[PLOT_SEQUENCE] = {"received (ms)", "sequence#", NULL, "using 4:1", "points pt 7 ps 0.3"},
	[PLOT_BANDWIDTH] = {"time (ms)", "kbps", NULL, "using 1:4", "fsteps"},
	[PLOT_DENSITY] = {"sequence#", "density", NULL, "using 1:2", "steps"},
	[PLOT_SMOOTH] = {"time (ms)", "mean delay (ms)", NULL, "using 1:3",
			 "linespoints pt 7 ps 0.5"},
};

void plot_script(FILE *out, enum plot_kind kind, const char *path)
{
	const struct drawing *drawing = &drawings[kind];

	fputs("set terminal png size 1024,640\nset output ", out);
	np_gnuplot_quote(out, path, ".png");
	fprintf(out, "\nset xlabel '%s'\nset ylabel '%s'\nset grid\nset key off\n", drawing->x,
		drawing->y);
	if (kind == PLOT_DENSITY)
		fputs("set yrange [0:1.05]\n", out);
	if (drawing->before) {
		fputs("stats ", out);
		np_gnuplot_quote(out, path, "");
		fprintf(out, " %s\n", drawing->before);
	}
	fputs("plot ", out);
	np_gnuplot_quote(out, path, "");
	fprintf(out, " %s with %s\n", drawing->columns, drawing->style);
}

static void write_named(FILE *out, const char *path, const void *context)
{
	const enum plot_kind *kind = context;

	plot_script(out, *kind, path);
}

int plot_file(enum plot_kind kind, const char *path, const struct np_log *log)
{
	return np_gnuplot_plot(path, write_named, &kind, log);
}

int plot_close(struct recorder *recorder, bool draw, const struct np_log *log)
{
	static const enum plot_kind kinds[] = {
		[RECORDER_DELAY] = PLOT_DELAY,
		[RECORDER_SEQUENCE] = PLOT_SEQUENCE,
		[RECORDER_BANDWIDTH] = PLOT_BANDWIDTH,
	};
	enum recorder_kind kind;
	char *path;
	int rc;

	if (!recorder)
		return 0;
	kind = recorder_kind(recorder);
	path = strdup(recorder_path(recorder));
	rc = recorder_close(recorder);
	if (rc)
		np_log_error(log, path, "%s", strerror(-rc));
	else if (draw && path && kind != RECORDER_LOG)
		rc = plot_file(kinds[kind], path, log);
	free(path);
	return rc;
}

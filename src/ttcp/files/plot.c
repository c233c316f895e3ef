// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* plot: writes scripts for gnuplot, and runs them. */
#include "plot.h"

#include <errno.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Draws to the file PATH.png, or to gnuplot's stdout. */
static void put_script(FILE *out, enum plot_kind kind, const char *path, bool to_file)
{
	const struct drawing *drawing = &drawings[kind];

	fputs("set terminal png size 1024,640\n", out);
	if (to_file) {
		fputs("set output ", out);
		np_gnuplot_quote(out, path, ".png");
		fputc('\n', out);
	}
	fprintf(out, "set xlabel '%s'\nset ylabel '%s'\nset grid\nset key off\n", drawing->x,
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

void plot_script(FILE *out, enum plot_kind kind, const char *path)
{
	put_script(out, kind, path, true);
}

/* Closes @out. */
static int write_script(FILE *out, enum plot_kind kind, const char *path, bool to_file)
{
	put_script(out, kind, path, to_file);
	return np_output_close(out);
}

static void write_named(FILE *out, const char *path, const void *context)
{
	const enum plot_kind *kind = context;

	put_script(out, *kind, path, true);
}

int plot_file(enum plot_kind kind, const char *path, const struct np_log *log)
{
	return np_gnuplot_plot(path, write_named, &kind, log);
}

static FILE *open_for_user(const struct plot_opener *opener, int *error)
{
	FILE *out;
	int fd;

	*error = opener->open(opener->context, PLOT_SCRIPT, &fd);
	if (*error)
		return NULL;
	out = fdopen(fd, "w");
	if (!out) {
		*error = -errno;
		close(fd);
	}
	return out;
}

static int write_picture(const struct plot_opener *opener, int drawn)
{
	off_t at = 0;
	struct stat size;
	int fd, rc = opener->open(opener->context, PLOT_PICTURE, &fd);

	if (rc)
		return rc;
	if (fstat(drawn, &size))
		rc = -errno;
	while (!rc && at < size.st_size) {
		ssize_t n = sendfile(fd, drawn, &at, (size_t)(size.st_size - at));

		if (n <= 0)
			rc = n < 0 ? -errno : -EIO;
	}
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

/* Draws by descriptors only: this process may lack access to the directory. */
static int draw_lent(enum plot_kind kind, int data, const struct plot_opener *opener,
		     const char *script, const struct np_log *log)
{
	const struct np_gnuplot how = {
		.script = NP_GNUPLOT_SCRIPT,
		.data_fd = data,
		.script_fd = memfd_create("script", MFD_CLOEXEC),
		.picture_fd = memfd_create("picture", MFD_CLOEXEC),
	};
	int copy = dup(how.script_fd), rc = 0;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out || how.picture_fd < 0)
		rc = -errno;
	if (out)
		(void)write_script(out, kind, NP_GNUPLOT_DATA, false);
	else if (copy >= 0)
		close(copy);
	if (!rc && np_gnuplot_draw(&how, script, log)) {
		rc = write_picture(opener, how.picture_fd);
		if (!rc)
			np_log_info(log, "%s: drawn", script);
	}
	close(how.script_fd);
	close(how.picture_fd);
	return rc;
}

/* Like plot_file, for a file that is read as @data. */
static int plot_lent(enum plot_kind kind, const char *path, int data,
		     const struct plot_opener *opener, const struct np_log *log)
{
	char *script, *picture;
	FILE *out;
	int rc = -EINVAL;

	if (asprintf(&script, "%s%s.gnuplot", np_gnuplot_folder(path), path) < 0)
		return -ENOMEM;
	if (asprintf(&picture, "%s%s.png", np_gnuplot_folder(path), path) < 0) {
		free(script);
		return -ENOMEM;
	}
	out = np_gnuplot_nameable(path) ? open_for_user(opener, &rc) : NULL;
	if (out)
		rc = write_script(out, kind, path, true);
	if (rc) {
		np_log_error(log, script, "%s", np_output_reason(rc));
	} else {
		rc = draw_lent(kind, data, opener, script, log);
		if (rc)
			np_log_error(log, picture, "%s", np_output_reason(rc));
	}
	free(picture);
	free(script);
	return rc;
}

int plot_close(struct recorder *recorder, const struct plot_opener *opener,
	       const struct np_log *log)
{
	static const enum plot_kind kinds[] = {
		[RECORDER_DELAY] = PLOT_DELAY,
		[RECORDER_SEQUENCE] = PLOT_SEQUENCE,
		[RECORDER_BANDWIDTH] = PLOT_BANDWIDTH,
	};
	enum recorder_kind kind;
	char *path;
	int rc, data = -1;

	if (!recorder)
		return 0;
	kind = recorder_kind(recorder);
	path = kind == RECORDER_LOG ? NULL : strdup(recorder_path(recorder));
	if (path && opener)
		data = recorder_read(recorder);
	rc = recorder_close(recorder);
	if (rc)
		np_log_error(log, path, "%s", strerror(-rc));
	if (!rc && path && data < 0 && opener)
		np_log_warning(log, path, "is not drawn: %s", strerror(-data));
	else if (!rc && path)
		rc = opener ? plot_lent(kinds[kind], path, data, opener, log)
			    : plot_file(kinds[kind], path, log);
	if (data >= 0)
		close(data);
	free(path);
	return rc;
}

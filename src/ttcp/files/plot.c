// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* plot: writes scripts for gnuplot, and runs them. */
#include "plot.h"

#include "gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/*
 * gnuplot takes a leading "<" or "
 * " for a command to run, and a leading "-", "+" or "$" for options and data of its own: a
 * directory in front prevents that.
 */
static const char *folder_before(const char *path)
{
	return path[0] == '/' || path[0] == '.' ? "" : "./";
}

/* In single quotes only single quotes are special: they are doubled. */
static void put_quoted(FILE *out, const char *path, const char *more)
{
	fprintf(out, "'%s", folder_before(path));
	for (; *path; path++) {
		if (*path == '\'')
			fputc('\'', out);
		fputc(*path, out);
	}
	fprintf(out, "%s'", more);
}

/* Draws to the file PATH.png, or to gnuplot's stdout. */
static void put_script(FILE *out, enum plot_kind kind, const char *path, bool to_file)
{
	const struct drawing *drawing = &drawings[kind];

	fputs("set terminal png size 1024,640\n", out);
	if (to_file) {
		fputs("set output ", out);
		put_quoted(out, path, ".png");
		fputc('\n', out);
	}
	fprintf(out, "set xlabel '%s'\nset ylabel '%s'\nset grid\nset key off\n", drawing->x,
		drawing->y);
	if (kind == PLOT_DENSITY)
		fputs("set yrange [0:1.05]\n", out);
	if (drawing->before) {
		fputs("stats ", out);
		put_quoted(out, path, "");
		fprintf(out, " %s\n", drawing->before);
	}
	fputs("plot ", out);
	put_quoted(out, path, "");
	fprintf(out, " %s with %s\n", drawing->columns, drawing->style);
}

void plot_script(FILE *out, enum plot_kind kind, const char *path)
{
	put_script(out, kind, path, true);
}

/* Control characters can be neither in a line of the script nor on a terminal. */
static bool plain(const char *path)
{
	for (; *path; path++) {
		if (iscntrl((unsigned char)*path))
			return false;
	}
	return true;
}

/* Closes @out. */
static int write_script(FILE *out, enum plot_kind kind, const char *path, bool to_file)
{
	put_script(out, kind, path, to_file);
	return np_output_close(out);
}

static int write_script_file(enum plot_kind kind, const char *path, const char *script)
{
	FILE *out;
	int rc = plain(path) ? np_output_stream(script, NULL, &out) : -EINVAL;

	return rc ? rc : write_script(out, kind, path, true);
}

/* Returns whether there is a picture; @script is its name for the user. */
static bool draw(const struct gnuplot *how, const char *script, const struct np_log *log)
{
	int status = 0, rc = gnuplot_run(how, &status);

	if (rc)
		np_log_info(log,
			    "%s: gnuplot is not installed (%s); to draw it elsewhere: gnuplot '%s'",
			    script, strerror(-rc), script);
	else if (status)
		np_log_warning(log, script, "gnuplot failed, %s %d",
			       WIFSIGNALED(status) ? "signal" : "status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return !rc && !status;
}

/* Whether gnuplot may write the picture to the name in the script. */
static int judge_picture(const char *path, const struct np_log *log)
{
	char *picture;
	int fd, rc = 0;

	if (asprintf(&picture, "%s%s.png", folder_before(path), path) < 0)
		return -ENOMEM;
	fd = open(picture, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		rc = np_output_judge(fd);
		close(fd);
	}
	if (rc)
		np_log_error(log, picture, "%s", np_output_reason(rc));
	free(picture);
	return rc;
}

int plot_file(enum plot_kind kind, const char *path, const struct np_log *log)
{
	struct gnuplot how = {.data_fd = -1, .script_fd = -1, .picture_fd = -1};
	char *script;
	int rc;

	if (asprintf(&script, "%s%s.gnuplot", folder_before(path), path) < 0)
		return -ENOMEM;
	how.script = script;
	rc = write_script_file(kind, path, script);
	if (rc)
		np_log_error(log, script, "%s", np_output_reason(rc));
	else
		rc = judge_picture(path, log);
	if (!rc && draw(&how, script, log))
		np_log_info(log, "%s: drawn", script);
	free(script);
	return rc;
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
	const struct gnuplot how = {
		.script = GNUPLOT_SCRIPT,
		.data_fd = data,
		.script_fd = memfd_create("script", MFD_CLOEXEC),
		.picture_fd = memfd_create("picture", MFD_CLOEXEC),
	};
	int copy = dup(how.script_fd), rc = 0;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out || how.picture_fd < 0)
		rc = -errno;
	if (out)
		(void)write_script(out, kind, GNUPLOT_DATA, false);
	else if (copy >= 0)
		close(copy);
	if (!rc && draw(&how, script, log)) {
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

	if (asprintf(&script, "%s%s.gnuplot", folder_before(path), path) < 0)
		return -ENOMEM;
	if (asprintf(&picture, "%s%s.png", folder_before(path), path) < 0) {
		free(script);
		return -ENOMEM;
	}
	out = plain(path) ? open_for_user(opener, &rc) : NULL;
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

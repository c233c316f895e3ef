// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* gnuplot_script: a script beside a file of data, and the picture that it draws. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * gnuplot takes a leading "<" or "|" for a command to run, and a leading "-", "+" or "$" for
 * options and data of its own: a directory in front prevents that.
 */
const char *np_gnuplot_folder(const char *path)
{
	return path[0] == '/' || path[0] == '.' ? "" : "./";
}

/* In single quotes only single quotes are special: they are doubled. */
void np_gnuplot_quote(FILE *script, const char *path, const char *more)
{
	fprintf(script, "'%s", np_gnuplot_folder(path));
	for (; *path; path++) {
		if (*path == '\'')
			fputc('\'', script);
		fputc(*path, script);
	}
	fprintf(script, "%s'", more);
}

bool np_gnuplot_nameable(const char *path)
{
	for (; *path; path++) {
		if (iscntrl((unsigned char)*path))
			return false;
	}
	return true;
}

bool np_gnuplot_draw(const struct np_gnuplot *how, const char *script, const struct np_log *log)
{
	int status = 0;
	const int rc = np_gnuplot_run(how, &status);

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

/* The name in the script, and on the terminal, of what is beside @path; NULL: no memory. */
static char *name_beside(const char *path, const char *more)
{
	char *name;

	if (asprintf(&name, "%s%s%s", np_gnuplot_folder(path), path, more) < 0)
		return NULL;
	return name;
}

static int write_script(const char *script, const char *path, np_gnuplot_write write,
			const void *context)
{
	FILE *out;
	int rc = np_gnuplot_nameable(path) ? np_output_stream(script, NULL, &out) : -EINVAL;

	if (rc)
		return rc;
	write(out, path, context);
	return np_output_close(out);
}

/* A file that is there is judged as our own outputs are; it keeps its content for now. */
static int judge_file(const char *picture)
{
	static const struct np_output keeping = {.append = true};
	struct stat found;
	int fd, rc = 0;

	fd = open(picture, O_PATH | O_CLOEXEC);
	if (fd >= 0) {
		rc = np_output_judge(fd);
		close(fd);
	}
	if (rc || stat(picture, &found) || !S_ISREG(found.st_mode))
		return rc;
	rc = np_output_open(picture, &keeping, &fd);
	if (!rc)
		close(fd);
	return rc;
}

/* Whether gnuplot may write to the picture's name. */
static int judge_picture(const char *path, const struct np_log *log)
{
	char *picture = name_beside(path, ".png");
	int rc;

	if (!picture)
		return -ENOMEM;
	rc = judge_file(picture);
	if (rc)
		np_log_error(log, picture, "%s", np_output_reason(rc));
	free(picture);
	return rc;
}

int np_gnuplot_plot(const char *path, np_gnuplot_write write, const void *context,
		    const struct np_log *log)
{
	struct np_gnuplot how = {.data_fd = -1, .script_fd = -1, .picture_fd = -1};
	char *script = name_beside(path, ".gnuplot");
	int rc;

	if (!script)
		return -ENOMEM;
	how.script = script;
	rc = write_script(script, path, write, context);
	if (rc)
		np_log_error(log, script, "%s", np_output_reason(rc));
	else
		rc = judge_picture(path, log);
	if (!rc && np_gnuplot_draw(&how, script, log))
		np_log_info(log, "%s: drawn", script);
	free(script);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* gnuplot_script: a script beside a file of data, and the picture that it draws. */
#include <ctype.h>
#include <errno.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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

/* Whether what is beside @path may be written to: a picture is judged as our own outputs are. */
static int probe_beside(const char *path, const char *more, const struct np_log *log)
{
	char *name = name_beside(path, more);
	int rc;

	if (!name)
		return -ENOMEM;
	rc = np_gnuplot_nameable(path) ? np_output_probe(name) : -EINVAL;
	if (rc)
		np_log_error(log, name, "%s", np_output_reason(rc));
	free(name);
	return rc;
}

int np_gnuplot_probe(const char *path, const struct np_log *log)
{
	const int rc = probe_beside(path, ".gnuplot", log);

	return rc ? rc : probe_beside(path, ".png", log);
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
		rc = probe_beside(path, ".png", log);
	if (!rc && np_gnuplot_draw(&how, script, log))
		np_log_info(log, "%s: drawn", script);
	free(script);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* plot: scripts for gnuplot, and gnuplot. */
#include "plot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netperf/output.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE (60 * NP_SECOND)
#define LOOK	 (5 * NP_MILLISECOND)

extern char **environ;

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
 * At the begin of a name gnuplot takes "<" and "|" for commands to run, "-", "+" and "$" for
 * options and data of its own: with a folder before them they are a name.
 */
static const char *folder_before(const char *path)
{
	return path[0] == '/' || path[0] == '.' ? "" : "./";
}

/* In single quotes only they themselves are special: doubled. */
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

void plot_script(FILE *out, enum plot_kind kind, const char *path)
{
	const struct drawing *drawing = &drawings[kind];

	fputs("set terminal png size 1024,640\nset output ", out);
	put_quoted(out, path, ".png");
	fprintf(out, "\nset xlabel '%s'\nset ylabel '%s'\nset grid\nset key off\n", drawing->x,
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

/* A line of the script cannot have them, nor should a terminal. */
static bool plain(const char *path)
{
	for (; *path; path++) {
		if (iscntrl((unsigned char)*path))
			return false;
	}
	return true;
}

static int write_script(enum plot_kind kind, const char *path, const char *script)
{
	FILE *out;
	int rc = plain(path) ? np_output_stream(script, NULL, &out) : -EINVAL;

	if (rc)
		return rc;
	plot_script(out, kind, path);
	errno = EIO;
	if (fflush(out) || ferror(out))
		rc = -errno;
	fclose(out);
	return rc;
}

/* Without our blocked signals, its output where our talk goes. Returns 0 or an errno. */
static int start_gnuplot(const char *script, pid_t *pid)
{
	char name[] = "gnuplot", *const argv[] = {name, (char *)(uintptr_t)script, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(pid, name, &files, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* Returns the exit status as waitpid has it; one that takes too long is ended. */
static int await(pid_t pid)
{
	const np_time deadline = np_clock_now() + PATIENCE;
	int status = 0;

	for (;;) {
		const pid_t ended = waitpid(pid, &status, WNOHANG);

		if (ended == pid || (ended < 0 && errno != EINTR))
			return status;
		if (np_clock_now() > deadline)
			kill(pid, SIGKILL);
		np_clock_sleep_until(np_clock_now() + LOOK);
	}
}

static void draw(const char *script, const struct np_log *log)
{
	pid_t pid;
	int rc = start_gnuplot(script, &pid), status;

	if (rc) {
		np_log_info(log, "%s: gnuplot is not here (%s); where it is: gnuplot '%s'", script,
			    strerror(rc), script);
		return;
	}
	status = await(pid);
	if (status)
		np_log_warning(log, script, "gnuplot failed, %s %d",
			       WIFSIGNALED(status) ? "signal" : "status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	else
		np_log_info(log, "%s: drawn", script);
}

/* Whether gnuplot may write the picture to the name that the script has for it. */
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
	char *script;
	int rc;

	if (asprintf(&script, "%s%s.gnuplot", folder_before(path), path) < 0)
		return -ENOMEM;
	rc = write_script(kind, path, script);
	if (rc)
		np_log_error(log, script, "%s", np_output_reason(rc));
	else
		rc = judge_picture(path, log);
	if (!rc)
		draw(script, log);
	free(script);
	return rc;
}

int plot_close(struct recorder *recorder, const struct np_log *log)
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
	path = kind == RECORDER_LOG ? NULL : strdup(recorder_path(recorder));
	rc = recorder_close(recorder);
	if (!rc && path)
		rc = plot_file(kinds[kind], path, log);
	free(path);
	return rc;
}

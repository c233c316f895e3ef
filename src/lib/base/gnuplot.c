// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* gnuplot: a script beside a file of data, and the picture that gnuplot draws by it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netperf/clock.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LIMIT (60 * NP_SECOND)
#define LOOK	   (5 * NP_MILLISECOND)

extern char **environ;

/*
 * gnuplot takes a leading "<" or "|" for a command to run, and a leading "-", "+" or "$" for
 * options and data of its own: a directory in front prevents that.
 */
static const char *folder(const char *path)
{
	return path[0] == '/' || path[0] == '.' ? "" : "./";
}

/* In single quotes only single quotes are special: they are doubled. */
void np_gnuplot_quote(FILE *script, const char *path, const char *more)
{
	fprintf(script, "'%s", folder(path));
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

/* Without our blocked signals. Returns 0 or -errno: gnuplot is not installed. */
static int spawn(const char *script, pid_t *pid)
{
	char name[] = "gnuplot", *const argv[] = {name, (char *)(uintptr_t)script, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(pid, name, &actions, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return -rc;
}

/* Returns the exit status as waitpid does; ends a child that takes too long. */
static int await(pid_t pid)
{
	const np_time deadline = np_clock_now() + TIME_LIMIT;
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

/* Whether there is a picture; logs what kept gnuplot from drawing it. */
static bool draw(const char *script, const struct np_log *log)
{
	pid_t pid;
	const int rc = spawn(script, &pid);
	const int status = rc ? 0 : await(pid);

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

	if (asprintf(&name, "%s%s%s", folder(path), path, more) < 0)
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
	char *script = name_beside(path, ".gnuplot");
	int rc;

	if (!script)
		return -ENOMEM;
	rc = write_script(script, path, write, context);
	if (rc)
		np_log_error(log, script, "%s", np_output_reason(rc));
	else
		rc = probe_beside(path, ".png", log);
	if (!rc && draw(script, log))
		np_log_info(log, "%s: drawn", script);
	free(script);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* gnuplot: starts a child process with only the descriptors it needs. */
#include <errno.h>
#include <fcntl.h>
#include <netperf/clock.h>
#include <netperf/gnuplot.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_LIMIT (60 * NP_SECOND)
#define LOOK	   (5 * NP_MILLISECOND)
#define DATA_FD	   3
#define SCRIPT_FD  4
#define HIGH_FD	   10 /* above the numbers that the child uses */

extern char **environ;

/* Duplicates @fd to a number that the child does not use. -1: none, or it failed. */
static int out_of_the_way(int fd)
{
	return fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH_FD);
}

static void hand_on(posix_spawn_file_actions_t *actions, int fd, int as)
{
	if (fd >= 0)
		posix_spawn_file_actions_adddup2(actions, fd, as);
}

static int spawn(const struct np_gnuplot *how, const int *fds, pid_t *pid)
{
	char name[] = "gnuplot", *const argv[] = {name, (char *)(uintptr_t)how->script, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	hand_on(&actions, fds[0], DATA_FD);
	hand_on(&actions, fds[1], SCRIPT_FD);
	hand_on(&actions, fds[2], STDOUT_FILENO);
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

int np_gnuplot_run(const struct np_gnuplot *how, int *status)
{
	const int fds[] = {
		out_of_the_way(how->data_fd),
		out_of_the_way(how->script_fd),
		out_of_the_way(how->picture_fd),
	};
	pid_t pid;
	int rc = spawn(how, fds, &pid);

	for (unsigned i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (!rc)
		*status = await(pid);
	return rc;
}

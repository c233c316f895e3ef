// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * process: makes sure that standard descriptors are open and no disk image, and that no file size
 * limit kills the process.
 */
#include <netperf/process.h>

#include "guard_carries.h"

#include <errno.h>
#include <fcntl.h>
#include <netperf/output.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A shell that appends to a file, or opens it by <>, has left its content there. */
static bool is_disk(int fd)
{
	struct stat found;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(fd, &found) == 0 &&
	       S_ISREG(found.st_mode) && found.st_size > 0 && guard_is_disk(fd) > 0;
}

/* Leads a standard error that is a disk to standard output, if that is none, or nowhere. */
static int spare_disks(void)
{
	const bool out = is_disk(STDOUT_FILENO), error = is_disk(STDERR_FILENO);
	int instead;

	if (!out && !error)
		return 0;
	if (!error)
		return -ETXTBSY;
	instead = out ? open("/dev/null", O_WRONLY | O_CLOEXEC) : STDOUT_FILENO;
	if (instead < 0 || dup2(instead, STDERR_FILENO) < 0)
		close(STDERR_FILENO);
	return -ETXTBSY;
}

int np_process_begin(void)
{
	/*
	 * open() returns the lowest free number. Opened for the opposite direction, its use still
	 * fails.
	 */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return -errno;
	}
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return -errno;
	return spare_disks();
}

const char *np_process_reason(int error, char text[NP_PROCESS_REASON_BYTES])
{
	if (error == -ETXTBSY)
		snprintf(text, NP_PROCESS_REASON_BYTES, "standard output or standard error %s",
			 np_output_reason(error));
	else
		snprintf(text, NP_PROCESS_REASON_BYTES,
			 "/dev/null: %s, and a standard stream is closed", strerror(-error));
	return text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * process: makes sure that standard descriptors are open, and that neither a file size limit nor a
 * reader that went away kills the process.
 */
#include <netperf/process.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return -errno;
	return 0;
}

const char *np_process_reason(int error, char text[NP_PROCESS_REASON_BYTES])
{
	snprintf(text, NP_PROCESS_REASON_BYTES, "/dev/null: %s, and a standard stream is closed",
		 strerror(-error));
	return text;
}

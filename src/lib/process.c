// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* process: the three standard descriptors are there, and no file limit kills. */
#include <netperf/process.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int np_process_begin(void)
{
	/* open() takes the lowest free number. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -errno;
	}
	if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return -errno;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* hold-exclusive: holds a block device by O_EXCL until it is ended, as a careful program would. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	if (argc != 2 || open(argv[1], O_RDONLY | O_EXCL | O_CLOEXEC) < 0) {
		perror(argc == 2 ? argv[1] : "usage: hold-exclusive DEVICE");
		return 1;
	}
	puts("held");
	fflush(stdout);
	pause();
	return 0;
}

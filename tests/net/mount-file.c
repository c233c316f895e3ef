// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mount-file: mounts EROFS from a file by mount(2), where mount(8) would make a loop device. */
#include <stdio.h>
#include <sys/mount.h>

int main(int argc, char *argv[])
{
	if (argc == 3 && mount(argv[1], argv[2], "erofs", MS_RDONLY, "") == 0)
		return 0;
	perror(argc == 3 ? argv[1] : "usage: mount-file FILE FOLDER");
	return 1;
}

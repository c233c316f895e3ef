// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mount-file: mounts EROFS from a file by mount(2), where mount(8) would make a loop device. */
#include <stdio.h>
#include <sys/mount.h>

int main(int argc, char *argv[])
{
	if ((argc == 3 || argc == 4) &&
	    mount(argv[1], argv[2], "erofs", MS_RDONLY, argc == 4 ? argv[3] : "") == 0)
		return 0;
	perror(argc == 3 || argc == 4 ? argv[1] : "usage: mount-file FILE FOLDER [OPTIONS]");
	return 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mount-fuse: keeps FILE open, mounts FUSE on FOLDER under the name SOURCE, as a program that
 * serves a disk image does, says "mounted", and unmounts it at the end of its standard input. It
 * answers no request.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[80], byte;

	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: mount-fuse SOURCE FOLDER FILE [path]\n");
		return 2;
	}
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || open(argv[3], argc == 5 ? O_PATH : O_RDONLY) < 0 ||
	    mount(argv[1], argv[2], "fuse.test", MS_NOSUID | MS_NODEV, options)) {
		perror(argv[1]);
		return 1;
	}
	puts("mounted");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return umount2(argv[2], MNT_DETACH) != 0;
}

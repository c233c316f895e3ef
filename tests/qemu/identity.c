// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Print the model of a disk by its driver, the one place where the AoE driver shows it. */
#include <fcntl.h>
#include <linux/hdreg.h>
#include <stdio.h>
#include <sys/ioctl.h>

int main(int argc, char **argv)
{
	struct hd_driveid id;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: identity DEVICE\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || ioctl(fd, HDIO_GET_IDENTITY, &id) < 0) {
		perror(argv[1]);
		return 1;
	}
	printf("%.*s\n", (int)sizeof(id.model), (const char *)id.model);
	return 0;
}

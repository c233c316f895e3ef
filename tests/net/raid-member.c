// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * raid-member: makes FILE, of any size, look like a member of an array of md(4).
 *
 * usage: raid-member FILE 90|10|11|12
 */
#include "../raid_super.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	uint8_t super[RAID_SUPER_BYTES];
	unsigned version = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	struct stat status;
	uint64_t at;
	int fd;

	if (version != 90 && (version < 10 || version > 12))
		errx(2, "usage: raid-member FILE 90|10|11|12");
	fd = open(argv[1], O_WRONLY);
	if (fd < 0 || fstat(fd, &status) < 0)
		err(2, "%s", argv[1]);
	at = raid_super(super, version, (uint64_t)status.st_size);
	if (pwrite(fd, super, sizeof(super), (off_t)at) != (ssize_t)sizeof(super))
		err(2, "%s", argv[1]);
	return 0;
}

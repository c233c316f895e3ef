// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guarded_file: makes files for the tests of the guard. */
#include "guarded_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void make_file(struct file *file)
{
	strncpy(file->path, "/tmp/netperf-guard.XXXXXX", sizeof(file->path));
	file->fd = mkstemp(file->path);
	assert_true(file->fd >= 0);
	assert_int_equal(ftruncate(file->fd, (off_t)FILE_BYTES), 0);
}

void put(const struct file *file, const void *data, size_t bytes, uint64_t offset)
{
	assert_int_equal(pwrite(file->fd, data, bytes, (off_t)offset), bytes);
}

struct np_guard_verdict judge(const struct file *file)
{
	struct np_guard_verdict verdict;

	assert_int_equal(np_guard_fd(file->fd, NULL, &verdict), 0);
	return verdict;
}

void drop_file(struct file *file)
{
	close(file->fd);
	unlink(file->path);
}

void put_ext_superblock(const struct file *file)
{
	uint8_t super[1024] = {0};

	super[0] = 64; /* inodes, blocks: not 0 */
	super[4] = 64;
	super[24] = 2;	  /* block size 4096 */
	super[56] = 0x53; /* magic */
	super[57] = 0xef;
	super[76] = 1; /* revision */
	put(file, super, sizeof(super), 1024);
}

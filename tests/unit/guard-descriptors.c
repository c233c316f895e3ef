// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: which descriptors it judges, and that these are judged, not paths. */
#include "support/guarded_file.h"
#include "support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Who cannot look for want of descriptors does not know of anybody, and --destroy is no answer. */
TEST(needs_descriptors)
{
	struct np_guard_verdict verdict;
	struct rlimit before, limit;
	struct file file;

	make_file(&file);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	for (rlim_t more = 1; more <= 4; more++) {
		limit.rlim_cur = (rlim_t)file.fd + more;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(np_guard_fd(file.fd, NULL, &verdict), -EMFILE);
		assert_int_equal(np_guard_users("/dev/etherd/e4.1", &verdict), -EMFILE);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_FREE);
	drop_file(&file);
}

TEST(refuses_what_is_no_disk)
{
	int folder = open("/tmp", O_RDONLY | O_CLOEXEC),
	    null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct np_guard_verdict verdict;

	assert_int_equal(np_guard_fd(null, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(folder, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(-1, NULL, &verdict), -EBADF);
	close(null);
	close(folder);
}

/* Judged through a descriptor for direct I/O, which it still is when the judgement is over. */
TEST(direct_descriptors_are_judged)
{
	struct np_guard_verdict verdict;
	struct file file;
	int fd;

	make_file(&file);
	put(&file, "text", 4, 1000);
	fd = open(file.path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0) {
		print_message("SKIP: kernel: no O_DIRECT in /tmp\n");
		drop_file(&file);
		return;
	}
	assert_int_equal(np_guard_fd(fd, NULL, &verdict), 0);
	assert_int_equal(verdict.reason, NP_GUARD_NOT_OURS);
	assert_int_not_equal(fcntl(fd, F_GETFL) & O_DIRECT, 0);
	close(fd);
	drop_file(&file);
}

/* The path leads to another file by now; what is open is what would be written. */
TEST(the_descriptor_is_judged_not_the_path)
{
	struct file file, blank;

	make_file(&file);
	make_file(&blank);
	put_ext_superblock(&file);
	assert_int_equal(rename(blank.path, file.path), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	assert_int_equal(judge(&blank).reason, NP_GUARD_FREE);
	close(blank.fd);
	drop_file(&file);
}

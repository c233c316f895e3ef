// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* guard: which descriptors it judges, and that these are judged, not paths. */
#include "support/guarded_file.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Who cannot look for want of descriptors does not know of anybody, and --destroy is no answer. */
static void needs_descriptors(void **state)
{
	struct np_guard_verdict verdict;
	struct rlimit before, limit;
	struct file file;

	(void)state;
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

static void refuses_what_is_no_disk(void **state)
{
	int folder = open("/tmp", O_RDONLY | O_CLOEXEC),
	    null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct np_guard_verdict verdict;

	(void)state;
	assert_int_equal(np_guard_fd(null, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(folder, NULL, &verdict), -ENOTBLK);
	assert_int_equal(np_guard_fd(-1, NULL, &verdict), -EBADF);
	close(null);
	close(folder);
}

/* Judged through a descriptor for direct I/O, which it still is when the judgement is over. */
static void direct_descriptors_are_judged(void **state)
{
	struct np_guard_verdict verdict;
	struct file file;
	int fd;

	(void)state;
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
static void the_descriptor_is_judged_not_the_path(void **state)
{
	struct file file, blank;

	(void)state;
	make_file(&file);
	make_file(&blank);
	put_ext_superblock(&file);
	assert_int_equal(rename(blank.path, file.path), 0);
	assert_int_equal(judge(&file).reason, NP_GUARD_SIGNATURE);
	assert_int_equal(judge(&blank).reason, NP_GUARD_FREE);
	close(blank.fd);
	drop_file(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_descriptors),
		cmocka_unit_test(refuses_what_is_no_disk),
		cmocka_unit_test(direct_descriptors_are_judged),
		cmocka_unit_test(the_descriptor_is_judged_not_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

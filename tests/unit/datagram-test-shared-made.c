// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* How what two threads share is made, and what remains when that fails: no descriptor. */
#include "../../src/datagram-test/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static const struct np_address_list no_peers;

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

static void assert_wakes(int fd)
{
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	/* Nobody waits here: neither for a wish that was not told, nor for room for one. */
	shared_wake(fd);
	shared_wake(fd);
	shared_woken(fd);
	shared_woken(fd);
}

static void nobody_waits_for_a_wish(void **state)
{
	struct shared *shared;

	(void)state;
	assert_int_equal(shared_create(&shared, &no_peers, 7), 0);
	assert_int_equal(shared->run, 7);
	assert_wakes(shared->publisher_wake);
	assert_wakes(shared->listener_wake);
	shared_free(shared);
}

static void the_first_peer_is_found(void **state)
{
	static const struct {
		const char *peers, *from;
	} rows[] = {{"239.0.0.1:3", "10.0.0.9:3"},
		    {"239.0.0.1:3", "239.0.0.1:3"},
		    /* The address itself, before one that stands for it. */
		    {"10.0.0.1:1 239.0.0.1:1", "10.0.0.1:1"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_address_list list = {0}, from = {0};
		struct shared *shared;

		assert_int_equal(np_address_list_parse_numeric(&list, rows[i].peers, 9), 0);
		assert_int_equal(np_address_list_parse_numeric(&from, rows[i].from, 9), 0);
		assert_int_equal(shared_create(&shared, &list, 7), 0);
		assert_ptr_equal(shared_peer_of(shared, &from.item[0]), &shared->peer[0]);
		shared_free(shared);
		np_address_list_clear(&from);
		np_address_list_clear(&list);
	}
}

/* 0 is a descriptor like others, where standard input is closed. */
static void descriptor_0_is_closed_again(void **state)
{
	const int kept = dup(0);
	struct shared *shared;

	(void)state;
	assert_true(kept >= 0);
	close(0);
	assert_int_equal(shared_create(&shared, &no_peers, 7), 0);
	assert_int_equal(shared->publisher_wake, 0);
	shared_free(shared);
	assert_false(is_open(0));
	assert_int_equal(dup2(kept, 0), 0);
	close(kept);
}

/* More peers than there is memory for; nothing was opened yet, and nothing is closed. */
static void without_memory(void **state)
{
	const struct np_address_list many = {.count = SIZE_MAX / sizeof(struct shared_peer)};
	const int kept = dup(0);
	struct shared *shared;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	close(kept);
	skip(); /* such a request ends the program */
#endif
	assert_true(kept >= 0);
	assert_int_equal(dup2(kept, 0), 0);
	assert_int_equal(shared_create(&shared, &many, 7), -ENOMEM);
	assert_null(shared);
	assert_true(is_open(0));
	close(kept);
}

/* With one descriptor left, or none. */
static void without_descriptors(void **state)
{
	const int lowest = dup(0);
	struct rlimit limit, less;
	struct shared *shared;

	(void)state;
	assert_true(lowest >= 0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	for (unsigned left = 0; left < 2; left++) {
		less = limit;
		less.rlim_cur = (rlim_t)lowest + left;
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &less), 0);
		assert_int_equal(shared_create(&shared, &no_peers, 7), -EMFILE);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_null(shared);
		assert_false(is_open(lowest));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_a_wish),
		cmocka_unit_test(the_first_peer_is_found),
		cmocka_unit_test(descriptor_0_is_closed_again),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(without_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of fault: what was typed and why it cannot be, cut to their room. */
#include <netperf/log.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void object_reason_and_error_are_as_given(void **state)
{
	struct np_fault fault;

	(void)state;
	assert_int_equal(np_fault_set(&fault, -EPERM, "--ttl", "'%s'; expected 1 to %d", "x", 255),
			 -EPERM);
	assert_string_equal(fault.object, "--ttl");
	assert_string_equal(fault.reason, "'x'; expected 1 to 255");
	assert_int_equal(np_fault_errno(&fault, -ENOENT, "config.txt"), -ENOENT);
	assert_string_equal(fault.object, "config.txt");
	assert_string_equal(fault.reason, strerror(ENOENT));
}

static void what_is_too_long_is_cut(void **state)
{
	struct np_fault fault;
	char longer[1000];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(np_fault_set(&fault, -EINVAL, longer, "%s", longer), -EINVAL);
	assert_int_equal(strlen(fault.object), sizeof(fault.object) - 1);
	assert_int_equal(strlen(fault.reason), sizeof(fault.reason) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(object_reason_and_error_are_as_given),
		cmocka_unit_test(what_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

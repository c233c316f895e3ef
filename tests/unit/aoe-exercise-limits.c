// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-limits: what fits a frame, and on which interfaces the kernel's driver listens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/aoe-exercise/guard.h"

#include <cmocka.h>

static void sectors_fit_the_mtu(void **state)
{
	(void)state;
	assert_int_equal(limits_sectors(0), 0);
	assert_int_equal(limits_sectors(35), 0);
	assert_int_equal(limits_sectors(36 + 511), 0);
	assert_int_equal(limits_sectors(36 + 512), 1);
	assert_int_equal(limits_sectors(1500), 2);
	assert_int_equal(limits_sectors(9000), 17);
}

static void an_empty_list_is_every_interface(void **state)
{
	(void)state;
	assert_true(limits_listed("", "eth0"));
	assert_true(limits_listed("\n", "eth0"));
}

static void a_name_is_a_whole_name(void **state)
{
	(void)state;
	assert_true(limits_listed("eth0", "eth0"));
	assert_true(limits_listed("eth0\n", "eth0"));
	assert_true(limits_listed("eth1,eth0", "eth0"));
	assert_true(limits_listed(" eth1\t eth0 ,lo", "lo"));
	assert_false(limits_listed("eth10", "eth1"));
	assert_false(limits_listed("veth1", "eth1"));
	assert_false(limits_listed("eth", "eth1"));
	assert_false(limits_listed("eth1:eth2", "eth2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sectors_fit_the_mtu),
		cmocka_unit_test(an_empty_list_is_every_interface),
		cmocka_unit_test(a_name_is_a_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

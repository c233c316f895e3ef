// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-instance_id: instances differ; processes that share a clock have the same one. */
#include "../../src/group-test/wire/instance_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void instances_differ(void **state)
{
	uint64_t one = 0, other = 0;

	(void)state;
	assert_int_equal(instance_id_draw(&one), 0);
	assert_int_equal(instance_id_draw(&other), 0);
	assert_true(one && other && one != other);
}

/* The boot's number, of which the kernel's text has two digits for each byte. */
static void clocks_are_those_of_the_boot(void **state)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	uint8_t id[16] = {0}, expected[16];
	struct stat time_namespace;

	(void)state;
	if (!file)
		skip();
	for (unsigned i = 0; i < 16; i++) {
		unsigned byte;

		(void)!fscanf(file, "%*[-]");
		assert_int_equal(fscanf(file, "%2x", &byte), 1);
		expected[i] = (uint8_t)byte;
	}
	fclose(file);
	if (!stat("/proc/self/ns/time", &time_namespace)) {
		for (unsigned i = 0; i < 8; i++)
			expected[8 + i] ^= (uint8_t)((uint64_t)time_namespace.st_ino >> 8 * i);
	}
	assert_int_equal(instance_id_clock(id), 0);
	assert_memory_equal(id, expected, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instances_differ),
		cmocka_unit_test(clocks_are_those_of_the_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* unit: runs the tests that added themselves. */
#include "unit.h"

static struct CMUnitTest tests[UNIT_TESTS_MAX];
static size_t count;
static CMFixtureFunction before, after;

void unit_add(struct CMUnitTest test)
{
	if (count == UNIT_TESTS_MAX)
		abort();
	tests[count++] = test;
}

void unit_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	before = setup;
	after = teardown;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, count, before, after);
}

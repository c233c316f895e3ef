// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of fault: what was typed and why it cannot be, cut to their room. */
#include "support/unit.h"

#include <netperf/log.h>

TEST(object_reason_and_error_are_as_given)
{
	struct np_fault fault;

	assert_int_equal(np_fault_set(&fault, -EPERM, "--ttl", "'%s'; expected 1 to %d", "x", 255),
			 -EPERM);
	assert_string_equal(fault.object, "--ttl");
	assert_string_equal(fault.reason, "'x'; expected 1 to 255");
	assert_int_equal(np_fault_errno(&fault, -ENOENT, "config.txt"), -ENOENT);
	assert_string_equal(fault.object, "config.txt");
	assert_string_equal(fault.reason, strerror(ENOENT));
}

TEST(what_is_too_long_is_cut)
{
	struct np_fault fault;
	char longer[1000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(np_fault_set(&fault, -EINVAL, longer, "%s", longer), -EINVAL);
	assert_int_equal(strlen(fault.object), sizeof(fault.object) - 1);
	assert_int_equal(strlen(fault.reason), sizeof(fault.reason) - 1);
}

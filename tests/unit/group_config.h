/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* group_config: what a configuration of group-test says of a key, and in which line. */
#ifndef GROUP_CONFIG_H
#define GROUP_CONFIG_H

#include "../../src/group-test/config/config_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void is(const struct config_file *config, const char *key, const char *value,
		      unsigned line)
{
	const struct config_line *found = config_file_find(config, key);

	assert_non_null(found);
	assert_string_equal(found->value, value);
	assert_int_equal(found->line, line);
}

#endif

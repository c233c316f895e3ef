/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* group_who: the identity that a test writes down: "10.0.0.1:7800". */
#pragma once

#include "../../src/group-test/wire/identity.h"
#include "support/unit.h"

static inline struct identity who(const char *text)
{
	struct identity identity;

	assert_int_equal(identity_parse(text, &identity), 0);
	return identity;
}

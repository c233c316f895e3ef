/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* address_of: the address that a test writes down: "10.0.0.1:5001", "[::1]:0", without a name. */
#pragma once

#include "support/unit.h"

#include <netperf/address.h>

static inline struct np_address address_of(const char *text)
{
	struct np_address_list list = {0};
	struct np_address address;

	assert_int_equal(np_address_list_parse(&list, text, 0, NP_ADDRESS_NUMERIC), 0);
	assert_int_equal(list.count, 1);
	address = list.item[0];
	np_address_list_clear(&list);
	return address;
}
